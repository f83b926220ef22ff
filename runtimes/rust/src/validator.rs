//! The slow pass: parses a document into a tree and validates it by the protocol's tables (`plan`).
//!
//! It decides what the fast pass leaves to it, finds the first fault with its path, and lists what lenient
//! mode tolerates. It writes a valid document in canonical spelling, for the fast pass to read.

#![allow(dead_code)] // not every protocol uses all of it

use std::borrow::Cow;
use std::collections::HashMap;

use crate::codec::{glob, Codec};
use crate::cursor::{
    attempt, canonical, code_points, finite, integer, is_too_long, unescaped, MAX_DEPTH,
    MAX_DIGITS, MAX_INTEGER,
};
use crate::error::{Code, DecodeError};
use crate::out::{deep, escape_step};
use crate::plan::PLAN;
use crate::Mode;

// --- decoding -----------------------------------------------------------------------------------

/// What is known of a valid document besides its value.
pub struct Verdict {
    pub variant: &'static str,
    /// Sorted pointers to what lenient mode tolerates.
    pub unknown: Vec<String>,
    /// The document in canonical spelling.
    text: String,
}

/// Decodes a document.
pub fn decode<T: Codec>(rule: Rule, text: &str, mode: Mode) -> Result<T, DecodeError> {
    if mode == Mode::Lenient {
        if let Ok(value) = attempt(text, false) {
            return Ok(value);
        }
    }
    validate(rule, text, mode)?.value()
}

/// The text of bytes.
pub fn utf8(data: &[u8]) -> Result<&str, DecodeError> {
    std::str::from_utf8(data).map_err(|error| {
        fault(
            Code::InvalidUtf8,
            "",
            format!("not UTF-8 at byte {}", error.valid_up_to()),
        )
    })
}

impl Verdict {
    /// The value of the document.
    pub fn value<T: Codec>(&self) -> Result<T, DecodeError> {
        attempt(&self.text, true).map_err(|_| {
            fault(
                Code::WrongType,
                "",
                "internal error: a validated document failed to decode".into(),
            )
        })
    }
}

/// Validates a document; returns the first fault, if there is one.
pub fn validate(rule: Rule, text: &str, mode: Mode) -> Result<Verdict, DecodeError> {
    check_syntax(text)?;
    let tree = Parser { text, at: 0 }.value();
    let mut validator = Validator {
        strict: mode == Mode::Strict,
        variant: "",
        tolerated: Vec::new(),
    };
    validator.check(rule, &tree, &Path::Root)?;
    let variant = match rule {
        Rule::Named(_) if is_union(rule) => validator.variant,
        Rule::Named(at) => PLAN[at].0,
        _ => "",
    };
    validator.tolerated.sort_unstable();
    validator.tolerated.dedup();
    let mut spelt = String::with_capacity(text.len());
    tree.write(&mut spelt);
    Ok(Verdict {
        variant,
        unknown: validator.tolerated,
        text: spelt,
    })
}

/// The rule of a declared name.
pub fn rule(name: &str) -> Rule {
    let at = PLAN.iter().position(|(each, _)| *each == name);
    Rule::Named(at.expect("every type is in the tables"))
}

fn is_union(rule: Rule) -> bool {
    match rule {
        Rule::Named(at) => match PLAN[at].1 {
            Row::Alias(rule) => is_union(rule),
            Row::Union(..) => true,
            _ => false,
        },
        _ => false,
    }
}

// --- syntax -------------------------------------------------------------------------------------

fn fault(code: Code, path: &str, message: String) -> DecodeError {
    DecodeError {
        code,
        path: path.into(),
        message,
    }
}

fn no_json(what: &str, at: usize) -> DecodeError {
    fault(Code::InvalidJson, "", format!("{what} at byte {at}"))
}

/// The tokens that are allowed next.
#[derive(Clone, Copy, PartialEq)]
enum Next {
    Value,
    ValueOrEnd,
    Key,
    KeyOrEnd,
    CommaOrEnd,
}

/// Finds faults of the text: JSON syntax at any depth, integers that are too long, then depth.
fn check_syntax(text: &str) -> Result<(), DecodeError> {
    let bytes = text.as_bytes();
    let mut stack = Vec::new();
    let mut next = Next::Value;
    let mut at = 0;
    loop {
        while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            at += 1;
        }
        let Some(&c) = bytes.get(at) else {
            if next == Next::CommaOrEnd && stack.is_empty() {
                break;
            }
            return Err(no_json("unexpected end", at));
        };
        if next == Next::CommaOrEnd {
            at += 1;
            match (stack.last(), c) {
                (Some(b'{'), b',') => next = Next::Key,
                (Some(b'['), b',') => next = Next::Value,
                (Some(b'{'), b'}') | (Some(b'['), b']') => {
                    stack.pop();
                }
                (None, _) => return Err(no_json("text after the value", at)),
                _ => return Err(no_json("expected a comma or the end", at)),
            }
            continue;
        }
        let closes = matches!((next, c), (Next::ValueOrEnd, b']') | (Next::KeyOrEnd, b'}'));
        if closes {
            stack.pop();
            at += 1;
            next = Next::CommaOrEnd;
            continue;
        }
        if matches!(next, Next::Key | Next::KeyOrEnd) {
            let Some(length) = string_length(&bytes[at..]) else {
                return Err(no_json("expected a key", at));
            };
            at += length;
            while matches!(bytes.get(at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                at += 1;
            }
            if bytes.get(at) != Some(&b':') {
                return Err(no_json("expected a colon", at));
            }
            at += 1;
            next = Next::Value;
            continue;
        }
        next = match c {
            b'{' => Next::KeyOrEnd,
            b'[' => Next::ValueOrEnd,
            _ => Next::CommaOrEnd,
        };
        if matches!(c, b'{' | b'[') {
            stack.push(c);
            at += 1;
        } else if let Some(length) = scalar_length(&text[at..]) {
            check_length(&text[at..at + length])?;
            at += length;
        } else {
            return Err(no_json("expected a value", at));
        }
    }
    if deep(text) {
        let message = format!("nested deeper than {MAX_DEPTH} levels");
        return Err(fault(Code::TooDeep, "", message));
    }
    Ok(())
}

/// Refuses an integer of more than [`MAX_DIGITS`] digits.
fn check_length(scalar: &str) -> Result<(), DecodeError> {
    let is_integer = |scalar: &str| scalar.bytes().all(|c| c == b'-' || c.is_ascii_digit());
    if is_too_long(scalar) && is_integer(scalar) {
        let message =
            format!("expected an integer of at most {MAX_DIGITS} digits, got a longer one");
        return Err(fault(Code::OutOfRange, "", message));
    }
    Ok(())
}

fn string_length(bytes: &[u8]) -> Option<usize> {
    if bytes.first() != Some(&b'"') {
        return None;
    }
    let mut at = 1;
    loop {
        at = crate::cursor::plain(bytes, at);
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += crate::cursor::escape(&bytes[at..])?.1,
            _ => return None,
        }
    }
}

fn scalar_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes[0] {
        b'"' => string_length(bytes),
        b't' if text.starts_with("true") => Some(4),
        b'f' if text.starts_with("false") => Some(5),
        b'n' if text.starts_with("null") => Some(4),
        _ => crate::cursor::number_length(bytes).map(|(length, _)| length),
    }
}

// --- text → tree --------------------------------------------------------------------------------

/// A JSON value. Strings and keys are in [`canonical`] spelling.
enum Tree<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    Text(Cow<'a, str>),
    List(Vec<Tree<'a>>),
    Object(Vec<(Cow<'a, str>, Tree<'a>)>),
}

/// Parses text that [`check_syntax`] accepted.
struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Parser<'a> {
    fn peek(&mut self) -> u8 {
        while self.text.as_bytes()[self.at].is_ascii_whitespace() {
            self.at += 1;
        }
        self.text.as_bytes()[self.at]
    }

    fn take(&mut self, length: usize) -> &'a str {
        let from = self.at;
        self.at += length;
        &self.text[from..self.at]
    }

    fn value(&mut self) -> Tree<'a> {
        match self.peek() {
            b'{' => Tree::Object(self.members()),
            b'[' => Tree::List(self.items()),
            b'"' => Tree::Text(self.string()),
            c => {
                let length = scalar_length(&self.text[self.at..]).unwrap_or_default();
                let text = self.take(length);
                match c {
                    b'n' => Tree::Null,
                    b't' | b'f' => Tree::Bool(c == b't'),
                    _ => Tree::Number(text),
                }
            }
        }
    }

    fn string(&mut self) -> Cow<'a, str> {
        let length = string_length(&self.text.as_bytes()[self.at..]).unwrap_or_default();
        let text = self.take(length);
        canonical(&text[1..text.len() - 1])
    }

    /// Consumes a comma or the end of an array or object; returns whether it was the end.
    fn ends(&mut self, end: u8) -> bool {
        let c = self.peek();
        if c == b',' || c == end {
            self.at += 1;
        }
        c == end
    }

    fn items(&mut self) -> Vec<Tree<'a>> {
        self.at += 1;
        let mut items = Vec::new();
        while !self.ends(b']') {
            items.push(self.value());
        }
        items
    }

    /// Members in the order of their first occurrence; of duplicate keys the last value counts.
    fn members(&mut self) -> Vec<(Cow<'a, str>, Tree<'a>)> {
        self.at += 1;
        let mut members: Vec<(Cow<'a, str>, Tree<'a>)> = Vec::new();
        let mut places = HashMap::new();
        while !self.ends(b'}') {
            self.peek();
            let key = self.string();
            self.peek();
            self.at += 1;
            let value = self.value();
            match places.get(&key) {
                Some(&at) => {
                    let (_, there): &mut (_, _) = &mut members[at];
                    *there = value;
                }
                None => {
                    places.insert(key.clone(), members.len());
                    members.push((key, value));
                }
            }
        }
        members
    }
}

impl Tree<'_> {
    fn write(&self, to: &mut String) {
        match self {
            Tree::Null => to.push_str("null"),
            Tree::Bool(value) => to.push_str(if *value { "true" } else { "false" }),
            Tree::Number(text) => to.push_str(text),
            Tree::Text(text) => {
                to.push('"');
                to.push_str(text);
                to.push('"');
            }
            Tree::List(items) => {
                to.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        to.push(',');
                    }
                    item.write(to);
                }
                to.push(']');
            }
            Tree::Object(members) => {
                to.push('{');
                for (index, (key, value)) in members.iter().enumerate() {
                    to.push_str(if index > 0 { ",\"" } else { "\"" });
                    to.push_str(key);
                    to.push_str("\":");
                    value.write(to);
                }
                to.push('}');
            }
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Tree::Number(text) if text.contains(['.', 'e', 'E']) => "number",
            Tree::Number(_) => "integer",
            _ => self.wide_kind().name(),
        }
    }

    /// The kind by which an inline union chooses its member.
    fn wide_kind(&self) -> WideKind {
        match self {
            Tree::Null => WideKind::Null,
            Tree::Bool(_) => WideKind::Boolean,
            Tree::Number(_) => WideKind::Number,
            Tree::Text(_) => WideKind::String,
            Tree::List(_) => WideKind::Array,
            Tree::Object(_) => WideKind::Object,
        }
    }

    fn is(&self, scalar: &Scalar) -> bool {
        match (self, scalar) {
            (Tree::Text(text), Scalar::Text(other)) => text == other,
            (Tree::Bool(value), Scalar::Bool(other)) => value == other,
            (Tree::Number(text), Scalar::Number(other)) => finite(text) == Some(*other),
            _ => false,
        }
    }

    /// A scalar as JSON, shortened for messages; of other values the kind.
    fn show(&self) -> String {
        let mut shown = String::new();
        match self {
            Tree::List(_) | Tree::Object(_) => return self.kind().into(),
            _ => self.write(&mut shown),
        }
        if shown.chars().count() > 60 {
            shown = shown.chars().take(56).collect();
            shown.push_str(" …\"");
        }
        shown
    }
}

fn get<'t, 'a>(members: &'t [(Cow<'a, str>, Tree<'a>)], key: &str) -> Option<&'t Tree<'a>> {
    let found = members.iter().find(|(each, _)| each == key);
    found.map(|(_, value)| value)
}

/// Members in code-point order of their keys.
fn sorted<'t, 'a>(members: &'t [(Cow<'a, str>, Tree<'a>)]) -> Vec<&'t (Cow<'a, str>, Tree<'a>)> {
    let mut sorted: Vec<_> = members.iter().collect();
    if members.iter().any(|(key, _)| key.contains('\\')) {
        sorted.sort_by_cached_key(|(key, _)| code_points(key).collect::<Vec<_>>());
    } else {
        sorted.sort_by(|one, other| one.0.cmp(&other.0));
    }
    sorted
}

// --- the tables ---------------------------------------------------------------------------------

/// A type in the tables. Keys and strings are in canonical spelling.
#[derive(Clone, Copy)]
pub enum Rule {
    String,
    Boolean,
    Number,
    Integer,
    Uuid,
    Timestamp,
    Json,
    Object,
    Null,
    /// A declaration, by its place in the tables.
    Named(usize),
    /// The rule of items, and how few and many there may be.
    List(&'static Rule, usize, usize),
    /// The rule of values, and the enum of the keys.
    Map(&'static Rule, Option<usize>),
    /// The type, or null.
    Nullable(&'static Rule),
    /// A rule for each kind.
    Kinds(&'static [(WideKind, Rule)]),
}

/// The kinds by which inline unions choose.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum WideKind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl WideKind {
    fn name(self) -> &'static str {
        match self {
            WideKind::Null => "null",
            WideKind::Boolean => "boolean",
            WideKind::Number => "number",
            WideKind::String => "string",
            WideKind::Array => "array",
            WideKind::Object => "object",
        }
    }
}

/// A constant.
pub enum Scalar {
    Text(&'static str),
    Bool(bool),
    Number(f64),
}

/// A declaration.
pub enum Row {
    /// Whether its values are integers, whether it is open, and the values.
    Enum(bool, bool, &'static [Scalar]),
    Alias(Rule),
    Struct(Struct),
    /// Whether it is open, and how a variant is chosen.
    Union(bool, Dispatch),
}

pub struct Struct {
    pub tags: &'static [Tag],
    pub consts: &'static [(&'static str, Scalar)],
    pub fields: &'static [Field],
    pub extra: Option<Rule>,
}

pub struct Tag {
    pub key: &'static str,
    pub optional: bool,
    pub values: Values,
    /// The pattern of unknown values that are admitted.
    pub others: Option<&'static str>,
}

/// The values of a tag.
pub enum Values {
    Constant(Scalar),
    List(&'static [Scalar]),
    Enum(usize),
}

pub struct Field {
    pub key: &'static str,
    pub rule: Rule,
    pub required: bool,
    pub nullable: bool,
    pub flatten: bool,
    /// Values that belong to sibling variants.
    pub claimed: &'static [Scalar],
}

/// How a union chooses a variant.
pub enum Dispatch {
    Leaf(usize),
    Switch {
        union: usize,
        key: &'static str,
        cases: &'static [(Scalar, Dispatch)],
        others: &'static [(&'static str, usize)],
        absent: Option<&'static Dispatch>,
    },
    Keys {
        union: usize,
        #[allow(clippy::type_complexity)] // keys that must be present, keys that must be absent
        cases: &'static [(&'static [&'static str], &'static [&'static str], Dispatch)],
    },
}

// --- the validator ----------------------------------------------------------------------------------

/// A place in a document.
enum Path<'a> {
    Root,
    Member(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn pointer(&self) -> String {
        match self {
            Path::Root => String::new(),
            Path::Member(from, key) => from.pointer() + "/" + &escape_step(&unescaped(key)),
            Path::Item(from, index) => format!("{}/{index}", from.pointer()),
        }
    }
}

struct Validator {
    strict: bool,
    /// The choice of the last union that was checked, which in the end is the outermost.
    variant: &'static str,
    tolerated: Vec<String>,
}

type Checked = Result<(), DecodeError>;
type Entry<'a> = (Cow<'a, str>, Tree<'a>);

fn at(code: Code, path: &Path<'_>, message: String) -> DecodeError {
    fault(code, &path.pointer(), message)
}

fn wrong_type(expected: &str, tree: &Tree<'_>, path: &Path<'_>) -> DecodeError {
    let message = format!("expected {expected}, got {}", tree.kind());
    at(Code::WrongType, path, message)
}

fn missing(key: &str, path: &Path<'_>) -> DecodeError {
    let message = format!("expected member \"{key}\", got none");
    at(Code::MissingField, &Path::Member(path, key), message)
}

fn one_of(values: &[Scalar]) -> String {
    let mut shown: Vec<_> = values.iter().take(8).map(Scalar::show).collect();
    if values.len() > shown.len() {
        shown.push("…".into());
    }
    let of = if shown.len() > 1 { "one of " } else { "" };
    format!("{of}{}", shown.join(", "))
}

impl Scalar {
    fn show(&self) -> String {
        match self {
            Scalar::Text(text) => format!("\"{text}\""),
            Scalar::Bool(value) => value.to_string(),
            Scalar::Number(number) => number.to_string(),
        }
    }

    fn kind(&self) -> WideKind {
        match self {
            Scalar::Text(_) => WideKind::String,
            Scalar::Bool(_) => WideKind::Boolean,
            Scalar::Number(_) => WideKind::Number,
        }
    }
}

impl Validator {
    /// Records what lenient mode tolerates; in strict mode it is a fault.
    fn tolerate(&mut self, code: Code, path: &Path<'_>, message: String) -> Checked {
        if self.strict {
            return Err(at(code, path, message));
        }
        self.tolerated.push(path.pointer());
        Ok(())
    }

    fn check(&mut self, rule: Rule, tree: &Tree<'_>, path: &Path<'_>) -> Checked {
        match (rule, tree) {
            (Rule::String, Tree::Text(_))
            | (Rule::Boolean, Tree::Bool(_))
            | (Rule::Null | Rule::Nullable(_), Tree::Null) => Ok(()),
            (Rule::Number, Tree::Number(text)) => check_finite(text, path),
            (Rule::Integer, Tree::Number(text)) => check_integer(text, tree, path),
            (Rule::Uuid, Tree::Text(text)) => self.form("uuid", is_uuid(text), tree, path),
            (Rule::Timestamp, Tree::Text(text)) => {
                self.form("timestamp", is_timestamp(text), tree, path)
            }
            (Rule::Json, _) | (Rule::Object, Tree::Object(_)) => check_untouched(tree, path),
            (Rule::Named(at), _) => self.declared(at, tree, path),
            (Rule::Nullable(rule), _) => self.check(*rule, tree, path),
            (Rule::List(item, low, high), Tree::List(items)) => {
                if !(low..=high).contains(&items.len()) {
                    let expected = if high == usize::MAX {
                        format!("at least {low} items")
                    } else {
                        format!("{low} to {high} items")
                    };
                    let message = format!("expected {expected}, got {}", items.len());
                    self.tolerate(Code::OutOfBounds, path, message)?;
                }
                for (index, each) in items.iter().enumerate() {
                    self.check(*item, each, &Path::Item(path, index))?;
                }
                Ok(())
            }
            (Rule::Map(value, keys), Tree::Object(entries)) => {
                for (key, entry) in sorted(entries) {
                    self.entry(*value, keys, key, entry, &Path::Member(path, key))?;
                }
                Ok(())
            }
            (Rule::Kinds(members), _) => {
                let kind = tree.wide_kind();
                match members.iter().find(|(each, _)| *each == kind) {
                    Some((_, rule)) => self.check(*rule, tree, path),
                    None => Err(wrong_type(&expected(rule), tree, path)),
                }
            }
            _ => Err(wrong_type(&expected(rule), tree, path)),
        }
    }

    fn form(&mut self, name: &str, fits: bool, tree: &Tree<'_>, path: &Path<'_>) -> Checked {
        if fits {
            return Ok(());
        }
        let message = format!("expected a {name}, got {}", tree.show());
        self.tolerate(Code::BadFormat, path, message)
    }

    fn entry(
        &mut self,
        rule: Rule,
        keys: Option<usize>,
        key: &str,
        value: &Tree<'_>,
        path: &Path<'_>,
    ) -> Checked {
        if let Some(Row::Enum(_, open, values)) = keys.map(|at| &PLAN[at].1) {
            let known = |each: &Scalar| matches!(each, Scalar::Text(text) if *text == key);
            let known = values.iter().any(known);
            if !known {
                let name = keys.map_or("", |at| PLAN[at].0);
                let message = format!("\"{key}\" is not a value of {name}");
                if self.strict || !open {
                    let fault = at(Code::UnknownValue, path, message);
                    return Err(worse(fault, self.check(rule, value, path)));
                }
                self.tolerated.push(path.pointer());
            }
        }
        self.check(rule, value, path)
    }

    fn declared(&mut self, place: usize, tree: &Tree<'_>, path: &Path<'_>) -> Checked {
        let (name, row) = &PLAN[place];
        match (row, tree) {
            (Row::Alias(rule), _) => self.check(*rule, tree, path),
            (Row::Enum(numbers, open, values), Tree::Text(_) | Tree::Number(_))
                if *numbers == matches!(tree, Tree::Number(_)) =>
            {
                if values.iter().any(|value| tree.is(value)) {
                    return Ok(());
                }
                let message = format!("{} is not a value of {name}", tree.show());
                if !open {
                    return Err(at(Code::UnknownValue, path, message));
                }
                self.tolerate(Code::UnknownValue, path, message)?;
                match tree {
                    Tree::Number(text) => check_integer(text, tree, path),
                    _ => Ok(()),
                }
            }
            (Row::Struct(row), Tree::Object(members)) => self.object(name, row, members, path),
            (Row::Union(_, dispatch), Tree::Object(members)) => {
                self.union(dispatch, tree, members, path)
            }
            _ => Err(wrong_type(&expected(Rule::Named(place)), tree, path)),
        }
    }

    // --- objects --------------------------------------------------------------------------------

    fn object(
        &mut self,
        name: &str,
        row: &Struct,
        members: &[Entry<'_>],
        path: &Path<'_>,
    ) -> Checked {
        for tag in row.tags {
            self.tag(tag, members, path)?;
        }
        for (key, constant) in row.consts {
            let Some(value) = get(members, key) else {
                return Err(missing(key, path));
            };
            check_constant(constant, value, &Path::Member(path, key))?;
        }
        for field in row.fields {
            if field.flatten {
                self.flattened(row, field, members, path)?;
            } else {
                self.field(field, members, path)?;
            }
        }
        if row.fields.iter().any(|field| field.flatten) {
            return Ok(()); // undeclared members belong to the flattened value
        }
        for (key, value) in sorted(members) {
            if !row.declares(key) {
                self.extra(name, row, key, value, &Path::Member(path, key))?;
            }
        }
        Ok(())
    }

    fn tag(&mut self, tag: &Tag, members: &[Entry<'_>], path: &Path<'_>) -> Checked {
        let Some(value) = get(members, tag.key) else {
            return if tag.optional {
                Ok(())
            } else {
                Err(missing(tag.key, path))
            };
        };
        let path = &Path::Member(path, tag.key);
        let values = match &tag.values {
            Values::Constant(constant) => return check_constant(constant, value, path),
            Values::List(values) => values,
            Values::Enum(place) => match &PLAN[*place].1 {
                Row::Enum(_, _, values) => values,
                _ => &[] as &[Scalar],
            },
        };
        let Tree::Text(text) = value else {
            return Err(wrong_type("string", value, path));
        };
        if values.iter().any(|each| value.is(each)) {
            return Ok(());
        }
        let message = format!("expected {}, got {}", one_of(values), value.show());
        match tag.others {
            Some(form) if glob(form, text) => self.tolerate(Code::UnknownValue, path, message),
            _ => Err(at(Code::UnknownValue, path, message)),
        }
    }

    fn field(&mut self, field: &Field, members: &[Entry<'_>], path: &Path<'_>) -> Checked {
        let Some(value) = get(members, field.key) else {
            return if field.required {
                Err(missing(field.key, path))
            } else {
                Ok(())
            };
        };
        let path = &Path::Member(path, field.key);
        if matches!(value, Tree::Null) {
            if field.nullable {
                return Ok(());
            }
            if !field.required {
                let message = format!("expected {}, got null", expected(field.rule));
                return self.tolerate(Code::WrongType, path, message);
            }
        }
        if field.claimed.iter().any(|claimed| value.is(claimed)) {
            let message = format!("{} belongs to another variant", value.show());
            return Err(at(Code::WrongConstant, path, message));
        }
        self.check(field.rule, value, path)
    }

    fn flattened(
        &mut self,
        row: &Struct,
        field: &Field,
        members: &[Entry<'_>],
        path: &Path<'_>,
    ) -> Checked {
        let rest: Vec<_> = members
            .iter()
            .filter(|(key, _)| !row.declares(key))
            .map(|(key, value)| (key.clone(), value.copy()))
            .collect();
        if rest.is_empty() && !field.required {
            return Ok(());
        }
        self.check(field.rule, &Tree::Object(rest), path)
    }

    fn extra(
        &mut self,
        name: &str,
        row: &Struct,
        key: &str,
        value: &Tree<'_>,
        path: &Path<'_>,
    ) -> Checked {
        if let Some(rule) = row.extra {
            return self.check(rule, value, path);
        }
        let message = format!("\"{key}\" is not a field of {name}");
        if self.strict {
            let fault = at(Code::UnknownField, path, message);
            return Err(worse(fault, check_untouched(value, path)));
        }
        self.tolerated.push(path.pointer());
        check_untouched(value, path)
    }

    // --- unions ---------------------------------------------------------------------------------

    fn union(
        &mut self,
        dispatch: &'static Dispatch,
        tree: &Tree<'_>,
        members: &[Entry<'_>],
        path: &Path<'_>,
    ) -> Checked {
        let mut choice = Choice {
            validator: self,
            members,
            path,
            open: false,
            doubt: None,
        };
        let found = choice.follow(dispatch)?;
        let doubt = choice.doubt;
        let Some(place) = found else {
            return self.untouched(tree, path);
        };
        let mark = self.tolerated.len();
        match (self.declared(place, tree, path), doubt) {
            (Err(_), Some(doubt)) => {
                self.tolerated.truncate(mark);
                self.tolerated.push(doubt);
                return self.untouched(tree, path);
            }
            (checked, _) => checked?,
        }
        self.variant = PLAN[place].0;
        Ok(())
    }

    fn untouched(&mut self, tree: &Tree<'_>, path: &Path<'_>) -> Checked {
        self.variant = "Unknown";
        check_untouched(tree, path)
    }
}

/// An object for which a union, and unions nested in it, choose a variant.
struct Choice<'v, 'a> {
    validator: &'v mut Validator,
    members: &'v [Entry<'a>],
    path: &'v Path<'v>,
    /// Whether one of the unions so far is open.
    open: bool,
    /// The tag to tolerate if the object does not fit the variant.
    doubt: Option<String>,
}

impl Choice<'_, '_> {
    /// The place of the struct that the discriminators select; `None` if no variant matches and an open
    /// union keeps the object.
    fn follow(&mut self, dispatch: &'static Dispatch) -> Result<Option<usize>, DecodeError> {
        match dispatch {
            Dispatch::Leaf(place) => Ok(Some(*place)),
            Dispatch::Switch {
                union,
                key,
                cases,
                others,
                absent,
            } => {
                self.open |= is_open(*union);
                self.by_tag(*union, key, cases, others, *absent)
            }
            Dispatch::Keys { union, cases } => {
                self.open |= is_open(*union);
                for (has, lacks, then) in *cases {
                    let there = |key: &&str| get(self.members, key).is_some();
                    if has.iter().all(there) && !lacks.iter().any(there) {
                        return self.follow(then);
                    }
                }
                let message = format!("no variant of {} has these members", PLAN[*union].0);
                let path = self.path;
                self.unanswered(*union, Code::NoVariant, path, message)
            }
        }
    }

    fn by_tag(
        &mut self,
        union: usize,
        key: &'static str,
        cases: &'static [(Scalar, Dispatch)],
        others: &'static [(&'static str, usize)],
        absent: Option<&'static Dispatch>,
    ) -> Result<Option<usize>, DecodeError> {
        let Some(tag) = get(self.members, key) else {
            return match absent {
                Some(absent) => self.follow(absent),
                None => Err(missing(key, self.path)),
            };
        };
        let path = &Path::Member(self.path, key);
        let mut kinds: Vec<_> = cases.iter().map(|(value, _)| value.kind()).collect();
        kinds.dedup();
        if kinds.is_empty() {
            kinds.push(WideKind::String);
        }
        if !kinds.contains(&tag.wide_kind()) {
            let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
            return Err(wrong_type(&names.join(" or "), tag, path));
        }
        if let Some((_, then)) = cases.iter().find(|(value, _)| tag.is(value)) {
            return self.follow(then);
        }
        let mut message = String::from("expected ");
        let shown: Vec<_> = cases
            .iter()
            .take(8)
            .map(|(value, _)| value.show())
            .collect();
        message += &shown.join(", ");
        message += &format!(
            "{}, got {}",
            if cases.len() > 8 { ", …" } else { "" },
            tag.show()
        );
        if let Tree::Text(text) = tag {
            if let Some((_, place)) = others.iter().find(|(form, _)| glob(form, text)) {
                if self.validator.strict {
                    return Err(at(Code::UnknownValue, path, message));
                }
                self.doubt = self.open.then(|| path.pointer());
                return Ok(Some(*place));
            }
        }
        match (tag, absent) {
            (Tree::Bool(_), Some(absent)) => self.follow(absent),
            _ => self.unanswered(union, Code::UnknownVariant, path, message),
        }
    }

    fn unanswered(
        &mut self,
        union: usize,
        code: Code,
        path: &Path<'_>,
        message: String,
    ) -> Result<Option<usize>, DecodeError> {
        if !is_open(union) {
            return Err(at(code, path, message));
        }
        self.validator.tolerate(code, path, message)?;
        Ok(None)
    }
}

fn is_open(union: usize) -> bool {
    matches!(PLAN[union].1, Row::Union(true, _))
}

impl Struct {
    fn declares(&self, key: &str) -> bool {
        self.tags.iter().any(|tag| tag.key == key)
            || self.consts.iter().any(|(each, _)| *each == key)
            || self
                .fields
                .iter()
                .any(|field| field.key == key && !field.flatten)
    }
}

impl<'a> Tree<'a> {
    fn copy(&self) -> Tree<'a> {
        match self {
            Tree::Null => Tree::Null,
            Tree::Bool(value) => Tree::Bool(*value),
            Tree::Number(text) => Tree::Number(text),
            Tree::Text(text) => Tree::Text(text.clone()),
            Tree::List(items) => Tree::List(items.iter().map(Tree::copy).collect()),
            Tree::Object(members) => {
                let members = members.iter();
                Tree::Object(
                    members
                        .map(|(key, value)| (key.clone(), value.copy()))
                        .collect(),
                )
            }
        }
    }
}

/// Of two faults at one place the one that takes precedence, else the first.
fn worse(fault: DecodeError, other: Checked) -> DecodeError {
    match other {
        Err(other) if other.path == fault.path && other.code < fault.code => other,
        _ => fault,
    }
}

/// The kind that a rule expects, for messages.
fn expected(rule: Rule) -> String {
    let name = match rule {
        Rule::String | Rule::Uuid | Rule::Timestamp => "string",
        Rule::Boolean => "boolean",
        Rule::Number => "number",
        Rule::Integer => "integer",
        Rule::Json => "json",
        Rule::Null => "null",
        Rule::List(..) => "array",
        Rule::Object | Rule::Map(..) => "object",
        Rule::Nullable(rule) => return expected(*rule),
        Rule::Kinds(members) => {
            let names: Vec<_> = members.iter().map(|(kind, _)| kind.name()).collect();
            return names.join(" or ");
        }
        Rule::Named(at) => match PLAN[at].1 {
            Row::Alias(rule) => return expected(rule),
            Row::Enum(numbers, ..) => ["string", "integer"][usize::from(numbers)],
            _ => "object",
        },
    };
    name.into()
}

// --- values -------------------------------------------------------------------------------------

fn check_constant(constant: &Scalar, value: &Tree<'_>, path: &Path<'_>) -> Checked {
    if constant.kind() != value.wide_kind() {
        return Err(wrong_type(constant.kind().name(), value, path));
    }
    if !value.is(constant) {
        let message = format!("expected {}, got {}", constant.show(), value.show());
        return Err(at(Code::WrongConstant, path, message));
    }
    Ok(())
}

fn check_finite(text: &str, path: &Path<'_>) -> Checked {
    if finite(text).is_none() {
        let message = "expected a finite number, got one that overflows a double";
        return Err(at(Code::OutOfRange, path, message.into()));
    }
    Ok(())
}

fn check_integer(text: &str, tree: &Tree<'_>, path: &Path<'_>) -> Checked {
    if integer(text).is_none() {
        let message = format!(
            "expected an integer within ±{MAX_INTEGER}, got {}",
            tree.show()
        );
        return Err(at(Code::OutOfRange, path, message));
    }
    Ok(())
}

/// Checks untouched content, where a number must be an integer or must not overflow a double.
fn check_untouched(tree: &Tree<'_>, path: &Path<'_>) -> Checked {
    match tree {
        Tree::Number(text) if tree.kind() == "number" => check_finite(text, path),
        Tree::List(items) => {
            for (index, item) in items.iter().enumerate() {
                check_untouched(item, &Path::Item(path, index))?;
            }
            Ok(())
        }
        Tree::Object(members) => {
            for (key, value) in sorted(members) {
                check_untouched(value, &Path::Member(path, key))?;
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn is_uuid(text: &str) -> bool {
    formed(text, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh")
}

fn is_timestamp(text: &str) -> bool {
    const SECOND: &str = "dddd-dd-ddTdd:dd:dd";
    if !text.is_ascii() || text.len() < SECOND.len() {
        return false;
    }
    let (second, mut zone) = text.split_at(SECOND.len());
    if let Some(fraction) = zone.strip_prefix('.') {
        zone = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
        if zone.len() == fraction.len() {
            return false;
        }
    }
    formed(second, SECOND) && (zone == "Z" || formed(zone, "+dd:dd") || formed(zone, "-dd:dd"))
}

/// Whether a text matches a form: `h` is a hexadecimal digit, `d` a digit, other characters themselves.
fn formed(text: &str, form: &str) -> bool {
    text.len() == form.len()
        && text.bytes().zip(form.bytes()).all(|(c, form)| match form {
            b'h' => c.is_ascii_hexdigit(),
            b'd' => c.is_ascii_digit(),
            _ => c == form,
        })
}
