//! Repairs in lenient mode, and tags that are integers or prefixes.

use crate::sample::{Mended, Numbered};
use crate::tests::assert_fault;
use crate::{decode, decode_with, encode, examine, Code, Mode, Object, Presence};

/// Asserts what is noted about a text, and what its value encodes to.
#[track_caller]
fn mended(text: &str, noted: &[&str], line: &str) -> Mended {
    let found = examine::<Mended>(text).unwrap();
    assert_eq!(found.unknown.to_vec(), noted, "{text}");
    assert_eq!(encode(&found.value).unwrap(), line);
    assert_eq!(decode::<Mended>(text).as_ref(), Ok(&found.value));
    let strict = decode_with::<Mended>(text, Mode::Strict);
    assert_eq!(strict.is_ok(), noted.is_empty());
    let again: Mended = decode(line).unwrap();
    assert_eq!((again, line), (found.value.clone(), line));
    found.value
}

#[test]
fn what_fits_is_left_as_it_is() {
    let text = r#"{"may":1,"word":"x","note":true,"list":[1],"last":[true]}"#;
    let value = mended(text, &[], text);
    assert_eq!((value.may, value.rest), (Some(1), None));
}

#[test]
fn a_value_that_does_not_fit_is_absent_and_kept_in_its_place() {
    let value = mended(
        r#"{"a":1,"may":[2,{"b":null}],"word":"x","c":3,"list":[],"last":7}"#,
        &["/last", "/may"],
        r#"{"word":"x","list":[],"a":1,"c":3,"may":[2,{"b":null}],"last":7}"#,
    );
    assert_eq!((value.may, value.last), (None, None));
    assert_eq!(value.extra.keys().collect::<Vec<_>>(), ["may", "last"]);
    assert_eq!(value.rest.unwrap().len(), 2);
    mended(
        r#"{"last":7,"may":"x","word":"x","list":[]}"#,
        &["/last", "/may"],
        r#"{"word":"x","list":[],"last":7,"may":"x"}"#,
    );
    mended(
        r#"{"may":"x","may":"y","word":"x","list":[]}"#,
        &["/may"],
        r#"{"word":"x","list":[],"may":"y"}"#,
    );
}

#[test]
fn a_flattened_object_keeps_keys_that_no_string_holds() {
    let text = r#"{"word":"x","list":[],"\ude00":{"\ud83d":1}}"#;
    let value = mended(text, &[], text);
    assert_eq!(encode(&Some(value)).as_deref(), Ok(text));
}

#[test]
fn a_member_that_is_set_wins_over_what_was_kept() {
    let mut value: Mended = decode(r#"{"may":"x","word":"x","list":[]}"#).unwrap();
    value.may = Some(1);
    let line = r#"{"may":1,"word":"x","list":[]}"#;
    assert_eq!(encode(&value).as_deref(), Ok(line));
}

#[test]
fn a_value_of_the_spec_takes_the_place_of_what_does_not_fit() {
    let value = mended(
        r#"{"word":[],"note":"x","list":[]}"#,
        &["/note", "/word"],
        r#"{"word":"none","note":null,"list":[]}"#,
    );
    assert_eq!((&*value.word, value.note), ("none", Presence::Null));
    let many = [r#"{"word":1,"list":[]}"#; 3].join(",");
    let all: Vec<Mended> = decode(format!("[{many}]")).unwrap();
    assert!(all.iter().all(|each| each.word == "none"));
}

#[test]
fn items_that_do_not_fit_are_left_out() {
    let value = mended(
        r#"{"word":"x","list":[1,"2",3,[4],5],"last":[0,true]}"#,
        &["/last/0", "/list", "/list/1", "/list/3"],
        r#"{"word":"x","list":[1,3,5],"last":[true]}"#,
    );
    assert_eq!(value.list, [1, 3, 5]);
    assert_eq!(value.last, Some(vec![true]));
    let fault = decode::<Mended>(r#"{"word":"x","list":1}"#).unwrap_err();
    assert_eq!((fault.code, &*fault.path), (Code::WrongType, "/list"));
}

#[test]
fn what_no_double_holds_is_not_repaired() {
    for (text, path) in [
        (r#"{"may":1e400,"word":"x","list":[]}"#, "/may"),
        (r#"{"may":[1e400],"word":"x","list":[]}"#, "/may"),
        (r#"{"word":[1e400],"list":[]}"#, "/word"),
        (r#"{"word":"x","list":[[1e400]]}"#, "/list/0"),
        (r#"{"word":"x","list":[],"last":[1,[1e400]]}"#, "/last/1"),
    ] {
        let fault = decode::<Mended>(text).unwrap_err();
        assert_eq!(fault.path, path, "{text}");
    }
    let missing = decode::<Mended>(r#"{"may":"x","list":[]}"#).unwrap_err();
    assert_eq!(
        (missing.code, &*missing.path),
        (Code::MissingField, "/word")
    );
}

#[test]
fn nulls_are_what_they_are_without_a_repair() {
    let text = r#"{"may":null,"word":"x","note":null,"list":[]}"#;
    let line = r#"{"word":"x","note":null,"list":[],"may":null}"#;
    mended(text, &["/may"], line);
}

#[test]
fn a_document_may_be_repaired_in_many_places() {
    let items = vec![r#"{"word":1,"list":["a"],"may":"x"}"#; 5_000].join(",");
    let text = format!("[{items}]");
    let found = examine::<Vec<Mended>>(&text).unwrap();
    assert_eq!((found.value.len(), found.unknown.len()), (5_000, 15_000));
}

#[test]
fn a_tag_may_be_an_integer_or_begin_in_some_way() {
    let text = r#"{"n":7,"name":"_a"}"#;
    for spelt in [
        text,
        r#"{"n":7.0,"name":"\u005fa"}"#,
        r#"{"name":"_a","n":7e0}"#,
    ] {
        let value = decode_with::<Numbered>(spelt, Mode::Strict).unwrap();
        assert_eq!(encode(&value).as_deref(), Ok(text));
    }
    assert_fault::<Numbered>(r#"{"n":8,"name":"_"}"#, Code::WrongConstant, "/n");
    assert_fault::<Numbered>(r#"{"n":7.5,"name":"_"}"#, Code::OutOfRange, "/n");
    assert_fault::<Numbered>(r#"{"n":1e400,"name":"_"}"#, Code::OutOfRange, "/n");
    assert_fault::<Numbered>(r#"{"n":"7","name":"_"}"#, Code::WrongType, "/n");
    assert_fault::<Numbered>(r#"{"n":7,"name":"a_"}"#, Code::UnknownValue, "/name");
    assert_fault::<Numbered>(r#"{"n":7,"name":1}"#, Code::WrongType, "/name");
    let claimed = r#"{"n":7,"name":"_","other":"_b"}"#;
    assert_fault::<Numbered>(claimed, Code::WrongConstant, "/other");
}

#[test]
fn what_no_reader_takes_for_a_tag_is_not_written() {
    let written = |name: &str, other: Option<&str>| {
        let (name, other) = (name.into(), other.map(Into::into));
        let extra = Object::new();
        let fault = encode(&Numbered { name, other, extra });
        fault.map_err(|fault| (fault.code, fault.path))
    };
    assert!(written("_", Some("b")).is_ok());
    let fault = (Code::UnknownValue, "/name".to_string());
    assert_eq!(written("a", None), Err(fault));
    let fault = (Code::WrongConstant, "/other".to_string());
    assert_eq!(written("_", Some("_b")), Err(fault));
}
