//! Ordered maps.

use crate::codec::Key;
use crate::sample::{Floor, Pitch};
use crate::{decode, encode, Json, Map, Object};

#[test]
fn entries_keep_their_order() {
    let mut map: Map<String, Json> = Map::new();
    assert_eq!(map.insert("b", 1), None);
    assert_eq!(map.insert("a", 2), None);
    assert_eq!(map.insert("b", 3), Some(Json::from(1)));
    assert_eq!(encode(&map).unwrap(), r#"{"b":3,"a":2}"#);
    assert_eq!(map.keys().rev().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(map.remove("b"), Some(Json::from(3)));
    assert_eq!(
        (map.len(), map.contains_key("b"), map.get("b")),
        (1, false, None)
    );
    *map.get_mut("a").unwrap() = Json::NULL;
    for (_, value) in &mut map {
        assert!(value.is_null());
    }
    map.clear();
    assert!(map.is_empty());
}

#[test]
fn maps_of_the_same_entries_are_equal_in_any_order() {
    let one = Object::from([("a", 1), ("b", 2)]);
    let other: Object = [("b", 2), ("a", 1)]
        .map(|(k, v)| (k.into(), v.into()))
        .into_iter()
        .collect();
    assert_eq!(one, other);
    assert_ne!(one, Object::from([("a", 1)]));
    assert_ne!(one, Object::from([("a", 1), ("b", 3)]));
    assert_eq!(format!("{one:?}"), r#"{"a": 1, "b": 2}"#);
    assert_eq!(
        one.into_iter().map(|(key, _)| key).collect::<String>(),
        "ab"
    );
}

#[test]
fn keys_may_be_of_an_enum() {
    let map: Map<Pitch, Floor> = decode(r#"{"low":0,"shrill":-1}"#).unwrap();
    assert_eq!(map.get(&Pitch::Low), Some(&Floor::Ground));
    assert_eq!(
        map.get(&Pitch::Unknown("shrill".into())),
        Some(&Floor::Cellar)
    );
    assert_eq!(encode(&map).unwrap(), r#"{"low":0,"shrill":-1}"#);
    assert_eq!(Pitch::from_key("high"), Some(Pitch::High));
}

#[test]
fn a_lone_surrogate_stays_in_a_key() {
    let text = r#"{"a\ud800":1,"a\ud801":2,"a\ufffd":3}"#;
    let object: Object = decode(text).unwrap();
    assert_eq!(object.len(), 3);
    assert_eq!(object["a\u{fffd}"], Json::from(3));
    assert_eq!(
        encode(&object).unwrap(),
        "{\"a\\ud800\":1,\"a\\ud801\":2,\"a\u{fffd}\":3}"
    );
}

#[test]
#[should_panic(expected = "no entry under this key")]
fn an_index_that_is_not_there_panics() {
    let _ = &Object::new()["a"];
}
