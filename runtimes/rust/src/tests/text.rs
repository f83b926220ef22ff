//! Valid and invalid JSON text.

use super::assert_fault;
use crate::text::{canonical, escape, glob, has_surrogate, number_length, plain, unescaped};
use crate::{decode, Code, Json};

#[test]
fn text_that_is_no_json_is_refused() {
    for text in [
        "",
        " ",
        "{",
        "[1,]",
        "[1 2]",
        "[1}",
        r#"{"a"}"#,
        r#"{"a":1,}"#,
        r#"{"a" 1}"#,
        "{a:1}",
        "'a'",
        "\"a",
        "\"\t\"",
        r#""\x""#,
        r#""\u12g4""#,
        "tru",
        "nulls",
        "NaN",
        "Infinity",
        "-",
        "01",
        "1.",
        ".5",
        "1e",
        "+1",
        "1 1",
        "\u{feff}1",
        "\u{a0}1",
    ] {
        assert_fault::<Json>(text, Code::InvalidJson, "");
    }
}

#[test]
fn white_space_may_be_between_tokens() {
    let json: Json = decode(" \t\r\n[ 1 , { \"a b\" : true } ] \n").unwrap();
    assert_eq!(json.text(), r#"[1,{"a b":true}]"#);
}

#[test]
fn bytes_that_are_not_utf8_are_refused() {
    let error = decode::<Json>(b"\"\xff\"").unwrap_err();
    assert_eq!((error.code, &*error.path), (Code::InvalidUtf8, ""));
    assert_eq!(error.message, "not UTF-8 at byte 1");
}

#[test]
fn levels_pass_up_to_the_limit() {
    let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
    assert!(decode::<Json>(nested(128)).is_ok());
    assert_fault::<Json>(&nested(129), Code::TooDeep, "");
    let objects = r#"{"a":"#.repeat(129) + "1" + &"}".repeat(129);
    assert_fault::<Json>(&objects, Code::TooDeep, "");
    assert_fault::<Json>(&"[".repeat(500_000), Code::InvalidJson, "");
}

#[test]
fn strings_are_read_with_their_escapes() {
    let all = r#""\"\\\/\b\f\n\r\té😀\ud83d\ude00""#;
    assert_eq!(decode::<String>(all).unwrap(), "\"\\/\u{8}\u{c}\n\r\té😀😀");
    assert_eq!(decode::<String>(r#""\ud83d!""#).unwrap(), "\u{fffd}!");
    assert_eq!(unescaped(r"a\ude00"), "a\u{fffd}");
    assert!(has_surrogate(r"\ude00") && !has_surrogate(r"\ud83d\ude00"));
    assert_eq!(canonical(r"\u0041\/\u0001\uD800"), r"A/\u0001\ud800");
    assert_eq!(escape(br"\ud83d\ude00"), Some((0x1f600, 12)));
    assert_eq!(escape(br"\ud83"), None);
}

#[test]
fn plain_stops_at_the_first_byte_that_needs_a_look() {
    for (end, stop) in ["\"", "\\", "\u{1}", "\n"].iter().enumerate() {
        for length in 0..20 {
            let text = "é".repeat(end) + &"x".repeat(length) + stop + "\"";
            assert_eq!(plain(text.as_bytes(), 0), 2 * end + length, "{text:?}");
        }
    }
    assert_eq!(plain(b"abc", 1), 3);
}

#[test]
fn plain_stops_at_quotes_backslashes_and_controls_at_every_position() {
    for c in 0..=u8::MAX {
        let stops = c < 0x20 || c == b'"' || c == b'\\';
        for length in 1..50 {
            for place in 0..length {
                let mut text = vec![b' '; length];
                text[place] = c;
                let expected = if stops { place } else { length };
                assert_eq!(plain(&text, 0), expected, "{c:#x} at {place} of {length}");
            }
        }
    }
}

#[test]
fn the_length_of_a_number_is_that_of_its_grammar() {
    assert_eq!(number_length(b"-0,"), Some((2, true)));
    assert_eq!(number_length(b"10.25e+3]"), Some((8, false)));
    assert_eq!(number_length(b"1E5"), Some((3, false)));
    for text in ["", "-", "00", "-01", "1.", "1.e3", "1e+", "e3", ".1"] {
        assert_eq!(number_length(text.as_bytes()), None, "{text}");
    }
}

#[test]
fn a_star_in_a_form_stands_for_any_text() {
    for (form, text, fits) in [
        ("a_*", "a_", true),
        ("a_*", "a_b", true),
        ("a_*", "b_a_", false),
        ("*b", "ab", true),
        ("a*b*c", "a-b-b-c", true),
        ("a*b*c", "acb", false),
        ("a*a", "a", false),
        ("a", "ab", false),
        ("*", "", true),
    ] {
        assert_eq!(glob(form, text), fits, "{form} {text}");
    }
}

#[test]
fn a_scan_stops_at_the_first_special_byte_from_any_position() {
    let specials = ['"', '\\', '\0', '\n', '\u{1f}'];
    for length in 0..40 {
        let text = "é ~\u{7f}!#[]"
            .chars()
            .cycle()
            .take(length)
            .collect::<String>();
        assert_eq!(plain(text.as_bytes(), 0), text.len());
        for (place, _) in text.char_indices() {
            for special in specials {
                let mut text = text.clone();
                text.insert(place, special);
                for from in 0..=text.len() {
                    let expected = if from <= place { place } else { text.len() };
                    assert_eq!(plain(text.as_bytes(), from), expected, "{text:?} {from}");
                }
            }
        }
    }
}
