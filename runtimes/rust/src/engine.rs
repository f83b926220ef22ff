//! The engine: decodes a document by the protocol's tables (`plan`), in every mode.
//!
//! It walks a tape once. A document that passes comes out as *slots*, the numbers from which `codec` builds
//! values in the order of the tables; a fault comes out with the steps of its path, which are added while the
//! error travels up. What lenient mode tolerates is noted for `examine` only.

#![allow(dead_code)] // not every protocol uses all of it

use crate::error::{Code, DecodeError};
use crate::plan::PLAN;
use crate::table::{Dispatch, Member, Row, Rule, Scalar, State, Struct, Values, WideKind};
use crate::tape::{utf8, Tape, Token, ROOT};
use crate::text::{finite, integer, MAX_INTEGER};
use crate::tolerated::{Step, Tolerated, Trail};
use crate::Mode;

/// The slot for a value that is there; an absent one has another number.
pub const THERE: u32 = 0;
/// The slot for null where a value may be, and for absence where null cannot be.
pub const NONE: u32 = 1;
/// The slot for absence where null can be.
pub const ABSENT: u32 = 2;
/// The slot for an unknown object of a union.
pub const UNKNOWN: u32 = u32::MAX;

/// No place on the tape.
const NOWHERE: u32 = u32::MAX;

/// A document that has passed.
pub struct Document<'a> {
    tape: Tape<'a>,
    slots: Vec<u32>,
    /// The name of the innermost type that was chosen.
    pub variant: &'static str,
    pub tolerated: Tolerated,
}

impl Document<'_> {
    /// The values of the document, in the order of its type.
    pub fn slots(&self) -> Slots<'_> {
        Slots {
            tape: &self.tape,
            slots: self.slots.iter(),
        }
    }
}

/// What there is to know of a document besides its value.
#[derive(Clone, Copy, PartialEq)]
pub enum Notes {
    None,
    /// What lenient mode tolerates.
    Tolerated,
}

/// Decodes bytes.
pub fn decode<'a>(rule: &Rule, data: &'a [u8], mode: Mode) -> Result<Document<'a>, DecodeError> {
    decode_tape(rule, Tape::parse(utf8(data)?)?, mode, Notes::None)
}

/// Decodes bytes, and notes what lenient mode tolerates.
pub fn examine<'a>(rule: &Rule, data: &'a [u8], mode: Mode) -> Result<Document<'a>, DecodeError> {
    decode_tape(rule, Tape::parse(utf8(data)?)?, mode, Notes::Tolerated)
}

/// Decodes a tape.
pub fn decode_tape<'a>(
    rule: &Rule,
    tape: Tape<'a>,
    mode: Mode,
    notes: Notes,
) -> Result<Document<'a>, DecodeError> {
    let mut engine = Engine {
        slots: Vec::with_capacity(64),
        tape,
        strict: mode == Mode::Strict,
        variant: "",
        trail: (notes == Notes::Tolerated).then(Trail::default),
        found: Vec::new(),
        members: Vec::new(),
    };
    if let Err(fault) = engine.check(*rule, ROOT) {
        return Err(engine.error(*fault));
    }
    let variant = match rule {
        Rule::Named(_) if is_union(*rule) => engine.variant,
        Rule::Named(at) => PLAN[*at].0,
        _ => "",
    };
    let tolerated = match &mut engine.trail {
        Some(trail) => trail.finish(),
        None => Tolerated::default(),
    };
    Ok(Document {
        tape: engine.tape,
        slots: engine.slots,
        variant,
        tolerated,
    })
}

/// Refuses a text that is no value of a rule in lenient mode.
pub fn check(rule: &Rule, text: &str) -> Result<(), DecodeError> {
    decode(rule, text.as_bytes(), Mode::Lenient).map(|_| ())
}

/// Refuses a text that is no value of a declared member in lenient mode.
pub fn check_member(member: &Member, text: &str) -> Result<(), DecodeError> {
    match member {
        Member::Field(State::Optional | State::Presence, _)
        | Member::Claimed(State::Optional, ..)
            if text == "null" =>
        {
            Ok(())
        }
        Member::Field(_, rule) | Member::Claimed(_, rule, _) | Member::Tag(_, rule, ..) => {
            check(rule, text)
        }
        Member::Constant(_) | Member::Mark(_) | Member::Flat(..) => Ok(()),
    }
}

/// The rule of a declared name.
pub fn rule(name: &str) -> Rule {
    let at = PLAN.iter().position(|(each, _)| *each == name);
    Rule::Named(at.expect("every type is in the tables"))
}

/// The struct at a place of the tables.
pub fn structure(place: usize) -> &'static Struct {
    match &PLAN[place].1 {
        Row::Struct(row) => row,
        _ => &Struct {
            keys: &[],
            members: &[],
            extra: None,
        },
    }
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

fn is_open(union: usize) -> bool {
    matches!(PLAN[union].1, Row::Union(true, _))
}

// --- faults -------------------------------------------------------------------------------------

/// A fault below the value that is being decoded; the last step is the first of its path.
pub struct Fault {
    code: Code,
    message: String,
    steps: Vec<Step>,
}

type Checked<T = ()> = Result<T, Box<Fault>>;

#[cold]
fn fault(code: Code, message: String) -> Box<Fault> {
    Box::new(Fault {
        code,
        message,
        steps: Vec::new(),
    })
}

impl Fault {
    #[cold]
    fn under(mut self: Box<Self>, step: Step) -> Box<Self> {
        self.steps.push(step);
        self
    }
}

#[cold]
fn missing(key: &'static str) -> Box<Fault> {
    let message = format!("expected member \"{key}\", got none");
    fault(Code::MissingField, message).under(Step::Name(key))
}

fn shown(values: &mut dyn Iterator<Item = &Scalar>, most: usize) -> String {
    let mut shown: Vec<_> = values.take(most + 1).map(Scalar::show).collect();
    if shown.len() > most {
        shown[most] = "…".into();
    }
    shown.join(", ")
}

fn one_of(values: &[Scalar]) -> String {
    let of = if values.len() > 1 { "one of " } else { "" };
    format!("{of}{}", shown(&mut values.iter(), 8))
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

/// The kind by which an inline union chooses its member.
fn wide_kind(token: Token) -> WideKind {
    match token {
        Token::Null | Token::Link => WideKind::Null,
        Token::False | Token::True => WideKind::Boolean,
        Token::Integer | Token::Number => WideKind::Number,
        Token::Text => WideKind::String,
        Token::Array => WideKind::Array,
        Token::Object => WideKind::Object,
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
            let names: Vec<_> = members.iter().map(|(kind, ..)| kind.name()).collect();
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

struct Engine<'a> {
    tape: Tape<'a>,
    slots: Vec<u32>,
    strict: bool,
    /// The choice of the last union that was checked, which in the end is the outermost.
    variant: &'static str,
    /// The way to the current value, and what was tolerated, if the caller asks for it.
    trail: Option<Trail>,
    /// The places of the values of declared members, for each object that is being decoded.
    found: Vec<u32>,
    /// The keys and values of members that are not declared, for each object that is being decoded.
    members: Vec<(u32, u32)>,
}

impl Engine<'_> {
    #[cold]
    fn error(&self, fault: Fault) -> DecodeError {
        let mut path = String::new();
        for step in fault.steps.iter().rev() {
            step.push_to(&mut path, &self.tape);
        }
        DecodeError {
            code: fault.code,
            path,
            message: fault.message,
        }
    }

    #[inline]
    fn slot(&mut self, slot: u32) {
        self.slots.push(slot);
    }

    fn long_slot(&mut self, bits: u64) {
        self.slots
            .extend_from_slice(&[bits as u32, (bits >> 32) as u32]);
    }

    /// Puts a number in the slot that was kept for it.
    fn set_slot(&mut self, slot: usize, value: usize) {
        self.slots[slot] = value as u32; // the tape has fewer nodes than 32 bits can count
    }

    #[inline]
    fn enter(&mut self, step: Step) {
        if let Some(trail) = &mut self.trail {
            trail.enter(step);
        }
    }

    #[inline]
    fn leave(&mut self) {
        if let Some(trail) = &mut self.trail {
            trail.leave();
        }
    }

    /// Passes a value below a step.
    #[inline]
    fn below(&mut self, step: Step, rule: Rule, at: u32) -> Checked {
        self.enter(step);
        match self.check(rule, at) {
            Ok(()) => {
                self.leave();
                Ok(())
            }
            Err(fault) => {
                self.leave();
                Err(fault.under(step))
            }
        }
    }

    /// Notes what lenient mode tolerates; in strict mode it is a fault.
    fn tolerate(&mut self, code: Code, message: impl FnOnce(&Tape<'_>) -> String) -> Checked {
        if self.strict {
            return Err(fault(code, message(&self.tape)));
        }
        if let Some(trail) = &mut self.trail {
            trail.note(&self.tape);
        }
        Ok(())
    }

    /// The same of a member.
    fn tolerate_below(
        &mut self,
        step: Step,
        code: Code,
        message: impl FnOnce(&Tape<'_>) -> String,
    ) -> Checked {
        self.enter(step);
        let tolerated = self.tolerate(code, message);
        self.leave();
        tolerated.map_err(|fault| fault.under(step))
    }

    #[cold]
    fn wrong_type(&self, expected: &str, at: u32) -> Box<Fault> {
        let message = format!("expected {expected}, got {}", self.tape.kind(at));
        fault(Code::WrongType, message)
    }

    fn is(&self, at: u32, scalar: &Scalar) -> bool {
        match (self.tape.token(at), scalar) {
            (Token::Text, Scalar::Text(text)) => self.tape.is(at, text),
            (Token::True, Scalar::Bool(value)) => *value,
            (Token::False, Scalar::Bool(value)) => !*value,
            (Token::Integer | Token::Number, Scalar::Number(number)) => {
                finite(self.tape.digits(at)) == Some(*number)
            }
            _ => false,
        }
    }

    fn check(&mut self, rule: Rule, at: u32) -> Checked {
        let token = self.tape.token(at);
        match (rule, token) {
            (Rule::String, Token::Text) => self.slot(at),
            (Rule::Named(place), _) => return self.declared(place, token, at),
            (Rule::Boolean, Token::True | Token::False) => {
                self.slot(u32::from(token == Token::True));
            }
            (Rule::Integer, Token::Integer | Token::Number) => {
                let number = self.integer(at)?;
                self.long_slot(number as u64);
            }
            (Rule::Number, Token::Integer | Token::Number) => {
                let number = finite(self.tape.digits(at)).ok_or_else(overflow)?;
                self.long_slot(number.to_bits());
            }
            (Rule::Uuid, Token::Text) => return self.form("uuid", is_uuid, at),
            (Rule::Timestamp, Token::Text) => return self.form("timestamp", is_timestamp, at),
            (Rule::Json, _) => return self.untouched(at),
            (Rule::Object, Token::Object) => return self.map(&Rule::Json, None, at),
            (Rule::Map(value, keys), Token::Object) => return self.map(value, keys, at),
            (Rule::List(item, low, high), Token::Array) => return self.list(item, low, high, at),
            (Rule::Null, Token::Null) => {}
            (Rule::Nullable(_), Token::Null) => self.slot(NONE),
            (Rule::Nullable(rule), _) => {
                self.slot(THERE);
                return self.check(*rule, at);
            }
            (Rule::Kinds(members), _) => {
                let kind = wide_kind(token);
                let Some((_, variant, rule)) = members.iter().find(|(each, ..)| *each == kind)
                else {
                    return Err(self.wrong_type(&expected(rule), at));
                };
                self.slot(*variant);
                return self.check(*rule, at);
            }
            _ => return Err(self.wrong_type(&expected(rule), at)),
        }
        Ok(())
    }

    fn integer(&self, at: u32) -> Checked<i64> {
        integer(self.tape.digits(at)).ok_or_else(|| {
            let shown = self.tape.show(at);
            let message = format!("expected an integer within ±{MAX_INTEGER}, got {shown}");
            fault(Code::OutOfRange, message)
        })
    }

    fn form(&mut self, name: &str, fits: fn(&str) -> bool, at: u32) -> Checked {
        self.slot(at);
        // A text that has its form needs no escapes, but may have them.
        if (self.strict || self.trail.is_some()) && !fits(&self.tape.text(at)) {
            let message = |tape: &Tape<'_>| format!("expected a {name}, got {}", tape.show(at));
            return self.tolerate(Code::BadFormat, message);
        }
        Ok(())
    }

    fn list(&mut self, item: &'static Rule, low: usize, high: usize, at: u32) -> Checked {
        let slot = self.slots.len();
        self.slot(0);
        let mut items = self.tape.items(at);
        let mut count = 0;
        while let Some(each) = items.item(&self.tape) {
            self.below(Step::Item(count as u32), *item, each)?;
            count += 1;
        }
        self.set_slot(slot, count);
        if (low..=high).contains(&count) {
            return Ok(());
        }
        self.tolerate(Code::OutOfBounds, |_| {
            if high == usize::MAX {
                format!("expected at least {low} items, got {count}")
            } else {
                format!("expected {low} to {high} items, got {count}")
            }
        })
    }

    fn map(&mut self, value: &'static Rule, keys: Option<usize>, at: u32) -> Checked {
        let base = self.members.len();
        self.tape.pairs(at, &mut self.members);
        self.slot((self.members.len() - base) as u32);
        for each in base..self.members.len() {
            let (key, entry) = self.members[each];
            self.slot(key);
            if let Some(place) = keys {
                self.map_key(place, key, value, entry)?;
            }
            self.below(Step::Key(key), *value, entry)?;
        }
        self.members.truncate(base);
        Ok(())
    }

    /// Checks a key of a map keyed by an enum.
    fn map_key(&mut self, place: usize, key: u32, rule: &Rule, entry: u32) -> Checked {
        let (name, Row::Enum(_, open, values)) = &PLAN[place] else {
            return Ok(());
        };
        let known = |each: &Scalar| matches!(each, Scalar::Text(text) if self.tape.is(key, text));
        if values.iter().any(known) {
            return Ok(());
        }
        let message =
            |tape: &Tape<'_>| format!("\"{}\" is not a value of {name}", tape.canonical(key));
        if *open && !self.strict {
            return self.tolerate_below(Step::Key(key), Code::UnknownValue, message);
        }
        let fault = fault(Code::UnknownValue, message(&self.tape));
        Err(self.worse(fault, *rule, entry).under(Step::Key(key)))
    }

    /// Of a fault and that of a value at the same place, the one that takes precedence.
    #[cold]
    fn worse(&mut self, fault: Box<Fault>, rule: Rule, at: u32) -> Box<Fault> {
        match self.check(rule, at) {
            Err(other) if other.steps.is_empty() && other.code < fault.code => other,
            _ => fault,
        }
    }

    /// Passes any value, in which a number must be an integer or must not overflow a double.
    fn untouched(&mut self, at: u32) -> Checked {
        self.slot(at);
        self.look_through(at)
    }

    fn look_through(&mut self, at: u32) -> Checked {
        if !matches!(
            self.tape.token(at),
            Token::Object | Token::Array | Token::Number
        ) {
            return Ok(());
        }
        match self.tape.look_through(at, &mut self.members) {
            None => Ok(()),
            Some(place) => Err(self.overflow_within(at, place)),
        }
    }

    /// The fault of a number at a place within a value.
    #[cold]
    fn overflow_within(&self, at: u32, place: u32) -> Box<Fault> {
        let mut steps = Vec::new();
        self.tape.steps_to(at, place, &mut steps);
        steps.reverse();
        let mut fault = overflow();
        fault.steps = steps;
        fault
    }

    fn declared(&mut self, place: usize, token: Token, at: u32) -> Checked {
        match (&PLAN[place].1, token) {
            (Row::Struct(row), Token::Object) => self.object(PLAN[place].0, row, at),
            (Row::Union(_, dispatch), Token::Object) => self.union(dispatch, at),
            (Row::Alias(rule), _) => self.check(*rule, at),
            (Row::Enum(false, open, values), Token::Text) => {
                self.value_of(PLAN[place].0, *open, values, at)?;
                Ok(())
            }
            (Row::Enum(true, open, values), Token::Integer | Token::Number) => {
                if !self.value_of(PLAN[place].0, *open, values, at)? {
                    self.slots.pop();
                    let number = self.integer(at)?;
                    self.long_slot(number as u64);
                }
                Ok(())
            }
            _ => Err(self.wrong_type(&expected(Rule::Named(place)), at)),
        }
    }

    /// The number of an enum's value, or of an unknown one the number of values and its place.
    fn value_of(&mut self, name: &str, open: bool, values: &[Scalar], at: u32) -> Checked<bool> {
        if let Some(number) = values.iter().position(|value| self.is(at, value)) {
            self.slot(number as u32);
            return Ok(true);
        }
        let message = |tape: &Tape<'_>| format!("{} is not a value of {name}", tape.show(at));
        if !open {
            return Err(fault(Code::UnknownValue, message(&self.tape)));
        }
        self.tolerate(Code::UnknownValue, message)?;
        self.slot(values.len() as u32);
        self.slot(at);
        Ok(false)
    }

    // --- objects --------------------------------------------------------------------------------

    fn object(&mut self, name: &str, row: &'static Struct, at: u32) -> Checked {
        let (found, base) = (self.found.len(), self.members.len());
        self.find(row, at, found, base);
        for (number, member) in row.members.iter().enumerate() {
            let value = self.found[found + number];
            let key = row.keys[number];
            match member {
                Member::Field(state, rule) => self.field(key, *state, *rule, value)?,
                Member::Constant(constant) if value == NOWHERE => {
                    let _ = constant;
                    return Err(missing(key));
                }
                Member::Constant(constant) => self.constant(key, constant, value)?,
                Member::Mark(constant) => {
                    self.slot(u32::from(value != NOWHERE));
                    if value != NOWHERE {
                        self.constant(key, constant, value)?;
                    }
                }
                Member::Tag(optional, rule, values, others) => {
                    self.tag(key, *optional, *rule, values, *others, value)?;
                }
                Member::Claimed(state, rule, claimed) => {
                    if value != NOWHERE && claimed.iter().any(|each| self.is(value, each)) {
                        let shown = self.tape.show(value);
                        let message = format!("{shown} belongs to another variant");
                        return Err(fault(Code::WrongConstant, message).under(Step::Name(key)));
                    }
                    self.field(key, *state, *rule, value)?;
                }
                Member::Flat(optional, rule) => {
                    self.flat(row, *optional, *rule, base)?;
                }
            }
        }
        self.found.truncate(found);
        self.extra(name, row, base)
    }

    /// Looks up the members of an object: the values of declared ones from `found` on, the others from
    /// `base` on.
    fn find(&mut self, row: &'static Struct, at: u32, found: usize, base: usize) {
        self.found.resize(found + row.keys.len(), NOWHERE);
        let mut members = self.tape.members(at);
        let mut next = 0;
        while let Some((key, value)) = members.member(&self.tape) {
            let Some(place) = self.place(row, key, next) else {
                self.members.push((key, value));
                continue;
            };
            next = place + 1;
            if self.is_tolerated_null(row, place, value) {
                return self.find_nulls(row, at, found, base);
            }
            self.found[found + place] = value;
        }
        if self.members.len() > base + 1 {
            self.tape.unite(&mut self.members, base);
        }
    }

    /// The same for an object with nulls that `extra` keeps in their places, if no value overwrites them.
    fn find_nulls(&mut self, row: &'static Struct, at: u32, found: usize, base: usize) {
        self.members.truncate(base);
        self.found[found..].fill(NOWHERE);
        self.tape.pairs(at, &mut self.members);
        let mut end = base;
        for each in base..self.members.len() {
            let (key, value) = self.members[each];
            match self.place(row, key, usize::MAX) {
                Some(place) if !self.is_tolerated_null(row, place, value) => {
                    self.found[found + place] = value;
                }
                _ => {
                    self.members[end] = (key, value);
                    end += 1;
                }
            }
        }
        self.members.truncate(end);
    }

    /// The number of the member with a key; `next` is the one after the last.
    #[inline]
    fn place(&self, row: &'static Struct, key: u32, next: usize) -> Option<usize> {
        let Some(text) = self.tape.simple(key) else {
            let text = self.tape.canonical(key);
            return row.keys.iter().position(|each| *each == text);
        };
        if row.keys.get(next).is_some_and(|each| *each == text) {
            return Some(next);
        }
        // Length and last byte are compared first, as most keys differ there.
        let (length, last) = (text.len(), text.as_bytes().last());
        let same =
            |each: &&str| each.len() == length && each.as_bytes().last() == last && *each == text;
        row.keys.iter().position(same)
    }

    /// Whether a value is a null that `extra` keeps, as the member may be absent only.
    #[inline]
    fn is_tolerated_null(&self, row: &'static Struct, place: usize, value: u32) -> bool {
        self.tape.token(value) == Token::Null
            && matches!(
                row.members[place],
                Member::Field(State::Optional, _) | Member::Claimed(State::Optional, ..)
            )
    }

    fn field(&mut self, key: &'static str, state: State, rule: Rule, value: u32) -> Checked {
        if value == NOWHERE {
            match state {
                State::Required | State::Nullable => return Err(missing(key)),
                State::Optional | State::Maybe => self.slot(NONE),
                State::Presence => self.slot(ABSENT),
            }
            return Ok(());
        }
        match state {
            State::Required => {}
            State::Nullable | State::Presence if self.tape.token(value) == Token::Null => {
                self.slot(NONE);
                return Ok(());
            }
            _ => self.slot(THERE),
        }
        self.below(Step::Name(key), rule, value)
    }

    fn constant(&self, key: &'static str, constant: &Scalar, value: u32) -> Checked {
        if self.is(value, constant) {
            return Ok(());
        }
        let found = if constant.kind() == wide_kind(self.tape.token(value)) {
            let shown = self.tape.show(value);
            let message = format!("expected {}, got {shown}", constant.show());
            fault(Code::WrongConstant, message)
        } else {
            self.wrong_type(constant.kind().name(), value)
        };
        Err(found.under(Step::Name(key)))
    }

    fn tag(
        &mut self,
        key: &'static str,
        optional: bool,
        rule: Rule,
        values: &Values,
        others: Option<&str>,
        value: u32,
    ) -> Checked {
        if value == NOWHERE {
            if !optional {
                return Err(missing(key));
            }
            self.slot(NONE);
            return Ok(());
        }
        if optional {
            self.slot(THERE);
        }
        let step = Step::Name(key);
        let values = match values {
            Values::List(values) => values,
            Values::Enum(place) => match &PLAN[*place].1 {
                Row::Enum(_, _, values) => values,
                _ => &[] as &[Scalar],
            },
        };
        if self.tape.token(value) != Token::Text {
            return Err(self.wrong_type("string", value).under(step));
        }
        if !values.iter().any(|each| self.is(value, each)) {
            let text = self.tape.canonical(value);
            let is_other = others.is_some_and(|form| crate::codec::glob(form, &text));
            let message =
                |tape: &Tape<'_>| format!("expected {}, got {}", one_of(values), tape.show(value));
            if !is_other {
                return Err(fault(Code::UnknownValue, message(&self.tape)).under(step));
            }
            self.tolerate_below(step, Code::UnknownValue, message)?;
        }
        self.below(step, rule, value)
    }

    /// Passes the undeclared members, which begin at `base`, as an object. What remains are nulls of
    /// optional members.
    fn flat(&mut self, row: &'static Struct, optional: bool, rule: Rule, base: usize) -> Checked {
        let (nulls, rest): (Vec<_>, Vec<_>) = self
            .members
            .split_off(base)
            .into_iter()
            .partition(|(key, value)| self.declared_null(row, *key, *value).is_some());
        if optional {
            self.slot(if rest.is_empty() { NONE } else { THERE });
        }
        if !optional || !rest.is_empty() {
            let object = self.tape.add_object(&rest);
            self.check(rule, object)?;
        }
        self.members.extend(nulls);
        Ok(())
    }

    /// Passes the undeclared members, which begin at `base`.
    fn extra(&mut self, name: &str, row: &'static Struct, base: usize) -> Checked {
        self.slot((self.members.len() - base) as u32);
        for each in base..self.members.len() {
            let (key, value) = self.members[each];
            let step = Step::Key(key);
            self.slot(key);
            if let Some(place) = self.declared_null(row, key, value) {
                self.slot(value);
                self.tolerate_below(step, Code::WrongType, |_| {
                    let rule = match row.members[place] {
                        Member::Field(_, rule) | Member::Claimed(_, rule, _) => rule,
                        _ => Rule::Json,
                    };
                    format!("expected {}, got null", expected(rule))
                })?;
            } else if let Some(rule) = row.extra {
                // Whatever their type, undeclared members are kept as untouched JSON.
                let slots = self.slots.len();
                self.below(step, rule, value)?;
                self.slots.truncate(slots);
                self.untouched(value)?;
            } else {
                let message = |tape: &Tape<'_>| {
                    format!("\"{}\" is not a field of {name}", tape.canonical(key))
                };
                if self.strict {
                    let fault = fault(Code::UnknownField, message(&self.tape));
                    return Err(self.worse(fault, Rule::Json, value).under(step));
                }
                self.tolerate_below(step, Code::UnknownField, message)?;
                self.untouched(value).map_err(|fault| fault.under(step))?;
            }
        }
        self.members.truncate(base);
        Ok(())
    }

    /// The member whose null is kept in `extra`.
    fn declared_null(&self, row: &'static Struct, key: u32, value: u32) -> Option<usize> {
        if self.tape.token(value) != Token::Null {
            return None;
        }
        let place = self.place(row, key, usize::MAX)?;
        self.is_tolerated_null(row, place, value).then_some(place)
    }

    // --- unions ---------------------------------------------------------------------------------

    fn union(&mut self, dispatch: &'static Dispatch, at: u32) -> Checked {
        let mut choice = Choice {
            open: None,
            doubt: None,
        };
        let slots = self.slots.len();
        let Some(place) = self.follow(dispatch, at, &mut choice)? else {
            return self.unknown(choice.open.unwrap_or(slots), at);
        };
        let (Some(open), Some(key)) = (choice.open, choice.doubt) else {
            self.declared(place, Token::Object, at)?;
            self.variant = PLAN[place].0;
            return Ok(());
        };
        // A tag that only matches a pattern: an object that does not fit is unknown.
        let (found, members) = (self.found.len(), self.members.len());
        let mark = self.trail.as_ref().map(Trail::mark);
        if self.declared(place, Token::Object, at).is_ok() {
            self.variant = PLAN[place].0;
            return Ok(());
        }
        self.found.truncate(found);
        self.members.truncate(members);
        if let (Some(trail), Some(mark)) = (&mut self.trail, mark) {
            trail.back_to(mark);
        }
        self.tolerate_below(Step::Name(key), Code::UnknownValue, |_| String::new())?;
        self.unknown(open, at)
    }

    /// Keeps an object as the Unknown of the union whose variant is in a slot.
    fn unknown(&mut self, slot: usize, at: u32) -> Checked {
        self.slots.truncate(slot);
        self.slot(UNKNOWN);
        self.variant = "Unknown";
        self.untouched(at)
    }

    /// The place of the struct that the discriminators select; `None` if no variant matches and an open
    /// union keeps the object.
    fn follow(
        &mut self,
        dispatch: &'static Dispatch,
        at: u32,
        choice: &mut Choice,
    ) -> Checked<Option<usize>> {
        match dispatch {
            Dispatch::Leaf(place) => Ok(Some(*place)),
            Dispatch::Switch { union, .. } => {
                choice.enter(*union, self.slots.len());
                self.by_tag(dispatch, at, choice)
            }
            Dispatch::Keys { union, cases } => {
                choice.enter(*union, self.slots.len());
                for (has, lacks, variant, then) in *cases {
                    let there = |key: &&str| self.tape.get(at, key).is_some();
                    if has.iter().all(there) && !lacks.iter().any(there) {
                        self.slot(*variant);
                        return self.follow(then, at, choice);
                    }
                }
                let message =
                    |_: &Tape<'_>| format!("no variant of {} has these members", PLAN[*union].0);
                if !is_open(*union) {
                    return Err(fault(Code::NoVariant, message(&self.tape)));
                }
                self.tolerate(Code::NoVariant, message)?;
                Ok(None)
            }
        }
    }

    fn by_tag(
        &mut self,
        dispatch: &'static Dispatch,
        at: u32,
        choice: &mut Choice,
    ) -> Checked<Option<usize>> {
        let Dispatch::Switch {
            union,
            key,
            cases,
            others,
            absent,
        } = dispatch
        else {
            return Ok(None);
        };
        let Some(tag) = self.tape.get(at, key) else {
            let (variant, absent) = absent.ok_or_else(|| missing(key))?;
            self.slot(*variant);
            return self.follow(absent, at, choice);
        };
        if let Some((_, variant, then)) = cases.iter().find(|(value, ..)| self.is(tag, value)) {
            self.slot(*variant);
            return self.follow(then, at, choice);
        }
        let token = self.tape.token(tag);
        let step = Step::Name(key);
        let mut kinds: Vec<_> = cases.iter().map(|(value, ..)| value.kind()).collect();
        kinds.dedup();
        if kinds.is_empty() {
            kinds.push(WideKind::String);
        }
        if !kinds.contains(&wide_kind(token)) {
            let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
            return Err(self.wrong_type(&names.join(" or "), tag).under(step));
        }
        let message = |tape: &Tape<'_>| {
            let values = shown(&mut cases.iter().map(|(value, ..)| value), 8);
            format!("expected {values}, got {}", tape.show(tag))
        };
        if token == Token::Text {
            let text = self.tape.canonical(tag);
            let mut others = others.iter();
            if let Some((_, variant, place)) =
                others.find(|(form, ..)| crate::codec::glob(form, &text))
            {
                if self.strict {
                    return Err(fault(Code::UnknownValue, message(&self.tape)).under(step));
                }
                choice.doubt = Some(*key);
                self.slot(*variant);
                return Ok(Some(*place));
            }
        }
        match (token, absent) {
            (Token::True | Token::False, Some((variant, absent))) => {
                self.slot(*variant);
                self.follow(absent, at, choice)
            }
            _ if is_open(*union) => {
                self.tolerate_below(step, Code::UnknownVariant, message)?;
                Ok(None)
            }
            _ => Err(fault(Code::UnknownVariant, message(&self.tape)).under(step)),
        }
    }
}

/// What is known while a union, and unions nested in it, choose a variant.
struct Choice {
    /// The slot for the variant of the outermost open union.
    open: Option<usize>,
    /// The key of a tag that only matches a pattern.
    doubt: Option<&'static str>,
}

impl Choice {
    fn enter(&mut self, union: usize, slot: usize) {
        if self.open.is_none() && is_open(union) {
            self.open = Some(slot);
        }
    }
}

#[cold]
fn overflow() -> Box<Fault> {
    let message = "expected a finite number, got one that overflows a double";
    fault(Code::OutOfRange, message.into())
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

// --- slots → values -----------------------------------------------------------------------------

/// The slots of a document that has passed, from which `codec` builds its value.
pub struct Slots<'a> {
    tape: &'a Tape<'a>,
    slots: std::slice::Iter<'a, u32>,
}

impl Slots<'_> {
    /// The next slot. The tables and the types are generated from one plan, so there is one.
    #[inline]
    pub fn take(&mut self) -> u32 {
        let slot = self.slots.next().copied();
        debug_assert!(slot.is_some(), "the tables and the types differ");
        slot.unwrap_or_default()
    }

    #[inline]
    pub fn flag(&mut self) -> bool {
        self.take() == 1
    }

    #[inline]
    pub fn is_there(&mut self) -> bool {
        self.take() == THERE
    }

    #[inline]
    pub fn length(&mut self) -> usize {
        self.take() as usize
    }

    pub fn bits(&mut self) -> u64 {
        u64::from(self.take()) | u64::from(self.take()) << 32
    }

    pub fn string(&mut self) -> String {
        let at = self.take();
        self.tape.string(at)
    }

    pub fn json(&mut self) -> crate::Json {
        let at = self.take();
        crate::Json::of_text(self.tape.json(at))
    }

    /// A key, and its spelling if a string cannot hold it.
    pub fn key(&mut self) -> (String, Option<Box<str>>) {
        let at = self.take();
        (self.tape.string(at), self.tape.surrogates(at))
    }

    /// Whether all slots were taken.
    pub fn is_empty(&self) -> bool {
        self.slots.as_slice().is_empty()
    }
}

/// What a type does about a slot that it has no value for. There is none, as the tables and the types are
/// generated from one plan.
#[cold]
pub fn mismatch<T>(slot: u32) -> T {
    panic!("internal error: slot {slot} has no value");
}
