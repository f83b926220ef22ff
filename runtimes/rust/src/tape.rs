//! A document as a tape: a flat list of nodes over the text that spells them.
//!
//! Both inputs, JSON text ([`Tape::parse`]) and serde (`interop`), are converted to a tape, so that one engine
//! decodes both. This module checks what a parser checks: syntax, depth, and the length of integers.

#![allow(dead_code)] // not every protocol uses all of it

use std::borrow::Cow;
use std::collections::HashMap;

use crate::error::{Code, DecodeError};
use crate::text::{
    canonical, equal, escape, finite, has_surrogate, is_too_long, number_length, plain,
    plain_length, push_display, push_escaped, push_number, push_unescaped, unescaped, MAX_DEPTH,
    MAX_DIGITS,
};
use crate::tolerated::Step;

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    Null,
    False,
    True,
    /// A number without fraction and exponent.
    Integer,
    /// Any other number.
    Number,
    /// A string or a key.
    Text,
    Array,
    Object,
    /// A link to the value at the index `start`.
    Link,
}

/// The text of the node has escapes.
const ESCAPED: u8 = 1;
/// The text of the node is not spelt as in JSON: characters that JSON escapes are not escaped.
const VERBATIM: u8 = 2;
/// The span of the node's text is not its canonical JSON: it has white space, or there is none.
const LOOSE: u8 = 4;
/// The object has duplicate keys.
const TWICE: u8 = 8;

/// A value or key. Items and members follow their array or object; the value of a member follows its key.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The start of its text; for a string or key, of the text between the quotes.
    start: u32,
    length: u32,
    /// The index of the node after the value.
    next: u32,
    pub token: Token,
    flags: u8,
}

/// A document.
#[derive(Debug)]
pub struct Tape<'a> {
    text: Cow<'a, str>,
    nodes: Vec<Node>,
}

/// The error for a text that is not a document.
fn fault(code: Code, message: String) -> DecodeError {
    DecodeError {
        code,
        path: String::new(),
        message,
    }
}

pub fn too_deep() -> DecodeError {
    let message = format!("nested deeper than {MAX_DEPTH} levels");
    fault(Code::TooDeep, message)
}

fn too_many_digits() -> DecodeError {
    let message = format!("expected an integer of at most {MAX_DIGITS} digits, got a longer one");
    fault(Code::OutOfRange, message)
}

/// Converts bytes to text.
pub fn utf8(data: &[u8]) -> Result<&str, DecodeError> {
    std::str::from_utf8(data).map_err(|error| {
        let message = format!("not UTF-8 at byte {}", error.valid_up_to());
        fault(Code::InvalidUtf8, message)
    })
}

/// Converts a length or position to the type that nodes use.
fn short(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// The maximum amount of text that [`Tape::add`] may add.
const ADDED: usize = 1 << 24;

/// Rejects a text that is too long for the positions in nodes.
fn check_length(length: usize) -> Result<(), DecodeError> {
    if length >= u32::MAX as usize - ADDED {
        let message = format!("expected at most 4 GiB, got {length} bytes");
        return Err(fault(Code::TooLong, message));
    }
    Ok(())
}

// --- JSON text → tape ---------------------------------------------------------------------------

/// What was parsed so far. The bytes that are left are not part of it: they are passed from function to function, so
/// that they stay in registers.
struct Parser<'a> {
    text: &'a str,
    /// The number of bytes of white space that were skipped.
    spaces: u32,
    nodes: Vec<Node>,
    /// The index of the innermost open array or object, or [`OUTSIDE`]. Until it is closed, its node has the index of
    /// the one around it as `next`, and the number of `spaces` before it as `length`.
    open: u32,
    /// The number of open arrays and objects.
    depth: usize,
    levels: usize,
    /// Whether the text nests too deep, which counts only if its syntax is valid.
    deep: bool,
}

/// The bytes that are left.
type Rest<'a> = &'a [u8];

/// The next byte after white space, 0 at the end, with the bytes from it on and those after it.
struct Next<'a> {
    byte: u8,
    rest: Rest<'a>,
    after: Rest<'a>,
}

/// The index of what is around the document's value.
const OUTSIDE: u32 = u32::MAX;

impl<'a> Tape<'a> {
    /// Parses a whole document.
    pub fn parse(text: &'a str) -> Result<Self, DecodeError> {
        Self::parse_to(Vec::new(), text, MAX_DEPTH)
    }

    /// Parses a whole document of at most as many levels to a list, which must be empty.
    pub fn parse_to(
        mut nodes: Vec<Node>,
        text: &'a str,
        levels: usize,
    ) -> Result<Self, DecodeError> {
        check_length(text.len())?;
        nodes.reserve(text.len() / 12 + 8);
        let mut parser = Parser {
            text,
            spaces: 0,
            nodes,
            open: OUTSIDE,
            depth: 0,
            levels,
            deep: false,
        };
        parser.document()?;
        if parser.deep {
            return Err(too_deep());
        }
        Ok(Tape {
            text: Cow::Borrowed(text),
            nodes: parser.nodes,
        })
    }
}

impl<'a> Parser<'a> {
    /// The position in the text.
    #[inline]
    fn at(&self, rest: Rest<'_>) -> usize {
        self.text.len() - rest.len()
    }

    /// Skips white space.
    #[inline(always)]
    fn next(&mut self, rest: Rest<'a>) -> Next<'a> {
        match rest {
            [byte, after @ ..] if *byte > b' ' => Next {
                byte: *byte,
                rest,
                after,
            },
            _ => self.next_further(rest),
        }
    }

    #[inline(never)]
    fn next_further(&mut self, mut rest: Rest<'a>) -> Next<'a> {
        while let [b' ' | b'\t' | b'\n' | b'\r', after @ ..] = rest {
            rest = after;
            self.spaces += 1;
        }
        let (byte, after) = rest.split_first().unwrap_or((&0, rest));
        Next {
            byte: *byte,
            rest,
            after,
        }
    }

    #[cold]
    fn no_json(&self, what: &str, rest: Rest<'_>) -> DecodeError {
        let what = if rest.is_empty() {
            "unexpected end"
        } else {
            what
        };
        fault(
            Code::InvalidJson,
            format!("{what} at byte {}", self.at(rest)),
        )
    }

    fn document(&mut self) -> Result<(), DecodeError> {
        let mut left = self.text.as_bytes();
        let mut is_member = false; // whether the innermost open value is an object
        loop {
            if is_member {
                left = self.key(left)?;
            }
            let Next { byte, rest, after } = self.next(left);
            left = match byte {
                b'"' => self.string(after)?,
                b'{' | b'[' => {
                    is_member = byte == b'{';
                    let (token, end) = if is_member {
                        (Token::Object, b'}')
                    } else {
                        (Token::Array, b']')
                    };
                    self.enter(token, rest);
                    let next = self.next(after);
                    if next.byte != end {
                        left = next.rest;
                        continue;
                    }
                    is_member = self.close(next.after);
                    next.after
                }
                b't' => self.word("true", Token::True, rest)?,
                b'f' => self.word("false", Token::False, rest)?,
                b'n' => self.word("null", Token::Null, rest)?,
                _ => self.number(rest)?,
            };
            loop {
                let Next { byte, rest, after } = self.next(left);
                if self.depth == 0 {
                    return if rest.is_empty() {
                        Ok(())
                    } else {
                        Err(self.no_json("text after the value", rest))
                    };
                }
                left = after;
                match byte {
                    b',' => break,
                    b'}' if is_member => is_member = self.close(left),
                    b']' if !is_member => is_member = self.close(left),
                    _ => return Err(self.no_json("expected a comma or the end", rest)),
                }
            }
        }
    }

    /// Adds a node. `parse` has checked that positions fit.
    #[inline]
    fn push(&mut self, token: Token, start: usize, length: usize, flags: u8) {
        let next = self.nodes.len() as u32 + 1;
        self.nodes.push(Node {
            start: start as u32,
            length: length as u32,
            next,
            token,
            flags,
        });
    }

    /// Opens an array or object, which is at the start of the rest.
    fn enter(&mut self, token: Token, rest: Rest<'_>) {
        self.deep |= self.depth == self.levels;
        self.depth += 1;
        let around = std::mem::replace(&mut self.open, self.nodes.len() as u32);
        self.nodes.push(Node {
            start: self.at(rest) as u32,
            length: self.spaces,
            next: around,
            token,
            flags: 0,
        });
    }

    /// Closes the innermost open value. Returns whether the one around it is an object.
    fn close(&mut self, rest: Rest<'_>) -> bool {
        self.depth -= 1;
        let (next, end) = (self.nodes.len() as u32, self.at(rest) as u32);
        let node = &mut self.nodes[self.open as usize];
        self.open = node.next;
        node.next = next;
        if self.spaces != node.length {
            node.flags |= LOOSE;
        }
        node.length = end - node.start;
        let around = self.nodes.get(self.open as usize);
        around.is_some_and(|node| node.token == Token::Object)
    }

    #[inline(always)]
    fn key(&mut self, rest: Rest<'a>) -> Result<Rest<'a>, DecodeError> {
        let Next { byte, rest, after } = self.next(rest);
        if byte != b'"' {
            return Err(self.no_json("expected a key", rest));
        }
        let rest = self.string(after)?;
        let Next { byte, rest, after } = self.next(rest);
        if byte != b':' {
            return Err(self.no_json("expected a colon", rest));
        }
        Ok(after)
    }

    /// A string or key, after its opening quote.
    #[inline(always)] // most tokens are strings
    fn string(&mut self, rest: Rest<'a>) -> Result<Rest<'a>, DecodeError> {
        let length = plain_length(rest);
        if let [b'"', after @ ..] = &rest[length..] {
            self.push(Token::Text, self.at(rest), length, 0);
            return Ok(after);
        }
        self.escaped(rest, length)
    }

    /// A string with its first escape after some bytes. It is kept out of `string`, which is shorter without it.
    #[inline(never)]
    fn escaped(&mut self, text: Rest<'a>, length: usize) -> Result<Rest<'a>, DecodeError> {
        let mut rest = &text[length..];
        while rest.first() == Some(&b'\\') {
            let Some((_, length)) = escape(rest) else {
                return Err(self.no_json("expected an escape", rest));
            };
            rest = &rest[length..];
            rest = &rest[plain_length(rest)..];
        }
        let [b'"', after @ ..] = rest else {
            return Err(self.no_json("expected the end of a string", rest));
        };
        self.push(Token::Text, self.at(text), text.len() - rest.len(), ESCAPED);
        Ok(after)
    }

    fn word(&mut self, word: &str, token: Token, rest: Rest<'a>) -> Result<Rest<'a>, DecodeError> {
        let Some(after) = rest.strip_prefix(word.as_bytes()) else {
            return Err(self.no_json("expected a value", rest));
        };
        self.push(token, self.at(rest), word.len(), 0);
        Ok(after)
    }

    fn number(&mut self, rest: Rest<'a>) -> Result<Rest<'a>, DecodeError> {
        let Some((length, whole)) = number_length(rest) else {
            return Err(self.no_json("expected a value", rest));
        };
        let at = self.at(rest);
        if whole && is_too_long(&self.text[at..at + length]) {
            return Err(too_many_digits());
        }
        let token = if whole { Token::Integer } else { Token::Number };
        self.push(token, at, length, 0);
        Ok(&rest[length..])
    }
}

// --- another format → tape ----------------------------------------------------------------------

/// Builds a tape from values that arrive one after another.
pub struct Recording {
    text: String,
    nodes: Vec<Node>,
}

impl Recording {
    pub fn new() -> Self {
        Recording {
            text: String::with_capacity(512),
            nodes: Vec::with_capacity(64),
        }
    }

    fn push(&mut self, token: Token, start: usize, flags: u8) {
        self.nodes.push(Node {
            start: short(start),
            length: short(self.text.len() - start),
            next: short(self.nodes.len()) + 1,
            token,
            flags,
        });
    }

    pub fn null(&mut self) {
        let start = self.text.len();
        self.push(Token::Null, start, 0);
    }

    pub fn boolean(&mut self, value: bool) {
        let start = self.text.len();
        self.push(if value { Token::True } else { Token::False }, start, 0);
    }

    /// Adds a number, given by the digits of its JSON.
    pub fn number(&mut self, digits: &str) -> Result<(), DecodeError> {
        match number_length(digits.as_bytes()) {
            Some((length, whole)) if length == digits.len() => {
                if whole && is_too_long(digits) {
                    return Err(too_many_digits());
                }
                let start = self.text.len();
                self.text.push_str(digits);
                self.push(if whole { Token::Integer } else { Token::Number }, start, 0);
                Ok(())
            }
            _ => Err(fault(Code::InvalidJson, "expected a number".into())),
        }
    }

    pub fn integer(&mut self, number: impl std::fmt::Display) {
        let start = self.text.len();
        push_display(&mut self.text, number);
        self.push(Token::Integer, start, 0);
    }

    /// Adds a finite number.
    pub fn double(&mut self, number: f64) {
        let start = self.text.len();
        push_number(&mut self.text, number);
        let is_whole = self.text[start..]
            .bytes()
            .all(|c| c == b'-' || c.is_ascii_digit());
        let token = if is_whole {
            Token::Integer
        } else {
            Token::Number
        };
        self.push(token, start, 0);
    }

    pub fn text(&mut self, text: &str) {
        let start = self.text.len();
        self.text.push_str(text);
        let is_plain = plain(text.as_bytes(), 0) == text.len();
        self.push(Token::Text, start, if is_plain { 0 } else { VERBATIM });
    }

    /// Whether the last value or key is the given text.
    pub fn ends_with(&self, text: &str) -> bool {
        let last = self.nodes.last();
        last.is_some_and(|last| {
            last.token == Token::Text && self.text[last.start as usize..] == *text
        })
    }

    /// Replaces an object that was begun with the number whose digits were recorded last, and returns whether they are
    /// a number's.
    pub fn make_number(&mut self, object: usize) -> Result<bool, DecodeError> {
        let digits = match self.nodes.last() {
            Some(node) => self.text[node.start as usize..].to_owned(),
            None => return Ok(false),
        };
        if !matches!(number_length(digits.as_bytes()), Some((length, _)) if length == digits.len())
        {
            return Ok(false);
        }
        self.nodes.truncate(object);
        self.number(&digits).map(|()| true)
    }

    /// Begins an array or object. Pass the result to [`Self::close`].
    pub fn open(&mut self, token: Token) -> usize {
        let start = self.text.len();
        self.push(token, start, LOOSE);
        self.nodes.len() - 1
    }

    pub fn close(&mut self, open: usize) {
        self.nodes[open].next = short(self.nodes.len());
    }

    pub fn finish(self) -> Result<Tape<'static>, DecodeError> {
        check_length(self.text.len().max(self.nodes.len()))?;
        Ok(Tape {
            text: Cow::Owned(self.text),
            nodes: self.nodes,
        })
    }
}

// --- reading a tape -----------------------------------------------------------------------------

/// The index of the document's value.
pub const ROOT: u32 = 0;

impl<'a> Tape<'a> {
    /// A string or key, if it appears unchanged in the text that the tape was parsed from.
    pub fn borrowed(&self, at: u32) -> Option<&'a str> {
        let node = self.node(at);
        let start = node.start as usize;
        match self.text {
            Cow::Borrowed(text) if node.flags & ESCAPED == 0 => {
                Some(&text[start..start + node.length as usize])
            }
            _ => None,
        }
    }
}

impl Tape<'_> {
    /// Takes the nodes from a tape that is no longer needed.
    pub fn take_nodes(&mut self) -> Vec<Node> {
        std::mem::take(&mut self.nodes)
    }

    #[inline]
    pub fn node(&self, at: u32) -> Node {
        self.nodes[at as usize]
    }

    #[inline]
    pub fn token(&self, at: u32) -> Token {
        self.node(at).token
    }

    /// The text of a node as it is spelt; for an array or object, only if it has such a text.
    #[inline]
    fn raw(&self, node: Node) -> &str {
        let start = node.start as usize;
        &self.text[start..start + node.length as usize]
    }

    /// Like [`Self::raw`], without checking that the slice begins and ends between characters.
    #[inline]
    fn bytes(&self, node: Node) -> &[u8] {
        let start = node.start as usize;
        &self.text.as_bytes()[start..start + node.length as usize]
    }

    /// The digits of a number.
    #[inline]
    pub fn digits(&self, at: u32) -> &str {
        self.raw(self.node(at))
    }

    /// The value that a link points to, or the value itself.
    #[inline]
    fn target(&self, at: u32) -> u32 {
        let node = self.node(at);
        if node.token == Token::Link {
            node.start
        } else {
            at
        }
    }

    /// The items of an array.
    pub fn items(&self, at: u32) -> Places {
        Places {
            at: at + 1,
            end: self.node(at).next,
        }
    }

    /// The indexes of an object's keys, each with that of its value, duplicates included.
    pub fn members(&self, at: u32) -> Places {
        self.items(at)
    }

    /// The value of the last member with the given key in canonical spelling.
    pub fn get(&self, object: u32, key: &str) -> Option<u32> {
        let mut members = self.members(object);
        let mut found = None;
        while let Some((name, value)) = members.member(self) {
            if self.is(name, key) {
                found = Some(value);
            }
        }
        found
    }

    /// Whether a string or key equals the given one in canonical spelling.
    #[inline(always)] // `get` calls it for each key
    pub fn is(&self, at: u32, text: &str) -> bool {
        let node = self.node(at);
        if node.flags & (ESCAPED | VERBATIM) != 0 {
            return self.is_spelt(at, text);
        }
        // Most are of another length, which is compared before their bytes are looked up.
        node.length as usize == text.len() && equal(self.bytes(node), text.as_bytes())
    }

    #[inline(never)] // few keys and tags have escapes
    fn is_spelt(&self, at: u32, text: &str) -> bool {
        self.canonical(at) == text
    }

    /// The text of a string or key, if that is its canonical spelling.
    #[inline]
    pub fn simple(&self, at: u32) -> Option<&[u8]> {
        let node = self.node(at);
        (node.flags & (ESCAPED | VERBATIM) == 0).then(|| self.bytes(node))
    }

    /// A string or key in canonical spelling.
    pub fn canonical(&self, at: u32) -> Cow<'_, str> {
        let node = self.node(at);
        let raw = self.raw(node);
        match node.flags & (ESCAPED | VERBATIM) {
            0 => Cow::Borrowed(raw),
            ESCAPED => canonical(raw),
            _ => {
                let mut text = String::with_capacity(raw.len() + 16);
                push_escaped(&mut text, raw);
                Cow::Owned(text)
            }
        }
    }

    /// The value of a string or key; a lone surrogate becomes U+FFFD.
    pub fn text(&self, at: u32) -> Cow<'_, str> {
        let node = self.node(at);
        let raw = self.raw(node);
        if node.flags & ESCAPED == 0 {
            return Cow::Borrowed(raw);
        }
        unescaped(raw)
    }

    /// Appends the UTF-8 of [`Self::text`]. Returns whether it has no lone surrogate.
    pub fn push_text(&self, at: u32, to: &mut Vec<u8>) -> bool {
        push_unescaped(to, self.raw(self.node(at)))
    }

    /// Like [`Self::text`], as an owned string.
    pub fn string(&self, at: u32) -> String {
        let node = self.node(at);
        let raw = self.raw(node);
        if node.flags & ESCAPED == 0 {
            return raw.to_owned();
        }
        let mut text = unescaped(raw).into_owned();
        text.shrink_to_fit();
        text
    }

    /// The canonical spelling of a key with a lone surrogate, which [`Self::string`] cannot hold.
    pub fn surrogates(&self, at: u32) -> Option<Box<str>> {
        let node = self.node(at);
        let raw = self.raw(node);
        (node.flags & ESCAPED != 0 && has_surrogate(raw)).then(|| canonical(raw).into())
    }

    /// The kind of a value, for messages.
    pub fn kind(&self, at: u32) -> &'static str {
        match self.token(at) {
            Token::Null => "null",
            Token::False | Token::True => "boolean",
            Token::Integer => "integer",
            Token::Number => "number",
            Token::Text => "string",
            Token::Array => "array",
            Token::Object => "object",
            Token::Link => "link",
        }
    }

    /// A scalar as JSON, shortened for messages; the kind of other values.
    pub fn show(&self, at: u32) -> String {
        if matches!(self.token(at), Token::Array | Token::Object) {
            return self.kind(at).into();
        }
        let mut shown = String::new();
        let node = self.node(at);
        if node.length > 240 && node.token == Token::Text && node.flags & ESCAPED == 0 {
            shown.push('"');
            let head: String = self.raw(node).chars().take(60).collect();
            push_escaped(&mut shown, &head);
        } else {
            self.write(at, &mut shown);
        }
        if shown.chars().count() > 60 {
            shown = shown.chars().take(56).collect();
            shown.push_str(" …\"");
        }
        shown
    }

    // --- splitting objects ----------------------------------------------------------------------

    /// Appends the members of an object to a list. Of duplicate keys, the last value is kept, in the position of the
    /// first.
    pub fn pairs(&self, object: u32, to: &mut Vec<(u32, u32)>) {
        let from = to.len();
        let mut members = self.members(object);
        while let Some(member) = members.member(self) {
            to.push(member);
        }
        self.unite(to, from);
    }

    /// Removes duplicate keys from the members of a list, starting at `from`.
    pub fn unite(&self, list: &mut Vec<(u32, u32)>, from: usize) {
        if !self.has_twice(&list[from..]) {
            return;
        }
        let mut places: HashMap<Cow<'_, str>, usize> = HashMap::new();
        let mut end = from;
        for at in from..list.len() {
            let (key, value) = list[at];
            match places.get(&self.canonical(key)) {
                Some(&first) => list[first].1 = value,
                None => {
                    places.insert(self.canonical(key), end);
                    list[end] = (key, value);
                    end += 1;
                }
            }
        }
        list.truncate(end);
    }

    /// Whether a key occurs twice among members.
    fn has_twice(&self, members: &[(u32, u32)]) -> bool {
        const FEW: usize = 12;
        if members.len() > FEW {
            let mut seen = HashMap::with_capacity(members.len());
            return members
                .iter()
                .any(|(key, _)| seen.insert(self.canonical(*key), ()).is_some());
        }
        (1..members.len()).any(|at| {
            let key = members[at].0;
            members[..at]
                .iter()
                .any(|(other, _)| self.same(*other, key))
        })
    }

    fn same(&self, one: u32, other: u32) -> bool {
        match (self.simple(one), self.simple(other)) {
            (Some(one), Some(other)) => equal(one, other),
            _ => self.canonical(one) == self.canonical(other),
        }
    }

    /// Adds an object with members that are already on the tape, and returns its index.
    pub fn add_object(&mut self, members: &[(u32, u32)]) -> u32 {
        let place = short(self.nodes.len());
        let object = Node {
            start: 0,
            length: 0,
            next: place + 1 + 2 * short(members.len()),
            token: Token::Object,
            flags: LOOSE,
        };
        self.nodes.push(object);
        for (key, value) in members {
            let at = short(self.nodes.len());
            let key = self.node(*key);
            self.nodes.push(Node {
                next: at + 1,
                ..key
            });
            self.nodes.push(Node {
                start: *value,
                length: 0,
                next: at + 2,
                token: Token::Link,
                flags: 0,
            });
        }
        place
    }

    /// Adds a document of the tables, and returns its index.
    pub fn add(&mut self, text: &'static str) -> Option<u32> {
        let added = Tape::parse(text).ok()?;
        let (start, place) = (short(self.text.len()), short(self.nodes.len()));
        self.text.to_mut().push_str(text);
        self.nodes.extend(added.nodes.into_iter().map(|node| Node {
            start: node.start + start,
            next: node.next + place,
            ..node
        }));
        Some(place)
    }

    /// The first key of an object with the given spelling.
    pub fn key(&self, object: u32, key: &str) -> Option<u32> {
        let mut members = self.members(object);
        loop {
            let (name, _) = members.member(self)?;
            if self.is(name, key) {
                return Some(name);
            }
        }
    }

    // --- untouched values -----------------------------------------------------------------------

    /// Whether a number in untouched JSON overflows a double. Integers are exact and never do.
    fn overflows(&self, node: Node) -> bool {
        node.token == Token::Number
            && (node.length > 300 || self.raw(node).contains(['e', 'E']))
            && finite(self.raw(node)).is_none()
    }

    /// Examines a value, as required before calling [`Self::json`], and marks the objects that have duplicate keys.
    /// Returns the index of a number that overflows, if there is one. `list` is scratch space.
    pub fn look_through(&mut self, at: u32, list: &mut Vec<(u32, u32)>) -> Option<u32> {
        let end = self.node(at).next;
        let mut found = false;
        for each in at..end {
            let node = self.node(each);
            match node.token {
                Token::Number if self.overflows(node) => return Some(each),
                Token::Object if node.next > each + 3 => {
                    let from = list.len();
                    let mut members = self.members(each);
                    while let Some(member) = members.member(self) {
                        list.push(member);
                    }
                    if self.has_twice(&list[from..]) {
                        self.nodes[each as usize].flags |= TWICE;
                        found = true;
                    }
                    list.truncate(from);
                }
                Token::Link => {
                    if let Some(place) = self.look_through(node.start, list) {
                        return Some(place);
                    }
                }
                _ => {}
            }
        }
        if found {
            self.nodes[at as usize].flags |= LOOSE;
        }
        None
    }

    /// Appends the steps from a value to a node within it. Returns whether the node was found.
    pub fn steps_to(&self, at: u32, place: u32, steps: &mut Vec<Step>) -> bool {
        let node = self.node(at);
        if at == place {
            return true;
        }
        let depth = steps.len();
        match node.token {
            Token::Array => {
                let mut items = self.items(at);
                let mut index = 0;
                while let Some(item) = items.item(self) {
                    steps.push(Step::Item(index));
                    if self.steps_to(item, place, steps) {
                        return true;
                    }
                    steps.truncate(depth);
                    index += 1;
                }
            }
            Token::Object => {
                let mut members = self.members(at);
                while let Some((key, value)) = members.member(self) {
                    steps.push(Step::Key(key));
                    if self.steps_to(value, place, steps) {
                        return true;
                    }
                    steps.truncate(depth);
                }
            }
            _ => {}
        }
        false
    }

    /// The JSON of a value that [`Self::look_through`] has examined.
    pub fn json(&self, at: u32) -> String {
        let node = self.node(at);
        if matches!(node.token, Token::Array | Token::Object) && node.flags & LOOSE == 0 {
            return self.raw(node).to_owned();
        }
        let mut text = String::with_capacity(node.length as usize + 2);
        self.write(at, &mut text);
        text.shrink_to_fit();
        text
    }

    /// Appends the JSON of a value, without white space between tokens.
    fn write(&self, at: u32, to: &mut String) {
        let node = self.node(at);
        match node.token {
            Token::Null => to.push_str("null"),
            Token::False => to.push_str("false"),
            Token::True => to.push_str("true"),
            Token::Integer | Token::Number => to.push_str(self.raw(node)),
            Token::Text => self.write_text(node, to),
            Token::Link => self.write(node.start, to),
            Token::Array => {
                to.push('[');
                let mut items = self.items(at);
                let mut first = true;
                while let Some(item) = items.item(self) {
                    if !first {
                        to.push(',');
                    }
                    first = false;
                    self.write(item, to);
                }
                to.push(']');
            }
            Token::Object if node.flags & TWICE != 0 => {
                let mut pairs = Vec::new();
                self.pairs(at, &mut pairs);
                to.push('{');
                for (number, pair) in pairs.into_iter().enumerate() {
                    self.write_member(number, pair, to);
                }
                to.push('}');
            }
            Token::Object => {
                to.push('{');
                let mut members = self.members(at);
                let mut number = 0;
                while let Some(pair) = members.member(self) {
                    self.write_member(number, pair, to);
                    number += 1;
                }
                to.push('}');
            }
        }
    }

    fn write_member(&self, number: usize, (key, value): (u32, u32), to: &mut String) {
        if number > 0 {
            to.push(',');
        }
        self.write_text(self.node(key), to);
        to.push(':');
        self.write(value, to);
    }

    fn write_text(&self, node: Node, to: &mut String) {
        to.push('"');
        if node.flags & VERBATIM == 0 {
            to.push_str(self.raw(node));
        } else {
            push_escaped(to, self.raw(node));
        }
        to.push('"');
    }
}

/// The indexes of items, or of alternating keys and values.
#[derive(Clone, Copy)]
pub struct Places {
    at: u32,
    end: u32,
}

impl Places {
    /// The next item.
    #[inline]
    pub fn item(&mut self, tape: &Tape<'_>) -> Option<u32> {
        if self.at >= self.end {
            return None;
        }
        let at = self.at;
        self.at = tape.node(at).next;
        Some(tape.target(at))
    }

    /// The next key with its value.
    #[inline]
    pub fn member(&mut self, tape: &Tape<'_>) -> Option<(u32, u32)> {
        if self.at >= self.end {
            return None;
        }
        let key = self.at;
        self.at = tape.node(key + 1).next;
        Some((key, tape.target(key + 1)))
    }
}
