//! Decodes one document into a value, and encodes a value as a line.

use crate::codec::{Codec, Wire};
use crate::engine::{self, Document, Target};
use crate::error::{DecodeError, EncodeError};
use crate::json::Json;
use crate::out;
use crate::plan::PLAN;
use crate::table::{Member, Row, Rule, Struct};
use crate::text::MAX_DEPTH;
use crate::tolerated::Tolerated;

pub use crate::engine::Mode;

/// Decodes one JSON text in lenient mode.
///
/// # Errors
///
/// Returns the first fault in the text, with its path.
pub fn decode<T: Wire>(data: impl AsRef<[u8]>) -> Result<T, DecodeError> {
    decode_with(data, Mode::Lenient)
}

/// Decodes one JSON text in the given mode.
///
/// # Errors
///
/// Returns the first fault in the text, with its path.
pub fn decode_with<T: Wire>(data: impl AsRef<[u8]>, mode: Mode) -> Result<T, DecodeError> {
    decode_as(&T::RULE, data.as_ref(), mode)
}

/// Decodes one JSON text with a rule whose values have the type `T`.
pub(crate) fn decode_as<T: Codec>(rule: &Rule, data: &[u8], mode: Mode) -> Result<T, DecodeError> {
    engine::decode(target(rule, mode), data).map(|document| value(&document))
}

/// A rule of the crate's tables, with the mode in which a document is decoded by it.
pub(crate) fn target(rule: &Rule, mode: Mode) -> Target<'_> {
    Target {
        plan: PLAN,
        rule,
        mode,
        levels: MAX_DEPTH,
        repairs: true,
    }
}

/// The rule of a declared name.
#[allow(dead_code)] // for conformance tests
pub(crate) fn rule(name: &str) -> Rule {
    let at = PLAN.iter().position(|(each, _)| *each == name);
    Rule::Named(at.expect("every type is in the tables"))
}

/// The struct at an index of the tables.
pub(crate) fn structure(place: usize) -> &'static Struct {
    match &PLAN[place].1 {
        Row::Struct(row) => row,
        _ => const { &Struct::of(&[], &[], None) },
    }
}

/// The value that the protocol fixes for a member of a struct, by the indexes of both in the tables.
#[allow(dead_code)] // not every protocol has such members
pub(crate) fn preset<T: Codec>(place: usize, member: usize, text: &str) -> T {
    let rule = match &structure(place).members[member] {
        Member::Tag(_, rule, ..) | Member::Flat(_, rule) => *rule,
        member => member.field().map_or(Rule::Json, |(_, rule)| rule),
    };
    let decoded = decode_as(&rule, text.as_bytes(), Mode::Lenient);
    decoded.expect("the specification is checked")
}

/// A member of an object that matched no variant, if it is present and valid under a rule in lenient mode.
#[allow(dead_code)] // not every protocol has such members
pub(crate) fn view<T: Codec>(object: &Json, key: &str, rule: &Rule) -> Option<T> {
    let member = object.get(key).filter(|member| !member.is_null())?;
    decode_as(rule, member.text().as_bytes(), Mode::Lenient).ok()
}

/// Decodes the value of a document.
pub(crate) fn value<T: Codec>(document: &Document<'_>) -> T {
    let mut slots = document.slots();
    let value = T::read(&mut slots);
    debug_assert!(slots.is_empty(), "the tables and the types differ");
    value
}

/// A decoded value, with details about the text it was decoded from.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Examined<T> {
    /// The value.
    pub value: T,
    /// The name of the innermost type that was selected; `Unknown` if no variant matched.
    pub variant: &'static str,
    /// The locations of everything that strict mode rejects.
    pub unknown: Tolerated,
}

/// Decodes one JSON text in lenient mode, and lists what strict mode would reject.
///
/// # Errors
///
/// Returns the first fault in the text, with its path.
pub fn examine<T: Wire>(data: impl AsRef<[u8]>) -> Result<Examined<T>, DecodeError> {
    examine_with(data, Mode::Lenient)
}

/// Decodes one JSON text in the given mode, and lists what strict mode would reject.
///
/// # Errors
///
/// Returns the first fault in the text, with its path.
pub fn examine_with<T: Wire>(
    data: impl AsRef<[u8]>,
    mode: Mode,
) -> Result<Examined<T>, DecodeError> {
    let mut document = engine::examine(target(&T::RULE, mode), data.as_ref())?;
    Ok(Examined {
        value: value(&document),
        variant: document.variant,
        unknown: std::mem::take(&mut document.tolerated),
    })
}

/// Encodes a value as one line, without a line end.
///
/// # Errors
///
/// Returns the first invalid value, with its path: a number that is not finite, an integer beyond 53 bits, or a tag
/// that belongs to another type.
pub fn encode<T: Wire>(value: &T) -> Result<String, EncodeError> {
    encode_with(value, Mode::Lenient)
}

/// Encodes a value as one line, without a line end. In strict mode, it is an error if a strict reader would reject the
/// line.
///
/// # Errors
///
/// As [`encode`]; otherwise the code and path of the fault that decoding the line in the given mode would report.
pub fn encode_with<T: Wire>(value: &T, mode: Mode) -> Result<String, EncodeError> {
    let line = out::encode(value)?;
    if mode == Mode::Strict {
        engine::decode(target(&T::RULE, mode), line.as_bytes()).map_err(EncodeError::of)?;
    }
    Ok(line)
}

/// For conformance tests: decodes a text as the type with the given name, and encodes it again.
#[cfg(feature = "__conformance")]
#[doc(hidden)]
pub fn examine_named<T: Codec>(
    name: &str,
    data: &[u8],
    mode: Mode,
) -> Result<(String, &'static str, Vec<String>), DecodeError> {
    let document = engine::examine(target(&rule(name), mode), data)?;
    let line = out::encode(&value::<T>(&document)).expect("a decoded value can be encoded");
    Ok((line, document.variant, document.tolerated.to_vec()))
}
