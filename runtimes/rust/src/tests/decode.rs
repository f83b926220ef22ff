//! The rules of decoding, tested with the tables and types of the sample.

use super::{assert_fault, fault};
use crate::sample::plan::PLAN;
use crate::sample::{Fault, Floor, Framed, Gift, Label, Line, Pitch, Ring, Shape, Tone};
use crate::table::{Key, Member, Row, Rule, State, Struct};
use crate::{decode, decode_with, encode, examine, Code, Json, Mode, Presence};

const RING: &str =
    r#"{"kind":"ring","version":2,"id":"00000000-0000-4000-8000-00000000000A","sizes":[1]}"#;

/// A ring with additional members.
fn ring(more: &str) -> String {
    RING.replace('}', &format!(",{more}}}"))
}

/// Asserts that lenient mode tolerates a fault at a path which strict mode rejects with a code.
#[track_caller]
fn assert_passes<T>(text: &str, code: Code, path: &str)
where
    T: crate::Wire + PartialEq + std::fmt::Debug,
{
    let found = examine::<T>(text).unwrap();
    assert_eq!(found.unknown.to_vec(), [path], "{text}");
    assert_eq!(decode::<T>(text).unwrap(), found.value);
    assert_eq!(
        Json::parse(&encode(&found.value).unwrap()),
        Json::parse(text)
    );
    assert_eq!(fault::<T>(text, Mode::Strict), (code, path.into()));
}

#[test]
fn what_is_declared_is_read_and_written_back() {
    let text = ring(
        r#""at":"2026-01-02T03:04:05.6+07:00","note":null,"ratio":0.5,"floors":{"low":0},"label":7,"inner":{"pitch":"low"}"#,
    );
    for mode in [Mode::Lenient, Mode::Strict] {
        let ring: Ring = decode_with(&text, mode).unwrap();
        assert_eq!(
            (ring.sizes.clone(), ring.note.clone(), ring.ratio),
            (vec![1], Presence::Null, Some(0.5))
        );
        assert_eq!(ring.label, Some(Label::Number(7)));
        assert_eq!(
            ring.floors.as_ref().unwrap().get(&Pitch::Low),
            Some(&Floor::Ground)
        );
        assert!(matches!(ring.inner.as_deref(), Some(Line::Tone(tone)) if !tone.kind));
        assert_eq!(encode(&ring).unwrap(), text);
    }
    let absent: Ring = decode(RING).unwrap();
    assert_eq!((absent.note, absent.label), (Presence::Absent, None));
    assert_eq!(
        decode::<Ring>(ring(r#""label":null"#)).unwrap().label,
        Some(Label::Null)
    );
}

#[test]
fn members_may_come_in_any_order_the_tag_last() {
    let text = r#"{"sizes":[1],"new":1,"version":2,"id":"x","kind":"ring"}"#;
    let Line::Ring(ring) = decode(text).unwrap() else {
        panic!("it is a ring")
    };
    assert_eq!(
        (ring.id.as_str(), ring.extra["new"].as_i64()),
        ("x", Some(1))
    );
}

#[test]
fn lenient_mode_keeps_what_strict_mode_refuses() {
    assert_passes::<Ring>(&ring(r#""new":{"a":1}"#), Code::UnknownField, "/new");
    assert_passes::<Ring>(&ring(r#""ratio":null"#), Code::WrongType, "/ratio");
    assert_passes::<Ring>(
        &RING.replace("[1]", "[1,2,3,4]"),
        Code::OutOfBounds,
        "/sizes",
    );
    assert_passes::<Ring>(&RING.replace("[1]", "[]"), Code::OutOfBounds, "/sizes");
    assert_passes::<Ring>(&RING.replace("0A", "0"), Code::BadFormat, "/id");
    assert_passes::<Ring>(&ring(r#""at":"2026-01-02""#), Code::BadFormat, "/at");
    assert_passes::<Ring>(
        &ring(r#""floors":{"a/~b":0}"#),
        Code::UnknownValue,
        "/floors/a~1~0b",
    );
    assert_passes::<Tone>(r#"{"pitch":"shrill"}"#, Code::UnknownValue, "/pitch");
    assert_passes::<Line>(r#"{"kind":"new","a":[1]}"#, Code::UnknownVariant, "/kind");
    assert_passes::<Fault>(r#"{"kind":"fault_new"}"#, Code::UnknownValue, "/kind");
}

#[test]
fn everything_else_is_a_fault_in_both_modes() {
    use Code::*;
    for (text, code, path) in [
        (r#"[]"#.into(), WrongType, ""),
        (r#"{"kind":1}"#.into(), WrongType, "/kind"),
        (RING.replace("\"ring\"", "\"rung\""), WrongConstant, "/kind"),
        (RING.replace(":2,", ":3,"), WrongConstant, "/version"),
        (RING.replace(":2,", ":\"2\","), WrongType, "/version"),
        (RING.replace("\"version\":2,", ""), MissingField, "/version"),
        (RING.replace(",\"sizes\":[1]", ""), MissingField, "/sizes"),
        (RING.replace("[1]", "[1,true]"), WrongType, "/sizes/1"),
        (RING.replace("[1]", "[1,0.5]"), OutOfRange, "/sizes/1"),
        (RING.replace("[1]", "null"), WrongType, "/sizes"),
        (ring(r#""ratio":1e999"#), OutOfRange, "/ratio"),
        (ring(r#""floors":{"low":5}"#), UnknownValue, "/floors/low"),
        (ring(r#""label":[]"#), WrongType, "/label"),
        (ring(r#""new":[1e999]"#), OutOfRange, "/new/0"),
    ] {
        let found = fault::<Ring>(&text, Mode::Lenient);
        assert_eq!(found, (code, path.into()), "{text}");
    }
    assert_fault::<Tone>(r#"{"pitch":"low","more":"x"}"#, WrongType, "/more");
    assert_fault::<Fault>(r#"{"kind":"other"}"#, UnknownValue, "/kind");
}

#[test]
fn a_variant_is_chosen_by_its_tag() {
    for (text, variant) in [
        (RING, "Ring"),
        (r#"{"kind":"tone","pitch":"low"}"#, "Tone"),
        (r#"{"pitch":"low"}"#, "Tone"),
        (r#"{"kind":"fault_lost"}"#, "Fault"),
        (r#"{"kind":"fault_new"}"#, "Fault"),
        (r#"{"kind":"fault_new","why":1}"#, "Unknown"),
        (r#"{"kind":"framed","from":"a","radius":1}"#, "Framed"),
        (r#"{"kind":"gift","wrapped":false}"#, "PlainGift"),
        (r#"{"kind":"gift"}"#, "PlainGift"),
        (
            r#"{"kind":"gift","wrapped":true,"paper":"red"}"#,
            "WrappedGift",
        ),
        (r#"{"kind":"new"}"#, "Unknown"),
    ] {
        let found = examine::<Line>(text).unwrap();
        assert_eq!(found.variant, variant, "{text}");
        assert_eq!(decode::<Line>(text).unwrap(), found.value);
        assert_eq!(encode(&found.value).unwrap(), text);
    }
    assert_eq!(examine::<Ring>(RING).unwrap().variant, "Ring");
    assert_eq!(examine::<Json>("1").unwrap().variant, "");
}

#[test]
fn a_known_tag_with_a_wrong_body_is_a_fault() {
    assert_fault::<Line>(
        r#"{"kind":"gift","wrapped":true}"#,
        Code::MissingField,
        "/paper",
    );
    assert_fault::<Line>(r#"{"kind":"tone"}"#, Code::MissingField, "/pitch");
    assert_fault::<Gift>(
        r#"{"kind":"gift","wrapped":1}"#,
        Code::WrongType,
        "/wrapped",
    );
    assert_fault::<Shape>(r#"{"size":1}"#, Code::NoVariant, "");
    assert_fault::<Shape>("7", Code::WrongType, "");
}

#[test]
fn a_flattened_value_has_the_members_that_are_not_declared() {
    let text = r#"{"kind":"framed","from":"a","side":2.5,"new":1}"#;
    let framed: Framed = decode(text).unwrap();
    let Shape::Square(square) = &framed.shape else {
        panic!("it is a square")
    };
    assert_eq!(
        (
            square.side,
            square.extra["new"].as_i64(),
            framed.extra.len()
        ),
        (2.5, Some(1), 0)
    );
    assert_eq!(encode(&framed).unwrap(), text);
    assert_fault::<Framed>(r#"{"kind":"framed","from":"a"}"#, Code::NoVariant, "");
}

#[test]
fn of_duplicate_members_the_last_counts() {
    let text = ring(r#""ratio":true,"\u0072atio":0.5"#);
    assert_eq!(decode::<Ring>(&text).unwrap().ratio, Some(0.5));
    let twice = r#"{"kind":"new","kind":"tone","pitch":"low"}"#;
    assert!(matches!(decode(twice).unwrap(), Line::Tone(_)));
}

#[test]
fn more_members_than_a_word_has_bits_are_told_apart() {
    let many: Vec<String> = (0..100).map(|at| format!(r#""x{at}":{at}"#)).collect();
    let found = examine::<Ring>(&ring(&many.join(","))).unwrap();
    assert_eq!((found.value.extra.len(), found.unknown.len()), (100, 100));
    assert!(found.unknown.to_vec().is_sorted());
}

#[cfg(feature = "__conformance")]
#[test]
fn a_type_can_be_asked_for_by_its_name() {
    let (line, variant, unknown) =
        crate::examine_named::<Tone>("Tone", br#"{"pitch":"x"}"#, Mode::Lenient).unwrap();
    assert_eq!(
        (&*line, variant, unknown),
        (r#"{"pitch":"x"}"#, "Tone", vec!["/pitch".to_string()])
    );
    let error = decode_with::<Label>("[]", Mode::Strict).unwrap_err();
    assert_eq!(
        error.message,
        "expected string or number or null, got array"
    );
    assert!(std::panic::catch_unwind(|| crate::api::rule("Nothing")).is_err());
}

#[test]
fn an_error_shows_its_code_and_place() {
    let error = decode::<Ring>(RING.replace("[1]", "{}")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "wrong_type at /sizes: expected array, got object"
    );
    assert_eq!(
        Json::parse("").unwrap_err().to_string(),
        "invalid_json: unexpected end at byte 0"
    );
    for code in Code::ALL {
        assert_eq!(code.as_str().parse(), Ok(*code));
    }
    let unknown = "nothing".parse::<Code>().unwrap_err();
    assert_eq!(
        (unknown.as_str(), unknown.to_string()),
        ("nothing", "unknown value \"nothing\"".into())
    );
    assert!(Code::TooLong < Code::InvalidJson && Code::WrongType < Code::UnknownField);
}

#[test]
fn enums_go_from_and_to_what_is_on_the_wire() {
    assert_eq!(Pitch::from("low"), Pitch::Low);
    assert!(!Pitch::from("x").is_known());
    assert_eq!(
        (Pitch::High.to_string(), Pitch::ALL.len()),
        ("high".into(), 2)
    );
    assert_eq!(Floor::try_from(-1), Ok(Floor::Cellar));
    assert!(Floor::try_from(5).is_err());
    assert_eq!(i64::from(Floor::Ground), 0);
}

#[test]
fn every_key_is_found_in_its_place() {
    // More keys than buckets, and than an index of a bucket can count.
    let keys = (0..300).map(|n| Key(format!(",\"key {n}\":").leak()));
    let keys: Vec<Key> = keys.collect();
    let members = keys
        .iter()
        .map(|_| Member::Field(State::Required, Rule::Json));
    let members: Vec<Member> = members.collect();
    let many = Struct::of(keys.leak(), members.leak(), None);
    let declared = PLAN.iter().filter_map(|(_, row)| match row {
        Row::Struct(row) => Some(row),
        _ => None,
    });
    for row in declared.chain([&many]) {
        for (number, key) in row.keys.iter().enumerate() {
            let key = key.text();
            assert_eq!(row.place(key.as_bytes()), Some(number), "{key}");
        }
        for other in ["", "k", "key 300", "key 30000"] {
            assert_eq!(row.place(other.as_bytes()), None, "{other}");
        }
    }
}

#[test]
fn documents_of_any_length_follow_each_other() {
    let long = format!("[{}0]", "0,".repeat(20_000));
    for _ in 0..2 {
        assert_eq!(decode::<Vec<i64>>("[1,2]").unwrap(), [1, 2]);
        assert_eq!(decode::<Vec<i64>>(&long).unwrap().len(), 20_001);
        assert!(decode::<Vec<i64>>("[1,").is_err());
        assert!(decode::<Vec<i64>>("[1,\"\"]").is_err());
    }
}
