//! For any input, all ways to decode agree, and a decoded value survives a round trip.
//!
//! The first byte of an input selects the type, the rest is the document.

#![no_main]

use std::fmt::Debug;

use agentlines::content::ContentBlock;
use agentlines::hooks::HookInput;
use agentlines::{
    decode, decode_with, encode, examine, Json, JsonRef, Kind, LineDecoder, Message, Mode,
    QueryOptions, Wire,
};
use libfuzzer_sys::fuzz_target;
use serde::de::DeserializeOwned;
use serde::Serialize;
use serde_json::Value;

fuzz_target!(|input: &[u8]| {
    let Some((choice, data)) = input.split_first() else {
        return;
    };
    match choice % 5 {
        0 => agree::<Message>(data),
        1 => agree::<QueryOptions>(data),
        2 => agree::<HookInput>(data),
        3 => agree::<ContentBlock>(data),
        _ => in_chunks(data),
    }
});

/// Asserts that the modes and serde agree on a document.
fn agree<T>(data: &[u8])
where
    T: Wire + Clone + Debug + PartialEq + Serialize + DeserializeOwned,
{
    let (lenient, strict) = (decode::<T>(data), decode_with::<T>(data, Mode::Strict));
    let examined = examine::<T>(data);
    match (&lenient, &examined) {
        (Err(error), Err(other)) => assert_eq!(error, other),
        (Ok(value), Ok(found)) => {
            assert_eq!(value, &found.value);
            assert_eq!(strict.is_ok(), found.unknown.to_vec().is_empty());
        }
        both => panic!("decode and examine give {both:?}"),
    }
    if let Ok(value) = &strict {
        assert_eq!(lenient.as_ref(), Ok(value));
    }
    if let Ok(value) = &lenient {
        travels(value);
    }
    by_serde::<T>(data, lenient.ok());
}

/// Asserts that a value survives a round trip.
fn travels<T: Wire + Debug + PartialEq>(value: &T) {
    let line = encode(value).expect("a decoded value can be encoded");
    assert!(!line.contains('\n'));
    let again = decode::<T>(&line).expect("what was written can be read");
    assert_eq!(value, &again);
    assert_eq!(encode(&again).as_ref(), Ok(&line));
}

/// Asserts that serde returns the same value, if `serde_json` accepts the document.
fn by_serde<T>(data: &[u8], value: Option<T>)
where
    T: Wire + Debug + PartialEq + DeserializeOwned,
{
    let text = std::str::from_utf8(data).unwrap_or_default();
    let (Ok(ours), Ok(theirs)) = (Json::parse(text), serde_json::from_str::<Value>(text)) else {
        return;
    };
    let kept = Json::parse(&theirs.to_string());
    if has_short_integers(ours.view()) && kept.as_ref() == Ok(&ours) {
        assert_eq!(serde_json::from_str::<T>(text).ok(), value);
        assert_eq!(
            serde_json::from_value::<T>(theirs).ok(),
            decode(kept.unwrap().text()).ok()
        );
    }
}

/// Whether `serde_json` keeps every integer as an integer.
fn has_short_integers(json: JsonRef<'_>) -> bool {
    match json.kind() {
        Kind::Integer => json.text().parse::<i64>().is_ok() || json.text().parse::<u64>().is_ok(),
        Kind::Array => json.items().all(has_short_integers),
        Kind::Object => json.members().all(|(_, value)| has_short_integers(value)),
        _ => true,
    }
}

/// Asserts that a stream yields the same lines regardless of how it is split.
fn in_chunks(data: &[u8]) {
    let Some((size, data)) = data.split_first() else {
        return;
    };
    let whole = lines(data, data.len().max(1));
    assert_eq!(whole, lines(data, usize::from(*size) + 1));
    let separate = data.split(|byte| *byte == b'\n');
    let blank = |line: &&[u8]| line.iter().all(|byte| b" \t\r".contains(byte));
    assert_eq!(whole.len(), separate.filter(|line| !blank(line)).count());
}

fn lines(data: &[u8], size: usize) -> Vec<String> {
    let mut decoder = LineDecoder::<Message>::new();
    let mut found = Vec::new();
    for chunk in data.chunks(size) {
        found.extend(decoder.feed(chunk).map(|line| format!("{line:?}")));
    }
    found.extend(decoder.finish().map(|line| format!("{line:?}")));
    found
}
