//! The slots of a checked document → objects of the package.
//!
//! The objects equal those that the package's functions in Python make, down to their classes and the order of keys.

use crate::engine::{Document, Slots, ABSENT, NONE, THERE, UNKNOWN};
use crate::package::Loaded;
use crate::python::{self, Ascii, Dict, Made, Object, Sequence, Stop};
use crate::rows::{variant, Variant};
use crate::table::{Bits, Dispatch, Member, Row, Rule, Scalar, State};
use crate::tape::{Tape, Token};
use crate::text::finite;

/// The room of the longest lists that are kept for the next document.
const KEPT: usize = 1 << 14;

/// Builds the value of a document, whose text may be ASCII.
pub fn build(
    loaded: &'static Loaded,
    document: &Document<'_>,
    rule: &'static Rule,
    ascii: Option<Ascii<'_>>,
) -> Made<Object> {
    let slots = document.slots();
    let mut builder = Builder {
        loaded,
        tape: slots.tape(),
        slots,
        ascii,
        stack: loaded.stack.take(),
        unescaped: loaded.unescaped.take(),
    };
    builder.value(rule)
}

/// Builds values in the order of their slots.
struct Builder<'d> {
    loaded: &'static Loaded,
    slots: Slots<'d>,
    tape: &'d Tape<'d>,
    /// The text of the document, if it is ASCII.
    ascii: Option<Ascii<'d>>,
    /// The items whose list is not made yet.
    stack: Vec<Object>,
    /// Scratch space for the UTF-8 of strings with escapes.
    unescaped: Vec<u8>,
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        self.stack.clear();
        if self.stack.capacity() <= KEPT {
            self.loaded.stack.set(std::mem::take(&mut self.stack));
        }
        if self.unescaped.capacity() <= KEPT {
            self.loaded
                .unescaped
                .set(std::mem::take(&mut self.unescaped));
        }
    }
}

impl Builder<'_> {
    /// The next value.
    #[inline(always)] // for the strings, which most values are
    fn value(&mut self, rule: &'static Rule) -> Made<Object> {
        match rule {
            Rule::String | Rule::Uuid | Rule::Timestamp => {
                let at = self.slots.take();
                self.text(at)
            }
            _ => self.value_further(rule),
        }
    }

    fn value_further(&mut self, rule: &'static Rule) -> Made<Object> {
        match rule {
            Rule::String | Rule::Uuid | Rule::Timestamp => self.value(rule),
            Rule::Boolean => Ok(python::boolean(self.slots.flag())),
            Rule::Integer => python::integer(self.slots.bits() as i64),
            Rule::Number => self.number(),
            Rule::Null => Ok(Object::none()),
            Rule::Json => {
                let at = self.slots.take();
                self.json(at)
            }
            Rule::Object => self.map(&Rule::Json),
            Rule::Map(value, _) => self.map(value),
            Rule::Named(place) => match &self.loaded.tables.plan[*place].1 {
                Row::Struct(_) => self.record(*place),
                Row::Union(_, dispatch) => self.union(dispatch),
                Row::Alias(rule) => self.value(rule),
                Row::Enum(is_integer, ..) => self.enum_value(*place, *is_integer),
            },
            Rule::List(item, ..) => {
                let (from, length) = (self.stack.len(), self.slots.length());
                for _ in 0..length {
                    let item = self.value(item)?;
                    self.stack.push(item);
                }
                python::sequence(Sequence::List, &mut self.stack, from)
            }
            Rule::Tuple(rules) => {
                let from = self.stack.len();
                for rule in *rules {
                    let item = self.value(rule)?;
                    self.stack.push(item);
                }
                python::sequence(Sequence::Tuple, &mut self.stack, from)
            }
            Rule::Nullable(rule) => match self.slots.is_there() {
                true => self.value(rule),
                false => Ok(Object::none()),
            },
            Rule::Literal(scalar) => self.constant(scalar),
            Rule::Range(rule, ..) => self.value(rule),
            Rule::Kinds(members) => {
                let (.., rule) = members.get(self.slots.length()).ok_or(Stop)?;
                self.value(rule)
            }
        }
    }

    /// A number. The spelling of a negative zero says whether Python has a sign, and is not in the slots.
    fn number(&mut self) -> Made<Object> {
        let number = f64::from_bits(self.slots.bits());
        if number == 0.0 && number.is_sign_negative() {
            return Err(Stop);
        }
        python::float(number)
    }

    fn constant(&self, scalar: &'static Scalar) -> Made<Object> {
        let constant = self.loaded.tables.constant(scalar)?;
        Ok(constant.value.clone())
    }

    fn enum_value(&mut self, place: usize, is_integer: bool) -> Made<Object> {
        let number = self.slots.length();
        match self.loaded.enum_value(place, number) {
            Some(value) => Ok(value),
            None if is_integer => python::integer(self.slots.bits() as i64),
            None => {
                let at = self.slots.take();
                self.text(at)
            }
        }
    }

    fn map(&mut self, value: &'static Rule) -> Made<Object> {
        let dict = Dict::new()?;
        for _ in 0..self.slots.length() {
            let at = self.slots.take();
            let key = self.text(at)?;
            dict.set(&key, &self.value(value)?)?;
        }
        Ok(dict.finish())
    }

    // --- objects --------------------------------------------------------------------------------

    fn union(&mut self, dispatch: &'static Dispatch) -> Made<Object> {
        let (Dispatch::Switch { union, .. } | Dispatch::Keys { union, .. }) = dispatch else {
            let Dispatch::Leaf(place) = dispatch else {
                return Err(Stop);
            };
            return self.record(*place);
        };
        match self.slots.take() {
            UNKNOWN => {
                let class = self.loaded.unknown(*union)?;
                let (mut made, at) = (class.new_object()?, self.slots.take());
                made.push(self.json(at)?);
                Ok(made.finish())
            }
            number => match variant(dispatch, number).ok_or(Stop)? {
                Variant::Dispatch(then) => self.union(then),
                Variant::Struct(place) => self.record(place),
            },
        }
    }

    fn record(&mut self, place: usize) -> Made<Object> {
        let Row::Struct(row) = &self.loaded.tables.plan[place].1 else {
            return Err(Stop);
        };
        let class = self.loaded.class(place)?;
        let mut made = class.new_object()?;
        let mut optional = row.optional(Bits::default());
        for number in 0..row.members.len() {
            // Most members are absent, for which their rows need not be read.
            if optional.take() && self.slots.skip_none() {
                made.push(Object::none());
                continue;
            }
            let value = match &row.members[number] {
                Member::Constant(_) | Member::Integer(_) => continue,
                Member::Mark(scalar) => match self.slots.flag() {
                    true => self.constant(scalar)?,
                    false => Object::none(),
                },
                Member::Field(state, rule)
                | Member::Claimed(state, rule, ..)
                | Member::Repaired(state, rule, _) => self.field(*state, rule)?,
                Member::Tag(is_optional, rule, ..) => {
                    self.present(!is_optional, rule, Object::none)?
                }
                Member::Flat(is_optional, rule) => {
                    let loaded = self.loaded;
                    self.present(!is_optional, rule, || loaded.absent_flat(place))?
                }
            };
            made.push(value);
        }
        made.push(self.extra(row.extra)?);
        Ok(made.finish())
    }

    /// A value that is always there, or that a slot says is there.
    fn present(
        &mut self,
        always: bool,
        rule: &'static Rule,
        absent: impl FnOnce() -> Object,
    ) -> Made<Object> {
        if always || self.slots.is_there() {
            self.value(rule)
        } else {
            Ok(absent())
        }
    }

    fn field(&mut self, state: State, rule: &'static Rule) -> Made<Object> {
        match state {
            State::Required | State::Null => return self.value(rule),
            State::Nullable | State::Optional | State::Presence | State::Maybe => {}
        }
        match self.slots.take() {
            THERE => self.value(rule),
            NONE => Ok(Object::none()),
            ABSENT => Ok(self.loaded.unset.clone()),
            _ => Err(Stop),
        }
    }

    /// The undeclared members, or `None`. The engine leaves those of a declared type as they are; only of untyped ones,
    /// that is the value in Python.
    fn extra(&mut self, declared: Option<Rule>) -> Made<Object> {
        let length = self.slots.length();
        if length == 0 {
            return Ok(Object::none());
        }
        if !matches!(declared, None | Some(Rule::Json)) {
            return Err(Stop);
        }
        self.map_of(length)
    }

    fn map_of(&mut self, length: usize) -> Made<Object> {
        let dict = Dict::new()?;
        for _ in 0..length {
            let (key, value) = (self.slots.take(), self.slots.take());
            dict.set(&self.text(key)?, &self.json(value)?)?;
        }
        Ok(dict.finish())
    }

    // --- untouched values -----------------------------------------------------------------------

    /// A value as a parser of JSON makes it. Of duplicate keys, a dict has the first place and the last value.
    fn json(&mut self, at: u32) -> Made<Object> {
        match self.tape.token(at) {
            Token::Null | Token::Link => Ok(Object::none()),
            Token::True => Ok(python::boolean(true)),
            Token::False => Ok(python::boolean(false)),
            Token::Text => self.text(at),
            Token::Integer => python::integer(self.tape.digits(at).parse().map_err(|_| Stop)?),
            Token::Number => python::float(finite(self.tape.digits(at)).ok_or(Stop)?),
            Token::Array => {
                let (from, mut items) = (self.stack.len(), self.tape.items(at));
                while let Some(item) = items.item(self.tape) {
                    let item = self.json(item)?;
                    self.stack.push(item);
                }
                python::sequence(Sequence::List, &mut self.stack, from)
            }
            Token::Object => {
                let (dict, mut members) = (Dict::new()?, self.tape.members(at));
                while let Some((key, value)) = members.member(self.tape) {
                    dict.set(&self.text(key)?, &self.json(value)?)?;
                }
                Ok(dict.finish())
            }
        }
    }

    /// A string or key. One with a lone surrogate has no UTF-8, and is a miss.
    #[inline]
    fn text(&mut self, at: u32) -> Made<Object> {
        if let Some(bytes) = self.tape.simple(at) {
            return self.loaded.text(bytes, self.ascii);
        }
        self.unescaped.clear();
        if self.tape.push_text(at, &mut self.unescaped) {
            python::utf8_text(&self.unescaped, None)
        } else {
            Err(Stop)
        }
    }
}
