//! The lexical part of JSON: strings between their quotes, escapes, and numbers.
//!
//! "Raw" is the text between a string's quotes as spelt in the document; its canonical spelling has necessary escapes
//! only.

#![allow(dead_code)] // not every protocol uses all of it

use std::borrow::Cow;
use std::fmt;

/// The maximum nesting depth of `{` and `[` in a document.
pub const MAX_DEPTH: usize = 128;

/// The maximum number of digits of an integer, anywhere in a document. All bindings share this limit, as converting
/// an integer takes quadratic time in some languages.
pub const MAX_DIGITS: usize = 4300;

/// The largest integer up to which doubles represent every integer exactly.
pub const MAX_INTEGER: i64 = (1 << 53) - 1;

const LOWS: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// 1 for a quote, a backslash or a control character, else 0.
fn special(c: u8) -> u8 {
    u8::from(c ^ 0x02 < 0x21) | u8::from(c == b'\\')
}

/// Whether any of sixteen bytes is special. It has no early exit, so that compilers vectorize it.
#[inline]
fn has_special(sixteen: &[u8; 16]) -> bool {
    sixteen.iter().fold(0, |any, c| any | special(*c)) != 0
}

/// The first position from `at` on of a quote, a backslash or a control character.
#[inline]
pub fn plain(bytes: &[u8], at: usize) -> usize {
    at + plain_length(bytes.get(at..).unwrap_or_default())
}

/// The number of bytes before the first quote, backslash or control character.
#[inline]
pub fn plain_length(bytes: &[u8]) -> usize {
    // Most keys are short, and in texts with many escapes, the next one is close.
    match bytes.first_chunk().map(plain_of_sixteen) {
        Some(length @ 0..16) => length,
        Some(length) => plain_further(bytes, length),
        None => plain_further(bytes, 0),
    }
}

/// Like [`plain_length`], after some bytes without a special one. It is kept out of it, so that the test of the first
/// bytes needs no call.
#[inline(never)]
fn plain_further(bytes: &[u8], from: usize) -> usize {
    let mut rest = &bytes[from..];
    while let Some((chunk, after)) = rest.split_first_chunk() {
        if has_special(chunk) {
            return bytes.len() - rest.len() + plain_of_sixteen(chunk);
        }
        rest = after;
    }
    // Fewer than sixteen bytes are left.
    match bytes.last_chunk() {
        Some(chunk) if !has_special(chunk) => return bytes.len(),
        _ => {}
    }
    if let Some((chunk, after)) = rest.split_first_chunk() {
        match plain_of_eight(u64::from_le_bytes(*chunk)) {
            8 => rest = after,
            length => return bytes.len() - rest.len() + length,
        }
    }
    match bytes.last_chunk() {
        // The last eight bytes, without those before the rest; the zeros that are shifted in count as special.
        Some(chunk) if !rest.is_empty() => {
            let passed = 8 - rest.len();
            let left = u64::from_le_bytes(*chunk) >> (8 * passed);
            bytes.len() - rest.len() + plain_of_eight(left)
        }
        _ => {
            let length = rest.iter().take_while(|c| special(**c) == 0).count();
            bytes.len() - rest.len() + length
        }
    }
}

/// The number of bytes before the first special one among sixteen.
fn plain_of_sixteen(sixteen: &[u8; 16]) -> usize {
    let both = u128::from_le_bytes(*sixteen);
    let (low, high) = (specials(both as u64), specials((both >> 64) as u64));
    // Both halves are tested without a branch, since either is as likely to have the first.
    let (before, found) = if low == 0 { (8, high) } else { (0, low) };
    before + first_of(found)
}

/// The number of bytes before the first special one among eight.
fn plain_of_eight(eight: u64) -> usize {
    first_of(specials(eight))
}

/// The number of bytes before the first one that is marked.
fn first_of(marks: u64) -> usize {
    (marks.trailing_zeros() >> 3) as usize // if there is none, all 64 bits are 0
}

/// Marks in the highest bit of each of eight bytes that the first special one is marked, and none before it.
fn specials(eight: u64) -> u64 {
    // Flipping this bit makes a quote 0x20 and swaps 0x20 with it, so that one comparison finds quotes and controls.
    let low = eight ^ (LOWS * 0x02);
    let backslash = eight ^ (LOWS * u64::from(b'\\'));
    (low.wrapping_sub(LOWS * 0x21) | backslash.wrapping_sub(LOWS)) & !eight & HIGHS
}

/// Whether two texts are equal. Texts as short as most keys and tags are compared without calling a function.
#[inline]
pub fn equal(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    match one.len() {
        8..=16 => ends::<8>(one) == ends(other),
        17..=32 => ends::<16>(one) == ends(other),
        4..=7 => ends::<4>(one) == ends(other),
        _ => one == other,
    }
}

/// The first and the last bytes of a text, which overlap if it is short.
#[inline]
fn ends<const N: usize>(text: &[u8]) -> (Option<&[u8; N]>, Option<&[u8; N]>) {
    (text.first_chunk(), text.last_chunk())
}

/// The characters that escapes of two characters stand for, by the second one; 0 for other characters.
const SHORT_ESCAPES: [u8; 256] = short_escapes();

const fn short_escapes() -> [u8; 256] {
    let pairs = [
        (b'"', b'"'),
        (b'\\', b'\\'),
        (b'/', b'/'),
        (b'b', 8),
        (b'f', 12),
        (b'n', b'\n'),
        (b'r', b'\r'),
        (b't', b'\t'),
    ];
    let (mut escapes, mut number) = ([0; 256], 0);
    while number < pairs.len() {
        escapes[pairs[number].0 as usize] = pairs[number].1;
        number += 1;
    }
    escapes
}

/// The code point of the escape at the start of a text, and its length; it may be a lone surrogate.
#[inline]
pub fn escape(text: &[u8]) -> Option<(u32, usize)> {
    match SHORT_ESCAPES[usize::from(*text.get(1)?)] {
        0 => long_escape(text),
        unit => Some((unit.into(), 2)),
    }
}

#[inline(never)] // most escapes are short
fn long_escape(text: &[u8]) -> Option<(u32, usize)> {
    if text.get(1) != Some(&b'u') {
        return None;
    }
    let high = hex(text.get(2..6)?)?;
    if high & 0xFC00 == 0xD800 && text.get(6..8) == Some(b"\\u") {
        let low = hex(text.get(8..12)?)?;
        if low & 0xFC00 == 0xDC00 {
            return Some((0x10000 + ((high & 0x3FF) << 10 | low & 0x3FF), 12));
        }
    }
    Some((high, 6))
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |number, digit| {
        Some(number << 4 | char::from(*digit).to_digit(16)?)
    })
}

/// The code points of the text between a string's quotes, lone surrogates included.
pub fn code_points(raw: &str) -> impl Iterator<Item = u32> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (unit, length) = match raw.as_bytes().get(at)? {
            b'\\' => escape(&raw.as_bytes()[at..])?,
            _ => {
                let c = raw[at..].chars().next()?;
                (c.into(), c.len_utf8())
            }
        };
        at += length;
        Some(unit)
    })
}

/// The value of the text between a string's quotes; a lone surrogate becomes U+FFFD.
pub fn unescaped(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut text = Vec::new();
    push_unescaped(&mut text, raw);
    Cow::Owned(String::from_utf8(text).unwrap_or_default()) // it always is UTF-8
}

/// Appends the UTF-8 of [`unescaped`]. Returns whether the value has no lone surrogate.
pub fn push_unescaped(to: &mut Vec<u8>, raw: &str) -> bool {
    let (mut rest, mut is_exact) = (raw.as_bytes(), true);
    to.reserve(rest.len() + 16);
    loop {
        // Whole chunks are copied, as it takes less time than to copy as many bytes as precede an escape. What was
        // copied of the escape is removed.
        while let Some((chunk, after)) = rest.split_first_chunk() {
            to.extend_from_slice(chunk);
            if !has_backslash(chunk) {
                rest = after;
                continue;
            }
            let length = before_backslash(chunk);
            to.truncate(to.len() - (chunk.len() - length));
            rest = &rest[length..];
            break;
        }
        if rest.first() != Some(&b'\\') {
            let length = rest.iter().take_while(|c| **c != b'\\').count();
            to.extend_from_slice(&rest[..length]);
            rest = &rest[length..];
        }
        let Some((unit, length)) = escape(rest) else {
            return is_exact;
        };
        match u8::try_from(unit) {
            Ok(c) if c.is_ascii() => to.push(c),
            _ => is_exact &= push_code_point(to, unit),
        }
        rest = &rest[length..];
    }
}

#[inline(never)] // most escapes are ASCII
fn push_code_point(to: &mut Vec<u8>, unit: u32) -> bool {
    let c = char::from_u32(unit);
    let c = c.unwrap_or(char::REPLACEMENT_CHARACTER);
    to.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    char::from_u32(unit).is_some()
}

/// Whether any of sixteen bytes is a backslash, like [`has_special`].
#[inline]
fn has_backslash(sixteen: &[u8; 16]) -> bool {
    let is_backslash = |c: &u8| u8::from(*c == b'\\');
    sixteen.iter().fold(0, |any, c| any | is_backslash(c)) != 0
}

/// The number of bytes before the first backslash among sixteen.
#[inline]
fn before_backslash(sixteen: &[u8; 16]) -> usize {
    const LOWS: u128 = 0x0101_0101_0101_0101_0101_0101_0101_0101;
    let other = u128::from_le_bytes(*sixteen) ^ (LOWS * b'\\' as u128);
    let found = other.wrapping_sub(LOWS) & !other & (LOWS << 7);
    (found.trailing_zeros() >> 3) as usize
}

/// Whether the text between a string's quotes has a lone surrogate.
pub fn has_surrogate(raw: &str) -> bool {
    raw.contains("\\u") && code_points(raw).any(|unit| char::from_u32(unit).is_none())
}

/// The canonical spelling of the text between a string's quotes: with necessary escapes only.
pub fn canonical(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut text = String::with_capacity(raw.len());
    for unit in code_points(raw) {
        match char::from_u32(unit) {
            Some(c) => push_escaped(&mut text, c.encode_utf8(&mut [0; 4])),
            None => push_display(&mut text, format_args!("\\u{unit:04x}")),
        }
    }
    Cow::Owned(text)
}

/// Appends the canonical spelling of a text.
#[inline]
pub fn push_escaped(to: &mut String, text: &str) {
    match plain(text.as_bytes(), 0) {
        at if at == text.len() => to.push_str(text),
        at => push_escaped_from(to, text, at),
    }
}

/// Appends the canonical spelling of a text whose first escape is at `at`.
fn push_escaped_from(to: &mut String, text: &str, mut at: usize) {
    let mut from = 0;
    loop {
        to.push_str(&text[from..at]);
        match text.as_bytes().get(at) {
            None => return,
            Some(b'"') => to.push_str("\\\""),
            Some(b'\\') => to.push_str("\\\\"),
            Some(b'\n') => to.push_str("\\n"),
            Some(b'\r') => to.push_str("\\r"),
            Some(b'\t') => to.push_str("\\t"),
            Some(c) => push_display(to, format_args!("\\u{c:04x}")),
        }
        from = at + 1;
        at = plain(text.as_bytes(), from);
    }
}

fn digits(bytes: &[u8], at: usize) -> usize {
    let digits = bytes[at..].iter().take_while(|c| c.is_ascii_digit());
    digits.count()
}

/// The length of the number at the start of a text, and whether it has neither fraction nor exponent.
pub fn number_length(bytes: &[u8]) -> Option<(usize, bool)> {
    let first = usize::from(bytes.first() == Some(&b'-'));
    let mut at = first + digits(bytes, first);
    if at == first || (bytes[first] == b'0' && at > first + 1) {
        return None;
    }
    let mut whole = true;
    if bytes.get(at) == Some(&b'.') {
        whole = false;
        let count = digits(bytes, at + 1);
        if count == 0 {
            return None;
        }
        at += 1 + count;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        whole = false;
        at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let count = digits(bytes, at);
        if count == 0 {
            return None;
        }
        at += count;
    }
    Some((at, whole))
}

/// Whether an integer has more than [`MAX_DIGITS`] digits.
pub fn is_too_long(integer: &str) -> bool {
    integer.len() - usize::from(integer.starts_with('-')) > MAX_DIGITS
}

/// The nearest double of a number; `None` if it overflows.
pub fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The integer that a number is equal to, if there is one in range.
pub fn integer(text: &str) -> Option<i64> {
    let number = match text.parse() {
        Ok(number) => number,
        Err(_) => {
            let number = finite(text).filter(|number| number.trunc() == *number)?;
            number as i64 // saturates, and is then out of range
        }
    };
    (-MAX_INTEGER..=MAX_INTEGER)
        .contains(&number)
        .then_some(number)
}

/// Appends a finite number in its shortest exact form.
pub fn push_number(to: &mut String, number: f64) {
    if number.trunc() == number && number.abs() <= MAX_INTEGER as f64 && number != 0.0 {
        push_integer(to, number as i64);
    } else if number == 0.0 && number.is_sign_positive() {
        to.push('0');
    } else {
        push_display(to, format_args!("{number:?}"));
    }
}

/// Appends an integer.
pub fn push_integer(to: &mut String, number: i64) {
    if number < 0 {
        to.push('-');
    }
    push_digits(to, number.unsigned_abs());
}

fn push_digits(to: &mut String, number: u64) {
    const DIGITS: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    if number >= 10 {
        push_digits(to, number / 10);
    }
    to.push_str(DIGITS[(number % 10) as usize]);
}

/// Appends a value in its `Display` form.
pub fn push_display(to: &mut String, value: impl fmt::Display) {
    let _ = fmt::Write::write_fmt(to, format_args!("{value}")); // writing to a string cannot fail
}

/// Whether a text matches a pattern, in which `*` stands for any text, including the empty one.
pub fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}
