//! Decodes one document into a value, and encodes a value as a line.

use crate::codec::{Codec, Wire};
use crate::engine::{self, Document};
use crate::error::{DecodeError, EncodeError};
use crate::json::Json;
use crate::out;
use crate::table::Rule;
use crate::tolerated::Tolerated;

/// How a decoder treats unknown content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Keeps it and writes it back.
    #[default]
    Lenient,
    /// Rejects it, as well as text in the wrong format and arrays with an invalid number of items.
    Strict,
}

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
    engine::decode(rule, data, mode).map(|document| value(&document))
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
    let mut document = engine::examine(&T::RULE, data.as_ref(), mode)?;
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
        engine::decode(&T::RULE, line.as_bytes(), mode).map_err(EncodeError::of)?;
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
    let document = engine::examine(&engine::rule(name), data, mode)?;
    let line = out::encode(&value::<T>(&document)).expect("a decoded value can be encoded");
    Ok((line, document.variant, document.tolerated.to_vec()))
}
