//! Requests with their answers, and tools.

use crate::controls::refused;
use crate::sample::{Circle, Control, Fault, Framed, Line, Pitch, Ring, Shape, Tone, ToolInput};
use crate::{Code, ControlError, Json, Object};

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
    assert_eq!(Tone::decode_answer(None), Err(ControlError::Missing));
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
    let Err(ControlError::Decode(fault)) = Framed::decode_answer(None) else {
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
        ControlError::Missing.to_string(),
        "the response has no answer"
    );
    assert_eq!(
        Framed::encode_answer(&circle(f64::NAN)).unwrap_err().path,
        "/radius"
    );
}

#[test]
fn a_request_knows_the_union_that_holds_it() {
    let (asked, boxed) = (tone().into_request(), Box::new(tone()));
    assert_eq!(asked, Line::from(tone()));
    assert!(tone().is_held_by(&asked) && boxed.is_held_by(&asked));
    assert!(!circle_request().is_held_by(&asked));
    assert_eq!(boxed.into_request(), asked);
    let payload = <Box<Tone>>::encode_answer(&tone()).unwrap();
    assert_eq!(<Box<Tone>>::decode_answer(payload.as_ref()), Ok(tone()));
}

fn circle_request() -> Framed {
    Framed {
        from: String::new(),
        shape: Shape::Circle(circle(2.0)),
        extra: Object::new(),
    }
}

fn circle(radius: f64) -> Circle {
    Circle {
        radius,
        extra: Object::new(),
    }
}

#[test]
fn a_refusal_has_the_text_of_the_peer_and_what_it_came_with() {
    let error = refused("no such tone", &tone());
    assert_eq!(error.to_string(), "the request was refused: no such tone");
    let ControlError::Refused { message, response } = error else {
        panic!("it is a refusal")
    };
    assert_eq!(message, "no such tone");
    assert_eq!(response.text(), r#"{"pitch":"high","a":1}"#);
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
