//! Requests, each tied to the type of its answer.
//!
//! The generated module `pairs` calls `controls!` with the requests of the protocol.

#![allow(dead_code, unused_macros)] // not every protocol has requests

use std::fmt;

use crate::api::decode_as;
use crate::codec::{Codec, Wire};
use crate::error::{Code, DecodeError, EncodeError};
use crate::json::Json;
use crate::out::{encode, text_of};
use crate::table::Rule;
use crate::Mode;

/// Why there is no answer to a request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ControlError {
    /// The peer refused the request.
    #[non_exhaustive]
    Refused {
        /// What the peer says, for people.
        message: String,
        /// The part of the response that says so, untouched.
        response: Json,
    },
    /// The response holds neither an answer nor a refusal.
    Missing,
    /// The answer is not of the type that belongs to the request.
    Decode(DecodeError),
}

impl fmt::Display for ControlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ControlError::Refused { message, .. } => {
                write!(f, "the request was refused: {message}")
            }
            ControlError::Missing => f.write_str("the response has no answer"),
            ControlError::Decode(error) => error.fmt(f),
        }
    }
}

/// `Display` includes the decode error, so there is no `source`.
impl std::error::Error for ControlError {}

/// Keeps the trait of requests from being implemented elsewhere.
pub trait Sealed {}

impl<R: Sealed> Sealed for Box<R> {}

/// The error for a response that refuses a request.
pub fn refused<T: Codec>(message: &str, response: &T) -> ControlError {
    ControlError::Refused {
        message: message.into(),
        response: Json::parse(&text_of(response)).unwrap_or(Json::NULL),
    }
}

/// The error for the answer to another request than the one that an envelope holds.
pub fn another_request() -> EncodeError {
    EncodeError {
        code: Code::WrongType,
        path: String::new(),
        message: "the envelope holds another request than the one to answer".into(),
    }
}

/// Converts an answer to the type that its envelope holds.
pub fn encode_answer<T: Codec, P: Wire>(answer: &T) -> Result<Option<P>, EncodeError> {
    Ok(crate::decode(encode(answer)?).ok())
}

/// Decodes the answer that an envelope holds at `pointer`, where the path of a fault starts.
pub fn decode_answer<T: Codec, P: Codec>(
    rule: Rule,
    payload: &P,
    pointer: &str,
) -> Result<T, ControlError> {
    decode_as(&rule, text_of(payload).as_bytes(), Mode::Lenient).map_err(|mut error| {
        error.path.insert_str(0, pointer);
        ControlError::Decode(error)
    })
}

/// Declares the trait of requests and implements it. The first line names the union of all requests, the
/// type that an envelope holds for an answer, and the pointer to it. Each row names a request, the pattern of
/// the union's values that hold it, the type of its answer, how the envelope holds that, and its rule.
///
/// The members of a `flat` answer are beside those of the envelope, so a missing answer is one without
/// members.
macro_rules! controls {
    (
        $requests:ty, $payload:ty, $pointer:literal;
        $($request:ident $pattern:pat, $answer:ty, $how:ident $($rule:expr)?;)*
    ) => {
        /// A request whose type of answer is known.
        ///
        /// This trait cannot be implemented outside this crate.
        pub trait Control: crate::controls::Sealed {
            /// The type of the answer; `()` if there is none.
            type Answer;

            #[doc(hidden)]
            fn into_request(self) -> $requests;

            #[doc(hidden)]
            fn is_held_by(&self, request: &$requests) -> bool;

            #[doc(hidden)]
            fn encode_answer(answer: &Self::Answer) -> Result<Option<$payload>, EncodeError>;

            #[doc(hidden)]
            fn decode_answer(payload: Option<&$payload>) -> Result<Self::Answer, ControlError>;
        }

        impl<R: Control> Control for Box<R> {
            type Answer = R::Answer;

            fn into_request(self) -> $requests {
                R::into_request(*self)
            }

            fn is_held_by(&self, request: &$requests) -> bool {
                R::is_held_by(self, request)
            }

            fn encode_answer(answer: &R::Answer) -> Result<Option<$payload>, EncodeError> {
                R::encode_answer(answer)
            }

            fn decode_answer(payload: Option<&$payload>) -> Result<R::Answer, ControlError> {
                R::decode_answer(payload)
            }
        }

        $(
            impl crate::controls::Sealed for $request {}

            impl Control for $request {
                type Answer = $answer;

                fn into_request(self) -> $requests {
                    self.into()
                }

                fn is_held_by(&self, request: &$requests) -> bool {
                    matches!(request, $pattern)
                }

                fn encode_answer(answer: &$answer) -> Result<Option<$payload>, EncodeError> {
                    controls!(@ encode $how answer)
                }

                fn decode_answer(payload: Option<&$payload>) -> Result<$answer, ControlError> {
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
        crate::controls::decode_answer($rule, $payload.ok_or(ControlError::Missing)?, $pointer)
    };
}
