//! Values that can be encoded, and values that are rejected.

use crate::sample::{
    Circle, Fault, Floor, Framed, Line, Pitch, PlainGift, Ring, Shape, Tone, UnknownLine,
};
use crate::uuid::fresh_uuid;
use crate::{
    decode, decode_with, encode, encode_with, Code, EncodeError, Json, Map, Mode, Object, Presence,
};

fn ring() -> Ring {
    Ring {
        id: "x".into(),
        sizes: vec![],
        at: None,
        note: Presence::Absent,
        ratio: None,
        floors: None,
        label: None,
        inner: None,
        extra: Object::new(),
    }
}

#[track_caller]
fn assert_refused(value: &impl crate::Wire, code: Code, path: &str) -> EncodeError {
    let error = encode(value).unwrap_err();
    assert_eq!((error.code, &*error.path), (code, path));
    error
}

#[test]
fn members_come_in_declared_order_then_extra() {
    let mut value = ring();
    value.extra.insert("z", 1);
    value.extra.insert("a", vec![true]);
    value.note = Presence::Null;
    assert_eq!(
        encode(&value).unwrap(),
        r#"{"kind":"ring","version":2,"id":"x","sizes":[],"note":null,"z":1,"a":[true]}"#
    );
}

#[test]
fn strict_encoding_refuses_what_a_strict_reader_would() {
    let value = ring();
    assert_eq!(encode_with(&value, Mode::Lenient), encode(&value));
    let read = decode_with::<Ring>(encode(&value).unwrap(), Mode::Strict).unwrap_err(); // it has no sizes
    let error = encode_with(&value, Mode::Strict).unwrap_err();
    assert_eq!((error.code, error.path), (read.code, read.path));
    for (text, code, path) in [
        (r#"{"kind":"new","a":[1]}"#, Code::UnknownVariant, "/kind"),
        (r#"{"kind":"fault_new"}"#, Code::UnknownValue, "/kind"),
    ] {
        let line: Line = decode(text).unwrap();
        let error = encode_with(&line, Mode::Strict).unwrap_err();
        assert_eq!((error.code, &*error.path), (code, path));
        assert_eq!(encode_with(&line, Mode::Lenient).unwrap(), text);
    }
}

#[test]
fn a_declared_member_wins_over_extra() {
    let mut value = ring();
    value.extra.insert("id", 1);
    value.extra.insert("ratio", Json::NULL);
    assert_eq!(
        encode(&value).unwrap(),
        r#"{"kind":"ring","version":2,"id":"x","sizes":[],"ratio":null}"#
    );
}

#[test]
fn text_is_written_on_one_line_without_more_escapes_than_needed() {
    assert_eq!(
        encode(&"</é\u{2028}\n\r\t\u{1f}\"\\".to_string()).unwrap(),
        "\"</é\u{2028}\\n\\r\\t\\u001f\\\"\\\\\""
    );
}

#[test]
fn numbers_are_written_in_their_shortest_form() {
    for (number, text) in [
        (1.0, "1"),
        (-0.0, "-0.0"),
        (0.0, "0"),
        (0.1, "0.1"),
        (1e300, "1e300"),
        (1e16, "1e16"),
    ] {
        assert_eq!(encode(&number).unwrap(), text);
        assert_eq!(decode::<f64>(text).unwrap().to_bits(), f64::to_bits(number));
    }
}

#[test]
fn a_value_that_no_reader_takes_is_refused_with_its_place() {
    let error = assert_refused(&f64::NAN, Code::OutOfRange, "");
    assert_eq!(error.message, "expected a finite number, got NaN");
    assert_refused(&vec![1, 1 << 53], Code::OutOfRange, "/1");
    let mut value = ring();
    value.ratio = Some(f64::INFINITY);
    let line: Line = value.clone().into();
    assert_refused(&line, Code::OutOfRange, "/ratio");
    value.ratio = None;
    value.sizes = vec![0, i64::MAX];
    let mut outer = ring();
    outer.inner = Some(Box::new(value.into()));
    assert_refused(&outer, Code::OutOfRange, "/inner/sizes/1");
    let map: Map<String, f64> = [("a/b", 1.0), ("~", f64::NAN)].into();
    assert_refused(&map, Code::OutOfRange, "/~0");
}

#[test]
fn a_value_of_a_sibling_is_refused() {
    let fault = |kind: &str| Fault {
        kind: kind.into(),
        why: None,
        extra: Object::new(),
    };
    assert_eq!(encode(&fault("fault_x")).unwrap(), r#"{"kind":"fault_x"}"#);
    assert_refused(&fault("other"), Code::UnknownValue, "/kind");
    let gift = PlainGift {
        wrapped: Some(true),
        extra: Object::new(),
    };
    assert_refused(&gift, Code::WrongConstant, "/wrapped");
    let mut tone = Tone {
        kind: true,
        pitch: Pitch::Low,
        extra: Object::from([("a", 1)]),
    };
    assert_eq!(
        encode(&tone).unwrap(),
        r#"{"kind":"tone","pitch":"low","a":1}"#
    );
    tone.extra.insert("b", "x");
    assert_refused(&tone, Code::WrongType, "/b");
}

#[test]
fn an_unknown_is_refused_where_a_variant_has_its_tag() {
    let line = |raw: &str| {
        Line::Unknown(UnknownLine {
            raw: Json::parse(raw).unwrap(),
        })
    };
    assert_eq!(
        encode(&line(r#"{"kind":"new","a":1}"#)).unwrap(),
        r#"{"kind":"new","a":1}"#
    );
    assert_refused(&line(r#"{"kind":"tone"}"#), Code::MissingField, "/pitch");
    assert_refused(&line("[]"), Code::WrongType, "");
}

#[test]
fn a_fault_in_a_flattened_value_has_the_path_on_the_wire() {
    let framed = Framed {
        from: "a".into(),
        shape: Shape::Circle(Circle {
            radius: f64::NAN,
            extra: Object::new(),
        }),
        extra: Object::new(),
    };
    assert_refused(&framed, Code::OutOfRange, "/radius");
    assert_refused(&vec![framed], Code::OutOfRange, "/0/radius");
}

#[test]
fn what_nests_too_deep_is_refused() {
    let mut value: Line = ring().into();
    for _ in 0..128 {
        let mut outer = ring();
        outer.inner = Some(Box::new(value));
        value = outer.into();
    }
    assert_refused(&value, Code::TooDeep, "");
}

#[test]
fn lists_options_and_enums_are_written_by_themselves() {
    assert_eq!(
        encode(&vec![Some(Floor::Cellar), None]).unwrap(),
        "[-1,null]"
    );
    assert_eq!(
        decode::<Vec<Option<Floor>>>("[-1,null]").unwrap(),
        [Some(Floor::Cellar), None]
    );
}

#[test]
fn a_fresh_uuid_is_of_version_4_and_differs_from_the_last() {
    let uuid = fresh_uuid();
    let form = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
    assert_eq!(uuid.len(), form.len());
    for (c, form) in uuid.chars().zip(form.chars()) {
        let fits = match form {
            'x' => c.is_ascii_digit() || ('a'..='f').contains(&c),
            'y' => "89ab".contains(c),
            _ => c == form,
        };
        assert!(fits, "{uuid}");
    }
    assert_ne!(uuid, fresh_uuid());
}
