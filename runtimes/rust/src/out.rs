//! Writes values as JSON text, or as the events from which `interop` serializes. Every value is checked by the
//! tables as it is written.

#![allow(dead_code)] // not every protocol uses all of it

use std::borrow::Cow;

use crate::api::structure;
use crate::codec::Codec;
use crate::engine;
use crate::error::{Code, DecodeError, EncodeError};
use crate::json::{JsonRef, Kind, Marks};
use crate::map::Object;
use crate::plan::PLAN;
use crate::table::{Key, Member, Rule, Scalar, State, Struct};
use crate::text::{
    canonical, glob, plain, push_escaped, push_integer, push_number, unescaped, MAX_DEPTH,
    MAX_INTEGER,
};
use crate::tolerated::push_step;

/// A value for serializers. Those in an array or object follow it. It is kept small, because most of the time of
/// recording and reading events is spent on memory.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The key, if the value is a member and no [`Part::Key`] precedes it.
    key: &'static Key,
    part: Part<'a>,
}

/// What an event is.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// The key of the next value.
    Key(MemberKey<'a>),
    Null,
    Bool(bool),
    Integer(i64),
    Number(f64),
    Text(&'a str),
    /// A text as JSON text has it between quotes.
    Spelt(&'a str),
    Json(JsonRef<'a>),
    /// An array with the number of its items, and that of the events of these.
    Array(usize, usize),
    /// The same of an object and its members.
    Object(usize, usize),
}

/// A recorded value.
#[derive(Clone, Copy)]
pub struct Recorded<'e, 'a> {
    pub part: Part<'a>,
    /// The events of its items or members.
    within: &'e [Event<'a>],
}

/// The key of a recorded member.
#[derive(Clone, Copy, Debug)]
pub enum MemberKey<'a> {
    Plain(&'a str),
    /// A key as JSON text has it between quotes. A string cannot hold every key.
    Spelt(&'a str),
}

impl<'e, 'a> Recorded<'e, 'a> {
    /// The first of some events.
    #[inline]
    pub fn first_of(events: &'e [Event<'a>]) -> Option<Self> {
        Self::split(events.split_first()?).map(|(value, _)| value)
    }

    /// The value that begins with an event, and the events after it.
    #[inline]
    fn split((first, rest): (&'e Event<'a>, &'e [Event<'a>])) -> Option<(Self, &'e [Event<'a>])> {
        let part = first.part;
        let (within, rest) = match part {
            Part::Array(_, length) | Part::Object(_, length) => rest.split_at_checked(length)?,
            _ => (&[][..], rest),
        };
        Some((Recorded { part, within }, rest))
    }

    /// The items of an array.
    #[inline]
    pub fn items(self) -> impl Iterator<Item = Self> {
        let mut events = self.within;
        std::iter::from_fn(move || {
            let (item, rest) = Self::split(events.split_first()?)?;
            events = rest;
            Some(item)
        })
    }

    /// The members of an object.
    #[inline]
    pub fn members(self) -> impl Iterator<Item = (MemberKey<'a>, Self)> {
        let mut events = self.within;
        std::iter::from_fn(move || {
            let (first, rest) = events.split_first()?;
            let (key, (value, rest)) = match first.part {
                Part::Key(key) => (key, Self::split(rest.split_first()?)?),
                _ => (
                    MemberKey::Plain(first.key.text()),
                    Self::split((first, rest))?,
                ),
            };
            events = rest;
            Some((key, value))
        })
    }
}

impl MemberKey<'_> {
    /// The canonical spelling.
    fn canonical(&self) -> Cow<'_, str> {
        match self {
            MemberKey::Plain(key) => written(key),
            MemberKey::Spelt(key) => canonical(key),
        }
    }
}

/// The output. The first fault is kept with its position, from which its path is computed at the end.
pub struct Out<'a> {
    text: String,
    /// Filled instead of `text` if the caller wants events.
    events: Option<Vec<Event<'a>>>,
    /// The key of the next event, if that is a member of a struct.
    key: &'static Key,
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
    /// The index from which on nothing is written or remembered for absent members.
    special_end: usize,
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

/// The room for events to begin with: most messages need no more, and allocators are quick to find 1 kB.
const EVENTS: usize = 1024 / std::mem::size_of::<Event<'_>>();

/// The events of a value.
pub fn record<T: Codec>(value: &T) -> Result<Vec<Event<'_>>, EncodeError> {
    let mut out = Out::new(Some(Vec::with_capacity(EVENTS)));
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
            key: &Key(",\"\":"),
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

    /// Records a value if the caller wants events, and returns whether that is so.
    #[inline]
    fn try_record(&mut self, part: Part<'a>) -> bool {
        match &mut self.events {
            Some(events) => {
                events.push(Event {
                    key: self.key,
                    part,
                });
                true
            }
            None => false,
        }
    }

    /// Records a key if the caller wants events, and returns whether that is so.
    #[inline]
    fn try_record_key(&mut self, key: MemberKey<'a>) -> bool {
        let wanted = self.try_record(Part::Key(key));
        self.count += usize::from(wanted);
        wanted
    }

    pub fn null(&mut self) {
        if !self.try_record(Part::Null) {
            self.text.push_str("null");
        }
    }

    pub fn boolean(&mut self, value: bool) {
        if !self.try_record(Part::Bool(value)) {
            self.text.push_str(if value { "true" } else { "false" });
        }
    }

    /// Writes an integer, which must be exact as a double.
    pub fn integer(&mut self, number: i64) {
        if !(-MAX_INTEGER..=MAX_INTEGER).contains(&number) {
            let message = format!("expected an integer within ±{MAX_INTEGER}, got {number}");
            return self.fault(Code::OutOfRange, message);
        }
        if !self.try_record(Part::Integer(number)) {
            push_integer(&mut self.text, number);
        }
    }

    /// Writes a number, which must be finite.
    pub fn number(&mut self, number: f64) {
        if !number.is_finite() {
            let message = format!("expected a finite number, got {number}");
            return self.fault(Code::OutOfRange, message);
        }
        if !self.try_record(Part::Number(number)) {
            push_number(&mut self.text, number);
        }
    }

    pub fn text(&mut self, text: &'a str) {
        if !self.try_record(Part::Text(text)) {
            push_quoted(&mut self.text, text);
        }
    }

    pub fn json(&mut self, json: JsonRef<'a>) {
        self.is_deep |= json.is_deeper(MAX_DEPTH.saturating_sub(self.depth));
        if !self.try_record(Part::Json(json)) {
            self.text.push_str(json.text());
        }
    }

    /// Writes the value of an Unknown, which must be an object that the union keeps as unknown, or a variant's.
    pub fn unknown(&mut self, place: usize, raw: JsonRef<'a>) {
        match engine::check(PLAN, &Rule::Named(place), raw.text()) {
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
        let place = match &self.events {
            Some(events) => events.len(),
            None => self.text.len(),
        };
        // `close` puts the right value in the place of null.
        if !self.try_record(Part::Null) {
            self.text.push(if is_object { '{' } else { '[' });
        }
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
                let length = events.len() - open.place - 1;
                events[open.place].part = if open.is_object {
                    Part::Object(count, length)
                } else {
                    Part::Array(count, length)
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
    #[inline(never)] // few structs have keys with escapes
    fn spelt_key(&mut self, key: &'a str) {
        if !self.try_record_key(MemberKey::Spelt(key)) {
            self.item();
            self.text.push('"');
            self.text.push_str(key);
            self.text.push_str("\":");
        }
    }

    /// Writes any key; `spelt` is its spelling where `key` cannot hold it.
    pub fn any_key(&mut self, key: &'a str, spelt: Option<&'a str>) {
        match spelt {
            Some(spelt) => self.spelt_key(spelt),
            None => self.plain_key(key),
        }
    }

    fn plain_key(&mut self, key: &'a str) {
        if !self.try_record_key(MemberKey::Plain(key)) {
            self.item();
            push_quoted(&mut self.text, key);
            self.text.push(':');
        }
    }

    // --- the members of a struct ----------------------------------------------------------------

    /// Begins the object of a struct.
    pub fn object(&mut self, place: usize, extra: &Object) -> Members {
        let open = self.open(true);
        let row = structure(place);
        Members {
            row,
            open,
            next: 0,
            special_end: if extra.is_empty() {
                row.special_end
            } else {
                usize::MAX
            },
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
    #[inline(never)] // few fields have any
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
        let key = &row.keys[number];
        if self.events.is_none() {
            push_label(&mut self.text, &mut self.fresh, *key);
        } else if row.is_plain {
            self.count += 1;
            self.key = key;
        } else {
            self.spelt_key(key.text());
        }
    }

    fn constant(&mut self, row: &'static Struct, number: usize, constant: &'static Scalar) {
        self.declared_key(row, number);
        match constant {
            Scalar::Text(text) if row.is_plain => self.spelt_text(text, Part::Text(text)),
            _ => self.scalar(constant),
        }
    }

    /// Writes a constant.
    pub fn scalar(&mut self, constant: &'static Scalar) {
        match constant {
            Scalar::Bool(value) => self.boolean(*value),
            Scalar::Number(number) => self.number(*number),
            Scalar::Text(text) => self.spelt_text(text, Part::Spelt(text)),
        }
    }

    /// Writes a text in canonical spelling, which is recorded as `part`.
    fn spelt_text(&mut self, text: &'a str, part: Part<'a>) {
        if !self.try_record(part) {
            self.text.push('"');
            self.text.push_str(text);
            self.text.push('"');
        }
    }

    /// Writes the key of the next field.
    pub fn key(&mut self, members: &mut Members) {
        let number = self.next(members);
        self.declared_key(members.row, number);
    }

    /// Skips the next field.
    #[inline]
    pub fn absent(&mut self, members: &mut Members) {
        if members.next >= members.special_end {
            members.next += 1;
            return;
        }
        self.special_absent(members);
    }

    fn special_absent(&mut self, members: &mut Members) {
        let number = self.next(members);
        if members.absent.is_some() {
            self.absent.push(number);
        }
    }

    /// Writes the next field, which is `None`.
    #[inline]
    pub fn none(&mut self, members: &mut Members) {
        if members.next >= members.special_end {
            members.next += 1;
            return;
        }
        self.special_none(members);
    }

    fn special_none(&mut self, members: &mut Members) {
        let number = self.next(members);
        if let Some((State::Nullable | State::Null, _)) = members.row.members[number].field() {
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
                let fits = values.list(PLAN).iter().any(is)
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
            Ok(events) => self.flattened(members, &events, optional),
            Err(error) => self.flat_fault(members, error.code, error.path, error.message),
        }
    }

    fn flattened(&mut self, members: &Members, events: &[Event<'a>], optional: bool) {
        let Some(object) = Recorded::first_of(events) else {
            return;
        };
        match object.part {
            Part::Null if optional => {}
            Part::Object(..) => {
                for (key, value) in object.members() {
                    if members.row.place(key.canonical().as_bytes()).is_none() {
                        self.replay_key(key);
                        self.replay(value);
                    }
                }
            }
            Part::Json(json) if json.kind() == Kind::Object => {
                for (key, value) in json.parts() {
                    if members.row.place(canonical(key).as_bytes()).is_none() {
                        self.spelt_key(key);
                        self.json(value);
                    }
                }
            }
            _ => {
                let message = "expected object".into();
                self.flat_fault(members, Code::WrongType, String::new(), message);
            }
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

    fn replay_key(&mut self, key: MemberKey<'a>) {
        match key {
            MemberKey::Plain(key) => self.plain_key(key),
            MemberKey::Spelt(key) => self.spelt_key(key),
        }
    }

    /// Writes a recorded value.
    fn replay(&mut self, value: Recorded<'_, 'a>) {
        match value.part {
            Part::Null | Part::Key(_) => self.null(),
            Part::Bool(value) => self.boolean(value),
            Part::Integer(number) => self.integer(number),
            Part::Number(number) => self.number(number),
            Part::Json(json) => self.json(json),
            Part::Text(text) => self.text(text),
            Part::Spelt(text) => self.spelt_text(text, value.part),
            Part::Array(..) => {
                let open = self.open(false);
                for item in value.items() {
                    self.item();
                    self.replay(item);
                }
                self.close(open);
            }
            Part::Object(..) => {
                let open = self.open(true);
                for (key, member) in value.members() {
                    self.replay_key(key);
                    self.replay(member);
                }
                self.close(open);
            }
        }
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

    #[inline(never)] // few objects have undeclared members
    fn extra(&mut self, row: &'static Struct, absent: usize, extra: &'a Object) {
        for (key, spelt, value) in extra.spelt() {
            let name = spelt.map_or_else(|| written(key), Cow::Borrowed);
            let declared = row.place(name.as_bytes());
            if declared.is_some_and(|number| !self.absent[absent..].contains(&number)) {
                continue;
            }
            let json = value.view();
            let checked = match (declared, &row.extra) {
                (Some(number), _) => engine::check_member(PLAN, &row.members[number], json.text()),
                (None, Some(rule)) => engine::check(PLAN, rule, json.text()),
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

#[inline(never)] // inlined, it slows down the recording of keys for serde
fn push_label(to: &mut String, fresh: &mut bool, key: Key) {
    to.push_str(key.label(std::mem::take(fresh)));
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
    let mut marks = Marks::of(text);
    while let Some((at, c)) = marks.next().filter(|(at, _)| *at < place) {
        match c {
            b'"' if text.as_bytes().get(marks.at) == Some(&b':') => {
                steps.pop();
                let mut step = String::from("/");
                push_step(&mut step, &unescaped(&text[at + 1..marks.at - 1]));
                steps.push(Step::Member(step));
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
    }
    let step = |step| match step {
        Step::Item(index) => format!("/{index}"),
        Step::Member(key) => key,
    };
    steps.into_iter().map(step).collect()
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
