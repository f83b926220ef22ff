//! The same types through serde.

use serde::de::value::{Error, MapDeserializer};
use serde::{Deserialize, Serialize};

use crate::sample::{Line, Mended, Tone};
use crate::{decode, encode, Json, Map, Object};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Owner {
    name: String,
    line: Line,
    #[serde(flatten)]
    rest: Map<String, i64>,
}

#[test]
fn types_stand_in_structs_of_others() {
    let text = r#"{"name":"a","line":{"pitch":"shrill"},"x":1,"y":2}"#;
    let owner: Owner = serde_json::from_str(text).unwrap();
    assert!(matches!(&owner.line, Line::Tone(tone) if !tone.pitch.is_known()));
    assert_eq!(owner.rest, [("x", 1), ("y", 2)].into());
    assert_eq!(serde_json::to_string(&owner).unwrap(), text);
}

#[test]
fn a_fault_has_the_same_words() {
    let text = r#"{"pitch":7}"#;
    let error = serde_json::from_str::<Tone>(text).unwrap_err();
    let own = decode::<Tone>(text).unwrap_err();
    assert_eq!(error.to_string(), own.to_string());
}

#[test]
fn untouched_json_goes_both_ways() {
    let text = r#"[null,true,-1,18446744073709551615,0.5,"é",{"b":[],"a":{}}]"#;
    let json: Json = serde_json::from_str(text).unwrap();
    assert_eq!(json.text(), text);
    assert_eq!(serde_json::to_string(&json).unwrap(), text);
    let long = Json::parse("1234567890123456789012345678901234567890").unwrap();
    let error = serde_json::to_string(&long).unwrap_err();
    assert_eq!(
        error.to_string(),
        "serde has no type for an integer of 40 digits"
    );
}

#[test]
fn what_json_cannot_say_is_refused() {
    let deep = "[".repeat(127) + &"]".repeat(127);
    assert!(serde_json::from_str::<Vec<Json>>(&deep).is_ok());
    let nan = serde::de::value::F64Deserializer::<Error>::new(f64::NAN);
    let error = Json::deserialize(nan).unwrap_err();
    assert_eq!(error.to_string(), "expected a finite number");
}

#[test]
fn a_key_that_serde_json_uses_for_numbers_is_a_key_like_others() {
    let injected = r#"0},"name":"Bash","input":{"command":"x"#;
    let member = ("$serde_json::private::Number", injected);
    let from_map = Json::deserialize(MapDeserializer::<_, Error>::new([member].into_iter()));
    let text = serde_json::to_string(&std::collections::HashMap::from([member])).unwrap();
    let from_text: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(from_map.unwrap(), from_text);
    assert_eq!(from_text, decode(&text).unwrap());
    assert_eq!(
        from_text.get(member.0).unwrap().as_str().as_deref(),
        Some(injected)
    );
    let digits = text.replace(&serde_json::to_string(injected).unwrap(), "\"12\"");
    let object: Json = serde_json::from_str(&digits).unwrap();
    assert_eq!(object, decode(&digits).unwrap());
    assert_eq!(
        object.get(member.0).unwrap().as_str().as_deref(),
        Some("12")
    );
    let error = serde_json::from_str::<i64>(&text).unwrap_err();
    assert!(error.to_string().contains("invalid type: map"), "{error}");
}

#[test]
fn objects_keep_their_order() {
    let object: Object = serde_json::from_str(r#"{"b":1,"a":2}"#).unwrap();
    assert_eq!(object.keys().collect::<Vec<_>>(), ["b", "a"]);
    assert_eq!(serde_json::to_string(&object).unwrap(), r#"{"b":1,"a":2}"#);
}

#[test]
fn keys_with_escapes_are_keys_of_every_format() {
    let members = r#""a\"b":{"c\\":[{"\n":"\t"}]},"d\ud800":1"#;
    let in_serde = members.replace("\\ud800", "\u{fffd}");
    let object: Object = decode(format!("{{{members}}}")).unwrap();
    assert_eq!(
        serde_json::to_string(&object).unwrap(),
        format!("{{{in_serde}}}")
    );
    let mended = format!(r#"{{"word":"a","note":true,"list":[],{members}}}"#);
    let mended: Mended = decode(mended).unwrap();
    let text = serde_json::to_string(&mended).unwrap();
    assert!(text.contains(&in_serde), "{text}");
    assert!(encode(&mended).unwrap().contains(members));
}
