//! Writes values as JSON text, or as the events from which `interop` serializes. Every value is checked by the
//! tables as it is written.

#![allow(dead_code)] // not every protocol uses all of it

use std::borrow::Cow;

use crate::codec::{glob, Codec};
use crate::engine::{self, structure};
use crate::error::{Code, DecodeError, EncodeError};
use crate::json::{push_integer, push_number, JsonRef, Kind};
use crate::map::Object;
use crate::table::{Member, Rule, Scalar, State, Struct};
use crate::text::{canonical, plain, push_escaped, unescaped, MAX_DEPTH, MAX_INTEGER};
use crate::tolerated::push_step;

/// A part of a value, for serializers.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    Null,
    Bool(bool),
    Integer(i64),
    Number(f64),
    /// A string, or the key before a member's value.
    Text(&'a str),
    /// The same of a text that the tables have with escapes.
    Unescaped(Box<str>),
    /// A key that a string cannot hold, with its spelling.
    Spelt(Box<(&'a str, &'a str)>),
    Json(JsonRef<'a>),
    /// An array with the number of its items, and the place after it.
    Array(usize, usize),
    /// The same of an object.
    Object(usize, usize),
}

impl<'a> Event<'a> {
    /// A text in canonical spelling.
    fn of(spelt: &'a str) -> Self {
        match unescaped(spelt) {
            Cow::Borrowed(text) => Event::Text(text),
            Cow::Owned(text) => Event::Unescaped(text.into()),
        }
    }

    /// The key before a member's value, and its spelling if a string cannot hold it.
    pub fn as_key(&self) -> Option<(&str, Option<&'a str>)> {
        match self {
            Event::Text(key) => Some((key, None)),
            Event::Unescaped(key) => Some((key, None)),
            Event::Spelt(pair) => Some((pair.0, Some(pair.1))),
            _ => None,
        }
    }
}

/// The output. The first fault is kept with its position, from which its path is computed at the end.
pub struct Out<'a> {
    text: String,
    /// Filled instead of `text` if the caller wants events.
    events: Option<Vec<Event<'a>>>,
    /// How many items or members the array or object has that is open, for its event.
    count: usize,
    /// Whether the next item or member needs no comma.
    fresh: bool,
    depth: usize,
    is_deep: bool,
    fault: Option<Fault>,
    /// The indexes of absent members, for each open object with undeclared members.
    absent: Vec<usize>,
}

struct Fault {
    code: Code,
    message: String,
    /// The position of the invalid value, or of an object that contains it.
    at: usize,
    /// The path from there to the value.
    below: String,
}

/// An array or object that is open.
pub struct Open {
    /// Its start in the text or among the events.
    place: usize,
    is_object: bool,
    /// The number of items or members before it in the enclosing one.
    before: usize,
}

/// The members of a struct that is being written as an object.
pub struct Members {
    row: &'static Struct,
    open: Open,
    /// The index of the next member.
    next: usize,
    /// The start of its absent members among those of all objects, if undeclared members follow.
    absent: Option<usize>,
}

/// The text of a value that was decoded.
pub fn text_of<T: Codec>(value: &T) -> String {
    let mut out = Out::new(None);
    value.write(&mut out);
    out.text
}

/// Encodes a value.
pub fn encode<T: Codec>(value: &T) -> Result<String, EncodeError> {
    let mut out = Out::new(None);
    value.write(&mut out);
    out.finish()
}

/// The events of a value.
pub fn record<T: Codec>(value: &T) -> Result<Vec<Event<'_>>, EncodeError> {
    let mut out = Out::new(Some(Vec::with_capacity(40)));
    value.write(&mut out);
    match out.events {
        Some(events) if out.fault.is_none() && !out.is_deep => Ok(events),
        _ => encode(value).map(|_| Vec::new()), // encoded again as text, from which the path is computed
    }
}

impl Scalar {
    pub fn is_text(&self, text: &str) -> bool {
        matches!(self, Scalar::Text(other) if unescaped(other) == text)
    }

    pub fn is_bool(&self, value: bool) -> bool {
        matches!(self, Scalar::Bool(other) if *other == value)
    }

    pub fn is_number(&self, value: f64) -> bool {
        matches!(self, Scalar::Number(other) if *other == value)
    }
}

impl<'a> Out<'a> {
    fn new(events: Option<Vec<Event<'a>>>) -> Self {
        Out {
            text: String::with_capacity(if events.is_some() { 0 } else { 512 }),
            events,
            count: 0,
            fresh: true,
            depth: 0,
            is_deep: false,
            fault: None,
            absent: Vec::new(),
        }
    }

    fn finish(self) -> Result<String, EncodeError> {
        if let Some(fault) = self.fault {
            return Err(EncodeError {
                code: fault.code,
                path: pointer_to(&self.text, fault.at) + &fault.below,
                message: fault.message,
            });
        }
        if self.is_deep {
            return Err(EncodeError {
                code: Code::TooDeep,
                path: String::new(),
                message: format!("nested deeper than {MAX_DEPTH} levels"),
            });
        }
        Ok(self.text)
    }

    // --- values ---------------------------------------------------------------------------------

    fn literal(&mut self, event: Event<'a>, text: &str) {
        match &mut self.events {
            Some(events) => events.push(event),
            None => self.text.push_str(text),
        }
    }

    pub fn null(&mut self) {
        self.literal(Event::Null, "null");
    }

    pub fn boolean(&mut self, value: bool) {
        self.literal(Event::Bool(value), if value { "true" } else { "false" });
    }

    /// Writes an integer, which must be exact as a double.
    pub fn integer(&mut self, number: i64) {
        if !(-MAX_INTEGER..=MAX_INTEGER).contains(&number) {
            let message = format!("expected an integer within ±{MAX_INTEGER}, got {number}");
            return self.fault(Code::OutOfRange, message);
        }
        match &mut self.events {
            Some(events) => events.push(Event::Integer(number)),
            None => push_integer(&mut self.text, number),
        }
    }

    /// Writes a number, which must be finite.
    pub fn number(&mut self, number: f64) {
        if !number.is_finite() {
            let message = format!("expected a finite number, got {number}");
            return self.fault(Code::OutOfRange, message);
        }
        match &mut self.events {
            Some(events) => events.push(Event::Number(number)),
            None => push_number(&mut self.text, number),
        }
    }

    pub fn text(&mut self, text: &'a str) {
        match &mut self.events {
            Some(events) => events.push(Event::Text(text)),
            None => push_quoted(&mut self.text, text),
        }
    }

    pub fn json(&mut self, json: JsonRef<'a>) {
        self.is_deep |= json.is_deeper(MAX_DEPTH.saturating_sub(self.depth));
        match &mut self.events {
            Some(events) => events.push(Event::Json(json)),
            None => self.text.push_str(json.text()),
        }
    }

    /// Writes the value of an Unknown, which must be an object that the union keeps as unknown, or a variant's.
    pub fn unknown(&mut self, place: usize, raw: JsonRef<'a>) {
        match engine::check(&Rule::Named(place), raw.text()) {
            Ok(()) => self.json(raw),
            Err(error) => self.fault_of(error),
        }
    }

    /// Records that the next value is invalid, and writes null instead.
    #[cold]
    fn fault(&mut self, code: Code, message: String) {
        self.fault_below(code, String::new(), message);
    }

    #[cold]
    fn fault_of(&mut self, error: DecodeError) {
        self.fault_below(error.code, error.path, error.message);
    }

    #[cold]
    fn fault_below(&mut self, code: Code, below: String, message: String) {
        if self.fault.is_none() {
            self.fault = Some(Fault {
                code,
                message,
                at: self.text.len(),
                below,
            });
        }
        self.null();
    }

    // --- arrays and objects ---------------------------------------------------------------------

    pub fn open(&mut self, is_object: bool) -> Open {
        self.depth += 1;
        self.is_deep |= self.depth > MAX_DEPTH;
        let place = match &mut self.events {
            Some(events) => {
                events.push(Event::Null); // `close` puts the right one there
                events.len() - 1
            }
            None => {
                self.text.push(if is_object { '{' } else { '[' });
                self.text.len() - 1
            }
        };
        self.fresh = true;
        Open {
            place,
            is_object,
            before: std::mem::take(&mut self.count),
        }
    }

    pub fn close(&mut self, open: Open) {
        self.depth -= 1;
        self.fresh = false;
        let count = std::mem::replace(&mut self.count, open.before);
        match &mut self.events {
            Some(events) => {
                let end = events.len();
                events[open.place] = if open.is_object {
                    Event::Object(count, end)
                } else {
                    Event::Array(count, end)
                };
            }
            None => self.text.push(if open.is_object { '}' } else { ']' }),
        }
    }

    /// Begins an item.
    #[inline]
    pub fn item(&mut self) {
        self.count += 1;
        if self.fresh {
            self.fresh = false;
        } else if self.events.is_none() {
            self.text.push(',');
        }
    }

    /// Writes a key in canonical spelling.
    fn spelt_key(&mut self, key: &'a str) {
        match &mut self.events {
            Some(events) => {
                self.count += 1;
                events.push(Event::of(key));
            }
            None => push_key(&mut self.text, &mut self.fresh, key),
        }
    }

    /// Writes any key; `spelt` is its spelling where `key` cannot hold it.
    pub fn any_key(&mut self, key: &'a str, spelt: Option<&'a str>) {
        if let Some(events) = &mut self.events {
            self.count += 1;
            return events.push(match spelt {
                Some(spelt) => Event::Spelt(Box::new((key, spelt))),
                None => Event::Text(key),
            });
        }
        if let Some(spelt) = spelt {
            return push_key(&mut self.text, &mut self.fresh, spelt);
        }
        self.item();
        push_quoted(&mut self.text, key);
        self.text.push(':');
    }

    // --- the members of a struct ----------------------------------------------------------------

    /// Begins the object of a struct.
    pub fn object(&mut self, place: usize, extra: &Object) -> Members {
        let open = self.open(true);
        Members {
            row: structure(place),
            open,
            next: 0,
            absent: (!extra.is_empty()).then_some(self.absent.len()),
        }
    }

    /// Writes the constants before the next field, and returns the field's index.
    #[inline]
    fn next(&mut self, members: &mut Members) -> usize {
        if members.next < members.row.constants_end {
            self.constants(members);
        }
        members.next += 1;
        members.next - 1
    }

    /// Writes the constants before the next field.
    fn constants(&mut self, members: &mut Members) {
        while let Some(Member::Constant(constant) | Member::Integer(constant)) =
            members.row.members.get(members.next)
        {
            self.constant(members.row, members.next, constant);
            members.next += 1;
        }
    }

    /// Writes the key of a declared member.
    #[inline]
    fn declared_key(&mut self, row: &'static Struct, number: usize) {
        let key = row.keys[number];
        match &mut self.events {
            None => push_key(&mut self.text, &mut self.fresh, key),
            Some(events) => {
                self.count += 1;
                events.push(if row.is_plain {
                    Event::Text(key)
                } else {
                    Event::of(key)
                });
            }
        }
    }

    fn constant(&mut self, row: &'static Struct, number: usize, constant: &'static Scalar) {
        self.declared_key(row, number);
        self.scalar(constant);
    }

    /// Writes a constant.
    pub fn scalar(&mut self, constant: &'static Scalar) {
        match (constant, &mut self.events) {
            (Scalar::Bool(value), _) => self.boolean(*value),
            (Scalar::Number(number), _) => self.number(*number),
            (Scalar::Text(text), Some(events)) => events.push(Event::of(text)),
            (Scalar::Text(text), None) => {
                self.text.push('"');
                self.text.push_str(text);
                self.text.push('"');
            }
        }
    }

    /// Writes the key of the next field.
    pub fn key(&mut self, members: &mut Members) {
        let number = self.next(members);
        self.declared_key(members.row, number);
    }

    /// Skips the next field.
    pub fn absent(&mut self, members: &mut Members) {
        let number = self.next(members);
        if members.absent.is_some() {
            self.absent.push(number);
        }
    }

    /// Writes the next field, which is `None`.
    pub fn none(&mut self, members: &mut Members) {
        let number = self.next(members);
        if members.row.has_nullable
            && matches!(
                members.row.members[number].field(),
                Some((State::Nullable, _))
            )
        {
            self.declared_key(members.row, number);
            self.null();
        } else if members.absent.is_some() {
            self.absent.push(number);
        }
    }

    /// Writes the next field, which states whether a tag is present.
    pub fn mark(&mut self, members: &mut Members, is_there: bool) {
        if !is_there {
            return self.absent(members);
        }
        let number = self.next(members);
        if let Member::Mark(constant) = &members.row.members[number] {
            self.constant(members.row, number, constant);
        }
    }

    /// Writes the next field, which accepts only some values.
    pub fn guarded<T: Codec>(&mut self, members: &mut Members, value: &'a T) {
        let fault = match value.as_text() {
            None if value.is_none() => None,
            text => self.guard(
                members,
                &|scalar| value.is(scalar),
                text.unwrap_or_default(),
            ),
        };
        match fault {
            None => value.put(members, self),
            Some(code) => {
                self.key(members);
                self.fault(code, "this value belongs to another type".into());
            }
        }
    }

    /// The fault of a value in the next field, if there is one.
    fn guard(
        &mut self,
        members: &mut Members,
        is: &dyn Fn(&Scalar) -> bool,
        text: &str,
    ) -> Option<Code> {
        let number = self.next(members);
        members.next -= 1;
        match &members.row.members[number] {
            Member::Claimed(_, _, claimed, prefixes)
                if claimed.iter().any(is) || begins(text, prefixes) =>
            {
                Some(Code::WrongConstant)
            }
            Member::Tag(_, _, values, others) => {
                let fits = values.list().iter().any(is)
                    || begins(text, values.prefix())
                    || others.is_some_and(|form| glob(form, &written(text)));
                (!fits).then_some(Code::UnknownValue)
            }
            _ => None,
        }
    }

    /// Writes the members of the next field, a flattened object, except those with declared keys.
    pub fn flat<T: Codec>(&mut self, members: &mut Members, value: &'a T) {
        let number = self.next(members);
        let optional = matches!(members.row.members[number], Member::Flat(true, _));
        match record(value) {
            Ok(events) if optional && matches!(events[..], [Event::Null]) => {}
            Ok(events) => self.flattened(members, &events),
            Err(error) => self.flat_fault(members, error.code, error.path, error.message),
        }
    }

    fn flattened(&mut self, members: &Members, object: &[Event<'a>]) {
        match object.first() {
            Some(Event::Object(..)) => {}
            Some(Event::Json(json)) if json.kind() == Kind::Object => {
                for (key, value) in json.parts() {
                    if !members.row.keys.contains(&&*canonical(key)) {
                        self.spelt_key(key);
                        self.json(value);
                    }
                }
                return;
            }
            _ => {
                let message = "expected object".into();
                return self.flat_fault(members, Code::WrongType, String::new(), message);
            }
        }
        let mut at = 1;
        while let Some((key, spelt)) = object.get(at).and_then(Event::as_key) {
            let end = after(object, at + 1);
            let name = spelt.map_or_else(|| written(key), Cow::Borrowed);
            if !members.row.keys.contains(&&*name) {
                self.replay_key(&object[at]);
                self.replay_at(object, at + 1);
            }
            at = end;
        }
    }

    /// Records a fault whose path begins at the object of the members.
    #[cold]
    fn flat_fault(&mut self, members: &Members, code: Code, below: String, message: String) {
        if self.fault.is_none() {
            let at = members.open.place;
            self.fault = Some(Fault {
                code,
                message,
                at,
                below,
            });
        }
    }

    fn replay_key(&mut self, event: &Event<'a>) {
        if let Some(events) = &mut self.events {
            self.count += 1;
            return events.push(event.clone());
        }
        match event.as_key() {
            Some((_, Some(spelt))) => push_key(&mut self.text, &mut self.fresh, spelt),
            Some((key, None)) => {
                self.item();
                push_quoted(&mut self.text, key);
                self.text.push(':');
            }
            None => {}
        }
    }

    /// Writes the value whose events begin at a place, and returns the place after it.
    fn replay_at(&mut self, events: &[Event<'a>], at: usize) -> usize {
        match &events[at] {
            Event::Null | Event::Spelt(..) => self.null(),
            Event::Bool(value) => self.boolean(*value),
            Event::Integer(number) => self.integer(*number),
            Event::Number(number) => self.number(*number),
            Event::Json(json) => self.json(*json),
            Event::Text(text) => self.text(text),
            Event::Unescaped(text) => match &mut self.events {
                Some(events) => events.push(Event::Unescaped(text.clone())),
                None => push_quoted(&mut self.text, text),
            },
            event @ (Event::Array(count, _) | Event::Object(count, _)) => {
                let is_object = matches!(event, Event::Object(..));
                let open = self.open(is_object);
                let mut next = at + 1;
                for _ in 0..*count {
                    if is_object {
                        self.replay_key(&events[next]);
                        next += 1;
                    } else {
                        self.item();
                    }
                    next = self.replay_at(events, next);
                }
                self.close(open);
                return next;
            }
        }
        at + 1
    }

    /// Writes undeclared members and ends the object of a struct. A member with a declared key is written only
    /// if the declared member is absent.
    pub fn end(&mut self, mut members: Members, extra: &'a Object) {
        if members.next < members.row.constants_end {
            self.constants(&mut members);
        }
        if let Some(absent) = members.absent {
            self.extra(members.row, absent, extra);
            self.absent.truncate(absent);
        }
        self.close(members.open);
    }

    fn extra(&mut self, row: &'static Struct, absent: usize, extra: &'a Object) {
        for (key, spelt, value) in extra.spelt() {
            let name = spelt.map_or_else(|| written(key), Cow::Borrowed);
            let declared = row.keys.iter().position(|each| *each == name);
            if declared.is_some_and(|number| !self.absent[absent..].contains(&number)) {
                continue;
            }
            let json = value.view();
            let checked = match (declared, &row.extra) {
                (Some(number), _) => engine::check_member(&row.members[number], json.text()),
                (None, Some(rule)) => engine::check(rule, json.text()),
                (None, None) => Ok(()),
            };
            self.any_key(key, spelt);
            match checked {
                Ok(()) => self.json(json),
                Err(error) => self.fault_of(error),
            }
        }
    }
}

/// Whether a text has one of the given prefixes.
fn begins(text: &str, prefixes: &[&str]) -> bool {
    !prefixes.is_empty() && {
        let text = written(text);
        prefixes.iter().any(|prefix| text.starts_with(prefix))
    }
}

/// The place after the value at a place.
pub fn after(events: &[Event<'_>], at: usize) -> usize {
    match events.get(at) {
        Some(Event::Array(_, end) | Event::Object(_, end)) => *end,
        _ => at + 1,
    }
}

fn push_key(to: &mut String, fresh: &mut bool, key: &str) {
    to.reserve(key.len() + 4); // so that the following does not grow it
    if !std::mem::take(fresh) {
        to.push(',');
    }
    to.push('"');
    to.push_str(key);
    to.push_str("\":");
}

fn push_quoted(to: &mut String, text: &str) {
    to.reserve(text.len() + 2);
    to.push('"');
    push_escaped(to, text);
    to.push('"');
}

/// The pointer to the value that begins at a position of JSON text, which may be incomplete.
fn pointer_to(text: &str, place: usize) -> String {
    enum Step {
        Item(usize),
        Member(String),
    }
    let mut steps: Vec<Step> = Vec::new();
    let mut at = 0;
    while at < place {
        match text.as_bytes()[at] {
            b'"' => {
                let end = string_end(text, at);
                if text.as_bytes().get(end) == Some(&b':') {
                    steps.pop();
                    let mut step = String::from("/");
                    push_step(&mut step, &unescaped(&text[at + 1..end - 1]));
                    steps.push(Step::Member(step));
                }
                at = end;
                continue;
            }
            b'{' => steps.push(Step::Member(String::new())),
            b'[' => steps.push(Step::Item(0)),
            b'}' | b']' => {
                steps.pop();
            }
            b',' => {
                if let Some(Step::Item(index)) = steps.last_mut() {
                    *index += 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    let step = |step| match step {
        Step::Item(index) => format!("/{index}"),
        Step::Member(key) => key,
    };
    steps.into_iter().map(step).collect()
}

/// The position after the string that begins at `at`.
fn string_end(text: &str, mut at: usize) -> usize {
    let bytes = text.as_bytes();
    at = plain(bytes, at + 1);
    while at < bytes.len() && bytes[at] == b'\\' {
        at = plain(bytes, (at + 2).min(bytes.len()));
    }
    (at + 1).min(bytes.len())
}

/// The canonical spelling of a key.
fn written(key: &str) -> Cow<'_, str> {
    if plain(key.as_bytes(), 0) == key.len() {
        return Cow::Borrowed(key);
    }
    let mut written = String::with_capacity(key.len() + 8);
    push_escaped(&mut written, key);
    Cow::Owned(written)
}
