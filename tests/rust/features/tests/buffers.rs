//! Values inside of types for which serde buffers what it reads: they are what `decode` makes of the same text, or they
//! are errors.

use std::fs;
use std::path::Path;

use agentlines::{decode, encode, Json, JsonRef, Map, Message, Wire};
use serde::de::DeserializeOwned;
use serde::Deserialize;

/// A type that tries its variants one after another.
#[derive(Deserialize)]
#[serde(untagged)]
enum Untagged<T> {
    Number(i64),
    Value(T),
}

#[derive(Deserialize)]
#[serde(tag = "kind")]
enum Internal<T> {
    Value(T),
}

#[derive(Deserialize)]
#[serde(tag = "kind", content = "value")]
enum Adjacent<T> {
    Value(T),
}

#[derive(Deserialize)]
struct Flat<T> {
    kind: String,
    #[serde(flatten)]
    value: T,
}

#[derive(Deserialize)]
struct Wide<T> {
    kind: String,
    #[serde(flatten)]
    value: Value<T>,
}

#[derive(Deserialize)]
struct Value<T> {
    value: Untagged<T>,
}

/// Reads a text as a type, by each way in which `serde_json` reads.
fn ways<T: DeserializeOwned>(text: &str) -> Vec<Result<T, serde_json::Error>> {
    let value = serde_json::from_str::<serde_json::Value>(text);
    vec![
        serde_json::from_str(text),
        serde_json::from_slice(text.as_bytes()),
        serde_json::from_reader(text.as_bytes()),
        value.and_then(serde_json::from_value),
    ]
}

/// Every form of a value in a type that buffers, except those in which the value has the tag as a member.
fn buffered<T: DeserializeOwned>(text: &str) -> Vec<Result<T, serde_json::Error>> {
    let mut found = Vec::new();
    let value = |held| match held {
        Untagged::Value(value) => value,
        Untagged::Number(number) => panic!("{number}"),
    };
    found.extend(
        ways::<Untagged<T>>(text)
            .into_iter()
            .map(|held| held.map(value)),
    );
    let several = ways::<Untagged<Vec<Untagged<T>>>>(&format!("[{text}]")).into_iter();
    found.extend(several.map(|held| match held? {
        Untagged::Value(mut list) => Ok(value(list.remove(0))),
        Untagged::Number(number) => panic!("{number}"),
    }));
    let content_first = format!(r#"{{"value":{text},"kind":"Value"}}"#);
    let adjacent = ways::<Adjacent<T>>(&content_first).into_iter();
    found.extend(adjacent.map(|held| held.map(|Adjacent::Value(value)| value)));
    let wide = ways::<Wide<T>>(&content_first).into_iter();
    found.extend(wide.map(|held| {
        held.map(|wide| {
            assert_eq!(wide.kind, "Value");
            value(wide.value.value)
        })
    }));
    found
}

/// The forms in which an object has the tag as another member.
fn beside_the_tag<T: DeserializeOwned>(text: &str) -> Vec<Result<T, serde_json::Error>> {
    let tagged = format!(
        r#"{},"kind":"Value"}}"#,
        text.trim_end().strip_suffix('}').unwrap()
    );
    let internal = ways::<Internal<T>>(&tagged).into_iter();
    let mut found: Vec<_> = internal
        .map(|held| held.map(|Internal::Value(value)| value))
        .collect();
    found.extend(ways::<Flat<T>>(&tagged).into_iter().map(|held| {
        held.map(|flat| {
            assert_eq!(flat.kind, "Value");
            flat.value
        })
    }));
    found
}

fn lines(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            lines(&path, found);
        } else if path.extension().is_some_and(|suffix| suffix == "ndjson") {
            found.extend(fs::read_to_string(path).unwrap().lines().map(String::from));
        }
    }
}

/// The lines of captured traffic that are messages.
fn messages() -> Vec<(String, Message)> {
    let mut found = Vec::new();
    lines(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../captures"),
        &mut found,
    );
    let read = found
        .into_iter()
        .filter_map(|line| decode(&line).ok().map(|message| (line, message)));
    let read: Vec<_> = read.collect();
    assert!(read.len() > 300, "{}", read.len());
    read
}

#[test]
fn captured_messages_are_those_of_decode_in_every_form() {
    for (line, message) in messages() {
        let forms = buffered::<Message>(&line)
            .into_iter()
            .chain(beside_the_tag(&line));
        for (number, found) in forms.enumerate() {
            let found = found.unwrap_or_else(|error| panic!("form {number}: {error}: {line}"));
            assert_eq!(found, message, "form {number}: {line}");
        }
    }
}

/// Numbers in every notation: all of few digits, then drawn ones, which may have very many.
fn numbers() -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for whole in [
        "0",
        "-0",
        "1",
        "-1",
        "12",
        "9007199254740993",
        "-9223372036854775808",
        "18446744073709551615",
    ] {
        for fraction in ["", ".0", ".5", ".10", ".000001"] {
            for exponent in ["", "e0", "E+3", "e-7", "e22", "e300"] {
                found.push(format!("{whole}{fraction}{exponent}"));
            }
        }
    }
    let mut state = 7_u64;
    let mut draw = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    for _ in 0..2_000 {
        let mut text = String::from(["", "-"][draw(2) as usize]);
        text.push((b'1' + draw(9) as u8) as char);
        for _ in 0..draw(40) {
            text.push((b'0' + draw(10) as u8) as char);
        }
        if draw(3) == 0 {
            text.push('.');
            for _ in 0..=draw(25) {
                text.push((b'0' + draw(10) as u8) as char);
            }
        }
        if draw(3) == 0 {
            text.push_str(["e", "E-", "e+"][draw(3) as usize]);
            text.push_str(&draw(320).to_string());
        }
        found.push(text);
    }
    found
}

/// Whether two values are the same but for the digits of numbers, which only `arbitrary_precision` keeps.
fn alike(one: JsonRef<'_>, other: JsonRef<'_>) -> bool {
    one == other
        || !cfg!(feature = "arbitrary_precision")
            && one.as_f64().is_some()
            && one.as_f64() == other.as_f64()
}

#[test]
fn no_number_is_falsified() {
    for number in numbers() {
        let text = format!(r#"{{"a":{number},"b":[{number}]}}"#);
        let wanted = decode::<Json>(&text);
        for found in buffered::<Json>(&text)
            .into_iter()
            .chain(beside_the_tag(&text))
            .flatten()
        {
            let wanted = wanted.as_ref().unwrap();
            let list = |json: &Json| json.get("b").unwrap().at(0).unwrap().to_owned();
            for (one, other) in [
                (found.get("a").unwrap(), wanted.get("a").unwrap()),
                (list(&found).view(), list(wanted).view()),
            ] {
                assert!(alike(one, other), "{number} became {}", one.text());
            }
        }
        typed::<i64>(&number);
        typed::<f64>(&number);
    }
}

/// A declared number is that of `decode`, or an error if serde cannot buffer it.
fn typed<T: Wire + DeserializeOwned + PartialEq + std::fmt::Debug>(number: &str) {
    let text = format!(r#"{{"a":{number}}}"#);
    let wanted: Option<Map<String, T>> = decode(&text).ok();
    for (form, found) in buffered::<Map<String, T>>(&text).into_iter().enumerate() {
        if matches!(&found, Err(error) if error.to_string().contains("128")) {
            continue;
        }
        assert_eq!(
            found.as_ref().ok(),
            wanted.as_ref(),
            "form {form} of {number}: {found:?}"
        );
    }
}

/// Objects of a document that are spelt like the maps in which `serde_json` passes numbers, and texts that are not
/// numbers, remain objects.
#[test]
fn objects_with_the_key_of_numbers_remain_objects() {
    let key = "$serde_json::private::Number";
    for value in [
        r#""1""#,
        r#""1x""#,
        r#""\u0031x""#,
        r#""\"""#,
        "1",
        "null",
        "[]",
        r#""1","b":2"#,
    ] {
        let text = format!(r#"[{{"a":{{"{key}":{value}}}}}]"#);
        let wanted: Json = decode(&text).unwrap();
        let from_text = [
            serde_json::from_str::<Untagged<Json>>(&text),
            serde_json::from_reader(text.as_bytes()),
        ];
        for found in from_text {
            match found {
                Ok(Untagged::Value(found)) => assert_eq!(found, wanted, "{text}"),
                Ok(Untagged::Number(_)) => panic!("{text}"),
                Err(error) => panic!("{error}: {text}"),
            }
        }
    }
    for digits in ["1", r"\u0031"] {
        let text = format!(r#"{{"a":{{"{key}":"{digits}"}}}}"#);
        let wanted: Json = decode(&text).unwrap();
        assert_eq!(serde_json::from_str::<Json>(&text).unwrap(), wanted);
        assert_eq!(
            serde_json::from_reader::<_, Json>(text.as_bytes()).unwrap(),
            wanted
        );
        assert_eq!(Json::deserialize(&wanted).unwrap(), wanted);
    }
}

#[test]
fn a_number_may_be_as_deep_as_another_value() {
    let text = format!("{}7{}", "[".repeat(125), "]".repeat(125));
    let Untagged::Value(found) = serde_json::from_str::<Untagged<Json>>(&text).unwrap() else {
        panic!("expected a value");
    };
    assert_eq!(encode(&found).unwrap(), text);
}
