//! Objects of the package → one line of ASCII, the same that the package's functions in Python write.
//!
//! Every value is checked as it is written. Whatever is not exactly as expected, such as an instance of a subclass, is
//! a miss. No code in Python runs meanwhile, so that nothing changes what is being written.

use std::borrow::Cow;

use crate::package::{Loaded, MAX_DEPTH};
use crate::python::{self, Made, Object, Ref, Sequence, Stop, Text};
use crate::table::{Member, Row, Rule, Scalar, State, Struct, WideKind};
use crate::text::{glob, push_escaped, MAX_INTEGER};

/// Writes a value.
pub struct Writer {
    loaded: &'static Loaded,
    out: Vec<u8>,
    /// The number of open arrays and objects.
    depth: usize,
    /// A class that is met for the first time. Looking it up may run code in Python.
    new_class: Option<Object>,
}

/// The number of code points that are written at a time.
const WIDTH: usize = 32;

/// The number of bytes of the longest code point, two escapes.
const LONGEST: usize = 12;

/// The number of bytes that are free before a value is written.
const ROOM: usize = 256;

/// The whole of a value, or what stopped it.
type Written = Made<()>;

/// Stops for whatever Python has to write.
fn expect(fits: bool) -> Written {
    if fits {
        Ok(())
    } else {
        Err(Stop)
    }
}

impl Writer {
    pub fn new(loaded: &'static Loaded) -> Self {
        Writer {
            loaded,
            out: Vec::with_capacity(1024),
            depth: 0,
            new_class: None,
        }
    }

    /// Writes in the given way, and again as long as that meets new classes.
    pub fn line(mut self, write: impl Fn(&mut Self) -> Written) -> Made<Object> {
        loop {
            match (write(&mut self), self.new_class.take()) {
                (Ok(()), _) => return python::bytes(&self.out),
                (Err(Stop), Some(class)) => {
                    self.loaded.find_place(class.as_ref())?;
                    self.out.clear();
                    self.depth = 0;
                }
                (Err(stop), _) => return Err(stop),
            }
        }
    }

    /// An object of any class of the package.
    pub fn object(&mut self, value: Ref<'_>) -> Written {
        let place = self.place_of(value)?;
        self.record(place, value)
    }

    fn place_of(&mut self, value: Ref<'_>) -> Made<usize> {
        let place = self.loaded.known_place(value);
        if place.is_none() {
            self.new_class = Some(value.class().owned());
        }
        place.ok_or(Stop)
    }

    /// A value of a type.
    pub fn value(&mut self, rule: &'static Rule, value: Ref<'_>) -> Written {
        self.room(0)?;
        match rule {
            Rule::String | Rule::Uuid | Rule::Timestamp => {
                self.text(value.as_text().ok_or(Stop)?)?;
            }
            Rule::Boolean => {
                let value = value.as_boolean().ok_or(Stop)?;
                self.push(if value { "true" } else { "false" });
            }
            Rule::Integer => self.integer(value)?,
            Rule::Number => {
                let number = match (value.as_float(), value.as_integer()) {
                    (Some(number), _) => number,
                    (_, Some(number)) if is_exact(number) => number as f64,
                    _ => return Err(Stop),
                };
                self.number(number)?;
            }
            Rule::Null => {
                expect(value.is_none())?;
                self.push("null");
            }
            Rule::Json => self.json(value)?,
            Rule::Object => {
                expect(value.as_entries().is_some())?;
                self.json(value)?;
            }
            Rule::Map(of, keys) => self.map(of, *keys, value)?,
            Rule::List(item, ..) => {
                let items = value.as_items(Sequence::List).ok_or(Stop)?;
                self.array(items, |writer, value| writer.value(item, value))?;
            }
            Rule::Tuple(rules) => {
                let items = value.as_items(Sequence::Tuple).ok_or(Stop)?;
                expect(items.length() == rules.len())?;
                let mut rules = rules.iter();
                self.array(items, |writer, value| {
                    writer.value(rules.next().ok_or(Stop)?, value)
                })?;
            }
            Rule::Nullable(_) if value.is_none() => self.push("null"),
            Rule::Nullable(rule) | Rule::Range(rule, ..) => self.value(rule, value)?,
            Rule::Literal(scalar) => self.constant(scalar, value)?,
            Rule::Kinds(members) => {
                let kind = kind_of(value);
                let (.., rule) = members
                    .iter()
                    .find(|(each, ..)| *each == kind)
                    .ok_or(Stop)?;
                self.value(rule, value)?;
            }
            Rule::Named(place) => self.declared(*place, value)?,
        }
        Ok(())
    }

    fn declared(&mut self, place: usize, value: Ref<'_>) -> Written {
        match &self.loaded.tables.plan[place].1 {
            Row::Alias(rule) => self.value(rule, value),
            Row::Struct(_) => {
                expect(self.place_of(value)? == place)?;
                self.record(place, value)
            }
            Row::Union(..) => {
                let variant = self.place_of(value)?;
                expect(self.loaded.is_variant(place, variant))?;
                self.record(variant, value)
            }
            Row::Enum(false, is_open, values) => {
                let text = value.as_text().ok_or(Stop)?;
                expect(*is_open || has_text(values, &canonical(text)?))?;
                self.text(text)
            }
            Row::Enum(true, is_open, values) => {
                let number = value.as_integer().ok_or(Stop)?;
                expect(*is_open || has_number(values, number))?;
                self.integer(value)
            }
        }
    }

    fn array<'a>(
        &mut self,
        items: impl Iterator<Item = Ref<'a>>,
        mut write: impl FnMut(&mut Self, Ref<'a>) -> Written,
    ) -> Written {
        self.open(b'[')?;
        for (at, item) in items.enumerate() {
            if at > 0 {
                self.out.push(b',');
            }
            write(self, item)?;
        }
        self.close(b']');
        Ok(())
    }

    fn map(&mut self, of: &'static Rule, keys: Option<usize>, value: Ref<'_>) -> Written {
        self.open(b'{')?;
        let start = self.out.len();
        for (key, value) in value.as_entries().ok_or(Stop)? {
            let key = key.as_text().ok_or(Stop)?;
            if let Some(Row::Enum(_, false, values)) =
                keys.map(|place| &self.loaded.tables.plan[place].1)
            {
                expect(has_text(values, &canonical(key)?))?;
            }
            self.key(key, start)?;
            self.value(of, value)?;
        }
        self.close(b'}');
        Ok(())
    }

    // --- objects --------------------------------------------------------------------------------

    fn record(&mut self, place: usize, object: Ref<'_>) -> Written {
        let loaded = self.loaded;
        let Row::Struct(row) = &loaded.tables.plan[place].1 else {
            return Err(Stop);
        };
        let (class, fields) = (loaded.known_class(place)?, loaded.fields(place)?);
        self.open(b'{')?;
        let start = self.out.len();
        let mut slot = 0;
        for (member, lead) in row.members.iter().zip(&fields.leads) {
            if let Member::Constant(_) | Member::Integer(_) = member {
                self.lead(lead, start)?;
                continue;
            }
            let value = class.get(object, slot).ok_or(Stop)?;
            slot += 1;
            if !self.is_absent(member, value) {
                self.lead(lead, start)?;
                self.member(member, value)?;
            }
        }
        let extra = class.get(object, slot).ok_or(Stop)?;
        if !extra.is_none() {
            self.extra(row, |number| class.get(object, number), start, extra)?;
        }
        self.close(b'}');
        Ok(())
    }

    /// Whether a value represents an absent member.
    fn is_absent(&self, member: &Member, value: Ref<'_>) -> bool {
        match member {
            Member::Field(State::Optional, _) | Member::Claimed(State::Optional, ..) => {
                value.is_none()
            }
            Member::Field(State::Presence, _) | Member::Claimed(State::Presence, ..) => {
                value.is(self.loaded.unset.as_ref())
            }
            Member::Mark(_) | Member::Tag(true, ..) => value.is_none(),
            _ => false,
        }
    }

    /// The value of a member that is present.
    fn member(&mut self, member: &'static Member, value: Ref<'_>) -> Written {
        match member {
            Member::Field(State::Nullable | State::Presence, _)
            | Member::Claimed(State::Nullable | State::Presence, ..)
                if value.is_none() =>
            {
                self.push("null");
                Ok(())
            }
            Member::Field(_, rule) => self.value(rule, value),
            Member::Claimed(_, rule, claimed, prefixes) => {
                self.value(rule, value)?;
                expect(!is_claimed(value, claimed, prefixes)?)
            }
            Member::Mark(scalar) => self.constant(scalar, value),
            Member::Tag(_, rule, values, others) => {
                self.value(rule, value)?;
                let listed = values.list(self.loaded.tables.plan);
                match (value.as_text(), others) {
                    (Some(text), others) => {
                        let text = canonical(text)?;
                        let fits = has_text(listed, &text)
                            || values.prefix().iter().any(|each| text.starts_with(each))
                            || others.is_some_and(|form| glob(form, &text));
                        expect(fits)
                    }
                    (None, Some(_)) => Ok(()), // any integer
                    (None, None) => expect(
                        value
                            .as_integer()
                            .is_some_and(|number| has_number(listed, number)),
                    ),
                }
            }
            _ => Err(Stop),
        }
    }

    /// The undeclared members. Those with the key of a declared member that is present are not written, and only a
    /// null is written in place of an absent one: whether other values fit is for Python to decide.
    fn extra<'a>(
        &mut self,
        row: &'static Struct,
        slot: impl Fn(usize) -> Option<Ref<'a>>,
        start: usize,
        extra: Ref<'_>,
    ) -> Written {
        for (key, value) in extra.as_entries().ok_or(Stop)? {
            let key = key.as_text().ok_or(Stop)?;
            let Some(number) = row.place(canonical(key)?.as_bytes()) else {
                self.key(key, start)?;
                match &row.extra {
                    Some(rule) => self.value(rule, value)?,
                    None => self.json(value)?,
                }
                continue;
            };
            let is_constant =
                |each: &&Member| matches!(each, Member::Constant(_) | Member::Integer(_));
            let member = &row.members[number];
            let constants = row.members[..number].iter().filter(is_constant).count();
            if is_constant(&member)
                || !self.is_absent(member, slot(number - constants).ok_or(Stop)?)
            {
                continue;
            }
            expect(value.is_none() && matches!(member, Member::Field(..) | Member::Claimed(..)))?;
            self.key(key, start)?;
            self.push("null");
        }
        Ok(())
    }

    /// What precedes the value of a member; `start` is the position of the first member.
    fn lead(&mut self, lead: &[u8], start: usize) -> Written {
        self.room(lead.len())?;
        let comma = usize::from(self.out.len() == start);
        self.out.extend_from_slice(&lead[comma..]);
        Ok(())
    }

    fn key(&mut self, key: Text<'_>, start: usize) -> Written {
        self.room(0)?;
        if self.out.len() > start {
            self.out.push(b',');
        }
        self.text(key)?;
        self.out.push(b':');
        Ok(())
    }

    fn open(&mut self, bracket: u8) -> Written {
        self.depth += 1;
        expect(self.depth <= MAX_DEPTH)?;
        self.out.push(bracket);
        Ok(())
    }

    fn close(&mut self, bracket: u8) {
        self.depth -= 1;
        self.out.push(bracket);
    }

    // --- values ---------------------------------------------------------------------------------

    /// Makes room for some bytes, and for [`ROOM`] more: a number, or the end of all that is open. So no other function
    /// needs more memory, for which Rust would end the process if there is none.
    #[inline]
    fn room(&mut self, length: usize) -> Written {
        if self.out.capacity() - self.out.len() >= length + ROOM {
            return Ok(());
        }
        let reserved = self.out.try_reserve(length + ROOM);
        reserved.map_err(|_| python::no_memory())
    }

    fn push(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// A value that must equal a constant.
    fn constant(&mut self, scalar: &'static Scalar, value: Ref<'_>) -> Written {
        expect(match scalar {
            Scalar::Text(text) => {
                value.as_text().map(canonical).transpose()?.as_deref() == Some(text)
            }
            Scalar::Bool(expected) => value.as_boolean() == Some(*expected),
            Scalar::Number(number) => as_number(value) == Some(*number),
        })?;
        let constant = self.loaded.tables.constant(scalar)?;
        self.room(constant.text.len())?;
        self.out.extend_from_slice(&constant.text);
        Ok(())
    }

    fn integer(&mut self, value: Ref<'_>) -> Written {
        let number = value.as_integer().filter(|number| is_exact(*number));
        self.digits(number.ok_or(Stop)?);
        Ok(())
    }

    fn digits(&mut self, number: i64) {
        let mut digits = [0; 20];
        let (mut at, mut rest) = (digits.len(), number.unsigned_abs());
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if number < 0 {
            self.out.push(b'-');
        }
        self.out.extend_from_slice(&digits[at..]);
    }

    fn number(&mut self, number: f64) -> Written {
        expect(number.is_finite())?;
        python::push_repr(&mut self.out, number)
    }

    /// A value of any type.
    fn json(&mut self, value: Ref<'_>) -> Written {
        self.room(0)?;
        if let Some(text) = value.as_text() {
            self.text(text)?;
        } else if value.is_none() {
            self.push("null");
        } else if let Some(value) = value.as_boolean() {
            self.push(if value { "true" } else { "false" });
        } else if let Some(number) = value.as_integer() {
            self.digits(number);
        } else if let Some(number) = value.as_float() {
            self.number(number)?;
        } else if value.as_entries().is_some() {
            self.map(&Rule::Json, None, value)?;
        } else {
            let items = value.as_items(Sequence::List).ok_or(Stop)?;
            self.array(items, Self::json)?;
        }
        Ok(())
    }

    fn text(&mut self, text: Text<'_>) -> Written {
        self.out.push(b'"');
        match text {
            Text::Ascii(bytes) => self.ascii(bytes)?,
            Text::Latin(units) => self.units(units)?,
            Text::Wide(units) => self.units(units)?,
            Text::Full(units) => self.units(units)?,
        }
        self.out.push(b'"');
        Ok(())
    }

    fn units<T: Copy + Into<u32>>(&mut self, units: &[T]) -> Written {
        for chunk in units.chunks(WIDTH) {
            self.room(chunk.len() * LONGEST)?;
            chunk.iter().for_each(|unit| self.unit((*unit).into()));
        }
        Ok(())
    }

    fn ascii(&mut self, mut bytes: &[u8]) -> Written {
        self.room(bytes.len())?;
        while !bytes.is_empty() {
            // Whole chunks are tested without an early exit, so that compilers vectorise it.
            let (chunk, rest) = bytes.split_at(bytes.len().min(WIDTH));
            if chunk
                .iter()
                .fold(0, |any, c| any | u8::from(is_escaped(*c)))
                == 0
            {
                self.out.extend_from_slice(chunk);
            } else {
                self.units(chunk)?;
                self.room(rest.len())?;
            }
            bytes = rest;
        }
        Ok(())
    }

    /// A code point, as `json.dumps` writes it.
    fn unit(&mut self, unit: u32) {
        match u8::try_from(unit) {
            Ok(c) if c.is_ascii() && !is_escaped(c) => self.out.push(c),
            Ok(c @ (b'"' | b'\\')) => self.out.extend_from_slice(&[b'\\', c]),
            Ok(b'\n') => self.push("\\n"),
            Ok(b'\r') => self.push("\\r"),
            Ok(b'\t') => self.push("\\t"),
            Ok(8) => self.push("\\b"),
            Ok(12) => self.push("\\f"),
            _ if unit > 0xFFFF => {
                let rest = unit - 0x1_0000;
                self.escape(0xD800 | rest >> 10);
                self.escape(0xDC00 | rest & 0x3FF);
            }
            _ => self.escape(unit),
        }
    }

    fn escape(&mut self, unit: u32) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        self.push("\\u");
        for shift in [12, 8, 4, 0] {
            self.out.push(DIGITS[(unit >> shift & 0xF) as usize]);
        }
    }
}

/// Whether an ASCII character is written as an escape.
#[inline]
fn is_escaped(c: u8) -> bool {
    c < b' ' || c == b'"' || c == b'\\' || c == 0x7F
}

/// Whether a double represents an integer exactly, as every integer on the wire.
fn is_exact(number: i64) -> bool {
    (-MAX_INTEGER..=MAX_INTEGER).contains(&number)
}

/// A number that is not a boolean, as a double.
fn as_number(value: Ref<'_>) -> Option<f64> {
    let integer = value.as_integer().filter(|number| is_exact(*number));
    value.as_float().or(integer.map(|number| number as f64))
}

/// The kind by which a value selects the member of an inline union.
fn kind_of(value: Ref<'_>) -> WideKind {
    if value.as_text().is_some() {
        WideKind::String
    } else if value.as_items(Sequence::List).is_some() {
        WideKind::Array
    } else if value.as_boolean().is_some() {
        WideKind::Boolean
    } else if as_number(value).is_some() {
        WideKind::Number
    } else if value.is_none() {
        WideKind::Null
    } else {
        WideKind::Object // which is then checked
    }
}

/// A string in the spelling of the tables; one with a lone surrogate, which none of them has, is a miss.
fn canonical(text: Text<'_>) -> Made<Cow<'_, str>> {
    let decoded: Cow<'_, str> = match text {
        Text::Ascii(bytes) => std::str::from_utf8(bytes).map_err(|_| Stop)?.into(),
        Text::Latin(units) => units.iter().map(|unit| char::from(*unit)).collect(),
        Text::Wide(units) => String::from_utf16(units).map_err(|_| Stop)?.into(),
        Text::Full(units) => {
            let text: Option<String> = units.iter().map(|unit| char::from_u32(*unit)).collect();
            text.ok_or(Stop)?.into()
        }
    };
    if decoded.bytes().any(|c| c < b' ' || c == b'"' || c == b'\\') {
        let mut escaped = String::new();
        push_escaped(&mut escaped, &decoded);
        return Ok(escaped.into());
    }
    Ok(decoded)
}

fn has_text(values: &[Scalar], text: &str) -> bool {
    values
        .iter()
        .any(|each| matches!(each, Scalar::Text(known) if *known == text))
}

fn has_number(values: &[Scalar], number: i64) -> bool {
    values
        .iter()
        .any(|each| matches!(each, Scalar::Number(known) if *known == number as f64))
}

/// Whether a value belongs to a sibling variant.
fn is_claimed(value: Ref<'_>, claimed: &[Scalar], prefixes: &[&str]) -> Made<bool> {
    if let Some(text) = value.as_text() {
        let text = canonical(text)?;
        let is_begun = prefixes.iter().any(|prefix| text.starts_with(prefix));
        return Ok(is_begun || has_text(claimed, &text));
    }
    Ok(claimed.iter().any(|each| match each {
        Scalar::Text(_) => false,
        Scalar::Bool(known) => value.as_boolean() == Some(*known),
        Scalar::Number(known) => as_number(value) == Some(*known),
    }))
}
