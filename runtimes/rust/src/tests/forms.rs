//! Literals, tuples, bounds and types that contain themselves.

use crate::api::decode_as;
use crate::codec::{Codec, TupleTail};
use crate::out::encode as written;
use crate::sample::{AllOrSome, LiteralOne, Nest};
use crate::table::Rule;
use crate::{decode, decode_with, encode, examine, Code, Json, Mode, Wire};

/// Asserts that a text decodes to a value, and that the value encodes to a line.
fn travels<T: Wire + std::fmt::Debug + PartialEq>(text: &str, value: &T, line: &str) {
    assert_eq!(decode_with::<T>(text, Mode::Strict).as_ref(), Ok(value));
    assert_eq!(encode(value).as_deref(), Ok(line));
    assert_eq!(
        examine::<T>(text).unwrap().unknown.to_vec(),
        [""; 0] as [&str; 0]
    );
}

/// Asserts that a text is a fault in both modes.
fn fails<T: Wire + std::fmt::Debug>(text: &str, code: Code, path: &str) {
    for mode in [Mode::Lenient, Mode::Strict] {
        let error = decode_with::<T>(text, mode).unwrap_err();
        assert_eq!((error.code, &*error.path), (code, path), "{text}");
    }
}

#[test]
fn a_literal_is_one_value() {
    for text in ["1", "1.0", "1e0", "0.1e1"] {
        travels(text, &LiteralOne, "1");
    }
    fails::<LiteralOne>("2", Code::WrongConstant, "");
    fails::<LiteralOne>("1e400", Code::WrongConstant, "");
    fails::<LiteralOne>("true", Code::WrongType, "");
    fails::<LiteralOne>("\"1\"", Code::WrongType, "");
    let error = decode::<LiteralOne>("2").unwrap_err();
    assert_eq!(error.message, "expected 1, got 2");
    assert_eq!(LiteralOne::NAME, "number");
}

#[test]
fn a_literal_is_a_member_of_an_inline_union() {
    travels("\"\\u0061ll\"", &AllOrSome::All, "\"all\"");
    travels("[1]", &AllOrSome::List(vec![1]), "[1]");
    fails::<AllOrSome>("\"some\"", Code::WrongConstant, "");
    fails::<AllOrSome>("1", Code::WrongType, "");
    let all = crate::table::Scalar::Text("all");
    assert!(AllOrSome::All.is(&all) && !AllOrSome::List(vec![]).is(&all));
}

#[test]
fn a_tuple_has_exactly_its_items() {
    type Pair = (i64, Option<String>);
    travels::<Pair>("[1,null]", &(1, None), "[1,null]");
    travels::<Pair>("[1,\"a\"]", &(1, Some("a".into())), "[1,\"a\"]");
    travels("[[1]]", &((1_i64,),), "[[1]]");
    fails::<Pair>("[1]", Code::OutOfBounds, "");
    fails::<Pair>("[1,null,3]", Code::OutOfBounds, "");
    fails::<Pair>("[]", Code::OutOfBounds, "");
    fails::<Pair>("{}", Code::WrongType, "");
    fails::<Pair>("[1,2]", Code::WrongType, "/1");
    fails::<Vec<(Json, bool)>>("[[1,true],[[],1]]", Code::WrongType, "/1/1");
    let value: Pair = serde_json::from_str("[1,\"a\"]").unwrap();
    assert_eq!(value, (1, Some("a".into())));
}

#[test]
fn a_tuple_of_more_than_twelve_items_is_one_list() {
    const RULE: Rule = Rule::Tuple(&[Rule::Integer; 14]);
    type Long = (
        i64,
        i64,
        i64,
        i64,
        i64,
        i64,
        i64,
        i64,
        i64,
        i64,
        i64,
        TupleTail<(i64, i64, i64)>,
    );
    let text = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14]";
    let long: Long = decode_as(&RULE, text.as_bytes(), Mode::Strict).unwrap();
    assert_eq!((long.10, long.11), (11, TupleTail((12, 13, 14))));
    assert_eq!(written(&long).unwrap(), text);
}

#[test]
fn bounds_are_checked_in_strict_mode() {
    fn check<T: Codec>(rule: Rule, text: &str, fits: bool) {
        let read = |mode| decode_as::<T>(&rule, text.as_bytes(), mode).map(|_| ());
        assert_eq!(read(Mode::Lenient), Ok(()), "{text}");
        match read(Mode::Strict) {
            Ok(()) => assert!(fits, "{text}"),
            Err(error) => assert_eq!((error.code, fits), (Code::OutOfBounds, false), "{text}"),
        }
    }
    const SHARE: Rule = Rule::Range(&Rule::Number, 0.0, 1.0);
    for (text, fits) in [("0", true), ("-0", true), ("1.0", true), ("1.1", false)] {
        check::<f64>(SHARE, text, fits);
    }
    const COUNT: Rule = Rule::Range(&Rule::Integer, 1.0, f64::INFINITY);
    for (text, fits) in [("1.0", true), ("9007199254740991", true), ("0", false)] {
        check::<i64>(COUNT, text, fits);
    }
    const KEY: Rule = Rule::Range(&Rule::String, f64::NEG_INFINITY, 2.0);
    let texts = [
        ("\"\"", true),
        ("\"\u{1F600}é\"", true),
        ("\"\\ud83d\\ude00\\ud83d\"", true),
        ("\"abc\"", false),
    ];
    for (text, fits) in texts {
        check::<String>(KEY, text, fits);
    }
    let fault = |rule, text: &str| decode_as::<i64>(&rule, text.as_bytes(), Mode::Strict);
    assert_eq!(fault(COUNT, "0.5").unwrap_err().code, Code::OutOfRange);
    assert_eq!(fault(COUNT, "\"\"").unwrap_err().code, Code::WrongType);
    let error = fault(COUNT, "0").unwrap_err();
    assert_eq!(error.message, "expected at least 1, got 0");
    let error = decode_as::<String>(&KEY, b"\"abc\"", Mode::Strict).unwrap_err();
    assert_eq!(error.message, "expected at most 2 code points, got 3");
}

#[test]
fn a_type_may_contain_itself() {
    travels(
        "[[],[[]]]",
        &Nest(vec![Nest(vec![]), Nest(vec![Nest(vec![])])]),
        "[[],[[]]]",
    );
    fails::<Nest>("[[],[1]]", Code::WrongType, "/1/0");
}
