//! Requests, each tied to the type of its answer.
//!
//! The generated module `pairs` calls `controls!` with the requests of the protocol.

#![allow(dead_code, unused_macros)] // not every protocol has requests

use std::fmt;

use crate::codec::Codec;
use crate::cursor::attempt;
use crate::error::{DecodeError, EncodeError};
use crate::out::{encode, text_of};
use crate::validator::{decode, Rule};
use crate::Mode;

/// A response that has no answer to the request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum AnswerError {
    /// The response holds no answer; it may hold an error.
    Missing,
    /// The answer is not of the type that belongs to the request.
    Decode(DecodeError),
}

impl fmt::Display for AnswerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AnswerError::Missing => f.write_str("the response has no answer"),
            AnswerError::Decode(error) => error.fmt(f),
        }
    }
}

/// `Display` includes the decode error, so there is no `source`.
impl std::error::Error for AnswerError {}

/// Converts an answer to the type that its envelope holds.
pub fn encode_answer<T: Codec, P: Codec>(answer: &T) -> Result<Option<P>, EncodeError> {
    Ok(attempt(&encode(answer)?, true).ok())
}

/// Decodes the answer that an envelope holds at `pointer`, where the path of a fault starts.
pub fn decode_answer<T: Codec, P: Codec>(
    rule: Rule,
    payload: &P,
    pointer: &str,
) -> Result<T, AnswerError> {
    decode(rule, &text_of(payload), Mode::Lenient).map_err(|mut error| {
        error.path.insert_str(0, pointer);
        AnswerError::Decode(error)
    })
}

/// Declares the trait of requests and implements it. The first line names the union of all requests, the
/// type that an envelope holds for an answer, and the pointer to it. Each row names a request, the type
/// of its answer, how the envelope holds that, and its rule.
///
/// The members of a `flat` answer are beside those of the envelope, so a missing answer is one without
/// members.
macro_rules! controls {
    (
        $requests:ty, $payload:ty, $pointer:literal;
        $($request:ident $answer:ty, $how:ident $($rule:expr)?;)*
    ) => {
        /// A request whose type of answer is known.
        ///
        /// This trait cannot be implemented outside this crate.
        pub trait Control: Into<$requests> {
            /// The type of the answer; `()` if there is none.
            type Answer;

            #[doc(hidden)]
            fn encode_answer(answer: &Self::Answer) -> Result<Option<$payload>, EncodeError>;

            #[doc(hidden)]
            fn decode_answer(payload: Option<&$payload>) -> Result<Self::Answer, AnswerError>;
        }

        $(
            impl Control for $request {
                type Answer = $answer;

                fn encode_answer(answer: &$answer) -> Result<Option<$payload>, EncodeError> {
                    controls!(@ encode $how answer)
                }

                fn decode_answer(payload: Option<&$payload>) -> Result<$answer, AnswerError> {
                    controls!(@ decode $how payload $pointer $($rule)?)
                }
            }
        )*
    };
    (@ encode none $answer:ident) => {{
        let () = $answer;
        Ok(None)
    }};
    (@ encode option $answer:ident) => {
        match $answer {
            Some(answer) => crate::controls::encode_answer(answer),
            None => Ok(None),
        }
    };
    (@ encode $how:ident $answer:ident) => {
        crate::controls::encode_answer($answer)
    };
    (@ decode none $payload:ident $pointer:literal) => {{
        let _ = $payload;
        Ok(())
    }};
    (@ decode option $payload:ident $pointer:literal $rule:expr) => {
        $payload
            .map(|payload| crate::controls::decode_answer($rule, payload, $pointer))
            .transpose()
    };
    (@ decode flat $payload:ident $pointer:literal $rule:expr) => {
        crate::controls::decode_answer($rule, $payload.unwrap_or(&crate::Object::new()), $pointer)
    };
    (@ decode one $payload:ident $pointer:literal $rule:expr) => {
        crate::controls::decode_answer($rule, $payload.ok_or(AnswerError::Missing)?, $pointer)
    };
}
