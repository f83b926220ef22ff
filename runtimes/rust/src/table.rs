//! The building blocks of a protocol's tables (`plan`), which are the only description of its types.
//!
//! Keys and strings are in canonical spelling: as JSON has them between quotes, with necessary escapes only.

#![allow(dead_code, unused_imports, unused_macros)] // not every protocol uses all of it

use crate::text::equal;

/// The tables of a protocol: the name and the row of each declaration.
pub type Plan = &'static [(&'static str, Row)];

/// A type in the tables.
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
    /// A declaration, by its index in the tables.
    Named(usize),
    /// The rule of items, and the minimum and maximum number of items.
    List(&'static Rule, usize, usize),
    /// The rule of values, and the enum of the keys.
    Map(&'static Rule, Option<usize>),
    /// The type, or null.
    Nullable(&'static Rule),
    /// A constant.
    Literal(&'static Scalar),
    /// The rules of the items.
    Tuple(&'static [Rule]),
    /// The rule of a number or string, and the bounds of its value or of its number of code points.
    Range(&'static Rule, f64, f64),
    /// A rule for each kind, and the variant that holds it.
    Kinds(&'static [(WideKind, u32, Rule)]),
}

/// The kinds by which inline unions select a variant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum WideKind {
    Null,
    Boolean,
    Number,
    String,
    Array,
    Object,
}

impl WideKind {
    pub fn name(self) -> &'static str {
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
#[derive(PartialEq)]
pub enum Scalar {
    Text(&'static str),
    Bool(bool),
    Number(f64),
}

impl Scalar {
    /// The name of its kind.
    pub const fn name(&self) -> &'static str {
        match self {
            Scalar::Text(_) => "string",
            Scalar::Bool(_) => "boolean",
            Scalar::Number(_) => "number",
        }
    }
}

/// A declaration.
pub enum Row {
    /// Whether its values are integers, whether it is open, and its values.
    Enum(bool, bool, &'static [Scalar]),
    Alias(Rule),
    Struct(Struct),
    /// Whether it is open, and how a variant is selected.
    Union(bool, Dispatch),
}

/// The key of a member with what encoders write around it: `,"key":`.
#[derive(Clone, Copy, Debug)]
pub struct Key(pub &'static str);

impl Key {
    /// What is written for the key: the comma before it is missing for the first member.
    #[inline]
    pub fn label(self, is_first: bool) -> &'static str {
        &self.0[usize::from(is_first)..]
    }

    #[inline]
    pub fn text(self) -> &'static str {
        &self.0[2..self.0.len() - 2]
    }

    /// The same, without checking that it begins and ends between characters.
    #[inline]
    fn bytes(self) -> &'static [u8] {
        &self.0.as_bytes()[2..self.0.len() - 2]
    }
}

/// A list of keys.
macro_rules! keys {
    ($($key:literal),* $(,)?) => { &[$($crate::table::Key(concat!(",\"", $key, "\":"))),*] };
}
pub(crate) use keys;

pub struct Struct {
    /// The keys of the members. A flattened member has no key; instead, it has a text that is not a valid spelling of
    /// a key.
    pub keys: &'static [Key],
    /// The index of the first key in each bucket; 255 if that is higher, or if there is none.
    firsts: [u8; BUCKETS],
    pub members: &'static [Member],
    /// The rule of undeclared members, if they have one.
    pub extra: Option<Rule>,
    /// Whether no key and no constant has an escape.
    pub is_plain: bool,
    /// The fields that may only be absent, as most are.
    optional: Bits,
    /// The index after the last constant. `out` need not check the members after it.
    pub constants_end: usize,
    /// The index after the last constant, and after the last member that may be null but not absent.
    pub special_end: usize,
}

impl Struct {
    pub const fn of(keys: &'static [Key], members: &'static [Member], extra: Option<Rule>) -> Self {
        Struct {
            keys,
            firsts: firsts(keys),
            members,
            extra,
            is_plain: !have_escapes(keys, members),
            optional: optional(members),
            constants_end: constants_end(members),
            special_end: special_end(members),
        }
    }

    /// The fields that may be absent but not null, without those that are present.
    #[inline]
    pub fn optional(&self, present: Bits) -> Bits {
        Bits(self.optional.0 & !present.0)
    }

    /// The index of the member with a key in canonical spelling.
    #[inline(always)] // each key is looked up by it
    pub fn place(&self, key: &[u8]) -> Option<usize> {
        let first = usize::from(self.firsts[bucket(key)]);
        if equal(self.keys.get(first)?.bytes(), key) {
            return Some(first);
        }
        self.place_after(first, key)
    }

    #[inline(never)] // few keys share a bucket with another
    fn place_after(&self, first: usize, key: &[u8]) -> Option<usize> {
        let mut keys = self.keys[first + 1..].iter();
        let place = keys.position(|each| each.bytes() == key)?;
        Some(first + 1 + place)
    }
}

/// Some of the first 64 members of a struct, the lowest bit for the first one.
#[derive(Clone, Copy, Default)]
pub struct Bits(u64);

impl Bits {
    /// Adds a member. For one beyond the first 64, another one is added; so a member among them need not be present.
    #[inline]
    pub fn add(&mut self, number: usize) {
        self.0 |= 1 << (number % 64);
    }

    /// The number of members from the first one on that are among them.
    #[inline]
    pub fn run(self) -> usize {
        self.0.trailing_ones() as usize
    }

    /// Whether the first member is among them. The next one becomes the first.
    #[inline]
    pub fn take(&mut self) -> bool {
        let is_first = self.0 & 1 == 1;
        self.0 >>= 1;
        is_first
    }

    /// Removes the first members, of which there is at least one. The next one becomes the first.
    #[inline]
    pub fn skip(&mut self, count: usize) {
        self.0 = self.0 >> 1 >> (count - 1);
    }
}

/// The number of buckets of keys, with which few structs have two keys in one.
const BUCKETS: usize = 64;

/// The bucket of a key.
#[inline]
const fn bucket(key: &[u8]) -> usize {
    match key {
        [first, .., last] => (key.len() + 5 * *first as usize + 3 * *last as usize) % BUCKETS,
        _ => 0,
    }
}

const fn firsts(keys: &[Key]) -> [u8; BUCKETS] {
    let mut firsts = [u8::MAX; BUCKETS];
    let mut number = if keys.len() < 255 { keys.len() } else { 255 };
    while number > 0 {
        number -= 1;
        let (_, key) = keys[number].0.as_bytes().split_at(2);
        let (key, _) = key.split_at(key.len() - 2);
        firsts[bucket(key)] = number as u8;
    }
    firsts
}

const fn optional(members: &[Member]) -> Bits {
    let (mut optional, mut number) = (0, 0);
    while number < members.len() && number < 64 {
        if let Member::Field(State::Optional, _) = members[number] {
            optional |= 1 << number;
        }
        number += 1;
    }
    Bits(optional)
}

const fn constants_end(members: &[Member]) -> usize {
    let mut end = members.len();
    while end > 0 {
        if let Member::Constant(_) | Member::Integer(_) = members[end - 1] {
            break;
        }
        end -= 1;
    }
    end
}

const fn special_end(members: &[Member]) -> usize {
    let mut end = members.len();
    while end > constants_end(members) {
        if let Member::Field(State::Nullable | State::Null, _)
        | Member::Claimed(State::Nullable | State::Null, ..)
        | Member::Repaired(State::Nullable | State::Null, ..) = members[end - 1]
        {
            break;
        }
        end -= 1;
    }
    end
}

const fn have_escapes(keys: &[Key], members: &[Member]) -> bool {
    let mut number = 0;
    while number < keys.len() {
        let constant = match &members[number] {
            Member::Constant(Scalar::Text(text)) | Member::Mark(Scalar::Text(text)) => text,
            _ => "",
        };
        if has_escapes(keys[number].0) || has_escapes(constant) {
            return true;
        }
        number += 1;
    }
    false
}

const fn has_escapes(text: &str) -> bool {
    let mut at = 0;
    while at < text.len() {
        if text.as_bytes()[at] == b'\\' {
            return true;
        }
        at += 1;
    }
    false
}

/// A member of an object. All members except constants are fields of the struct, in this order.
pub enum Member {
    /// Always present, with this value.
    Constant(Scalar),
    /// A tag that is always present, with this integer.
    Integer(Scalar),
    /// Absent or present with this value, as the field states.
    Mark(Scalar),
    /// A tag with several values: whether it may be absent, its type, its values, and the pattern of unknown values.
    Tag(bool, Rule, Values, Option<&'static str>),
    Field(State, Rule),
    /// A field with values, and prefixes of texts, that belong to sibling variants.
    Claimed(State, Rule, &'static [Scalar], &'static [&'static str]),
    /// A field whose invalid values are repaired in lenient mode.
    Repaired(State, Rule, Repair),
    /// A field whose value holds the undeclared members; it may be absent.
    Flat(bool, Rule),
}

impl Member {
    /// The state and the rule of a field; `None` for a constant.
    pub fn field(&self) -> Option<(State, Rule)> {
        match self {
            Member::Field(state, rule)
            | Member::Claimed(state, rule, ..)
            | Member::Repaired(state, rule, _) => Some((*state, *rule)),
            _ => None,
        }
    }

    /// Whether `extra` keeps invalid values.
    pub fn keeps_unfit(&self) -> bool {
        matches!(
            self,
            Member::Repaired(.., Repair::Absent | Repair::SkipAbsent)
        )
    }
}

/// What a field may be other than a value of its rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    Required,
    /// Null.
    Nullable,
    /// `Required`, and null, a value of the rule, is `None`.
    Null,
    /// Absent. A null is tolerated.
    Optional,
    /// Absent or null.
    Presence,
    /// Absent; null is a value of the rule.
    Maybe,
}

/// The values of a tag.
pub enum Values {
    List(&'static [Scalar]),
    Enum(usize),
    /// Every text with this prefix.
    Prefix(&'static str),
}

/// How lenient mode repairs an invalid value.
#[derive(Clone, Copy)]
pub enum Repair {
    /// The field becomes absent, and `extra` keeps the value.
    Absent,
    /// Invalid items of a list are dropped.
    Skip,
    /// Like `Skip`, but any other fault of a list makes the field absent.
    SkipAbsent,
    /// Like `Skip`, but any other fault of a list replaces it with a JSON text.
    SkipValue(&'static str),
    /// The value is replaced with a JSON text.
    Value(&'static str),
}

/// How a union selects a variant: each choice with the index of the variant.
pub enum Dispatch {
    Leaf(usize),
    Switch {
        union: usize,
        key: &'static str,
        cases: &'static [(Scalar, u32, Dispatch)],
        /// Prefixes of other texts, the longest first.
        prefixes: &'static [(&'static str, u32, Dispatch)],
        /// Patterns of unknown tags, each with its struct.
        others: &'static [(&'static str, u32, usize)],
        absent: Option<&'static (u32, Dispatch)>,
    },
    Keys {
        union: usize,
        #[allow(clippy::type_complexity)] // keys that must be present, keys that must be absent
        cases: &'static [(
            &'static [&'static str],
            &'static [&'static str],
            u32,
            Dispatch,
        )],
    },
}
