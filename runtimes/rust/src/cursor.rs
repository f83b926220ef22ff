//! The fast pass: a cursor over the text of a document, which the codec of each type advances.
//!
//! It keeps no path, reads each byte once where discriminators come first, and stops at whatever it does
//! not expect; `validator` then decides.

#![allow(dead_code)] // not every protocol uses all of it

use std::borrow::Cow;

use crate::codec::{Choice, Codec, Key};
use crate::json::{compact, push_display, Json};
use crate::map::{Map, Object};

/// The fast pass met something that the validator has to decide.
#[derive(Debug)]
pub struct FastPathMiss;

/// The result of reading.
pub type Read<T> = Result<T, FastPathMiss>;

/// The most levels of `{` and `[` that a document may have.
pub const MAX_DEPTH: usize = 128;

/// The most digits that an integer may have, anywhere in a document. All bindings share this limit, as
/// converting an integer takes some languages time quadratic in its length.
pub const MAX_DIGITS: usize = 4300;

/// The largest integer up to which doubles represent every integer exactly.
pub const MAX_INTEGER: i64 = (1 << 53) - 1;

/// Returned by [`Members::next`] at the end of an object.
pub const END: usize = usize::MAX;

/// A position in a document, with the state of reading.
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    /// How many bytes of white space were skipped.
    spaces: usize,
    /// Keys of the untouched objects that are open, to find duplicates.
    keys: Vec<&'a str>,
    /// The document comes from the validator: it is valid, and in canonical spelling.
    validated: bool,
}

/// Reads a whole document.
pub fn attempt<T: Codec>(text: &str, validated: bool) -> Read<T> {
    let mut c = Cursor::new(text, validated);
    let value = T::read(&mut c)?;
    match c.peek() {
        0 if c.at == text.len() => Ok(value),
        _ => Err(FastPathMiss),
    }
}

/// Whether a text is an object that matches no variant of an open union.
pub fn attempt_unknown<T: Choice>(text: &str) -> bool {
    matches!(T::choose(&mut Cursor::new(text, true), false), Ok(None))
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str, validated: bool) -> Self {
        Cursor {
            text,
            at: 0,
            depth: 0,
            spaces: 0,
            keys: Vec::new(),
            validated,
        }
    }

    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    /// Skips white space and returns the next byte, 0 at the end.
    pub fn peek(&mut self) -> u8 {
        let c = self.byte(self.at);
        if c > b' ' {
            return c;
        }
        self.peek_further()
    }

    fn peek_further(&mut self) -> u8 {
        while let c @ (b' ' | b'\t' | b'\n' | b'\r') = self.byte(self.at) {
            debug_assert!(c <= b' ');
            self.at += 1;
            self.spaces += 1;
        }
        self.byte(self.at)
    }

    /// Enters an object or array.
    pub fn open(&mut self, bracket: u8) -> Read<()> {
        if self.peek() != bracket || self.depth == MAX_DEPTH {
            return Err(FastPathMiss);
        }
        self.at += 1;
        self.depth += 1;
        Ok(())
    }

    /// Moves to the next item or member, or out of the array or object.
    pub fn more(&mut self, end: u8, fresh: &mut bool) -> Read<bool> {
        let c = self.peek();
        if c == end {
            self.at += 1;
            self.depth -= 1;
            return Ok(false);
        }
        if *fresh {
            *fresh = false;
        } else if c == b',' {
            self.at += 1;
        } else {
            return Err(FastPathMiss);
        }
        Ok(true)
    }

    fn colon(&mut self) -> Read<()> {
        if self.peek() != b':' {
            return Err(FastPathMiss);
        }
        self.at += 1;
        Ok(())
    }

    /// Consumes a key and its colon if it is this one; `key` is in canonical spelling.
    fn expect(&mut self, key: &str) -> Read<bool> {
        if self.peek() != b'"' {
            return Err(FastPathMiss);
        }
        let from = self.at + 1;
        let to = from + key.len();
        let bytes = self.text.as_bytes();
        if bytes.len() <= to || &bytes[from..to] != key.as_bytes() || bytes[to] != b'"' {
            return Ok(false);
        }
        self.at = to + 1;
        self.colon()?;
        Ok(true)
    }

    /// Consumes a key and its colon; returns the key as it is spelt, and whether it has escapes.
    pub fn key(&mut self) -> Read<(&'a str, bool)> {
        if self.peek() != b'"' {
            return Err(FastPathMiss);
        }
        let key = self.raw_string()?;
        self.colon()?;
        Ok(key)
    }

    /// Consumes a string; returns the text between its quotes, and whether it has escapes.
    fn raw_string(&mut self) -> Read<(&'a str, bool)> {
        let from = self.at + 1;
        let mut at = self.plain(from);
        let escapes = self.byte(at) == b'\\';
        while self.byte(at) == b'\\' {
            at += escape(&self.text.as_bytes()[at..]).ok_or(FastPathMiss)?.1;
            at = self.plain(at);
        }
        if self.byte(at) != b'"' {
            return Err(FastPathMiss);
        }
        self.at = at + 1;
        Ok((&self.text[from..at], escapes))
    }

    /// The position at or after `at` where a string ends or an escape begins.
    fn plain(&self, at: usize) -> usize {
        plain(self.text.as_bytes(), at)
    }

    fn word(&mut self, word: &str) -> Read<()> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(FastPathMiss);
        }
        self.at += word.len();
        Ok(())
    }

    /// Consumes a null, if there is one.
    pub fn null(&mut self) -> Read<bool> {
        if self.peek() != b'n' {
            return Ok(false);
        }
        self.word("null")?;
        Ok(true)
    }

    /// Consumes a string, `true` or `false`, which must be this one.
    pub fn constant(&mut self, text: &str) -> Read<()> {
        self.peek();
        self.word(text)
    }

    /// Consumes a number, which must be this one.
    pub fn constant_number(&mut self, number: f64) -> Read<()> {
        if self.number()? == number {
            Ok(())
        } else {
            Err(FastPathMiss)
        }
    }

    pub fn boolean(&mut self) -> Read<bool> {
        match self.peek() {
            b't' => self.word("true").map(|()| true),
            b'f' => self.word("false").map(|()| false),
            _ => Err(FastPathMiss),
        }
    }

    pub fn string(&mut self) -> Read<String> {
        self.text().map(Cow::into_owned)
    }

    /// A string, borrowed if it has no escapes.
    pub fn text(&mut self) -> Read<Cow<'a, str>> {
        if self.peek() != b'"' {
            return Err(FastPathMiss);
        }
        let from = self.at + 1;
        let to = self.plain(from);
        if self.byte(to) == b'"' {
            self.at = to + 1;
            return Ok(Cow::Borrowed(&self.text[from..to]));
        }
        self.escaped(from, to).map(Cow::Owned)
    }

    /// A string with escapes, the first of them at `to`.
    fn escaped(&mut self, mut from: usize, mut to: usize) -> Read<String> {
        let mut text = String::with_capacity(2 * (to - from) + 16);
        while self.byte(to) == b'\\' {
            text.push_str(&self.text[from..to]);
            let (unit, length) = escape(&self.text.as_bytes()[to..]).ok_or(FastPathMiss)?;
            text.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
            from = to + length;
            to = self.plain(from);
        }
        if self.byte(to) != b'"' {
            return Err(FastPathMiss);
        }
        text.push_str(&self.text[from..to]);
        self.at = to + 1;
        Ok(text)
    }

    /// Consumes a number; returns its text, and whether it has neither fraction nor exponent.
    fn digits_of_number(&mut self) -> Read<(&'a str, bool)> {
        self.peek();
        let from = self.at;
        let (length, whole) = number_length(&self.text.as_bytes()[from..]).ok_or(FastPathMiss)?;
        self.at = from + length;
        let text = &self.text[from..self.at];
        if whole && is_too_long(text) {
            return Err(FastPathMiss);
        }
        Ok((text, whole))
    }

    pub fn number(&mut self) -> Read<f64> {
        let (text, whole) = self.digits_of_number()?;
        if whole && text.len() <= 15 {
            if let Ok(number) = text.parse::<i64>() {
                if number != 0 {
                    return Ok(number as f64);
                }
            }
        }
        finite(text).ok_or(FastPathMiss)
    }

    pub fn integer(&mut self) -> Read<i64> {
        let (text, _) = self.digits_of_number()?;
        integer(text).ok_or(FastPathMiss)
    }

    /// Consumes any value. With `look`, keys that occur twice in an object are found, for the validator to
    /// resolve.
    fn skip(&mut self, look: bool) -> Read<()> {
        match self.peek() {
            b'"' => self.raw_string().map(|_| ()),
            b'{' => self.skip_object(look),
            b'[' => {
                self.open(b'[')?;
                let mut fresh = true;
                while self.more(b']', &mut fresh)? {
                    self.skip(look)?;
                }
                Ok(())
            }
            b't' => self.word("true"),
            b'f' => self.word("false"),
            b'n' => self.word("null"),
            _ => {
                let (text, whole) = self.digits_of_number()?;
                if !whole && (text.len() > 300 || text.contains(['e', 'E'])) {
                    finite(text).ok_or(FastPathMiss)?;
                }
                Ok(())
            }
        }
    }

    fn skip_object(&mut self, look: bool) -> Read<()> {
        self.open(b'{')?;
        let first = self.keys.len();
        let mut fresh = true;
        while self.more(b'}', &mut fresh)? {
            let (key, escapes) = self.key()?;
            if look && !self.validated {
                if escapes {
                    return Err(FastPathMiss);
                }
                self.keys.push(key);
            }
            self.skip(look)?;
        }
        let twice = twice(&mut self.keys[first..]);
        self.keys.truncate(first);
        if twice {
            return Err(FastPathMiss);
        }
        Ok(())
    }

    /// An untouched value.
    pub fn json(&mut self) -> Read<Json> {
        self.peek();
        let (from, spaces) = (self.at, self.spaces);
        self.skip(true)?;
        let text = &self.text[from..self.at];
        if self.spaces == spaces {
            Ok(Json::of_text(text.into()))
        } else {
            Ok(Json::of_text(compact(text)))
        }
    }

    /// An object as a map.
    pub fn map<K: Key, V: Codec>(&mut self) -> Read<Map<K, V>> {
        self.open(b'{')?;
        let mut map = Map::new();
        let mut fresh = true;
        while self.more(b'}', &mut fresh)? {
            let (key, _) = self.key()?;
            let value = V::read(self)?;
            map.push_raw(key, value)?;
        }
        self.distinct(&map)?;
        Ok(map)
    }

    /// Leaves duplicate keys to the validator.
    pub fn distinct<K: Key, V>(&self, map: &Map<K, V>) -> Read<()> {
        if map.len() > 1 && !self.validated && map.has_twice() {
            return Err(FastPathMiss);
        }
        Ok(())
    }

    /// A member.
    #[inline(never)] // compiled once for each type, not for each member
    pub fn fill<T: Codec>(&mut self, slot: &mut Option<T>) -> Read<()> {
        *slot = Some(T::read(self)?);
        Ok(())
    }

    /// A member that may be absent; a null for it is kept in `extra`.
    #[inline(never)]
    pub fn optional<T: Codec>(
        &mut self,
        slot: &mut Option<T>,
        key: &str,
        extra: &mut Object,
    ) -> Read<()> {
        if self.null()? {
            return extra.push_raw(key, Json::NULL);
        }
        *slot = Some(T::read(self)?);
        Ok(())
    }

    /// An undeclared member.
    pub fn extra(&mut self, key: &str, extra: &mut Object) -> Read<()> {
        let value = self.json()?;
        extra.push_raw(key, value)
    }

    /// An undeclared member of a declared type.
    pub fn typed_extra<T: Codec>(&mut self, key: &str, extra: &mut Object) -> Read<()> {
        let mark = self.mark();
        T::read(self)?;
        self.back_to(mark);
        self.extra(key, extra)
    }

    /// Adds an undeclared member to the text of the flattened object.
    pub fn part(&mut self, key: &str, rest: &mut String) -> Read<()> {
        self.peek();
        let from = self.at;
        self.skip(false)?;
        rest.push(if rest.is_empty() { '{' } else { ',' });
        rest.push('"');
        rest.push_str(key);
        rest.push_str("\":");
        rest.push_str(&self.text[from..self.at]);
        Ok(())
    }

    /// Reads the flattened object.
    pub fn flattened<T: Codec>(&self, mut rest: String) -> Read<T> {
        rest.push_str(if rest.is_empty() { "{}" } else { "}" });
        let mut c = Cursor::new(&rest, self.validated);
        c.depth = self.depth;
        T::read(&mut c)
    }

    fn mark(&self) -> (usize, usize) {
        (self.at, self.depth)
    }

    fn back_to(&mut self, mark: (usize, usize)) {
        (self.at, self.depth) = mark;
    }

    // --- unions ---------------------------------------------------------------------------------

    /// Looks for a member of the next object, and advances to its value.
    fn find(&mut self, wanted: &str) -> Read<bool> {
        self.open(b'{')?;
        let mut fresh = true;
        while self.more(b'}', &mut fresh)? {
            if self.expect(wanted)? {
                return Ok(true);
            }
            let (_, escapes) = self.key()?;
            if escapes && !self.validated {
                return Err(FastPathMiss);
            }
            self.skip(false)?;
        }
        Ok(false)
    }

    /// The string under a key of the next object, which is not consumed.
    pub fn tag(&mut self, key: &str) -> Read<Option<Cow<'a, str>>> {
        let mark = self.mark();
        let mut tag = None;
        if self.find(key)? {
            tag = Some(self.text()?);
        }
        self.back_to(mark);
        Ok(tag)
    }

    /// The boolean under a key of the next object, which is not consumed.
    pub fn flag(&mut self, key: &str) -> Read<Option<bool>> {
        let mark = self.mark();
        let mut flag = None;
        if self.find(key)? {
            flag = Some(self.boolean()?);
        }
        self.back_to(mark);
        Ok(flag)
    }

    /// Which of the keys the next object has; it is not consumed.
    pub fn present(&mut self, keys: &[&str]) -> Read<Vec<bool>> {
        let mark = self.mark();
        let mut found = vec![false; keys.len()];
        for (key, found) in keys.iter().zip(&mut found) {
            *found = self.find(key)?;
            self.back_to(mark);
        }
        Ok(found)
    }

    /// A variant.
    pub fn leaf<T: Codec, U>(&mut self, variant: fn(T) -> U) -> Read<Option<U>> {
        T::read(self).map(|value| Some(variant(value)))
    }

    /// A variant that is itself a union. An unknown object goes to the outermost open union.
    pub fn nested<T: Choice, U>(&mut self, open: bool, variant: fn(T) -> U) -> Read<Option<U>> {
        if open {
            T::choose(self, true).map(|value| value.map(variant))
        } else {
            self.leaf(variant)
        }
    }

    /// A variant for unknown tags that match a pattern, if the object fits it.
    pub fn catch_all<T: Codec, U>(&mut self, variant: fn(T) -> U) -> Read<Option<U>> {
        let mark = self.mark();
        match self.leaf(variant) {
            Err(FastPathMiss) if self.validated => {
                self.back_to(mark);
                Ok(None)
            }
            read => read,
        }
    }

    /// The most frequent variant, read before the discriminator is looked for.
    pub fn likely<T: Codec, U>(&mut self, variant: fn(T) -> U, clean: fn(&T) -> bool) -> Option<U> {
        let mark = self.mark();
        match T::read(self) {
            Ok(value) if clean(&value) => Some(variant(value)),
            _ => {
                self.back_to(mark);
                None
            }
        }
    }
}

// --- members ------------------------------------------------------------------------------------

/// The members of an object that is being read.
pub struct Members<'a> {
    keys: &'static [&'static str],
    /// The index of the next member if they are in declared order.
    next: usize,
    seen: u64,
    later: Vec<usize>,
    fresh: bool,
    /// The current key, if it is not declared.
    pub key: &'a str,
}

impl<'a> Members<'a> {
    /// Enters an object; `keys` are in canonical spelling.
    pub fn open(c: &mut Cursor<'a>, keys: &'static [&'static str]) -> Read<Self> {
        c.open(b'{')?;
        Ok(Members {
            keys,
            next: 0,
            seen: 0,
            later: Vec::new(),
            fresh: true,
            key: "",
        })
    }

    /// Advances to the value of the next member; returns the index of its key, the number of keys if it is
    /// not declared, or [`END`].
    pub fn next(&mut self, c: &mut Cursor<'a>) -> Read<usize> {
        if !c.more(b'}', &mut self.fresh)? {
            return Ok(END);
        }
        if let Some(key) = self.keys.get(self.next) {
            if c.expect(key)? {
                return self.mark(self.next);
            }
        }
        let (key, escapes) = c.key()?;
        self.key = key;
        let found = if escapes {
            self.place(&canonical(key))
        } else {
            self.place(key)
        };
        match found {
            Some(at) => self.mark(at),
            None => Ok(self.keys.len()),
        }
    }

    /// The index of a key. Length and last byte are compared first, as most keys differ there.
    fn place(&self, key: &str) -> Option<usize> {
        let (length, last) = (key.len(), key.as_bytes().last());
        let same =
            |each: &&str| each.len() == length && each.as_bytes().last() == last && *each == key;
        self.keys.iter().position(same)
    }

    /// Records that a member is present, which it may be once.
    fn mark(&mut self, at: usize) -> Read<usize> {
        self.next = at + 1;
        if at < 64 {
            if self.seen >> at & 1 == 1 {
                return Err(FastPathMiss);
            }
            self.seen |= 1 << at;
        } else {
            if self.later.contains(&at) {
                return Err(FastPathMiss);
            }
            self.later.push(at);
        }
        Ok(at)
    }

    /// Whether a member was present.
    pub fn has(&self, at: usize) -> bool {
        if at < 64 {
            self.seen >> at & 1 == 1
        } else {
            self.later.contains(&at)
        }
    }
}

// --- text ---------------------------------------------------------------------------------------

const LOWS: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The first position from `at` on of a quote, a backslash or a control character.
pub fn plain(bytes: &[u8], mut at: usize) -> usize {
    while let Some(chunk) = bytes.get(at..at + 8) {
        let x = u64::from_le_bytes(chunk.try_into().unwrap_or_default());
        let quote = x ^ (LOWS * u64::from(b'"'));
        let backslash = x ^ (LOWS * u64::from(b'\\'));
        let found = ((x.wrapping_sub(LOWS * 0x20) & !x)
            | (quote.wrapping_sub(LOWS) & !quote)
            | (backslash.wrapping_sub(LOWS) & !backslash))
            & HIGHS;
        if found != 0 {
            return at + (found.trailing_zeros() >> 3) as usize;
        }
        at += 8;
    }
    while let Some(c) = bytes.get(at) {
        if *c < 0x20 || matches!(c, b'"' | b'\\') {
            break;
        }
        at += 1;
    }
    at
}

/// The code point of the escape at the start of a text, and its length; it may be a lone surrogate.
pub fn escape(text: &[u8]) -> Option<(u32, usize)> {
    let unit = match text.get(1)? {
        c @ (b'"' | b'\\' | b'/') => *c,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'u' => {
            let high = hex(text.get(2..6)?)?;
            if high & 0xFC00 == 0xD800 && text.get(6..8) == Some(b"\\u") {
                let low = hex(text.get(8..12)?)?;
                if low & 0xFC00 == 0xDC00 {
                    return Some((0x10000 + ((high & 0x3FF) << 10 | low & 0x3FF), 12));
                }
            }
            return Some((high, 6));
        }
        _ => return None,
    };
    Some((unit.into(), 2))
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
    let lossy = |unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
    Cow::Owned(code_points(raw).map(lossy).collect())
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
pub fn push_escaped(to: &mut String, text: &str) {
    let mut from = 0;
    loop {
        let at = plain(text.as_bytes(), from);
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

/// The nearest double of a number, unless it overflows.
pub fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// The integer that a number is equal to, if there is one in range.
pub fn integer(text: &str) -> Option<i64> {
    let number = match text.parse() {
        Ok(number) => number,
        Err(_) => {
            let number = finite(text).filter(|number| number.trunc() == *number)?;
            number as i64 // saturates, and then is out of range
        }
    };
    (-MAX_INTEGER..=MAX_INTEGER)
        .contains(&number)
        .then_some(number)
}

/// Whether an element occurs twice.
pub fn twice<T: Ord>(keys: &mut [T]) -> bool {
    const FEW: usize = 16;
    if keys.len() <= FEW {
        return (1..keys.len()).any(|at| keys[..at].contains(&keys[at]));
    }
    keys.sort_unstable();
    keys.windows(2).any(|pair| pair[0] == pair[1])
}
