//! Readers that are limited to some types.

use crate::engine::Selected;
use crate::filter::{tags, Wanted};
use crate::sample::{
    Fault, Framed, Gift, Line, PlainGift, Ring, Shape, Talk, Tone, UnknownLine, WrappedGift,
};
use crate::table::{Dispatch, Scalar};
use crate::{BadLine, Code, LineDecoder, Mode, Reader};

const FRAMED: &str = r#"{"kind":"framed","from":"a","radius":1}"#;

/// What a decoder that is limited to `W` returns for lines: variants, or codes and paths, by the number of the line;
/// and how many lines it skips. A blocking reader must return the same.
fn read<W: Wanted>(lines: &[&str], mode: Mode) -> (Vec<(u64, String)>, u64) {
    let text = lines.join("\n");
    let mut decoder = LineDecoder::<Line>::new().with_mode(mode).only::<W>();
    let mut found = Vec::new();
    let mut next = decoder.feed(text.as_bytes()).next();
    while let Some(item) = next {
        found.push((decoder.line(), shown(item)));
        next = decoder.feed(b"").next();
    }
    let last = decoder.finish().next();
    found.extend(last.map(|item| (decoder.line(), shown(item))));

    let mut reader = Reader::<_, Line>::new(text.as_bytes())
        .only::<W>()
        .with_mode(mode);
    let count = reader.by_ref().count();
    assert_eq!(
        (count, reader.skipped(), reader.line()),
        (found.len(), decoder.skipped(), decoder.line())
    );
    (found, decoder.skipped())
}

fn shown(item: Result<Line, BadLine>) -> String {
    let variant = match item {
        Ok(Line::Ring(_)) => "Ring",
        Ok(Line::Tone(_)) => "Tone",
        Ok(Line::Fault(_)) => "Fault",
        Ok(Line::Framed(_)) => "Framed",
        Ok(Line::Gift(Gift::Plain(_))) => "PlainGift",
        Ok(Line::Gift(Gift::Wrapped(_))) => "WrappedGift",
        Ok(Line::Unknown(_)) => "Unknown",
        Err(bad) => return format!("{} {}", bad.error.code, bad.error.path),
    };
    variant.into()
}

#[track_caller]
fn assert_read<W: Wanted>(lines: &[&str], items: &[(u64, &str)], skipped: u64) {
    let items = items
        .iter()
        .map(|(line, item)| (*line, (*item).to_string()));
    assert_eq!(
        read::<W>(lines, Mode::Lenient),
        (items.collect(), skipped),
        "{lines:?}"
    );
}

#[test]
fn lines_of_other_types_are_skipped_and_counted() {
    let lines = [
        FRAMED,
        r#"{"pitch":"low"}"#,
        "",
        " \t\r",
        r#"{"kind":"new"}"#,
        FRAMED,
        r#"{"kind":"gift"}"#,
    ];
    assert_read::<Framed>(&lines, &[(1, "Framed"), (6, "Framed")], 3);
    assert_read::<(Framed, Gift)>(&lines, &[(1, "Framed"), (6, "Framed"), (7, "PlainGift")], 2);
    assert_read::<Tone>(&lines, &[(2, "Tone")], 4);
    assert_read::<((Tone,), UnknownLine)>(&lines, &[(2, "Tone"), (5, "Unknown")], 3);
    let all = LineDecoder::<Line>::new();
    assert_eq!(all.skipped(), 0);
}

#[test]
fn an_item_is_the_same_as_without_a_filter() {
    let text = r#"{"kind":"framed","from":"a","new":[1,1.50],"radius":1}"#;
    let mut filtered = LineDecoder::<Line>::new().only::<Framed>();
    let mut all = LineDecoder::<Line>::new();
    for line in [text, FRAMED, r#"{"kind":"framed"}"#, "\"framed\"", "{"] {
        let line = format!("{line}\n");
        let expected = all.feed(line.as_bytes()).next().unwrap();
        let found = filtered.feed(line.as_bytes()).next();
        assert_eq!(found, (line != "{\n").then_some(expected));
    }
    assert_eq!(filtered.skipped(), 1);
}

#[test]
fn faults_in_lines_that_are_skipped_unread_are_not_reported() {
    let lines = ["{", "not JSON", r#"{"kind":1}"#, "[]", r#"{"kind":"ring"}"#];
    assert_read::<Framed>(&lines, &[], 5);
    let mut decoder = LineDecoder::<Line>::new().only::<Framed>();
    assert_eq!(decoder.feed(b"\xff\n\xff\"framed\"\n").count(), 1);
    assert_eq!(decoder.skipped(), 1);
}

#[test]
fn faults_of_syntax_and_of_the_choice_of_a_type_are_reported_in_other_lines() {
    let deep = format!(
        "{{\"a\":\"framed\",\"b\":{}",
        "[".repeat(200) + &"]".repeat(200) + "}"
    );
    let lines = [
        r#"{"kind":"framed""#,
        r#"{"a":"\u0000"#,
        r#"{"kind":1,"a":"framed"}"#,
        r#"["framed"]"#,
        &deep,
    ];
    let expected = [
        (1, "invalid_json "),
        (2, "invalid_json "),
        (3, "wrong_type /kind"),
        (4, "wrong_type "),
        (5, "too_deep "),
    ];
    assert_read::<Framed>(&lines, &expected, 0);
}

#[test]
fn members_of_unwanted_types_are_not_checked() {
    let lines = [
        r#"{"kind":"ring","id":"framed"}"#,
        r#"{"kind":"ring","id":"framed","sizes":1e999}"#,
        r#"{"pitch":7,"a":"framed"}"#,
        r#"{"kind":"new","a":"framed"}"#,
        r#"{"kind":"framed"}"#,
    ];
    assert_read::<Framed>(&lines, &[(5, "missing_field /from")], 4);
}

#[test]
fn a_tag_may_be_spelled_with_escapes() {
    let lines = [
        r#"{"kind":"fr\u0061med","from":"a","radius":1}"#,
        r#"{"\u006bind":"framed","from":"a","radius":1}"#,
        r#"{"kind":"g\u0069ft"}"#,
    ];
    assert_read::<Framed>(&lines, &[(1, "Framed"), (2, "Framed")], 1);
}

#[test]
fn of_two_tags_the_last_one_counts() {
    let lines = [
        r#"{"kind":"gift","kind":"framed","from":"a","radius":1}"#,
        r#"{"kind":"framed","kind":"gift","from":1}"#,
    ];
    assert_read::<Framed>(&lines, &[(1, "Framed")], 1);
}

#[test]
fn a_nested_discriminator_is_decided_by_the_engine() {
    let lines = [
        r#"{"kind":"gift"}"#,
        r#"{"kind":"gift","wrapped":true,"paper":"red"}"#,
        r#"{"kind":"gift","wrapped":"yes"}"#,
        r#"{"kind":"gift","wrapped":true}"#,
    ];
    assert_read::<WrappedGift>(
        &lines,
        &[
            (2, "WrappedGift"),
            (3, "wrong_type /wrapped"),
            (4, "missing_field /paper"),
        ],
        1,
    );
    assert_read::<PlainGift>(&lines, &[(1, "PlainGift"), (3, "wrong_type /wrapped")], 2);
}

#[test]
fn a_union_stands_for_its_structs_and_its_unknown() {
    let lines = [r#"{"kind":"new"}"#, FRAMED, r#"{"kind":"gift"}"#];
    assert_read::<Line>(
        &lines,
        &[(1, "Unknown"), (2, "Framed"), (3, "PlainGift")],
        0,
    );
    assert_read::<Gift>(&lines, &[(3, "PlainGift")], 2);
    assert_read::<UnknownLine>(&lines, &[(1, "Unknown")], 2);
}

#[test]
fn an_object_that_only_matches_a_pattern_is_what_decoding_makes_of_it() {
    let lines = [
        r#"{"kind":"fault_new"}"#,
        r#"{"kind":"fault_new","why":1}"#,
        r#"{"kind":"fault_lost","why":1}"#,
    ];
    assert_read::<Fault>(&lines, &[(1, "Fault"), (3, "wrong_type /why")], 1);
    assert_read::<UnknownLine>(&lines, &[(2, "Unknown")], 2);
    assert_read::<Ring>(&lines, &[], 3);
}

#[test]
fn strict_mode_rejects_what_it_rejects_in_lines_that_are_read() {
    let lines = [
        r#"{"kind":"framed","from":"a","radius":1,"new":1}"#,
        r#"{"kind":"new","a":"framed"}"#,
        r#"{"kind":"fault_new","a":"framed"}"#,
        r#"{"kind":"ring","new":"framed"}"#,
        r#"{"kind":"new"}"#,
        FRAMED,
    ];
    let (items, skipped) = read::<Framed>(&lines, Mode::Strict);
    let items: Vec<_> = items.iter().map(|(line, item)| (*line, &**item)).collect();
    let expected = [
        (1, "unknown_field /new"),
        (2, "unknown_variant /kind"),
        (3, "unknown_value /kind"),
        (6, "Framed"),
    ];
    assert_eq!((&*items, skipped), (&expected[..], 2));
}

#[test]
fn lines_over_the_limit_are_reported_whatever_they_are() {
    let text = format!("{FRAMED}\n{}\n{FRAMED}\n{{}}", "9".repeat(100));
    for size in [1, 7, 1000] {
        let mut decoder = LineDecoder::<Line>::new().with_limit(50).only::<Framed>();
        let mut items = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            items.extend(decoder.feed(piece));
        }
        items.extend(decoder.finish());
        let bad = items[1].as_ref().unwrap_err();
        assert_eq!((bad.line, bad.error.code), (2, Code::TooLong));
        assert_eq!((items.len(), decoder.line(), decoder.skipped()), (3, 4, 1));
    }
}

#[test]
fn the_types_of_a_later_call_replace_those_of_an_earlier_one() {
    let mut reader = Reader::<_, Line>::new(FRAMED.as_bytes())
        .only::<Ring>()
        .only::<Framed>();
    assert!(reader.next().unwrap().is_ok());
}

#[test]
fn a_union_without_a_tag_can_be_limited_too() {
    let text = "{\"side\":1}\n{\"news\":{}}\n{\"side\":2}\n{}\n";
    let mut decoder = LineDecoder::<Talk>::new().only::<crate::sample::Square>();
    let items: Vec<_> = decoder.feed(text.as_bytes()).collect();
    assert_eq!(
        (items.len(), items[0].is_ok(), items[1].is_ok()),
        (3, true, true)
    );
    let bad = items[2].as_ref().unwrap_err();
    assert_eq!((bad.line, bad.error.code), (4, Code::NoVariant));
    assert_eq!(decoder.skipped(), 1);
}

#[test]
#[should_panic(expected = "a reader of Line cannot be limited to Shape: Line has no Circle")]
fn a_type_that_a_reader_never_has_is_a_wrong_use() {
    let _ = LineDecoder::<Line>::new().only::<(Ring, Shape)>();
}

#[test]
#[should_panic(
    expected = "a reader of Gift cannot be limited to the Unknown of Line: Gift has no such Unknown"
)]
fn an_unknown_that_a_reader_never_has_is_a_wrong_use() {
    let _ = Reader::<_, Gift>::new(&b""[..]).only::<UnknownLine>();
}

#[test]
#[should_panic(expected = "`only` needs a reader of a union, and Ring is none")]
fn a_reader_of_one_struct_cannot_be_limited() {
    let _ = LineDecoder::<Ring>::new().only::<Ring>();
}

#[test]
#[should_panic(expected = "`only` needs at least one type")]
fn no_types_are_a_wrong_use() {
    crate::filter::Filter::new::<Line>(&[]);
}

// Unions are given by their index: 7 is open, 8 is closed.

const A: Selected = Selected::Struct(3);
const B: Selected = Selected::Struct(4);
const LEAF: Dispatch = Dispatch::Leaf(3);
const OTHER: Dispatch = Dispatch::Leaf(4);

/// A union with some tags of `A`, one of `B`, and one of a nested open union.
const fn union(
    union: usize,
    cases: &'static [(Scalar, u32, Dispatch)],
    prefixes: &'static [(&'static str, u32, Dispatch)],
    others: &'static [(&'static str, u32, usize)],
    absent: Option<&'static (u32, Dispatch)>,
) -> Dispatch {
    Dispatch::Switch {
        union,
        key: "kind",
        cases,
        prefixes,
        others,
        absent,
    }
}

#[test]
fn tags_are_those_of_the_outermost_discriminator() {
    const CASES: &[(Scalar, u32, Dispatch)] = &[
        (Scalar::Text("a"), 0, LEAF),
        (Scalar::Text("é b"), 0, LEAF),
        (Scalar::Text("b"), 1, OTHER),
        (
            Scalar::Text("more"),
            2,
            union(7, &[(Scalar::Text("c"), 0, LEAF)], &[], &[], None),
        ),
        (Scalar::Number(1.0), 1, OTHER),
    ];
    let found = |of: usize, wanted: &[Selected]| tags(&union(of, CASES, &[], &[], None), wanted);
    let listed = |tags: &[&str]| Some(tags.iter().map(|tag| format!("\"{tag}\"")).collect());
    assert_eq!(found(8, &[A]), listed(&["a", "é b", "more"]));
    assert_eq!(found(7, &[A]), listed(&["a", "é b", "more"]));
    assert_eq!(found(8, &[B]), None); // one of its tags is a number
    assert_eq!(found(8, &[Selected::Unknown(7)]), listed(&["more"])); // that of the nested union
    assert_eq!(found(7, &[Selected::Unknown(7)]), None);
}

#[test]
fn every_line_is_read_if_a_wanted_type_needs_no_tag_that_is_spelled_in_one_way() {
    const NOT_FOR_B: &[(Scalar, u32, Dispatch)] = &[(Scalar::Text("a"), 0, LEAF)];
    let ways = [
        union(8, NOT_FOR_B, &[("b", 1, OTHER)], &[], None),
        union(8, NOT_FOR_B, &[], &[("b*", 1, 4)], None),
        union(8, NOT_FOR_B, &[], &[], Some(&(1, OTHER))),
        union(8, &[(Scalar::Bool(true), 1, OTHER)], &[], &[], None),
        union(8, &[(Scalar::Text("a/b"), 1, OTHER)], &[], &[], None),
        union(8, &[(Scalar::Text("a\\\""), 1, OTHER)], &[], &[], None),
        union(8, &[(Scalar::Text("a\\\\"), 1, OTHER)], &[], &[], None),
        union(8, &[(Scalar::Text("a\\n"), 1, OTHER)], &[], &[], None),
        union(8, &[(Scalar::Text("a\u{7f}"), 1, OTHER)], &[], &[], None),
        Dispatch::Keys {
            union: 8,
            cases: &[(&["b"], &[], 1, OTHER)],
        },
    ];
    for (number, way) in ways.iter().enumerate() {
        assert_eq!(tags(way, &[B]), None, "{number}");
    }
    for way in &ways[..3] {
        assert_eq!(tags(way, &[A]), Some(vec!["\"a\"".into()]));
    }
}

#[cfg(feature = "tokio")]
#[test]
fn an_async_reader_skips_the_same() {
    use crate::AsyncReader;
    use tokio::io::BufReader;

    let text = format!("{{\"kind\":\"gift\"}}\n{FRAMED}\n{{}}\n{FRAMED}");
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(async {
        let from = BufReader::with_capacity(5, text.as_bytes());
        let mut reader = AsyncReader::<_, Line>::new(from).only::<Framed>();
        for line in [2, 4] {
            assert!(matches!(reader.next().await, Some(Ok(Line::Framed(_)))));
            assert_eq!(reader.line(), line);
        }
        assert!(reader.next().await.is_none());
        assert_eq!(reader.skipped(), 2);
    });
}
