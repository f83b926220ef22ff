//! Which numbers are accepted, and as which types.

use super::assert_fault;
use crate::sample::Ring;
use crate::{decode, decode_with, examine, Code, Json, LineDecoder, Mode};

#[test]
fn an_integer_is_what_a_double_holds_exactly() {
    for (text, number) in [
        ("9007199254740991", 9_007_199_254_740_991),
        ("-9007199254740991", -9_007_199_254_740_991),
        ("1e3", 1000),
        ("1.0", 1),
        ("-0", 0),
    ] {
        assert_eq!(decode::<i64>(text).unwrap(), number, "{text}");
    }
    for text in [
        "9007199254740992",
        "-9007199254740992",
        "1.5",
        "1e400",
        "1e16",
    ] {
        assert_fault::<i64>(text, Code::OutOfRange, "");
    }
    assert_fault::<i64>("true", Code::WrongType, "");
}

#[test]
fn a_number_is_the_nearest_double() {
    for (text, number) in [
        ("0.1", 0.1),
        ("1e-400", 0.0),
        ("123456789012345678", 1.234_567_890_123_456_8e17),
    ] {
        assert_eq!(
            decode::<f64>(text).unwrap().to_bits(),
            f64::to_bits(number),
            "{text}"
        );
    }
    assert_eq!(decode::<f64>("-0").unwrap().to_bits(), f64::to_bits(-0.0));
    assert_fault::<f64>("-1e400", Code::OutOfRange, "");
}

#[test]
fn untouched_numbers_keep_their_digits_and_overflow() {
    let text = r#"[12345678901234567890,1.50,-0,1e5]"#;
    assert_eq!(decode::<Json>(text).unwrap().text(), text);
    assert_fault::<Json>(r#"{"a":[1e400]}"#, Code::OutOfRange, "/a/0");
}

const LONGEST: usize = 4300;

#[test]
fn an_untouched_integer_of_4300_digits_passes() {
    for text in ["9".repeat(LONGEST), "-".to_string() + &"9".repeat(LONGEST)] {
        for mode in [Mode::Lenient, Mode::Strict] {
            assert_eq!(decode_with::<Json>(&text, mode).unwrap().text(), text);
        }
    }
    let fraction = "0.".to_string() + &"1".repeat(2 * LONGEST);
    assert_eq!(decode::<Json>(&fraction).unwrap().text(), fraction);
}

#[test]
fn a_longer_integer_is_a_fault_of_the_text_wherever_it_is() {
    for digits in [
        "1".repeat(LONGEST + 1),
        "-".to_string() + &"1".repeat(LONGEST + 1),
    ] {
        assert_fault::<Json>(&digits, Code::OutOfRange, "");
        assert_fault::<Json>(&format!(r#"[{{"a":{digits}}}]"#), Code::OutOfRange, "");
        assert_fault::<i64>(&digits, Code::OutOfRange, "");
        assert_fault::<f64>(&digits, Code::OutOfRange, "");
        assert_fault::<String>(&digits, Code::OutOfRange, "");
        let typed = format!(r#"{{"kind":"ring","version":2,"id":"x","sizes":[1,{digits}]}}"#);
        assert_fault::<Ring>(&typed, Code::OutOfRange, "");
        let unknown = format!(r#"{{"kind":"ring","version":2,"sizes":[true],"new":{digits}}}"#);
        assert_fault::<Ring>(&unknown, Code::OutOfRange, "");
        let constant = format!(r#"{{"kind":"ring","version":{digits},"id":"x","sizes":[1]}}"#);
        assert_fault::<Ring>(&constant, Code::OutOfRange, "");
        let overwritten = format!(r#"{{"a":{digits},"a":1}}"#);
        assert_fault::<Json>(&overwritten, Code::OutOfRange, "");
        assert_eq!(examine::<Json>(&digits).unwrap_err().code, Code::OutOfRange);
        let mut stream = LineDecoder::<Json>::new();
        let line = digits.clone() + "\n1\n";
        let items: Vec<_> = stream.feed(line.as_bytes()).collect();
        assert_eq!(items[0].as_ref().unwrap_err().error.code, Code::OutOfRange);
        assert_eq!(items[1].as_ref().unwrap().text(), "1");
    }
}

#[test]
fn an_integer_of_a_megabyte_is_refused_without_being_converted() {
    let digits = "7".repeat(1 << 20);
    let error = decode::<f64>(&digits).unwrap_err();
    assert_eq!(error.code, Code::OutOfRange);
    assert_eq!(
        error.message,
        "expected an integer of at most 4300 digits, got a longer one"
    );
}

#[test]
fn long_texts_and_keys_of_digits_are_no_integers() {
    let digits = "1".repeat(LONGEST + 1);
    let text = format!(r#"{{"{digits}":"{digits}"}}"#);
    assert_eq!(
        decode_with::<Json>(&text, Mode::Strict).unwrap().text(),
        text
    );
}
