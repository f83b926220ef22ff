//! Requests with their answers, and tools.

use crate::sample::{Circle, Control, Fault, Framed, Pitch, Ring, Tone, ToolInput};
use crate::{AnswerError, Code, Json, Object};

fn tone() -> Tone {
    Tone {
        kind: false,
        pitch: Pitch::High,
        extra: Object::from([("a", 1)]),
    }
}

#[test]
fn an_answer_goes_through_an_object_and_back() {
    let payload = Tone::encode_answer(&tone()).unwrap().unwrap();
    assert_eq!(
        Json::from(payload.clone()).text(),
        r#"{"pitch":"high","a":1}"#
    );
    assert_eq!(Tone::decode_answer(Some(&payload)), Ok(tone()));
    assert_eq!(Tone::decode_answer(None), Err(AnswerError::Missing));
    assert_eq!(Ring::encode_answer(&()), Ok(None));
    assert_eq!(Ring::decode_answer(Some(&payload)), Ok(()));
    assert_eq!(
        Fault::encode_answer(&Some(tone())),
        Ok(Some(payload.clone()))
    );
    assert_eq!(Fault::decode_answer(Some(&payload)), Ok(Some(tone())));
    assert_eq!(
        (Fault::encode_answer(&None), Fault::decode_answer(None)),
        (Ok(None), Ok(None))
    );
}

#[test]
fn a_flat_answer_that_is_not_there_has_no_members() {
    let payload = Object::from([("radius", 2)]);
    assert_eq!(Framed::decode_answer(Some(&payload)).unwrap().radius, 2.0);
    let Err(AnswerError::Decode(fault)) = Framed::decode_answer(None) else {
        panic!("a member is missing")
    };
    assert_eq!(
        (fault.code, &*fault.path),
        (Code::MissingField, "/answer/radius")
    );
}

#[test]
fn an_answer_that_is_none_to_the_request_is_refused() {
    let error = Tone::decode_answer(Some(&Object::from([("pitch", 1)]))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "wrong_type at /answer/pitch: expected string, got integer"
    );
    assert_eq!(
        AnswerError::Missing.to_string(),
        "the response has no answer"
    );
    let circle = Circle {
        radius: f64::NAN,
        extra: Object::new(),
    };
    assert_eq!(Framed::encode_answer(&circle).unwrap_err().path, "/radius");
}

#[test]
fn a_tool_is_found_by_its_name_or_form() {
    let input = Object::from([("a", 1)]);
    assert_eq!(
        ToolInput::decode("any_thing", &input),
        Ok(Some(ToolInput::Any(Json::from(input.clone()))))
    );
    assert_eq!(ToolInput::decode("other", &input), Ok(None));
    assert_eq!(ToolInput::decode("ring", &input).unwrap_err().path, "/kind");
}
