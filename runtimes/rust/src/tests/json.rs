//! Untouched JSON.

use crate::{decode, Json, Kind, Object};

fn json(text: &str) -> Json {
    Json::parse(text).unwrap()
}

#[test]
fn every_kind_is_looked_at_as_what_it_is() {
    for (text, kind) in [
        ("null", Kind::Null),
        ("true", Kind::Bool),
        ("-12", Kind::Integer),
        ("1e2", Kind::Number),
        (r#""a""#, Kind::String),
        ("[]", Kind::Array),
        ("{}", Kind::Object),
    ] {
        assert_eq!(json(text).kind(), kind, "{text}");
    }
    assert!(json("null").is_null());
    assert_eq!(json("false").as_bool(), Some(false));
    assert_eq!(
        (json("-12").as_i64(), json("1.5").as_i64()),
        (Some(-12), None)
    );
    assert_eq!(
        (json("1.5").as_f64(), json(r#""1.5""#).as_f64()),
        (Some(1.5), None)
    );
    assert_eq!(json(r#""a\n""#).as_str().as_deref(), Some("a\n"));
    assert_eq!(json("1").as_str(), None);
}

#[test]
fn parts_are_found_by_key_and_index() {
    let json = json(r#"{ "a": [1, {"b": "],}"}, []], "é\u0041": {"c": null} }"#);
    let list = json.get("a").unwrap();
    assert_eq!(list.items().count(), 3);
    assert_eq!(
        list.at(1).unwrap().get("b").unwrap().as_str().as_deref(),
        Some("],}")
    );
    assert!(json.get("éA").unwrap().get("c").unwrap().is_null());
    assert!(json.get("b").is_none() && list.at(3).is_none() && list.get("a").is_none());
    let keys: Vec<_> = json.members().map(|(key, _)| key).collect();
    assert_eq!(keys, ["a", "éA"]);
    assert_eq!(list.to_owned().text(), r#"[1,{"b":"],}"},[]]"#);
}

#[test]
fn values_are_equal_as_json() {
    for (one, other) in [
        ("1", "1.0"),
        (r#"{"a":1,"b":[2]}"#, r#"{"b":[2e0],"a":1}"#),
        (r#""A""#, r#""\u0041""#),
        (r#""\ud800""#, r#""\uD800""#),
    ] {
        assert_eq!(json(one), json(other));
    }
    for (one, other) in [
        ("1", "true"),
        ("1", r#""1""#),
        ("[1,2]", "[2,1]"),
        (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
        (r#""\ud800""#, r#""\ud801""#),
    ] {
        assert_ne!(json(one), json(other));
    }
}

#[test]
fn of_duplicate_keys_the_last_counts_in_the_place_of_the_first() {
    assert_eq!(
        json(r#"{"a":1,"b":2,"\u0061":3}"#).text(),
        r#"{"a":3,"b":2}"#
    );
    let keys: Vec<String> = (0..40).map(|key| format!(r#""k{key}":{key}"#)).collect();
    let twice = format!(r#"[{{{0},"k7":"last"}}]"#, keys.join(","));
    assert_eq!(
        json(&twice).at(0).unwrap().get("k7").unwrap().text(),
        r#""last""#
    );
}

#[test]
fn values_of_the_language_become_json() {
    assert_eq!(Json::from("a\"\u{1}").text(), r#""a\"\u0001""#);
    assert_eq!(
        Json::from(u128::MAX).text(),
        "340282366920938463463374607431768211455"
    );
    assert_eq!(Json::from(1.0).text(), "1");
    assert_eq!(Json::from(-0.0).text(), "-0.0");
    assert_eq!(Json::from(f64::NAN), Json::NULL);
    assert_eq!(Json::from(vec![Some(true), None]).text(), "[true,null]");
    let object = Object::from([("b", 1), ("a", 2)]);
    assert_eq!(Json::from(object.clone()).text(), r#"{"b":1,"a":2}"#);
    assert_eq!(Object::try_from(Json::from(object.clone())), Ok(object));
    assert_eq!(Object::try_from(Json::from(1)), Err(Json::from(1)));
}

#[test]
fn keys_that_mean_something_elsewhere_mean_nothing_here() {
    for key in [
        "__proto__",
        "$serde_json::private::Number",
        "$serde_json::private::RawValue",
    ] {
        let text = format!(r#"{{"{key}":"1"}}"#);
        let object: Object = decode(&text).unwrap();
        assert_eq!(object[key].as_str().as_deref(), Some("1"));
        assert_eq!(json(&text).get(key).unwrap().text(), r#""1""#);
    }
}
