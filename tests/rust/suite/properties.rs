//! Properties that hold for any input.

use agentlines::content::*;
use agentlines::control::*;
use agentlines::messages::*;
use agentlines::options::*;
use agentlines::*;
use quickcheck::{Arbitrary, Gen, QuickCheck, TestResult};

use crate::lines::{json, line, KINDS};

/// Any JSON text of a few levels.
#[derive(Clone, Debug)]
struct Text(String);

impl Arbitrary for Text {
    fn arbitrary(g: &mut Gen) -> Self {
        Text(value(g, 3))
    }
}

const KEYS: [&str; 10] = [
    "type",
    "subtype",
    "uuid",
    "message",
    "content",
    "usage",
    "isReplay",
    "extra",
    "",
    "\u{e9}\u{1f600}",
];

fn value(g: &mut Gen, levels: u8) -> String {
    let kinds = if levels == 0 { 5 } else { 7 };
    match u8::arbitrary(g) % kinds {
        0 => "null".into(),
        1 => bool::arbitrary(g).to_string(),
        2 => i128::arbitrary(g).to_string(),
        3 => format!("{:?}", f64::from_bits(u64::arbitrary(g) & !(1 << 62))),
        4 => Json::from(String::arbitrary(g)).to_string(),
        5 => {
            let items: Vec<_> = (0..u8::arbitrary(g) % 4)
                .map(|_| value(g, levels - 1))
                .collect();
            format!("[{}]", items.join(","))
        }
        _ => {
            let members: Vec<_> = (0..u8::arbitrary(g) % 5)
                .map(|_| {
                    let key = Json::from(*g.choose(&KEYS).unwrap());
                    format!("{key}:{}", value(g, levels - 1))
                })
                .collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

/// The line of a message in which a value was replaced by another.
#[derive(Clone, Debug)]
struct Changed(String);

impl Arbitrary for Changed {
    fn arbitrary(g: &mut Gen) -> Self {
        let text = line(g.choose(&KINDS).unwrap());
        let places: Vec<_> = text
            .match_indices([':', ',', '['])
            .map(|(at, _)| at + 1)
            .collect();
        let from = *g.choose(&places).unwrap();
        let rest = &text[from..];
        let length = rest.find([',', '}', ']']).unwrap_or(rest.len());
        Changed(format!(
            "{}{}{}",
            &text[..from],
            value(g, 1),
            &rest[length..]
        ))
    }
}

pub fn check(count: u64, property: impl quickcheck::Testable) {
    QuickCheck::new()
        .tests(count)
        .max_tests(count * 10)
        .quickcheck(property);
}

/// Checks the properties of a document; returns false if it does not decode.
fn holds<T: Wire + Clone + PartialEq + std::fmt::Debug>(text: &str) -> bool {
    let strict = decode_with::<T>(text, Mode::Strict);
    let examined = examine::<T>(text);
    let Ok(value) = decode::<T>(text) else {
        assert!(strict.is_err(), "{text}");
        assert_eq!(
            examined.unwrap_err(),
            decode::<T>(text).unwrap_err(),
            "{text}"
        );
        return false;
    };
    let examined = examined.expect(text);
    assert_eq!(examined.value, value, "{text}");
    assert_eq!(
        strict.is_ok(),
        examined.unknown.is_empty(),
        "{text}: {:?} {strict:?}",
        examined.unknown
    );
    let written = encode(&value).expect(text);
    assert!(!written.contains('\n'));
    let again: T = decode(&written).expect(&written);
    assert_eq!(again, value, "{text}");
    assert_eq!(encode(&again).unwrap(), written, "{text}");
    assert_eq!(json(&written), json(text), "{text}");
    true
}

#[test]
fn whatever_decodes_comes_back_and_what_does_not_says_where() {
    fn property(text: Changed) {
        holds::<Message>(&text.0);
    }
    fn another(text: Text) {
        holds::<Message>(&text.0);
        holds::<ContentBlock>(&text.0);
        holds::<SetModelRequest>(&text.0);
        holds::<QueryOptions>(&text.0);
    }
    check(2000, property as fn(Changed));
    check(2000, another as fn(Text));
}

#[test]
fn any_object_is_kept_by_what_has_room_for_it() {
    fn property(text: Text) -> TestResult {
        let Ok(members) = Object::try_from(json(&text.0)) else {
            return TestResult::discard();
        };
        let mut alive = KeepAliveMessage::new();
        alive.extra = members.clone();
        alive.extra.remove("type");
        let back: KeepAliveMessage = decode(encode(&alive).unwrap()).unwrap();
        assert_eq!(back, alive);
        assert_eq!(
            back.extra.keys().collect::<Vec<_>>(),
            alive.extra.keys().collect::<Vec<_>>()
        );
        TestResult::passed()
    }
    check(1000, property as fn(Text) -> TestResult);
}

#[test]
fn untouched_json_is_what_serde_json_says_it_is() {
    fn property(text: Text) {
        let (ours, theirs) = (
            json(&text.0),
            serde_json::from_str::<serde_json::Value>(&text.0).unwrap(),
        );
        match serde_json::to_value(&ours) {
            Ok(ours) => assert_eq!(ours, theirs),
            Err(error) => assert!(error.to_string().contains("out of range")), // exceeds 64 bits
        }
        assert_eq!(Json::parse(ours.text()).unwrap(), ours);
    }
    check(2000, property as fn(Text));
}

#[test]
fn bytes_of_any_kind_never_panic() {
    fn property(bytes: Vec<u8>, at: usize, kind: usize) {
        let mut line = line(KINDS[kind % KINDS.len()]).into_bytes();
        let at = at % line.len();
        let end = (at + bytes.len() / 2).min(line.len());
        line.splice(at..end, bytes.iter().copied());
        if let Ok(text) = std::str::from_utf8(&line) {
            if Json::parse(text).is_ok() {
                holds::<Message>(text);
                return;
            }
        }
        assert!(decode::<Message>(&line).is_err());
        assert!(decode::<Message>(&bytes).is_err());
    }
    check(3000, property as fn(Vec<u8>, usize, usize));
}

#[test]
fn a_stream_is_the_same_in_pieces_of_any_size() {
    fn property(bytes: Vec<u8>, sizes: Vec<u8>, kinds: Vec<usize>) {
        let mut stream = Vec::new();
        for (number, kind) in kinds.into_iter().enumerate() {
            stream.extend(line(KINDS[kind % KINDS.len()]).bytes());
            stream.extend(bytes.iter().skip(number * 3).take(3));
            stream.push(b'\n');
        }
        let whole: Vec<_> = {
            let mut decoder = LineDecoder::<Message>::new();
            let mut items: Vec<_> = decoder.feed(&stream).collect();
            items.extend(decoder.finish());
            items
        };
        let mut decoder = LineDecoder::<Message>::new();
        let (mut items, mut rest, mut sizes) = (Vec::new(), &stream[..], sizes.into_iter().cycle());
        while !rest.is_empty() {
            let size = usize::from(sizes.next().unwrap_or(9)).clamp(1, rest.len());
            items.extend(decoder.feed(&rest[..size]));
            rest = &rest[size..];
        }
        items.extend(decoder.finish());
        assert_eq!(items, whole);
        let read: Vec<_> = Reader::<_, Message>::new(&stream[..])
            .map(Result::ok)
            .collect();
        assert_eq!(read, whole.into_iter().map(Result::ok).collect::<Vec<_>>());
    }
    check(300, property as fn(Vec<u8>, Vec<u8>, Vec<usize>));
}
