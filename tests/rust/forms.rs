//! Tests of the crate of `tests/specs/forms`, written as a user would.

#[path = "suite/counting.rs"]
mod counting;

use counting::cost;
use forms::literals::Pace;
use forms::protocol::*;
use forms::recursion::*;
use forms::tags::*;
use forms::tolerance::*;
use forms::tuples::*;
use forms::*;

/// Asserts that a text decodes, and encodes unchanged.
#[track_caller]
fn travels<T: Wire>(text: &str) -> T {
    let value = decode(text).unwrap();
    assert_eq!(encode(&value).unwrap(), text);
    value
}

#[track_caller]
fn refused<T: Wire>(value: &T, code: Code, path: &str) {
    let error = encode(value).unwrap_err();
    assert_eq!((error.code, &*error.path), (code, path));
}

#[test]
fn literals_and_tuples_are_written_as_rust_has_them() {
    let mut range = Tuples::new((1, 2), ("x".into(),));
    range.pair = Some(Box::new((None, None)));
    range.mixed = None;
    assert_eq!(
        encode(&range).unwrap(),
        r#"{"kind":"tuples","range":[1,2],"single":["x"],"pair":[null,null]}"#
    );
    let chain: Chain = travels("[1,[2,3]]");
    let Chain::List(pair) = &chain else {
        panic!("it is a pair")
    };
    assert_eq!(pair.0, 1);
}

#[test]
fn integers_tell_variants() {
    let first: Numbered = First::new().with_a("x").into();
    assert_eq!(encode(&first).unwrap(), r#"{"n":1,"a":"x"}"#);
    assert!(matches!(decode(r#"{"n":1.0}"#), Ok(Numbered::First(_))));
    assert!(matches!(travels(r#"{"n":7,"a":1}"#), Numbered::Unknown(_)));
    let fault = decode::<Numbered>(r#"{"n":1.5}"#).unwrap_err();
    assert_eq!((fault.code, &*fault.path), (Code::OutOfRange, "/n"));
    refused(&Several::new(4), Code::UnknownValue, "/n");
    refused(&Several::new(i64::MAX), Code::UnknownValue, "/n");
    let failure = Failure::new(StatusCode::from(500), "no");
    assert_eq!(
        encode(&Coded::from(failure)).unwrap(),
        r#"{"code":500,"reason":"no"}"#
    );
    let mut rest = Rest::new();
    rest.t = Some(7);
    refused(&rest, Code::WrongConstant, "/t");
}

#[test]
fn prefixes_tell_variants_the_longest_first() {
    assert!(matches!(
        travels(r#"{"name":"_x_a","vendor":"v"}"#),
        Named::Vendor(_)
    ));
    assert!(matches!(
        travels(r#"{"name":"_a","data":1}"#),
        Named::Private(_)
    ));
    refused(&Private::new("a", 1), Code::UnknownValue, "/name");
    let fault = decode::<Named>(r#"{"name":"_a"}"#).unwrap_err();
    assert_eq!((fault.code, &*fault.path), (Code::MissingField, "/data"));
    assert_eq!(travels::<Named>(r#"{"name":"_a","data":1}"#).kind(), "_a");
}

#[test]
fn what_does_not_fit_is_repaired_in_lenient_mode() {
    let text = concat!(r#"{"must":1,"may":2,"x":"y","list":[1,"a",2,null],"z":"z"}"#,);
    let found = examine::<Mendable>(text).unwrap();
    assert_eq!(found.unknown.to_vec(), ["/list/1", "/list/3", "/may"]);
    assert_eq!(
        (found.value.may.clone(), found.value.list.clone()),
        (None, Some(vec![1.0, 2.0]))
    );
    assert_eq!(
        encode(&found.value).unwrap(),
        r#"{"must":1,"list":[1,2],"may":2,"x":"y","z":"z"}"#
    );
    let mended = found.value.with_may("2025-01-01T00:00:00Z");
    assert_eq!(
        encode(&mended).unwrap(),
        r#"{"must":1,"may":"2025-01-01T00:00:00Z","list":[1,2],"x":"y","z":"z"}"#
    );
    let fault = decode_with::<Mendable>(text, Mode::Strict).unwrap_err();
    assert_eq!((fault.code, &*fault.path), (Code::WrongType, "/may"));
    let fault = decode::<Mendable>(r#"{"must":1,"may":[1e400]}"#).unwrap_err();
    assert_eq!((fault.code, &*fault.path), (Code::WrongType, "/may"));
}

#[test]
fn a_repair_may_be_a_value() {
    let required = r#""size":10,"word":1,"texts":["a",1],"level":9,"many":[{}]"#;
    let text =
        format!(r#"{{"kind":"tolerance","flag":"x",{required},"point":{{"x":1}},"points":1}}"#);
    let read: Tolerance = decode(&text).unwrap();
    assert_eq!(
        (read.flag, read.word, read.level),
        (false, TextOrPoint::from("absent"), Level::High)
    );
    assert_eq!(
        (read.point.x, read.point.y, read.points.len()),
        (0.0, 0.5, 0)
    );
    assert_eq!(
        (read.texts.len(), read.many.len(), read.size),
        (1, 0, Some(10))
    );
}

#[test]
fn an_unknown_reads_what_the_spec_names() {
    let text = r#"{"kind":"new","id":"x","count":1.0,"size":null,"range":[1,2],"pace":"odd","texts":[1],"at":"now"}"#;
    let Line::Unknown(unknown) = travels(text) else {
        panic!("it is unknown")
    };
    assert_eq!(unknown.id().as_deref(), Some("x"));
    assert_eq!((unknown.count(), unknown.size()), (Some(1), None));
    assert_eq!((unknown.range(), unknown.texts()), (Some((1, 2)), None));
    assert_eq!(unknown.pace(), Some(Pace::from("odd")));
    assert_eq!(unknown.at().as_deref(), Some("now"));
    assert_eq!(unknown.point(), None);
}

/// The beginning of a `tolerance` to which a member is added.
const TOLERANCE: &str =
    r#"{"kind":"tolerance","flag":0,"size":"","word":0,"point":0,"points":0,"level":"","#;

/// Documents that lenient mode repairs: the parts after `TOLERANCE` that begin, repeat and end them; `@` becomes the
/// number of the repetition.
const REPAIRS: [(&str, &str, &str); 16] = [
    (r#""many":[],"texts":["a""#, ",1", "]}"),
    (r#""many":[],"texts":["a""#, ",[]", "]}"),
    (r#""texts":[],"many":[0"#, r#",{"must":1,"may":0}"#, "]}"),
    (
        r#""texts":[],"many":[0"#,
        r#",{"must":1,"may":0,"list":[{}],"k@":""}"#,
        "]}",
    ),
    (r#""texts":[],"many":[0"#, r#",{"must":1,"k@":0}"#, "]}"),
    (
        r#""texts":[],"many":[{"must":1,"list":[0"#,
        r#","""#,
        "]}]}",
    ),
    (
        r#""texts":[],"many":[{"must":1,"list":["#,
        "1,",
        r#"1e999]}]}"#,
    ),
    (r#""texts":[],"many":[],"both":[0"#, r#",{"must":""}"#, "]}"),
    (r#""texts":[],"many":[],"both":{"k":0"#, r#","k@":{}"#, "}}"),
    (r#""texts":[],"many":[],"shapes":[0"#, ",0", "]}"),
    (r#""texts":[],"many":[],"pairs":[0"#, r#",["a",{}]"#, "]}"),
    (r#""texts":[],"many":[],"lists":[[0]"#, r#",["",0]"#, "]}"),
    (
        r#""texts":[],"many":[],"inner":{"must":1"#,
        r#","k@":"""#,
        r#","z":0}}"#,
    ),
    (
        r#""texts":[],"many":[],"inners":{"k":{"must":1}"#,
        r#","k@":{"must":1,"may":0}"#,
        r#","z":0}}"#,
    ),
    (r#""texts":[],"many":[],"tree":["""#, ",[]", ",0]}"),
    (
        r#""texts":[],"many":[],"beside":{"own":"""#,
        r#","k@":0,"own":"""#,
        "}}",
    ),
];

/// A way to decode a document, and its name.
type Way = (&'static str, fn(&str));

const WAYS: [Way; 5] = [
    ("lenient", |text| drop(decode::<Line>(text))),
    ("strict", |text| {
        drop(decode_with::<Line>(text, Mode::Strict))
    }),
    ("examine", |text| drop(examine::<Line>(text))),
    ("encode", |text| {
        drop(decode::<Line>(text).map(|value| encode(&value)))
    }),
    ("serde", |text| {
        drop(serde_json::from_str::<Line>(text).map(|value| serde_json::to_string(&value)));
    }),
];

#[test]
fn memory_of_what_is_repaired_is_bounded_by_the_line_and_grows_as_it_does() {
    for (shape, (head, part, tail)) in REPAIRS.into_iter().enumerate() {
        let text = |length: usize| {
            let parts: String = (0..length / part.len())
                .map(|number| part.replace('@', &number.to_string()))
                .collect();
            format!("{TOLERANCE}{head}{parts}{tail}")
        };
        let (small, large) = (text(25_000), text(100_000));
        let repaired = examine::<Line>(&large).map(|found| found.unknown.len());
        let is_overflow = part == "1,";
        assert_eq!(
            repaired.is_err(),
            is_overflow,
            "shape {shape}: {repaired:?}"
        );
        assert!(is_overflow || repaired.unwrap() > 6, "shape {shape}");
        for (name, way) in WAYS {
            let (_, once) = cost(|| way(&small));
            let (peak, total) = cost(|| way(&large));
            assert!(
                peak <= 100 * large.len() + 1_000_000,
                "{name}, shape {shape}: {peak}"
            );
            assert!(
                total <= 6 * once + 1_000_000,
                "{name}, shape {shape}: {once}, then {total}"
            );
        }
    }
}
