//! Ordered maps.

use std::cell::Cell;
use std::hash::{Hash, Hasher};

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
    assert_eq!(map.get(&"shrill".into()), Some(&Floor::Cellar));
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

/// A key that counts how often it is compared or hashed.
#[derive(Clone, Debug)]
struct Counted(usize);

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        COUNT.set(COUNT.get() + 1);
        self.0 == other.0
    }
}

impl Eq for Counted {}

impl Hash for Counted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        COUNT.set(COUNT.get() + 1);
        self.0.hash(state);
    }
}

impl Key for Counted {
    fn from_key(text: &str) -> Option<Self> {
        text.parse().ok().map(Counted)
    }

    fn of(text: String) -> Self {
        Counted(text.len())
    }

    fn as_key(&self) -> &str {
        "7"
    }
}

/// How often keys are compared or hashed for each entry.
fn counted(entries: usize, act: impl FnOnce()) -> usize {
    COUNT.set(0);
    act();
    COUNT.get().div_ceil(entries)
}

#[test]
fn the_work_for_an_entry_does_not_grow_with_the_map() {
    const MANY: usize = 20_000;
    let made = |keys: &mut dyn Iterator<Item = usize>| -> Map<Counted, usize> {
        keys.map(|key| (Counted(key), key)).collect()
    };
    let (mut one, mut other) = (Map::new(), Map::new());
    assert!(counted(MANY, || one = made(&mut (0..MANY))) < 16);
    assert!(counted(MANY, || other = made(&mut (0..MANY).rev())) < 16);
    assert!(counted(MANY, || assert_eq!(one, other)) < 16);
    assert!(
        counted(MANY, || (0..MANY)
            .for_each(|key| assert_eq!(one[&Counted(key)], key)))
            < 16
    );
    assert!(counted(MANY, || one.retain(|_, value| *value % 2 == 0)) < 16);
    assert_eq!(
        (one.len(), one.get(&Counted(4)), one.get(&Counted(5))),
        (MANY / 2, Some(&4), None)
    );
    assert_ne!(one, other);
    let mut same: Map<Counted, usize> = Map::new();
    assert!(
        counted(MANY, || (0..MANY).for_each(|at| same.push(
            Counted(7),
            None,
            at
        ))) < 16
    );
    assert_eq!((same.len(), same.get(&Counted(7))), (MANY, Some(&0)));
}

#[test]
fn entries_are_found_whatever_was_added_and_removed() {
    let mut map: Map<String, Json> = Map::new();
    let mut kept = Vec::new();
    for number in 0..400_i64 {
        map.insert(number.to_string(), number);
        kept.push(number);
        if number % 3 == 0 {
            let gone = kept.remove(kept.len() / 2);
            assert_eq!(map.remove(&gone.to_string()), Some(Json::from(gone)));
        }
        assert_eq!(map.len(), kept.len());
        assert_eq!(
            map.get(&number.to_string()).is_some(),
            kept.contains(&number)
        );
    }
    let found: Vec<i64> = map.values().map(|value| value.as_i64().unwrap()).collect();
    assert_eq!(found, kept);
    for number in 0..400 {
        assert_eq!(
            map.contains_key(&number.to_string()),
            kept.contains(&number)
        );
    }
}

#[test]
fn keys_with_surrogates_are_compared_by_their_spelling() {
    let object = |codes: &mut dyn Iterator<Item = u32>| -> Object {
        let members: Vec<_> = codes
            .map(|code| format!("\"\\u{code:x}\":{code}"))
            .collect();
        decode(format!("{{{}}}", members.join(","))).unwrap()
    };
    let one = object(&mut (0xd800..0xd8ff));
    assert_eq!(one, object(&mut (0xd800..0xd8ff).rev()));
    assert_ne!(one, object(&mut (0xd801..0xd900)));
    assert_eq!(one.get("\u{fffd}"), None);
}
