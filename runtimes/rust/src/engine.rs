//! The engine: decodes a document by the tables of a protocol, in every mode.
//!
//! It traverses a tape once. The result of a valid document is its *slots*, the numbers from which `codec`
//! builds values in the order of the tables; the result of an invalid one is a fault with the steps of its
//! path, which are added as the error is returned up the call stack. What lenient mode tolerates is recorded
//! only for `examine`.

#![allow(dead_code)] // not every protocol uses all of it

use std::cell::Cell;

use crate::error::{Code, DecodeError};
use crate::table::{
    Bits, Dispatch, Key, Member, Plan, Repair, Row, Rule, Scalar, State, Struct, Values, WideKind,
};
use crate::tape::{utf8, Node, Tape, Token, ROOT};
use crate::text::{equal, finite, glob, integer, MAX_DEPTH, MAX_INTEGER};
use crate::tolerated::{Step, Tolerated, Trail};

/// How a decoder treats unknown content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Keeps it and writes it back.
    #[default]
    Lenient,
    /// Rejects it, as well as text in the wrong format and arrays with an invalid number of items.
    Strict,
}

/// The slot for a value that is present; an absent one has another number.
pub const THERE: u32 = 0;
/// The slot for null if a value may be null, and for an absent value if it may not.
pub const NONE: u32 = 1;
/// The slot for an absent value that may also be null.
pub const ABSENT: u32 = 2;
/// The slot for an unknown object of a union.
pub const UNKNOWN: u32 = u32::MAX;

/// An index that is not on the tape.
const NOWHERE: u32 = u32::MAX;

/// A document that has been checked.
pub struct Document<'a> {
    tape: Tape<'a>,
    slots: Vec<u32>,
    /// The name of the innermost type that was selected.
    pub variant: &'static str,
    pub tolerated: Tolerated,
    /// Lists that only the next document needs.
    spent: (Vec<u32>, Vec<(u32, u32)>),
}

/// The lists that are filled to decode a document. Each thread keeps them for its next document, because allocating
/// them takes a few percent of the time.
#[derive(Default)]
struct Lists {
    nodes: Vec<Node>,
    slots: Vec<u32>,
    found: Vec<u32>,
    members: Vec<(u32, u32)>,
}

/// The room of the largest list that is kept, so that a long document does not hold memory.
const KEPT: usize = 4096;

thread_local! {
    static LISTS: Cell<Lists> = const {
        Cell::new(Lists {
            nodes: Vec::new(),
            slots: Vec::new(),
            found: Vec::new(),
            members: Vec::new(),
        })
    };
}

impl Lists {
    /// The lists that the thread has kept; new ones if it has none, or if it is about to end.
    fn take() -> Self {
        LISTS.try_with(Cell::take).unwrap_or_default()
    }

    fn keep(mut self) {
        let rooms = [
            self.nodes.capacity(),
            self.slots.capacity(),
            self.found.capacity(),
            self.members.capacity(),
        ];
        if rooms.iter().any(|room| *room > KEPT) {
            return;
        }
        self.nodes.clear();
        self.slots.clear();
        self.found.clear();
        self.members.clear();
        let _ = LISTS.try_with(|lists| lists.set(self));
    }
}

impl Drop for Document<'_> {
    fn drop(&mut self) {
        let (found, members) = std::mem::take(&mut self.spent);
        let (nodes, slots) = (self.tape.take_nodes(), std::mem::take(&mut self.slots));
        Lists {
            nodes,
            slots,
            found,
            members,
        }
        .keep();
    }
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

/// What to record about a document in addition to its value.
#[derive(Clone, Copy, PartialEq)]
enum Notes {
    None,
    /// What lenient mode tolerates.
    Tolerated,
}

/// What a document is decoded as.
#[derive(Clone, Copy)]
pub struct Target<'r> {
    pub plan: Plan,
    pub rule: &'r Rule,
    pub mode: Mode,
    /// The number of levels that a text may have, which bounds the recursion.
    pub levels: usize,
    /// Whether the plan has the repairs of members; a value that needs one is a fault otherwise.
    pub repairs: bool,
}

/// Decodes bytes.
pub fn decode<'a>(target: Target<'_>, data: &'a [u8]) -> Result<Document<'a>, DecodeError> {
    decode_text(target, utf8(data)?)
}

/// Decodes bytes and records what lenient mode tolerates.
pub fn examine<'a>(target: Target<'_>, data: &'a [u8]) -> Result<Document<'a>, DecodeError> {
    noted(target, utf8(data)?, Notes::Tolerated)
}

/// Decodes a text.
pub fn decode_text<'a>(target: Target<'_>, text: &'a str) -> Result<Document<'a>, DecodeError> {
    noted(target, text, Notes::None)
}

fn noted<'a>(target: Target<'_>, text: &'a str, notes: Notes) -> Result<Document<'a>, DecodeError> {
    let mut lists = Lists::take();
    let tape = Tape::parse_to(std::mem::take(&mut lists.nodes), text, target.levels)?;
    decode_with(lists, target, tape, notes)
}

/// Decodes a tape.
pub fn decode_tape<'a>(target: Target<'_>, tape: Tape<'a>) -> Result<Document<'a>, DecodeError> {
    decode_with(Lists::take(), target, tape, Notes::None)
}

/// Decodes a text of a union if the type that is selected is wanted; `None` if it is not.
pub fn decode_wanted<'a>(
    target: Target<'_>,
    text: &'a str,
    wants: impl Fn(Selected) -> bool,
) -> Result<Option<Document<'a>>, DecodeError> {
    let mut lists = Lists::take();
    let tape = Tape::parse_to(std::mem::take(&mut lists.nodes), text, target.levels)?;
    let (document, is_wanted) = checked(lists, target, tape, Notes::None, |engine| {
        engine.check_wanted(target.rule, wants)
    })?;
    Ok(is_wanted.then_some(document))
}

fn decode_with<'a>(
    lists: Lists,
    target: Target<'_>,
    tape: Tape<'a>,
    notes: Notes,
) -> Result<Document<'a>, DecodeError> {
    checked(lists, target, tape, notes, |engine| {
        engine.check(target.rule, ROOT)
    })
    .map(|(document, ())| document)
}

/// Checks a tape in the given way. Returns its document and what the check returns.
fn checked<'a, R>(
    mut lists: Lists,
    Target {
        plan,
        rule,
        mode,
        repairs,
        ..
    }: Target<'_>,
    tape: Tape<'a>,
    notes: Notes,
    check: impl FnOnce(&mut Engine<'a>) -> Checked<R>,
) -> Result<(Document<'a>, R), DecodeError> {
    lists.slots.reserve(64);
    lists.found.reserve(64);
    let mut engine = Engine {
        plan,
        slots: lists.slots,
        tape,
        strict: mode == Mode::Strict,
        repairs,
        variant: "",
        trail: (notes == Notes::Tolerated).then(Trail::default),
        found: lists.found,
        members: lists.members,
        kept: Vec::new(),
        added: Vec::new(),
    };
    let result = match check(&mut engine) {
        Ok(result) => result,
        Err(fault) => return Err(engine.error(*fault)),
    };
    let variant = match rule {
        Rule::Named(_) if dispatch(plan, rule).is_some() => engine.variant,
        Rule::Named(at) => plan[*at].0,
        _ => "",
    };
    let tolerated = match &mut engine.trail {
        Some(trail) => trail.finish(),
        None => Tolerated::default(),
    };
    let document = Document {
        tape: engine.tape,
        slots: engine.slots,
        variant,
        tolerated,
        spent: (engine.found, engine.members),
    };
    Ok((document, result))
}

/// Rejects a text that is not a value of a rule in lenient mode.
pub fn check(plan: Plan, rule: &Rule, text: &str) -> Result<(), DecodeError> {
    let target = Target {
        plan,
        rule,
        mode: Mode::Lenient,
        levels: MAX_DEPTH,
        repairs: true,
    };
    decode(target, text.as_bytes()).map(|_| ())
}

/// Rejects a text that is not a value of a declared member in lenient mode.
pub fn check_member(plan: Plan, member: &Member, text: &str) -> Result<(), DecodeError> {
    match (member.field(), member) {
        (Some((State::Optional | State::Presence, _)), _) if text == "null" => Ok(()),
        (Some(_), member) if member.keeps_unfit() => Ok(()),
        (Some((_, rule)), _) => check(plan, &rule, text),
        (None, Member::Tag(_, rule, ..)) => check(plan, rule, text),
        _ => Ok(()),
    }
}

pub fn is_open(plan: Plan, union: usize) -> bool {
    matches!(plan[union].1, Row::Union(true, _))
}

/// How a type selects its variants, if it is a union.
pub fn dispatch(plan: Plan, rule: &Rule) -> Option<&'static Dispatch> {
    match rule {
        Rule::Named(place) => match &plan[*place].1 {
            Row::Alias(rule) => dispatch(plan, rule),
            Row::Union(_, dispatch) => Some(dispatch),
            _ => None,
        },
        _ => None,
    }
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

impl Values {
    /// The listed values.
    pub fn list(&self, plan: Plan) -> &'static [Scalar] {
        match self {
            Values::List(values) => values,
            Values::Enum(place) => match &plan[*place].1 {
                Row::Enum(_, _, values) => values,
                _ => &[],
            },
            Values::Prefix(_) => &[],
        }
    }

    /// The prefix of its texts, if it is defined by one.
    pub fn prefix(&self) -> &[&'static str] {
        match self {
            Values::Prefix(prefix) => std::slice::from_ref(prefix),
            Values::List(_) | Values::Enum(_) => &[],
        }
    }
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

/// The kind by which an inline union selects its member.
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
fn expected(plan: Plan, rule: Rule) -> String {
    let name = match rule {
        Rule::String | Rule::Uuid | Rule::Timestamp => "string",
        Rule::Boolean => "boolean",
        Rule::Number => "number",
        Rule::Integer => "integer",
        Rule::Json => "json",
        Rule::Null => "null",
        Rule::List(..) | Rule::Tuple(_) => "array",
        Rule::Object | Rule::Map(..) => "object",
        Rule::Nullable(rule) | Rule::Range(rule, ..) => return expected(plan, *rule),
        Rule::Literal(scalar) => scalar.kind().name(),
        Rule::Kinds(members) => {
            let names: Vec<_> = members.iter().map(|(kind, ..)| kind.name()).collect();
            return names.join(" or ");
        }
        Rule::Named(at) => match plan[at].1 {
            Row::Alias(rule) => return expected(plan, rule),
            Row::Enum(numbers, ..) => ["string", "integer"][usize::from(numbers)],
            _ => "object",
        },
    };
    name.into()
}

// --- values -------------------------------------------------------------------------------------

struct Engine<'a> {
    plan: Plan,
    tape: Tape<'a>,
    slots: Vec<u32>,
    strict: bool,
    repairs: bool,
    /// The selection of the last union that was checked, which at the end is the outermost.
    variant: &'static str,
    /// The path to the current value, and what was tolerated, if the caller asks for it.
    trail: Option<Trail>,
    /// The indexes of the values of declared members, for each object that is being decoded.
    found: Vec<u32>,
    /// The keys and values of undeclared members, for each object that is being decoded.
    members: Vec<(u32, u32)>,
    /// Those keys that belong to declared members with invalid values.
    kept: Vec<u32>,
    /// The values of the tables that were added to the tape.
    added: Vec<(&'static str, u32)>,
}

/// A state of the engine to return to.
struct Mark {
    slots: usize,
    found: usize,
    members: usize,
    kept: usize,
    noted: Option<usize>,
}

impl Engine<'_> {
    fn mark(&self) -> Mark {
        Mark {
            slots: self.slots.len(),
            found: self.found.len(),
            members: self.members.len(),
            kept: self.kept.len(),
            noted: self.trail.as_ref().map(Trail::mark),
        }
    }

    /// Discards everything after a mark.
    fn back_to(&mut self, mark: &Mark) {
        self.slots.truncate(mark.slots);
        self.found.truncate(mark.found);
        self.members.truncate(mark.members);
        self.kept.truncate(mark.kept);
        self.forget(mark);
    }

    /// Discards what was recorded after a mark.
    fn forget(&mut self, mark: &Mark) {
        if let (Some(trail), Some(noted)) = (&mut self.trail, mark.noted) {
            trail.back_to(noted);
        }
    }

    /// Records a member or item that was repaired.
    fn note(&mut self, step: Step) {
        if let Some(trail) = &mut self.trail {
            trail.enter(step);
            trail.note(&self.tape);
            trail.leave();
        }
    }

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

    /// Adds the slots of absent values. It writes whole groups, because a loop over few slots takes longer.
    #[inline]
    fn none_slots(&mut self, count: usize) {
        let end = self.slots.len() + count;
        while self.slots.len() < end {
            self.slots.extend_from_slice(&[NONE; 8]);
        }
        self.slots.truncate(end);
    }

    fn long_slot(&mut self, bits: u64) {
        self.slots
            .extend_from_slice(&[bits as u32, (bits >> 32) as u32]);
    }

    /// Stores a number in its reserved slot.
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

    /// Checks a value below a step.
    #[inline(always)]
    fn below(&mut self, step: impl Into<Step>, rule: &Rule, at: u32) -> Checked {
        if self.trail.is_some() {
            return self.below_noted(step.into(), rule, at);
        }
        let checked = self.check(rule, at);
        checked.map_err(|fault| fault.under(step.into()))
    }

    /// Like `below`, with the path of what is tolerated.
    #[inline(never)]
    fn below_noted(&mut self, step: Step, rule: &Rule, at: u32) -> Checked {
        self.enter(step);
        let checked = self.check(rule, at);
        self.leave();
        checked.map_err(|fault| fault.under(step))
    }

    /// Records what lenient mode tolerates; in strict mode it is a fault.
    fn tolerate(&mut self, code: Code, message: impl FnOnce(&Tape<'_>) -> String) -> Checked {
        if self.strict {
            return Err(fault(code, message(&self.tape)));
        }
        if let Some(trail) = &mut self.trail {
            trail.note(&self.tape);
        }
        Ok(())
    }

    /// Like `tolerate`, for a member.
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

    /// Like [`Self::is`], to compare a value with several scalars.
    #[inline]
    fn equals(&self, at: u32) -> impl Fn(&Scalar) -> bool + '_ {
        let text = match self.tape.token(at) {
            Token::Text => self.tape.simple(at),
            _ => None,
        };
        move |scalar| match (text, scalar) {
            (Some(text), Scalar::Text(other)) => equal(text, other.as_bytes()),
            (Some(_), _) => false,
            (None, _) => self.is(at, scalar),
        }
    }

    #[inline(always)] // for the strings
    fn check(&mut self, rule: &Rule, at: u32) -> Checked {
        match (rule, self.tape.token(at)) {
            // Most values are strings.
            (Rule::String, Token::Text) => {
                self.slot(at);
                Ok(())
            }
            (_, token) => self.check_further(rule, token, at),
        }
    }

    fn check_further(&mut self, rule: &Rule, token: Token, at: u32) -> Checked {
        match (rule, token) {
            (Rule::Named(place), _) => return self.declared(*place, token, at),
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
            (Rule::Map(value, keys), Token::Object) => return self.map(value, *keys, at),
            (Rule::List(item, low, high), Token::Array) => return self.list(item, *low, *high, at),
            (Rule::Tuple(rules), Token::Array) => return self.tuple(rules, at),
            (Rule::Literal(scalar), _) => return self.literal(scalar, at),
            (Rule::Range(rule, low, high), _) => return self.range(rule, *low, *high, at),
            (Rule::Null, Token::Null) => {}
            (Rule::Nullable(_), Token::Null) => self.slot(NONE),
            (Rule::Nullable(rule), _) => {
                self.slot(THERE);
                return self.check(rule, at);
            }
            (Rule::Kinds(members), _) => {
                let kind = wide_kind(token);
                let Some((_, variant, rule)) = members.iter().find(|(each, ..)| *each == kind)
                else {
                    return Err(self.wrong_type(&expected(self.plan, *rule), at));
                };
                self.slot(*variant);
                return self.check(rule, at);
            }
            _ => return Err(self.wrong_type(&expected(self.plan, *rule), at)),
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
        // A text in the format needs no escapes, but may have them.
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
            self.below(Step::Item(count as u32), item, each)?;
            count += 1;
        }
        self.set_slot(slot, count);
        self.bounded(low, high, count)
    }

    /// Records a list with an invalid number of items.
    fn bounded(&mut self, low: usize, high: usize, count: usize) -> Checked {
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

    fn tuple(&mut self, rules: &'static [Rule], at: u32) -> Checked {
        let mut items = self.tape.items(at);
        let mut count = 0;
        while let Some(each) = items.item(&self.tape) {
            if let Some(rule) = rules.get(count) {
                self.below(Step::Item(count as u32), rule, each)?;
            }
            count += 1;
        }
        if count == rules.len() {
            return Ok(());
        }
        let message = format!("expected {} items, got {count}", rules.len());
        Err(fault(Code::OutOfBounds, message))
    }

    /// Checks a number or string, and records it if it is outside its bounds.
    fn range(&mut self, rule: &Rule, low: f64, high: f64, at: u32) -> Checked {
        self.check(rule, at)?;
        if !self.strict && self.trail.is_none() {
            return Ok(());
        }
        let (size, what) = match self.tape.token(at) {
            Token::Text => (self.tape.text(at).chars().count() as f64, " code points"),
            _ => (finite(self.tape.digits(at)).unwrap_or(f64::NAN), ""),
        };
        if (low..=high).contains(&size) {
            return Ok(());
        }
        self.tolerate(Code::OutOfBounds, |_| {
            let bounds = match (low.is_finite(), high.is_finite()) {
                (true, true) => format!("{low} to {high}"),
                (true, false) => format!("at least {low}"),
                _ => format!("at most {high}"),
            };
            format!("expected {bounds}{what}, got {size}")
        })
    }

    fn literal(&self, scalar: &Scalar, at: u32) -> Checked {
        if self.is(at, scalar) {
            return Ok(());
        }
        if scalar.kind() != wide_kind(self.tape.token(at)) {
            return Err(self.wrong_type(scalar.kind().name(), at));
        }
        let message = format!("expected {}, got {}", scalar.show(), self.tape.show(at));
        Err(fault(Code::WrongConstant, message))
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
            self.below(Step::Key(key), value, entry)?;
        }
        self.members.truncate(base);
        Ok(())
    }

    /// Checks a key of a map keyed by an enum.
    fn map_key(&mut self, place: usize, key: u32, rule: &Rule, entry: u32) -> Checked {
        let (name, Row::Enum(_, open, values)) = &self.plan[place] else {
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
        Err(self.worse(fault, rule, entry).under(Step::Key(key)))
    }

    /// Of two faults at the same path, returns the one that takes precedence.
    #[cold]
    fn worse(&mut self, fault: Box<Fault>, rule: &Rule, at: u32) -> Box<Fault> {
        match self.check(rule, at) {
            Err(other) if other.steps.is_empty() && other.code < fault.code => other,
            _ => fault,
        }
    }

    /// Checks a value of any type, in which a number must be an integer or fit a double.
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

    /// The fault of a number at a node within a value.
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
        let (name, row) = &self.plan[place];
        match (row, token) {
            (Row::Struct(row), Token::Object) => self.object(name, row, at),
            (Row::Union(_, dispatch), Token::Object) => self.union(dispatch, at),
            (Row::Alias(rule), _) => self.check(rule, at),
            (Row::Enum(false, open, values), Token::Text) => {
                self.value_of(name, *open, values, at)?;
                Ok(())
            }
            (Row::Enum(true, open, values), Token::Integer | Token::Number) => {
                if !self.value_of(name, *open, values, at)? {
                    self.slots.pop();
                    let number = self.integer(at)?;
                    self.long_slot(number as u64);
                }
                Ok(())
            }
            _ => Err(self.wrong_type(&expected(self.plan, Rule::Named(place)), at)),
        }
    }

    /// Adds the slot of an enum's value, its index; for an unknown value, the number of declared values and the
    /// value's node. Returns whether the value is known.
    fn value_of(&mut self, name: &str, open: bool, values: &[Scalar], at: u32) -> Checked<bool> {
        if let Some(number) = values.iter().position(self.equals(at)) {
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
        let (found, base, kept) = (self.found.len(), self.members.len(), self.kept.len());
        let mut absent = row.optional(self.find(row, at, found, base));
        let mut next = 0;
        while next < row.members.len() {
            // Most members are absent, for which their rows need not be read.
            let run = absent.run();
            if run > 0 {
                self.none_slots(run);
                absent.skip(run);
                next += run;
                continue;
            }
            absent.take();
            let number = next;
            next += 1;
            let value = self.found[found + number];
            let key = row.keys[number];
            match &row.members[number] {
                Member::Field(state, rule) => self.field_here(key, *state, rule, value)?,
                Member::Constant(_) | Member::Integer(_) if value == NOWHERE => {
                    return Err(missing(key.text()));
                }
                Member::Constant(constant) => self.constant(key, constant, value)?,
                Member::Integer(constant) => self.whole(key, constant, value)?,
                Member::Mark(constant) => {
                    self.slot(u32::from(value != NOWHERE));
                    if value != NOWHERE {
                        self.whole(key, constant, value)?;
                    }
                }
                Member::Tag(optional, rule, values, others) => {
                    self.tag(key, *optional, rule, values, *others, value)?;
                }
                Member::Repaired(state, rule, repair) => {
                    if !self.repaired(key, *state, rule, repair, value)? {
                        self.keep(at, key, base, value);
                    }
                }
                Member::Claimed(state, rule, claimed, prefixes) => {
                    if value != NOWHERE
                        && (claimed.iter().any(self.equals(value)) || self.begins(value, prefixes))
                    {
                        let shown = self.tape.show(value);
                        let message = format!("{shown} belongs to another variant");
                        return Err(
                            fault(Code::WrongConstant, message).under(Step::Name(key.text()))
                        );
                    }
                    self.field(key, *state, rule, value)?;
                }
                Member::Flat(optional, rule) => {
                    self.flat(row, *optional, rule, base, kept)?;
                }
            }
        }
        self.found.truncate(found);
        self.extra(name, row, base, kept)?;
        self.kept.truncate(kept);
        Ok(())
    }

    /// Whether a value is a text with one of the given prefixes.
    fn begins(&self, value: u32, prefixes: &[&str]) -> bool {
        !prefixes.is_empty() && self.tape.token(value) == Token::Text && {
            let text = self.tape.canonical(value);
            prefixes.iter().any(|prefix| text.starts_with(prefix))
        }
    }

    // --- repairs --------------------------------------------------------------------------------

    /// Checks a field whose invalid values are repaired in lenient mode. Returns false if `extra` keeps the
    /// value.
    fn repaired(
        &mut self,
        key: Key,
        state: State,
        rule: &Rule,
        repair: &'static Repair,
        value: u32,
    ) -> Checked<bool> {
        if value == NOWHERE || self.strict {
            return self.field(key, state, rule, value).map(|()| true);
        }
        let mark = self.mark();
        let passed = match repair {
            Repair::Absent | Repair::Value(_) => self.field(key, state, rule, value),
            _ => self.skipping_field(key, state, rule, value),
        };
        let Err(fault) = passed else {
            return Ok(true);
        };
        // A value with a number that overflows cannot be kept, and is not replaced either.
        if matches!(repair, Repair::Skip) || self.look_through(value).is_err() {
            return Err(fault);
        }
        self.back_to(&mark);
        let (Repair::Value(text) | Repair::SkipValue(text)) = repair else {
            self.field(key, state, rule, NOWHERE)?;
            return Ok(false);
        };
        let at = self.added(text);
        self.field(key, state, rule, at)?;
        self.forget(&mark);
        self.note(Step::Name(key.text()));
        Ok(true)
    }

    /// The node of a value of the tables.
    fn added(&mut self, text: &'static str) -> u32 {
        if let Some((_, at)) = self.added.iter().find(|(each, _)| *each == text) {
            return *at;
        }
        let at = self.tape.add(text).unwrap_or(NOWHERE);
        self.added.push((text, at));
        at
    }

    /// Inserts a member into those of `extra`, in the position of its key.
    fn keep(&mut self, object: u32, key: Key, base: usize, value: u32) {
        if let Some(name) = self.tape.key(object, key.text()) {
            let before = self.members[base..].partition_point(|(other, _)| *other < name);
            self.members.insert(base + before, (name, value));
            self.kept.push(name);
        }
    }

    fn skipping_field(&mut self, key: Key, state: State, rule: &Rule, value: u32) -> Checked {
        if self.tape.token(value) != Token::Array {
            return self.field(key, state, rule, value);
        }
        if !matches!(state, State::Required | State::Null) {
            self.slot(THERE);
        }
        let step = Step::Name(key.text());
        self.enter(step);
        let passed = self.skipping(rule, value);
        self.leave();
        passed.map_err(|fault| fault.under(step))
    }

    /// Checks an array and drops invalid items.
    fn skipping(&mut self, rule: &Rule, at: u32) -> Checked {
        let (item, low, high) = match rule {
            Rule::List(item, low, high) => (item, *low, *high),
            Rule::Named(place) => match &self.plan[*place].1 {
                Row::Alias(rule) => return self.skipping(rule, at),
                _ => return self.check(rule, at),
            },
            Rule::Kinds(members) => {
                let mut lists = members.iter().filter(|(kind, ..)| *kind == WideKind::Array);
                let Some((_, variant, rule)) = lists.next() else {
                    return self.check(rule, at);
                };
                self.slot(*variant);
                return self.skipping(rule, at);
            }
            _ => return self.check(rule, at),
        };
        let slot = self.slots.len();
        self.slot(0);
        let mut items = self.tape.items(at);
        let (mut count, mut fit) = (0, 0);
        while let Some(each) = items.item(&self.tape) {
            let (mark, step) = (self.mark(), Step::Item(count as u32));
            match self.below(step, item, each) {
                Ok(()) => fit += 1,
                Err(fault) if self.look_through(each).is_err() => return Err(fault),
                Err(_) => {
                    self.back_to(&mark);
                    self.note(step);
                }
            }
            count += 1;
        }
        self.set_slot(slot, fit);
        self.bounded(low, high, count)
    }

    /// Looks up the members of an object: the values of declared ones are stored from `found` on, the others
    /// from `base` on. Returns those of the declared ones that are present.
    fn find(&mut self, row: &'static Struct, at: u32, found: usize, base: usize) -> Bits {
        self.found.resize(found + row.keys.len(), NOWHERE);
        let mut present = Bits::default();
        let mut members = self.tape.members(at);
        while let Some((key, value)) = members.member(&self.tape) {
            let Some(place) = self.place(row, key) else {
                self.members.push((key, value));
                continue;
            };
            if self.is_tolerated_null(row, place, value) {
                return self.find_nulls(row, at, found, base);
            }
            present.add(place);
            self.found[found + place] = value;
        }
        if self.members.len() > base + 1 {
            self.tape.unite(&mut self.members, base);
        }
        present
    }

    /// Like `find`, for an object with nulls that `extra` keeps in their positions, unless a value overwrites
    /// them.
    fn find_nulls(&mut self, row: &'static Struct, at: u32, found: usize, base: usize) -> Bits {
        let mut present = Bits::default();
        self.members.truncate(base);
        self.found[found..].fill(NOWHERE);
        self.tape.pairs(at, &mut self.members);
        let mut end = base;
        for each in base..self.members.len() {
            let (key, value) = self.members[each];
            match self.place(row, key) {
                Some(place) if !self.is_tolerated_null(row, place, value) => {
                    self.found[found + place] = value;
                    present.add(place);
                }
                _ => {
                    self.members[end] = (key, value);
                    end += 1;
                }
            }
        }
        self.members.truncate(end);
        present
    }

    /// The index of the member with a key.
    #[inline]
    fn place(&self, row: &'static Struct, key: u32) -> Option<usize> {
        match self.tape.simple(key) {
            Some(key) => row.place(key),
            None => self.spelt_place(row, key),
        }
    }

    #[inline(never)] // few keys have escapes
    fn spelt_place(&self, row: &'static Struct, key: u32) -> Option<usize> {
        row.place(self.tape.canonical(key).as_bytes())
    }

    /// Whether a value is a null that `extra` keeps, as the member may only be absent.
    #[inline]
    fn is_tolerated_null(&self, row: &'static Struct, place: usize, value: u32) -> bool {
        self.tape.token(value) == Token::Null
            && matches!(row.members[place].field(), Some((State::Optional, _)))
    }

    fn field(&mut self, key: Key, state: State, rule: &Rule, value: u32) -> Checked {
        self.field_here(key, state, rule, value)
    }

    /// Like `field`, without a call: most values are those of such fields, and strings.
    #[inline(always)]
    fn field_here(&mut self, key: Key, state: State, rule: &Rule, value: u32) -> Checked {
        if value == NOWHERE {
            match state {
                State::Required | State::Nullable | State::Null => return Err(missing(key.text())),
                State::Optional | State::Maybe => self.slot(NONE),
                State::Presence => self.slot(ABSENT),
            }
            return Ok(());
        }
        match state {
            State::Required | State::Null => {}
            State::Nullable | State::Presence if self.tape.token(value) == Token::Null => {
                self.slot(NONE);
                return Ok(());
            }
            _ => self.slot(THERE),
        }
        self.below(key, rule, value)
    }

    /// A constant tag, which is an integer if it is a number.
    fn whole(&self, key: Key, constant: &Scalar, value: u32) -> Checked {
        if constant.kind() == WideKind::Number
            && wide_kind(self.tape.token(value)) == WideKind::Number
        {
            let number = self.integer(value);
            number.map_err(|fault| fault.under(Step::Name(key.text())))?;
        }
        self.constant(key, constant, value)
    }

    fn constant(&self, key: Key, constant: &Scalar, value: u32) -> Checked {
        let found = self.literal(constant, value);
        found.map_err(|fault| fault.under(Step::Name(key.text())))
    }

    fn tag(
        &mut self,
        key: Key,
        optional: bool,
        rule: &Rule,
        values: &Values,
        others: Option<&str>,
        value: u32,
    ) -> Checked {
        if value == NOWHERE {
            if !optional {
                return Err(missing(key.text()));
            }
            self.slot(NONE);
            return Ok(());
        }
        if optional {
            self.slot(THERE);
        }
        let step = Step::Name(key.text());
        let (prefix, values) = (values.prefix(), values.list(self.plan));
        let kind = values.first().map_or(WideKind::String, Scalar::kind);
        if wide_kind(self.tape.token(value)) != kind {
            let expected = if kind == WideKind::Number {
                "integer"
            } else {
                kind.name()
            };
            return Err(self.wrong_type(expected, value).under(step));
        }
        if kind == WideKind::Number {
            self.integer(value).map_err(|fault| fault.under(step))?;
        }
        if !values.iter().any(self.equals(value)) && !self.begins(value, prefix) {
            let text = self.tape.canonical(value);
            let is_other = others.is_some_and(|form| glob(form, &text));
            let message = |tape: &Tape<'_>| {
                let expected = match prefix {
                    [prefix] => format!("a text that begins with \"{prefix}\""),
                    _ => one_of(values),
                };
                format!("expected {expected}, got {}", tape.show(value))
            };
            if !is_other {
                return Err(fault(Code::UnknownValue, message(&self.tape)).under(step));
            }
            self.tolerate_below(step, Code::UnknownValue, message)?;
        }
        self.below(step, rule, value)
    }

    /// Checks the undeclared members, which begin at `base`, as an object. The rest are nulls of optional
    /// members, and invalid values.
    fn flat(
        &mut self,
        row: &'static Struct,
        optional: bool,
        rule: &Rule,
        base: usize,
        kept: usize,
    ) -> Checked {
        let members = self.members.split_off(base);
        let (declared, rest): (Vec<_>, Vec<_>) = members.into_iter().partition(|(key, value)| {
            self.kept[kept..].contains(key) || self.declared_null(row, *key, *value).is_some()
        });
        if optional {
            self.slot(if rest.is_empty() { NONE } else { THERE });
        }
        if !optional || !rest.is_empty() {
            let object = self.tape.add_object(&rest);
            self.check(rule, object)?;
        }
        self.members.extend(declared);
        Ok(())
    }

    /// Checks the undeclared members, which begin at `base`.
    fn extra(&mut self, name: &str, row: &'static Struct, base: usize, kept: usize) -> Checked {
        let plan = self.plan;
        self.slot((self.members.len() - base) as u32);
        for each in base..self.members.len() {
            let (key, value) = self.members[each];
            let step = Step::Key(key);
            self.slot(key);
            if self.kept[kept..].contains(&key) {
                self.slot(value);
                self.note(step);
            } else if let Some(place) = self.declared_null(row, key, value) {
                self.slot(value);
                self.tolerate_below(step, Code::WrongType, |_| {
                    let rule = row.members[place]
                        .field()
                        .map_or(Rule::Json, |(_, rule)| rule);
                    format!("expected {}, got null", expected(plan, rule))
                })?;
            } else if let Some(rule) = &row.extra {
                // Undeclared members are kept as untouched JSON, whatever their type.
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
                    return Err(self.worse(fault, &Rule::Json, value).under(step));
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
        let place = self.place(row, key)?;
        self.is_tolerated_null(row, place, value).then_some(place)
    }

    // --- unions ---------------------------------------------------------------------------------

    fn union(&mut self, dispatch: &'static Dispatch, at: u32) -> Checked {
        let (slots, mut choice) = (self.slots.len(), Choice::default());
        let place = self.follow(dispatch, at, &mut choice)?;
        self.selected(place, &choice, slots, at)?;
        Ok(())
    }

    /// Checks the document, a value of a union, if the type that the union selects is wanted. Returns whether it is;
    /// members of other types are not checked.
    fn check_wanted(&mut self, rule: &Rule, wants: impl Fn(Selected) -> bool) -> Checked<bool> {
        let dispatch = dispatch(self.plan, rule);
        let (Some(dispatch), Token::Object) = (dispatch, self.tape.token(ROOT)) else {
            return self.check(rule, ROOT).map(|()| true);
        };
        let (slots, mut choice) = (self.slots.len(), Choice::default());
        let place = self.follow(dispatch, ROOT, &mut choice)?;
        let known = place.map(Selected::Struct);
        let unknown = choice.open.map(|(union, _)| Selected::Unknown(union));
        let is_wanted = |selected: Option<Selected>| selected.is_some_and(&wants);
        let may_be_unknown = place.is_none() || choice.doubt.is_some();
        let may_be_wanted = is_wanted(known) || (may_be_unknown && is_wanted(unknown));
        if !may_be_wanted {
            return Ok(false);
        }
        let is_known = self.selected(place, &choice, slots, ROOT)?;
        Ok(is_wanted(if is_known { known } else { unknown }))
    }

    /// Checks an object as the struct that is selected, or keeps it as an Unknown. Returns whether it is the struct.
    fn selected(
        &mut self,
        place: Option<usize>,
        choice: &Choice,
        slots: usize,
        at: u32,
    ) -> Checked<bool> {
        let Some(place) = place else {
            let slot = choice.open.map_or(slots, |(_, slot)| slot);
            return self.unknown(slot, at).map(|()| false);
        };
        let (Some((_, open)), Some(key)) = (choice.open, choice.doubt) else {
            self.declared(place, Token::Object, at)?;
            self.variant = self.plan[place].0;
            return Ok(true);
        };
        // The tag only matches a pattern, so an object that does not fit the struct is unknown.
        let mark = self.mark();
        match self.declared(place, Token::Object, at) {
            Ok(()) => {
                self.variant = self.plan[place].0;
                return Ok(true);
            }
            Err(fault) if !self.repairs && !self.strict => return Err(fault), // it may fit when repaired
            Err(_) => self.back_to(&mark),
        }
        self.tolerate_below(Step::Name(key), Code::UnknownValue, |_| String::new())?;
        self.unknown(open, at).map(|()| false)
    }

    /// Keeps an object as the Unknown of the union whose variant is in a slot.
    fn unknown(&mut self, slot: usize, at: u32) -> Checked {
        self.slots.truncate(slot);
        self.slot(UNKNOWN);
        self.variant = "Unknown";
        self.untouched(at)
    }

    /// The index of the struct that the discriminators select; `None` if no variant matches and an open union
    /// keeps the object.
    fn follow(
        &mut self,
        dispatch: &'static Dispatch,
        at: u32,
        choice: &mut Choice,
    ) -> Checked<Option<usize>> {
        let plan = self.plan;
        match dispatch {
            Dispatch::Leaf(place) => Ok(Some(*place)),
            Dispatch::Switch { union, .. } => {
                choice.enter(plan, *union, self.slots.len());
                self.by_tag(dispatch, at, choice)
            }
            Dispatch::Keys { union, cases } => {
                choice.enter(plan, *union, self.slots.len());
                for (has, lacks, variant, then) in *cases {
                    let there = |key: &&str| self.tape.get(at, key).is_some();
                    if has.iter().all(there) && !lacks.iter().any(there) {
                        self.slot(*variant);
                        return self.follow(then, at, choice);
                    }
                }
                let message =
                    |_: &Tape<'_>| format!("no variant of {} has these members", plan[*union].0);
                if !is_open(plan, *union) {
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
            prefixes,
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
        let known = {
            let equals = self.equals(tag);
            cases.iter().find(|(value, ..)| equals(value))
        };
        if let Some((_, variant, then)) = known {
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
        let is_integer = kinds.contains(&WideKind::Number);
        if is_integer {
            self.integer(tag).map_err(|fault| fault.under(step))?;
        }
        if token == Token::Text && !prefixes.is_empty() {
            let text = self.tape.canonical(tag);
            let mut prefixes = prefixes.iter();
            if let Some((_, variant, then)) = prefixes.find(|(each, ..)| text.starts_with(each)) {
                self.slot(*variant);
                return self.follow(then, at, choice);
            }
        }
        let message = |tape: &Tape<'_>| {
            let values = shown(&mut cases.iter().map(|(value, ..)| value), 8);
            format!("expected {values}, got {}", tape.show(tag))
        };
        if token == Token::Text || is_integer {
            let text = self.tape.canonical(tag);
            let mut others = others.iter();
            if let Some((_, variant, place)) = others.find(|(form, ..)| glob(form, &text)) {
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
            _ if is_open(self.plan, *union) => {
                self.tolerate_below(step, Code::UnknownVariant, message)?;
                Ok(None)
            }
            _ => Err(fault(Code::UnknownVariant, message(&self.tape)).under(step)),
        }
    }
}

/// What the discriminators of a union can select, by index in the tables: a struct, or the Unknown of a union.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Selected {
    Struct(usize),
    Unknown(usize),
}

/// Everything that a dispatch can select. `open` is the outermost open union around it.
pub fn selected(plan: Plan, dispatch: &Dispatch, open: Option<usize>) -> Vec<Selected> {
    let (Dispatch::Switch { union, .. } | Dispatch::Keys { union, .. }) = dispatch else {
        let Dispatch::Leaf(place) = dispatch else {
            return Vec::new();
        };
        return vec![Selected::Struct(*place)];
    };
    let open = open.or(is_open(plan, *union).then_some(*union));
    let mut found: Vec<_> = open.map(Selected::Unknown).into_iter().collect();
    let mut follow = |then: &Dispatch| found.extend(selected(plan, then, open));
    match dispatch {
        Dispatch::Switch {
            cases,
            prefixes,
            others,
            absent,
            ..
        } => {
            cases.iter().for_each(|(.., then)| follow(then));
            prefixes.iter().for_each(|(.., then)| follow(then));
            absent.iter().for_each(|(_, then)| follow(then));
            found.extend(others.iter().map(|(.., place)| Selected::Struct(*place)));
        }
        Dispatch::Keys { cases, .. } => cases.iter().for_each(|(.., then)| follow(then)),
        Dispatch::Leaf(_) => {}
    }
    found
}

/// The state while a union, and unions nested in it, select a variant.
#[derive(Default)]
struct Choice {
    /// The outermost open union, and the slot for its variant.
    open: Option<(usize, usize)>,
    /// The key of a tag that only matches a pattern.
    doubt: Option<&'static str>,
}

impl Choice {
    fn enter(&mut self, plan: Plan, union: usize, slot: usize) {
        if self.open.is_none() && is_open(plan, union) {
            self.open = Some((union, slot));
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

/// Whether a text has a form: `h` stands for a hexadecimal digit, `d` for a digit, other characters for
/// themselves.
fn formed(text: &str, form: &str) -> bool {
    text.len() == form.len()
        && text.bytes().zip(form.bytes()).all(|(c, form)| match form {
            b'h' => c.is_ascii_hexdigit(),
            b'd' => c.is_ascii_digit(),
            _ => c == form,
        })
}

// --- slots → values -----------------------------------------------------------------------------

/// The slots of a checked document, from which `codec` builds its value.
pub struct Slots<'a> {
    tape: &'a Tape<'a>,
    slots: std::slice::Iter<'a, u32>,
}

impl<'a> Slots<'a> {
    /// The next slot. There always is one, as the tables and the types are generated from one plan.
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

    /// Takes the next slot if it is that of an absent value.
    #[inline]
    pub fn skip_none(&mut self) -> bool {
        let is_none = self.slots.as_slice().first() == Some(&NONE);
        if is_none {
            self.slots.next();
        }
        is_none
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

    /// The tape, on which slots are the indexes of strings, keys and untouched values.
    #[inline]
    pub fn tape(&self) -> &'a Tape<'a> {
        self.tape
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

/// Handles a slot for which a type has no value. This never happens, as the tables and the types are generated
/// from one plan.
#[cold]
pub fn mismatch<T>(slot: u32) -> T {
    panic!("internal error: slot {slot} has no value");
}
