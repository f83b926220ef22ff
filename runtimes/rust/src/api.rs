//! Decodes one document into a value, and encodes a value as a line.

use crate::codec::{Codec, Wire};
use crate::error::{DecodeError, EncodeError};
use crate::{out, validator};

/// How a decoder treats unknown content.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Keeps it and writes it back.
    #[default]
    Lenient,
    /// Refuses it, as well as text in the wrong format and arrays outside their bounds.
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
    validator::decode(T::RULE, validator::utf8(data.as_ref())?, mode)
}

/// A decoded value, with details of the text that it came from.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Examined<T> {
    /// The value.
    pub value: T,
    /// The name of the innermost type that was chosen; `Unknown` if no variant matched.
    pub variant: &'static str,
    /// Sorted JSON Pointers to everything that strict mode refuses.
    pub unknown: Vec<String>,
}

/// Decodes one JSON text in lenient mode, and lists what strict mode would refuse.
///
/// # Errors
///
/// Returns the first fault in the text, with its path.
pub fn examine<T: Wire>(data: impl AsRef<[u8]>) -> Result<Examined<T>, DecodeError> {
    examine_with(data, Mode::Lenient)
}

/// Decodes one JSON text in the given mode, and lists what strict mode would refuse.
///
/// # Errors
///
/// Returns the first fault in the text, with its path.
pub fn examine_with<T: Wire>(
    data: impl AsRef<[u8]>,
    mode: Mode,
) -> Result<Examined<T>, DecodeError> {
    let verdict = validator::validate(T::RULE, validator::utf8(data.as_ref())?, mode)?;
    Ok(Examined {
        value: verdict.value()?,
        variant: verdict.variant,
        unknown: verdict.unknown,
    })
}

/// Encodes a value as one line, without a line end.
///
/// # Errors
///
/// Returns the first value that no reader accepts, with its path: a number that is not finite, an
/// integer beyond 53 bits, or a tag that belongs to another type.
pub fn encode<T: Wire>(value: &T) -> Result<String, EncodeError> {
    out::encode(value)
}

/// For conformance tests: decodes a text as the type of that name, and encodes it again.
#[doc(hidden)]
pub fn examine_named<T: Codec>(
    name: &str,
    data: &[u8],
    mode: Mode,
) -> Result<(String, &'static str, Vec<String>), DecodeError> {
    let text = validator::utf8(data)?;
    let verdict = validator::validate(validator::rule(name), text, mode)?;
    let value: T = validator::decode(validator::rule(name), text, mode)?;
    let line = out::encode(&value).expect("a decoded value can be encoded");
    Ok((line, verdict.variant, verdict.unknown))
}
