//! Requests with their answers, and tools.

use crate::controls::{held_data, next_number, text_of_number, Refusal};
use crate::sample::{
    Asked, Circle, Control, ControlError, ErrorData, Fault, Framed, Label, Line, Notify, Pitch,
    PlainGift, Reply, Ring, Shape, Tone, ToolInput, WrappedGift,
};
use crate::session::{Part, Respond};
use crate::table::Rule;
use crate::{Code, DecodeError, Json, Object, Presence};

fn tone() -> Tone {
    Tone {
        kind: false,
        pitch: Pitch::High,
        extra: Object::from([("a", 1)]),
    }
}

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

/// Asserts that an answer encodes to a text, and decodes from it.
fn travels<R: Control>(answer: &R::Answer, text: Option<&str>)
where
    R::Answer: std::fmt::Debug + PartialEq,
{
    let payload = R::encode_answer(answer).unwrap();
    assert_eq!(payload.as_ref().map(Json::text), text);
    assert_eq!(R::decode_answer(payload.as_ref()).as_ref(), Ok(answer));
}

#[test]
fn an_answer_goes_through_an_envelope_and_back() {
    travels::<Tone>(&tone(), Some(r#"{"pitch":"high","a":1}"#));
    travels::<Ring>(&(), None);
    travels::<Fault>(&Some(tone()), Some(r#"{"pitch":"high","a":1}"#));
    travels::<Fault>(&None, None);
    travels::<PlainGift>(&Presence::Absent, None);
    travels::<PlainGift>(&Presence::Null, Some("null"));
    travels::<PlainGift>(&Presence::Present(Pitch::Low), Some(r#""low""#));
    travels::<WrappedGift>(&None, None);
    travels::<WrappedGift>(&Some(Json::NULL), Some("null"));
    assert!(Tone::lacks_answer(None) && !Tone::lacks_answer(Some(&Json::NULL)));
    assert!(!Ring::lacks_answer(None) && !Fault::lacks_answer(None));
    assert_eq!(Ring::decode_answer(Some(&json("7"))), Ok(()));
}

#[test]
fn what_stands_for_no_answer_is_none() {
    let none = json(" { } ");
    assert_eq!(Fault::decode_answer(Some(&none)), Ok(None));
    assert_eq!(Fault::decode_answer(Some(&Json::NULL)), Ok(None));
    assert_eq!(PlainGift::decode_answer(Some(&none)), Ok(Presence::Absent));
    assert_eq!(WrappedGift::decode_answer(Some(&none)), Ok(None));
    let payload: Option<Json> = crate::controls::no_answer("{}");
    assert_eq!(payload, Some(none));
}

#[test]
fn a_flat_answer_that_is_not_there_has_no_members() {
    let payload = json(r#"{"radius":2}"#);
    assert_eq!(Framed::decode_answer(Some(&payload)).unwrap().radius, 2.0);
    let DecodeError { code, path, .. } = Framed::decode_answer(None).unwrap_err();
    assert_eq!((code, &*path), (Code::MissingField, "/answer/radius"));
}

#[test]
fn an_answer_that_is_none_to_the_request_is_refused() {
    let error = Tone::decode_answer(Some(&json(r#"{"pitch":1}"#))).unwrap_err();
    assert_eq!(
        error.to_string(),
        "wrong_type at /answer/pitch: expected string, got integer"
    );
    assert_eq!(
        Framed::encode_answer(&circle(f64::NAN)).unwrap_err().path,
        "/radius"
    );
    let held: Result<Option<Object>, _> =
        crate::controls::held(&7_i64, crate::table::Rule::Object, "/answer");
    let error = held.unwrap_err();
    assert_eq!((error.code, &*error.path), (Code::WrongType, "/answer"));
}

#[test]
fn a_request_knows_the_union_that_holds_it() {
    let (asked, boxed) = (tone().into_request(), Box::new(tone()));
    assert_eq!(asked, Line::from(tone()));
    assert!(Tone::is_held_by(&asked) && <Box<Tone>>::is_held_by(&asked));
    assert!(!Framed::is_held_by(&asked));
    assert_eq!(boxed.into_request(), asked);
    let payload = <Box<Tone>>::encode_answer(&tone()).unwrap();
    assert_eq!(<Box<Tone>>::decode_answer(payload.as_ref()), Ok(tone()));
    assert!(<Box<Tone>>::lacks_answer(None));
}

fn framed() -> Framed {
    Framed {
        from: "the peer".into(),
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

fn reply(floor: i64) -> Reply {
    Reply {
        floor,
        id: None,
        note: Presence::Null,
        label: None,
        told: None,
        extra: Object::new(),
    }
}

#[test]
fn a_response_has_the_form_that_its_members_tell() {
    let answers = |payload| Some(Part::Answer(None, payload));
    assert_eq!(Box::new(reply(1)).outcome(), answers(None));
    let mut answer = reply(1);
    answer.note = Presence::Present(json("7"));
    assert_eq!(answer.outcome(), answers(Some(&json("7"))));
    answer.floor = 2;
    assert_eq!(answer.outcome(), None);
    let mut failed = reply(0);
    assert_eq!(failed.outcome(), None);
    failed.told = Some(tone().into());
    assert_eq!(failed.outcome(), None);
    failed.told = Some(framed().into());
    failed.label = Some(Label::Number(7));
    let Some(Part::Failed(None, failure)) = failed.outcome() else {
        panic!("it failed")
    };
    assert_eq!(
        (&*failure.message, failure.code, failure.data),
        ("the peer", Some(Label::Number(7)), None)
    );
    assert_eq!(failure.response.get("floor"), Some(json("0").view()));
}

/// The error of a request whose response has a code and data.
fn error<R: Control>(
    code: Option<Label>,
    data: Option<&str>,
) -> (Option<Label>, Option<ErrorData>) {
    let error = R::failed(crate::controls::Failure {
        message: "no such tone".into(),
        code,
        data: data.map(json),
        response: Json::NULL,
    });
    assert_eq!(error.to_string(), "the request was refused: no such tone");
    let ControlError::Refused { code, data, .. } = error else {
        panic!("it is a refusal")
    };
    (code, data)
}

#[test]
fn data_of_an_error_has_the_type_of_the_request_or_of_the_code() {
    let untyped = |text| Some(ErrorData::Untyped(json(text)));
    let seven = || Some(Label::Number(7));
    assert_eq!(error::<Tone>(None, None), (None, None));
    assert_eq!(error::<Tone>(None, Some("1")).1, untyped("1"));
    let typed = error::<Tone>(seven(), Some(r#""low""#));
    assert_eq!(typed, (seven(), Some(ErrorData::Pitch(Pitch::Low))));
    assert_eq!(error::<Tone>(seven(), Some("1")).1, untyped("1"));
    let other = Some(Label::Text("7".into()));
    assert_eq!(
        error::<Tone>(other, Some(r#""low""#)).1,
        untyped(r#""low""#)
    );
    let own = error::<Box<Fault>>(seven(), Some(r#"{"pitch":"high","a":1}"#)).1;
    assert_eq!(own, Some(ErrorData::Tone(tone())));
    assert_eq!(
        error::<Fault>(seven(), Some(r#""low""#)).1,
        untyped(r#""low""#)
    );
}

#[test]
fn a_refusal_has_what_it_was_given() {
    assert_eq!(Refusal::<i64>::from("no"), Refusal::new("no".to_string()));
    let refusal = Refusal::<Label>::new("no")
        .code(Label::Null)
        .data(&tone())
        .unwrap();
    assert_eq!(refusal.clone().or_code(Label::Number(1)), refusal);
    assert_eq!(
        Refusal::new("no").or_code(1_i64),
        Refusal::new("no").code(1_i64)
    );
    let held = |rule| held_data::<Object>(refusal.data.clone(), rule, "/data");
    assert_eq!(held(Rule::Object).unwrap().unwrap().len(), 2);
    let error = held_data::<i64>(refusal.data.clone(), Rule::Integer, "/data").unwrap_err();
    assert_eq!((error.code, &*error.path), (Code::WrongType, "/data"));
    assert!(Refusal::<i64>::new("no").data(&circle(f64::NAN)).is_err());
}

#[test]
fn ids_are_drawn_once() {
    let (one, other) = (next_number(), next_number());
    assert!(one < other);
    assert_eq!(text_of_number("r-", 7), "r-7");
    let text = || text_of_number("", next_number());
    assert_ne!(text(), text());
}

#[test]
fn a_notification_travels_in_its_union() {
    let news = circle(1.0);
    let told = Shape::Circle(news.clone());
    assert_eq!(news.clone().into_notification(), told);
    assert_eq!(Box::new(news).into_notification(), told);
}

#[test]
fn an_error_says_what_happened() {
    assert_eq!(
        ControlError::Missing.to_string(),
        "the response has no answer"
    );
    let fault = crate::decode::<i64>("true").unwrap_err();
    assert_eq!(
        ControlError::Decode(fault.clone()).to_string(),
        fault.to_string()
    );
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

#[test]
fn only_absent_members_are_filled() {
    let text = |ring: &Ring| crate::encode(ring).unwrap();
    let ring = |more: &str| -> Ring {
        let id = "6ba7b810-9dad-41d1-80b4-00c04fd430c8";
        let text = format!(r#"{{"kind":"ring","version":2,"id":"{id}","sizes":[1]{more}}}"#);
        crate::decode(text).unwrap()
    };
    for (given, expected) in [
        ("", r#","note":"a","ratio":7"#),
        (r#","note":null,"ratio":0"#, r#","note":null,"ratio":0"#),
    ] {
        let mut filled = ring(given);
        let to = &mut filled;
        fill!(to [~ note] crate::controls::given(Some(&"a".to_owned()), Rule::String));
        fill!(to [? ratio] crate::controls::given(Some(&7_i64), Rule::Number));
        fill!(to [? label] crate::controls::given(None::<&Label>, Rule::Named(2)));
        fill!(to [. sizes] None::<Vec<i64>>);
        assert_eq!(text(&filled), text(&ring(expected)));
    }
}

#[test]
fn only_the_variants_that_have_a_member_are_filled() {
    for (given, expected) in [
        (r#"{"kind":"gift"}"#, r#"{"kind":"gift","wrapped":false}"#),
        (
            r#"{"kind":"gift","wrapped":true,"paper":"a"}"#,
            r#"{"kind":"gift","wrapped":true,"paper":"a"}"#,
        ),
        (r#"{"kind":"new"}"#, r#"{"kind":"new"}"#),
    ] {
        let mut asked = Asked {
            id: Label::Number(1),
            ask: crate::decode(given).unwrap(),
            extra: Object::new(),
        };
        let to = &mut asked;
        fill!(to [. ask { PlainGift [? wrapped], }] Some(false));
        assert_eq!(crate::encode(&asked.ask).unwrap(), expected);
    }
}
