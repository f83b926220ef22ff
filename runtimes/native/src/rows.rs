//! The rows of a package → the tables of the engine, and what else the rows state about Python.
//!
//! The grammar of rows is documented in `_rows.py`. What is made here is never freed: a package keeps its tables as
//! long as the process runs, as a Rust crate keeps those that are compiled into it.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::python::{self, Made, Object, Stop};
use crate::table::{
    Dispatch, Key, Member, Plan, Row, Rule, Scalar, State, Struct, Values, WideKind,
};
use crate::tape::{Tape, Token, ROOT};
use crate::text::finite;

/// The number of the grammar of rows. A package with another one does not use the extension.
pub const LAYOUT: i32 = 1;

const REQUIRED: u64 = 1;
const NULLABLE: u64 = 2;
const FLATTEN: u64 = 4;

/// What the rows of a package state.
pub struct Tables {
    pub plan: Plan,
    /// The index of each declaration, by its name in the package.
    pub places: HashMap<&'static str, usize>,
    /// What the tables of the engine do not have, by declaration.
    pub details: Vec<Detail>,
    /// The name of each declaration in the package.
    pub names: Vec<&'static str>,
    /// The constants of fields and types, by their address in the plan.
    constants: RefCell<HashMap<*const Scalar, &'static Constant>>,
}

/// What a row states in addition to the tables of the engine.
pub enum Detail {
    Struct(Fields),
    /// The values of an enum, in order.
    Enum(Vec<Object>),
    /// The class of a union's Unknown.
    Union(Option<String>),
    Alias,
}

/// The fields of a struct.
pub struct Fields {
    /// The attribute of each member, in order; a constant has none.
    pub attributes: Vec<Option<String>>,
    /// What is written before the value of each member, with the comma; a constant's value is included.
    pub leads: Vec<Vec<u8>>,
    /// The attributes that are never sent.
    pub local: Vec<String>,
    /// Whether a flattened member that is absent is `UNSET`, not `None`.
    pub is_flat_nullable: bool,
}

/// A constant as a value, and as it is written.
pub struct Constant {
    pub value: Object,
    pub text: Vec<u8>,
}

/// Keeps a value as long as the process runs.
fn kept<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn kept_list<T>(values: Vec<T>) -> &'static [T] {
    Vec::leak(values)
}

fn kept_text(text: String) -> &'static str {
    String::leak(text)
}

impl Tables {
    /// Reads all rows, which are given by name in the order of the package.
    pub fn read(rows: &[(String, String)]) -> Made<Self> {
        let names: Vec<_> = rows
            .iter()
            .map(|(name, _)| kept_text(name.clone()))
            .collect();
        let places = names.iter().enumerate();
        let places = places.map(|(place, name)| (*name, place)).collect();
        let mut reading = Reading {
            rows,
            places: &places,
            constants: Vec::new(),
        };
        let (mut plan, mut details) = (Vec::new(), Vec::new());
        for (_, text) in rows {
            let tape = Tape::parse(text).map_err(|_| Stop)?;
            let (name, row, detail) = reading.row(&tape)?;
            plan.push((name, row));
            details.push(detail);
        }
        let constants = reading.constants.into_iter().collect();
        Ok(Tables {
            plan: kept_list(plan),
            places,
            names,
            details,
            constants: RefCell::new(constants),
        })
    }

    /// The rule for a type, given as the JSON of a table's type.
    pub fn rule(&self, text: &str) -> Made<&'static Rule> {
        let tape = Tape::parse(text).map_err(|_| Stop)?;
        let mut reading = Reading {
            rows: &[],
            places: &self.places,
            constants: Vec::new(),
        };
        let rule = reading.rule(&tape, ROOT)?;
        self.constants.borrow_mut().extend(reading.constants);
        Ok(kept(rule))
    }

    pub fn constant(&self, scalar: &'static Scalar) -> Made<&'static Constant> {
        let constants = self.constants.borrow();
        constants
            .get(&std::ptr::from_ref(scalar))
            .copied()
            .ok_or(Stop)
    }
}

/// Rows that are being read.
struct Reading<'r> {
    rows: &'r [(String, String)],
    places: &'r HashMap<&'static str, usize>,
    /// The constants that were found.
    constants: Vec<(*const Scalar, &'static Constant)>,
}

/// The items of an array.
fn items(tape: &Tape<'_>, at: u32) -> Made<Vec<u32>> {
    if tape.token(at) != Token::Array {
        return Err(Stop);
    }
    let mut items = tape.items(at);
    Ok(std::iter::from_fn(|| items.item(tape)).collect())
}

fn is_null(tape: &Tape<'_>, at: u32) -> bool {
    tape.token(at) == Token::Null
}

fn flag(tape: &Tape<'_>, at: u32) -> bool {
    tape.token(at) == Token::True
}

fn number<T: std::str::FromStr>(tape: &Tape<'_>, at: u32) -> Made<T> {
    match tape.token(at) {
        Token::Integer | Token::Number => tape.digits(at).parse().map_err(|_| Stop),
        _ => Err(Stop),
    }
}

/// A number, or `other` for null.
fn bound<T: std::str::FromStr>(tape: &Tape<'_>, at: u32, other: T) -> Made<T> {
    if is_null(tape, at) {
        Ok(other)
    } else {
        number(tape, at)
    }
}

/// A string.
fn string(tape: &Tape<'_>, at: u32) -> Made<String> {
    match tape.token(at) {
        Token::Text => Ok(tape.string(at)),
        _ => Err(Stop),
    }
}

/// A string in canonical spelling, in which the engine compares strings.
fn canonical(tape: &Tape<'_>, at: u32) -> Made<&'static str> {
    match tape.token(at) {
        Token::Text => Ok(kept_text(tape.canonical(at).into_owned())),
        _ => Err(Stop),
    }
}

fn scalar(tape: &Tape<'_>, at: u32) -> Made<Scalar> {
    Ok(match tape.token(at) {
        Token::Text => Scalar::Text(canonical(tape, at)?),
        Token::True | Token::False => Scalar::Bool(flag(tape, at)),
        Token::Integer | Token::Number => Scalar::Number(finite(tape.digits(at)).ok_or(Stop)?),
        _ => return Err(Stop),
    })
}

fn scalars(tape: &Tape<'_>, at: u32) -> Made<&'static [Scalar]> {
    let items = items(tape, at)?.into_iter();
    let found: Made<Vec<_>> = items.map(|item| scalar(tape, item)).collect();
    Ok(kept_list(found?))
}

fn canonicals(tape: &Tape<'_>, at: u32) -> Made<&'static [&'static str]> {
    let items = items(tape, at)?.into_iter();
    let found: Made<Vec<_>> = items.map(|item| canonical(tape, item)).collect();
    Ok(kept_list(found?))
}

/// A scalar as Python has it.
fn object(tape: &Tape<'_>, at: u32) -> Made<Object> {
    match tape.token(at) {
        Token::Text => python::text(&tape.string(at)),
        Token::True | Token::False => Ok(python::boolean(flag(tape, at))),
        Token::Integer => python::integer(number(tape, at)?),
        Token::Number => python::float(number(tape, at)?),
        _ => Err(Stop),
    }
}

impl Reading<'_> {
    fn place(&self, tape: &Tape<'_>, at: u32) -> Made<usize> {
        let name = string(tape, at)?;
        self.places.get(&*name).copied().ok_or(Stop)
    }

    fn constant(&mut self, tape: &Tape<'_>, at: u32, scalar: &'static Scalar) -> Made<()> {
        // A row spells a value as the package writes it.
        let text = tape.json(at).into_bytes();
        let value = object(tape, at)?;
        self.constants
            .push((scalar, kept(Constant { value, text })));
        Ok(())
    }

    // --- types ----------------------------------------------------------------------------------

    fn rule(&mut self, tape: &Tape<'_>, at: u32) -> Made<Rule> {
        if tape.token(at) == Token::Text {
            return Ok(match &*tape.text(at) {
                "string" => Rule::String,
                "boolean" => Rule::Boolean,
                "number" => Rule::Number,
                "integer" => Rule::Integer,
                "uuid" => Rule::Uuid,
                "timestamp" => Rule::Timestamp,
                "json" => Rule::Json,
                "object" => Rule::Object,
                "null" => Rule::Null,
                _ => Rule::Named(self.place(tape, at)?),
            });
        }
        let parts = items(tape, at)?;
        let (&how, rest) = parts.split_first().ok_or(Stop)?;
        Ok(match (&*string(tape, how)?, rest) {
            ("[]", &[item, low, high]) => Rule::List(
                kept(self.rule(tape, item)?),
                bound(tape, low, 0)?,
                bound(tape, high, usize::MAX)?,
            ),
            ("{}", &[value, key]) => {
                let is_text = is_null(tape, key);
                let keys = (!is_text).then(|| self.place(tape, key)).transpose()?;
                Rule::Map(kept(self.rule(tape, value)?), keys)
            }
            ("|", &[kinds]) => self.kinds(tape, kinds)?,
            ("=", &[value]) => {
                let constant = kept(scalar(tape, value)?);
                self.constant(tape, value, constant)?;
                Rule::Literal(constant)
            }
            ("()", &[types]) => {
                let types = items(tape, types)?.into_iter();
                let rules: Made<Vec<_>> = types.map(|each| self.rule(tape, each)).collect();
                Rule::Tuple(kept_list(rules?))
            }
            ("<", &[scalar, low, high]) => Rule::Range(
                kept(self.rule(tape, scalar)?),
                bound(tape, low, f64::NEG_INFINITY)?,
                bound(tape, high, f64::INFINITY)?,
            ),
            _ => return Err(Stop),
        })
    }

    /// An inline union, whose variants are numbered in order.
    fn kinds(&mut self, tape: &Tape<'_>, at: u32) -> Made<Rule> {
        let (mut members, mut kinds) = (tape.members(at), Vec::new());
        while let Some((kind, type_)) = members.member(tape) {
            let kind = match &*tape.text(kind) {
                "null" => WideKind::Null,
                "boolean" => WideKind::Boolean,
                "number" => WideKind::Number,
                "string" => WideKind::String,
                "array" => WideKind::Array,
                "object" => WideKind::Object,
                _ => return Err(Stop),
            };
            kinds.push((kind, kinds.len() as u32, self.rule(tape, type_)?));
        }
        Ok(Rule::Kinds(kept_list(kinds)))
    }

    // --- declarations ---------------------------------------------------------------------------

    fn row(&mut self, tape: &Tape<'_>) -> Made<(&'static str, Row, Detail)> {
        let parts = items(tape, ROOT)?;
        let (row, detail) = match (&*string(tape, parts[0])?, &parts[2..]) {
            ("enum", &[base, open, values]) => {
                let made: Made<Vec<_>> = items(tape, values)?
                    .into_iter()
                    .map(|each| object(tape, each))
                    .collect();
                let is_integer = string(tape, base)? == "integer";
                let values = scalars(tape, values)?;
                let row = Row::Enum(is_integer, flag(tape, open), values);
                (row, Detail::Enum(made?))
            }
            ("alias", &[type_]) => (Row::Alias(self.rule(tape, type_)?), Detail::Alias),
            ("struct", &[members, extra, local]) => self.structure(tape, members, extra, local)?,
            ("union", &[open, unknown, dispatch]) => {
                let is_closed = is_null(tape, unknown);
                let unknown = (!is_closed).then(|| string(tape, unknown)).transpose()?;
                let dispatch = self.dispatch(tape, dispatch)?;
                let row = Row::Union(flag(tape, open), dispatch);
                (row, Detail::Union(unknown))
            }
            _ => return Err(Stop),
        };
        Ok((canonical(tape, parts[1])?, row, detail))
    }

    fn structure(
        &mut self,
        tape: &Tape<'_>,
        members: u32,
        extra: u32,
        local: u32,
    ) -> Made<(Row, Detail)> {
        let (mut keys, mut rows) = (Vec::new(), Vec::new());
        let mut fields = Fields {
            attributes: Vec::new(),
            leads: Vec::new(),
            local: Vec::new(),
            is_flat_nullable: false,
        };
        for each in items(tape, members)? {
            let parts = items(tape, each)?;
            let member = self.member(tape, &parts)?;
            // A flattened member has no key; no document spells one like this.
            let is_flat = matches!(member, Member::Flat(..));
            let key = if is_flat {
                "\""
            } else {
                canonical(tape, parts[1])?
            };
            keys.push(Key(kept_text(format!(",\"{key}\":"))));
            let constant = matches!(member, Member::Constant(_) | Member::Integer(_));
            let value = if constant {
                tape.json(parts[2])
            } else {
                String::new()
            };
            let lead = format!(",{}:{value}", tape.json(parts[1]));
            if is_flat {
                fields.is_flat_nullable = number::<u64>(tape, parts[3])? & NULLABLE != 0;
            }
            fields.leads.push(lead.into_bytes());
            let attribute = (!constant).then(|| string(tape, parts[2])).transpose()?;
            fields.attributes.push(attribute);
            rows.push(member);
        }
        for each in items(tape, local)? {
            fields.local.push(string(tape, each)?);
        }
        let rows = kept_list(rows);
        let marks = items(tape, members)?.into_iter().zip(rows);
        for (at, member) in marks {
            if let Member::Mark(scalar) = member {
                self.constant(tape, items(tape, at)?[3], scalar)?;
            }
        }
        let extra = if is_null(tape, extra) {
            None
        } else {
            Some(self.rule(tape, extra)?)
        };
        let row = Row::Struct(Struct::of(kept_list(keys), rows, extra));
        Ok((row, Detail::Struct(fields)))
    }

    /// A member. Repairs are left out, so that a value that needs one is a fault, and left to Python.
    fn member(&mut self, tape: &Tape<'_>, parts: &[u32]) -> Made<Member> {
        let how = string(tape, *parts.first().ok_or(Stop)?)?;
        Ok(match (&*how, &parts[1..]) {
            ("=", &[_, value]) => Member::Constant(scalar(tape, value)?),
            ("=", &[_, value, _]) => Member::Integer(scalar(tape, value)?),
            ("?", &[_, _, value]) => Member::Mark(scalar(tape, value)?),
            ("#", &[_, _, optional, values, others, ref prefix @ ..]) => {
                let values = match *prefix {
                    [prefix] => Values::Prefix(canonical(tape, prefix)?),
                    _ if tape.token(values) == Token::Text => {
                        Values::Enum(self.place(tape, values)?)
                    }
                    _ => Values::List(scalars(tape, values)?),
                };
                let rule = if self.are_integers(&values) {
                    Rule::Integer
                } else {
                    Rule::String
                };
                let is_closed = is_null(tape, others);
                let others = (!is_closed).then(|| canonical(tape, others)).transpose()?;
                Member::Tag(flag(tape, optional), rule, values, others)
            }
            (".", &[_, _, flags, type_, ref more @ ..]) => {
                let (flags, rule) = (number::<u64>(tape, flags)?, self.rule(tape, type_)?);
                let (is_required, is_nullable) = (flags & REQUIRED != 0, flags & NULLABLE != 0);
                if flags & FLATTEN != 0 {
                    return Ok(Member::Flat(!is_required, rule));
                }
                let state = match (is_required, is_nullable) {
                    (true, false) => State::Required,
                    (true, true) => State::Nullable,
                    (false, false) => State::Optional,
                    (false, true) => State::Presence,
                };
                let claimed = self.claimed(tape, more)?;
                match claimed {
                    (&[], &[]) => Member::Field(state, rule),
                    (values, prefixes) => Member::Claimed(state, rule, values, prefixes),
                }
            }
            _ => return Err(Stop),
        })
    }

    /// Whether the values of a tag are integers. The row of an enum may not be read yet.
    fn are_integers(&self, values: &Values) -> bool {
        match values {
            Values::List(values) => matches!(values, [Scalar::Number(_), ..]),
            Values::Enum(place) => Tape::parse(&self.rows[*place].1).is_ok_and(|tape| {
                let parts = items(&tape, ROOT).unwrap_or_default();
                parts.get(2).is_some_and(|at| tape.is(*at, "integer"))
            }),
            Values::Prefix(_) => false,
        }
    }

    #[allow(clippy::type_complexity)] // values, and prefixes
    fn claimed(
        &self,
        tape: &Tape<'_>,
        more: &[u32],
    ) -> Made<(&'static [Scalar], &'static [&'static str])> {
        let present = |at: usize| more.get(at).copied().filter(|at| !is_null(tape, *at));
        let values = present(0).map(|at| scalars(tape, at)).transpose()?;
        let prefixes = present(1).map(|at| canonicals(tape, at)).transpose()?;
        Ok((values.unwrap_or(&[]), prefixes.unwrap_or(&[])))
    }

    // --- unions ---------------------------------------------------------------------------------

    /// A decision, whose variants are numbered as `Variants` has them.
    fn dispatch(&mut self, tape: &Tape<'_>, at: u32) -> Made<Dispatch> {
        if tape.token(at) == Token::Text {
            return Ok(Dispatch::Leaf(self.place(tape, at)?));
        }
        let parts = items(tape, at)?;
        let (&how, rest) = parts.split_first().ok_or(Stop)?;
        let mut variant = 0..;
        let mut next = || variant.next().unwrap_or_default();
        Ok(match (&*string(tape, how)?, rest) {
            ("switch", &[union, key, cases, others, absent, ref prefixes @ ..]) => {
                let (mut tags, mut begun, mut forms) = (Vec::new(), Vec::new(), Vec::new());
                for each in pairs(tape, cases)? {
                    let then = self.dispatch(tape, each.1)?;
                    tags.push((scalar(tape, each.0)?, next(), then));
                }
                for each in prefixes.iter().map(|at| pairs(tape, *at)) {
                    for (prefix, then) in each? {
                        let then = self.dispatch(tape, then)?;
                        begun.push((canonical(tape, prefix)?, next(), then));
                    }
                }
                for (form, place) in pairs(tape, others)? {
                    forms.push((canonical(tape, form)?, next(), self.place(tape, place)?));
                }
                let absent = if is_null(tape, absent) {
                    None
                } else {
                    Some(kept((next(), self.dispatch(tape, absent)?)))
                };
                Dispatch::Switch {
                    union: self.place(tape, union)?,
                    key: canonical(tape, key)?,
                    cases: kept_list(tags),
                    prefixes: kept_list(begun),
                    others: kept_list(forms),
                    absent,
                }
            }
            ("keys", &[union, cases]) => {
                let mut choices = Vec::new();
                for each in items(tape, cases)? {
                    let &[has, lacks, then] = &*items(tape, each)? else {
                        return Err(Stop);
                    };
                    let (has, lacks) = (canonicals(tape, has)?, canonicals(tape, lacks)?);
                    choices.push((has, lacks, next(), self.dispatch(tape, then)?));
                }
                Dispatch::Keys {
                    union: self.place(tape, union)?,
                    cases: kept_list(choices),
                }
            }
            _ => return Err(Stop),
        })
    }
}

/// The pairs in an array.
fn pairs(tape: &Tape<'_>, at: u32) -> Made<Vec<(u32, u32)>> {
    let pairs = items(tape, at)?.into_iter();
    pairs
        .map(|each| match &*items(tape, each)? {
            &[one, other] => Ok((one, other)),
            _ => Err(Stop),
        })
        .collect()
}

/// What a variant's number stands for.
pub enum Variant {
    Dispatch(&'static Dispatch),
    Struct(usize),
}

/// The variant of a decision with a number, as `Reading::dispatch` assigns them.
pub fn variant(dispatch: &'static Dispatch, number: u32) -> Option<Variant> {
    let mut at = number as usize;
    match dispatch {
        Dispatch::Leaf(place) => Some(Variant::Struct(*place)),
        Dispatch::Switch {
            cases,
            prefixes,
            others,
            absent,
            ..
        } => {
            if let Some((.., then)) = cases.get(at) {
                return Some(Variant::Dispatch(then));
            }
            at -= cases.len();
            if let Some((.., then)) = prefixes.get(at) {
                return Some(Variant::Dispatch(then));
            }
            at -= prefixes.len();
            if let Some((.., place)) = others.get(at) {
                return Some(Variant::Struct(*place));
            }
            absent.map(|(_, then)| Variant::Dispatch(then))
        }
        Dispatch::Keys { cases, .. } => cases.get(at).map(|(.., then)| Variant::Dispatch(then)),
    }
}
