//! Requests, each with the type of its answer, and the forms of responses.
//!
//! The generated module `pairs` calls the macros with the requests and the envelopes of the protocol.

#![allow(dead_code, unused_macros)] // not every protocol has requests

use std::convert::Infallible;
use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::api::decode_as;
use crate::codec::{Codec, Wire};
use crate::error::{Code, DecodeError, EncodeError};
use crate::json::{Json, JsonRef};
use crate::out::{encode, text_of};
use crate::plan::PLAN;
use crate::table::{Rule, Scalar};
use crate::tolerated::push_step;
use crate::Mode;

/// The reason why a request has no answer. `C` is the type of an error's code, `D` that of its data.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ControlError<C, D> {
    /// The peer answered the request with an error.
    #[non_exhaustive]
    Refused {
        /// A human-readable message from the peer.
        message: String,
        /// The code, if the error has one.
        code: Option<C>,
        /// The data, if the error has any.
        data: Option<D>,
        /// The response, untouched.
        response: Json,
    },
    /// The response contains neither an answer nor an error.
    Missing,
    /// The answer does not have the type that matches the request.
    Decode(DecodeError),
}

impl<C, D> fmt::Display for ControlError<C, D> {
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

/// `Display` is that of the source, if there is one.
impl<C: fmt::Debug, D: fmt::Debug> std::error::Error for ControlError<C, D> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ControlError::Decode(error) => Some(error),
            _ => None,
        }
    }
}

/// The error with which a request is refused: a human-readable message, and optionally a code and data. A string
/// converts to a refusal with only that message. `C` is the type of codes.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Refusal<C> {
    pub(crate) message: String,
    pub(crate) code: Option<C>,
    pub(crate) data: Option<Json>,
}

impl<C> Refusal<C> {
    /// Creates a refusal with a human-readable message.
    pub fn new(message: impl Into<String>) -> Self {
        Refusal {
            message: message.into(),
            code: None,
            data: None,
        }
    }

    /// Sets the code. By default, the protocol's code for refusals or for unknown requests is sent.
    pub fn code(mut self, code: impl Into<C>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// Sets the data.
    ///
    /// # Errors
    ///
    /// Fails if the data is invalid.
    pub fn data<T: Wire>(mut self, data: &T) -> Result<Self, EncodeError> {
        self.data = Some(Json::of_text(encode(data)?));
        Ok(self)
    }
}

impl<C> Refusal<C> {
    /// Sets the code if none was set.
    pub(crate) fn or_code(mut self, code: C) -> Self {
        self.code.get_or_insert(code);
        self
    }
}

impl<C> From<&str> for Refusal<C> {
    fn from(message: &str) -> Self {
        Refusal::new(message)
    }
}

impl<C> From<String> for Refusal<C> {
    fn from(message: String) -> Self {
        Refusal::new(message)
    }
}

/// The message of an error with which a request is refused.
pub trait Reason {
    fn reason(&self) -> &str;
}

impl<C> Reason for Refusal<C> {
    fn reason(&self) -> &str {
        &self.message
    }
}

impl Reason for String {
    fn reason(&self) -> &str {
        self
    }
}

impl Reason for Infallible {
    fn reason(&self) -> &str {
        match *self {}
    }
}

/// Keeps the traits of requests, notifications and responses from being implemented elsewhere.
pub trait Sealed {}

impl<T: Sealed> Sealed for Box<T> {}

// --- ids ----------------------------------------------------------------------------------------

/// Returns a number that this process has not used for another request.
pub fn next_number() -> i64 {
    static NEXT: AtomicI64 = AtomicI64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A prefix followed by a number.
pub fn text_of_number(prefix: &str, number: i64) -> String {
    format!("{prefix}{number}")
}

/// Allows request ids, whose type comes first, to be used in messages that declare another type for them, which must
/// accept every request id. Each row names such a type and its rule.
macro_rules! same_ids {
    ($asked:ty; $($other:ty, $rule:expr;)*) => {
        $(
            impl From<$asked> for $other {
                fn from(id: $asked) -> Self {
                    crate::controls::same_id(&id, $rule)
                }
            }
        )*
    };
}

/// Converts the id of a request to another type.
pub fn same_id<T: Codec, U: Codec>(id: &T, rule: Rule) -> U {
    decode_as(&rule, text_of(id).as_bytes(), Mode::Lenient)
        .expect("all forms take the ids of requests")
}

// --- responses ----------------------------------------------------------------------------------

/// An error in a response, with its data untouched.
#[derive(Debug, PartialEq)]
pub struct Failure<C> {
    pub message: String,
    pub code: Option<C>,
    pub data: Option<Json>,
    pub response: Json,
}

/// A value that is encoded as untouched JSON.
pub fn untouched<T: Codec>(value: &T) -> Json {
    Json::parse(&text_of(value)).unwrap_or(Json::NULL)
}

/// Encodes a message as text.
pub fn told<T: Codec>(message: &T) -> String {
    message
        .as_text()
        .map_or_else(|| text_of(message), Into::into)
}

/// Returns the value at the end of a path, or `None` if the path ends early.
pub fn find<T>(way: impl FnOnce() -> Option<T>) -> Option<T> {
    way()
}

/// Whether a member has the value that identifies a form.
pub fn is<T: Codec>(value: Option<&T>, scalar: &Scalar) -> bool {
    value.is_some_and(|value| value.is(scalar))
}

/// The error for a response that refuses a request.
pub fn failed<C, D>(
    failure: Failure<C>,
    typed: impl FnOnce(Option<&C>, Json) -> Option<D>,
) -> ControlError<C, D> {
    let Failure {
        message,
        code,
        data,
        response,
    } = failure;
    ControlError::Refused {
        message,
        data: data.and_then(|data| typed(code.as_ref(), data)),
        code,
        response,
    }
}

/// Decodes the data of an error as its declared type, if it is valid.
pub fn fitting<T: Codec>(rule: Rule, data: &Json) -> Option<T> {
    fitting_text(rule, data.text())
}

fn fitting_text<T: Codec>(rule: Rule, text: &str) -> Option<T> {
    decode_as(&rule, text.as_bytes(), Mode::Lenient).ok()
}

/// The data of errors with a code `C`, whose type depends on the code.
pub trait ByCode<C>: Sized {
    fn by_code(code: Option<&C>, data: Json) -> Option<Self>;
}

/// Errors have no data.
impl<C> ByCode<C> for Infallible {
    fn by_code(_code: Option<&C>, _data: Json) -> Option<Self> {
        None
    }
}

// --- answers ------------------------------------------------------------------------------------

/// The error for answering a request other than the one in the envelope.
pub fn another_request() -> EncodeError {
    EncodeError {
        code: Code::WrongType,
        path: String::new(),
        message: "the envelope holds another request than the one to answer".into(),
    }
}

/// Converts a value to the type that an envelope has for it at `pointer`.
pub fn held<T: Codec, P: Codec>(
    value: &T,
    rule: Rule,
    pointer: &str,
) -> Result<Option<P>, EncodeError> {
    match decode_answer(rule, &encode(value)?, pointer) {
        Ok(held) => Ok(Some(held)),
        Err(fault) => Err(EncodeError::of(fault)),
    }
}

/// Converts the data of a refusal to the type that an envelope has for it at `pointer`.
pub fn held_data<P: Codec>(
    data: Option<Json>,
    rule: Rule,
    pointer: &str,
) -> Result<Option<P>, EncodeError> {
    data.map_or(Ok(None), |data| held(&data, rule, pointer))
}

/// Rejects a filled answer in which a value has replaced a null, which `extra` keeps: null is no value of the member,
/// but does not leave it out either.
pub fn keeps_nulls(before: &Json, after: &Json) -> Result<(), EncodeError> {
    match replaced_null(before.view(), after.view()) {
        Some(path) => Err(EncodeError {
            code: Code::WrongType,
            path,
            message: "expected a value or no member, got null".into(),
        }),
        None => Ok(()),
    }
}

fn replaced_null(before: JsonRef<'_>, after: JsonRef<'_>) -> Option<String> {
    before.members().find_map(|(key, value)| {
        let other = after.get(&key)?;
        let below = match value.is_null() {
            _ if value.text() == other.text() => return None,
            true => String::new(),
            false => replaced_null(value, other)?,
        };
        let mut path = String::new();
        push_step(&mut path, &key);
        Some(path + &below)
    })
}

/// The payload that represents no answer.
pub fn no_answer<P: Wire>(none: &str) -> Option<P> {
    crate::decode(none).ok()
}

/// The payload of a response, unless it represents no answer.
pub fn some_answer<'a, P: Codec>(payload: Option<&'a P>, none: Option<&str>) -> Option<&'a P> {
    payload.filter(|payload| {
        let none = none.and_then(|none| Json::parse(none).ok());
        none.is_none() || none != Some(untouched(*payload))
    })
}

/// How an envelope holds the answer to a request; a keyword of the macro `controls`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum How {
    None,
    One,
    Option,
    Loose,
    Three,
    Flat,
}

/// What the protocol declares about a request `R`: the peer that sends it if only one does, how its answer is held and
/// by which rule, and the function that selects the type of an error's data by its code. The rule is unused if there is
/// no answer. `A` is what an envelope holds for an answer.
pub struct Known<P: 'static, C: 'static, D: 'static, R: 'static, A: 'static> {
    pub from: Option<P>,
    pub how: How,
    pub rule: Rule,
    /// How a new answer is held and its rule, as in the newest release.
    pub new: (How, Rule),
    pub typed: fn(Option<&C>, Json) -> Option<D>,
    /// Fills a new answer from its request, if any of its members are filled.
    pub filled: Option<Filled<R, A>>,
}

pub type Filled<R, A> = fn(&R, Option<&A>) -> Result<Option<A>, EncodeError>;

/// The value with which a member of an answer is filled: that of a member of the request, in the type of the former.
pub fn given<T: Codec, U: Codec>(source: Option<&T>, rule: Rule) -> Option<U> {
    fitting_text(rule, &text_of(source?))
}

/// Whether a response lacks an answer that is always required.
pub fn lacks<P>(how: How, payload: Option<&P>) -> bool {
    how == How::One && payload.is_none()
}

/// Checks the payload of a new answer, whose type may accept more forms than the newest release writes: `how` and
/// `rule` are those of the new answer.
pub fn as_new<P: Codec>(
    payload: Option<P>,
    how: How,
    rule: Rule,
    pointer: &str,
) -> Result<Option<P>, EncodeError> {
    let misplaced = |code, path: &str, message: &str| EncodeError {
        code,
        path: path.into(),
        message: message.into(),
    };
    match (&payload, how) {
        (Some(_), How::None) => return Err(misplaced(Code::WrongType, "", "expected no answer")),
        (None, How::One | How::Flat) => {
            let message = "expected an answer, got none";
            return Err(misplaced(Code::MissingField, pointer, message));
        }
        (Some(held), _) => {
            crate::engine::check(PLAN, &rule, &text_of(held)).map_err(EncodeError::of)?;
        }
        (None, _) => {}
    }
    Ok(payload)
}

/// The text of the answer that an envelope holds, if there is one. `none` represents no answer.
pub fn answer_text<P: Codec>(how: How, payload: Option<&P>, none: Option<&str>) -> Option<String> {
    let payload = match how {
        How::None => None,
        How::Option => some_answer(some_answer(payload, none), Some("null")),
        How::Loose | How::Three => some_answer(payload, none),
        How::One | How::Flat => return Some(payload.map_or_else(|| "{}".into(), text_of)),
    };
    payload.map(text_of)
}

/// Decodes the text of an answer that an envelope holds at `pointer`, which is prepended to the path of a fault.
pub fn decode_answer<T: Codec>(rule: Rule, text: &str, pointer: &str) -> Result<T, DecodeError> {
    decode_as(&rule, text.as_bytes(), Mode::Lenient).map_err(|error| error.under(pointer))
}

/// Implements `Control` for requests. The first line has the types of the code and of the data of errors. Each row
/// names a request, the peer that sends it (or `both`), the type of its answer, how the envelope holds that, and its
/// rule; then the type of the data of its own errors; then, after `=>`, how a new answer is held, and its rule, if the
/// newest release answers differently. Braces before a row enclose the members of the answer that are filled from the
/// request: for each, the path to it and its rule, as `fill` takes them, and the path in the request.
///
/// An answer is `none`; `one`, which is required; `option`, which may be absent but not null; `loose`, which may be
/// null; `three`, which may be absent or null; or `flat`: its members are among those of the envelope, so a missing
/// answer is one without members.
macro_rules! controls {
    (
        $code:ty, $data:ty;
        $(
            $({ $([$($at:tt)*] $fill_rule:expr, [$($source:tt)*];)* })?
            $request:ident $from:ident, $answer:ty, $how:ident $($rule:expr)? $(, $own:ident $of:expr)? $(=> $new:ident $($new_rule:expr)?)?;
        )*
    ) => {
        /// The reason why a request has no answer.
        pub type ControlError = crate::controls::ControlError<$code, $data>;

        /// Returns what is known about a request, if the protocol declares it.
        pub(crate) fn known(
            request: &crate::session::Requests,
        ) -> Option<&'static crate::session::Known> {
            let request = crate::codec::Codec::leaf(request);
            $(
                if request.is::<$request>() {
                    return Some(const {
                        &crate::controls::Known {
                            from: controls!(@ from $from),
                            how: controls!(@ how $how),
                            rule: controls!(@ rule $($rule)?),
                            new: controls!(@ new $how [$($rule)?] $($new [$($new_rule)?])?),
                            typed: controls!(@ typed $($own $of)?),
                            filled: controls!(@ filled $request $({ $([$($at)*])* })?),
                        }
                    });
                }
            )*
            let _ = request; // in case that the protocol declares no requests
            None
        }

        $(
            impl crate::controls::Sealed for $request {}

            impl crate::session::Control for $request {
                type Answer = $answer;

                const NAME: &'static str = stringify!($request);

                fn into_request(self) -> crate::session::Requests {
                    self.into()
                }

                fn encode_answer(answer: &$answer) -> Result<Option<crate::session::Payload>, crate::EncodeError> {
                    let payload: Result<Option<crate::session::Payload>, crate::EncodeError> =
                        controls!(@ encode $how answer);
                    $(
                        let (how, rule) = controls!(@ new $new [$($new_rule)?]);
                        let payload = crate::controls::as_new(payload?, how, rule, crate::session::POINTER);
                    )?
                    payload
                }

                fn decode_answer(payload: Option<&crate::session::Payload>) -> Result<$answer, crate::DecodeError> {
                    controls!(@ decode $how payload $($rule)?)
                }

                fn lacks_answer(payload: Option<&crate::session::Payload>) -> bool {
                    crate::controls::lacks(controls!(@ how $how), payload)
                }

                $(
                    fn fill(request: &crate::session::Requests, answer: &mut $answer) -> Result<(), crate::EncodeError> {
                        let asked = crate::codec::Codec::leaf(request).downcast_ref::<$request>();
                        if let (Some(asked), Some(answer)) = (asked, controls!(@ some $how answer)) {
                            let before = crate::controls::untouched(answer);
                            $(
                                fill!(answer [$($at)*] crate::controls::given(
                                    reach!(asked [$($source)*]),
                                    $fill_rule,
                                ));
                            )*
                            crate::controls::keeps_nulls(&before, &crate::controls::untouched(answer))?;
                        }
                        Ok(())
                    }
                )?

                $(
                    fn failed(failure: crate::controls::Failure<crate::session::PeerErrorCode>) -> ControlError {
                        crate::controls::failed(failure, controls!(@ typed $own $of))
                    }
                )?
            }
        )*
    };
    (@ encode none $answer:ident) => {{
        let () = $answer;
        Ok(None)
    }};
    (@ encode option $answer:ident) => {
        match $answer {
            Some(answer) => controls!(@ encode one answer),
            None => Ok(None),
        }
    };
    (@ encode loose $answer:ident) => {
        controls!(@ encode option $answer)
    };
    (@ encode three $answer:ident) => {
        match $answer {
            crate::Presence::Absent => Ok(None),
            answer => controls!(@ encode one answer),
        }
    };
    (@ encode $how:ident $answer:ident) => {
        crate::controls::held(
            $answer,
            <crate::session::Payload as crate::Wire>::RULE,
            crate::session::POINTER,
        )
    };
    (@ decode none $payload:ident) => {{
        let _ = $payload;
        Ok(())
    }};
    (@ decode three $payload:ident $rule:expr) => {
        match crate::controls::answer_text(crate::controls::How::Three, $payload, crate::session::NONE) {
            Some(text) => crate::controls::decode_answer($rule, &text, crate::session::POINTER),
            None => Ok(crate::Presence::Absent),
        }
    };
    (@ decode option $payload:ident $rule:expr) => {
        controls!(@ decode_some option $payload $rule)
    };
    (@ decode loose $payload:ident $rule:expr) => {
        controls!(@ decode_some loose $payload $rule)
    };
    (@ decode_some $how:ident $payload:ident $rule:expr) => {
        crate::controls::answer_text(controls!(@ how $how), $payload, crate::session::NONE)
            .map(|text| crate::controls::decode_answer($rule, &text, crate::session::POINTER))
            .transpose()
    };
    (@ decode $how:ident $payload:ident $rule:expr) => {{
        let text = crate::controls::answer_text(controls!(@ how $how), $payload, crate::session::NONE);
        crate::controls::decode_answer($rule, &text.unwrap_or_default(), crate::session::POINTER)
    }};
    (@ filled $request:ident) => { None };
    (@ filled $request:ident $fills:tt) => {
        Some(|request, payload| {
            let answer = <$request as crate::session::Control>::decode_answer(payload);
            let mut answer = answer.map_err(crate::EncodeError::of)?;
            <$request as crate::session::Control>::fill(request, &mut answer)?;
            <$request as crate::session::Control>::encode_answer(&answer)
        })
    };
    (@ some option $answer:ident) => { $answer.as_mut() };
    (@ some loose $answer:ident) => { $answer.as_mut() };
    (@ some three $answer:ident) => { $answer.value_mut() };
    (@ some $how:ident $answer:ident) => { Some($answer) };
    (@ from both) => { None };
    (@ from $peer:ident) => { Some(peers::Peer::$peer) };
    (@ rule) => { crate::table::Rule::Json };
    (@ rule $rule:expr) => { $rule };
    (@ new $how:ident [$($rule:expr)?]) => { (controls!(@ how $how), controls!(@ rule $($rule)?)) };
    (@ new $how:ident [$($rule:expr)?] $new:ident [$($new_rule:expr)?]) => {
        controls!(@ new $new [$($new_rule)?])
    };
    (@ typed) => { crate::controls::ByCode::by_code };
    (@ typed $own:ident $of:expr) => {
        |_, data| {
            Some(match crate::controls::fitting($of, &data) {
                Some(own) => crate::session::PeerErrorData::$own(own),
                None => crate::session::PeerErrorData::Untyped(data),
            })
        }
    };
    (@ how none) => { crate::controls::How::None };
    (@ how one) => { crate::controls::How::One };
    (@ how option) => { crate::controls::How::Option };
    (@ how loose) => { crate::controls::How::Loose };
    (@ how three) => { crate::controls::How::Three };
    (@ how flat) => { crate::controls::How::Flat };
}

/// Declares the trait of notifications and implements it. The first line makes the envelope of a notification, whose
/// type is the union of all; the others list them, each with the peer that sends it (or `both`).
macro_rules! notifications {
    (
        |$told:ident| $notifications:ty => $envelope:ty $made:block
        $($notification:ident $from:ident,)*
    ) => {
        fn notification_envelope($told: $notifications) -> $envelope $made

        /// Wraps a notification in its envelope.
        #[must_use]
        pub fn notify(notification: impl Notify) -> $envelope {
            notification_envelope(notification.into_notification())
        }

        /// Returns the peer that sends a notification, `Some(None)` if both do; `None` if the protocol does not
        /// declare it.
        pub(crate) fn teller(notification: &$notifications) -> Option<Option<peers::Peer>> {
            let notification = crate::codec::Codec::leaf(notification);
            $(
                if notification.is::<$notification>() {
                    return Some(controls!(@ from $from));
                }
            )*
            let _ = notification; // in case that the protocol declares no notifications
            None
        }

        /// A notification of the protocol, which has no answer.
        ///
        /// This trait cannot be implemented outside this crate.
        pub trait Notify: crate::controls::Sealed {
            #[doc(hidden)]
            fn into_notification(self) -> $notifications;
        }

        impl<N: Notify> Notify for Box<N> {
            fn into_notification(self) -> $notifications {
                N::into_notification(*self)
            }
        }

        $(
            impl crate::controls::Sealed for $notification {}

            impl Notify for $notification {
                fn into_notification(self) -> $notifications {
                    self.into()
                }
            }
        )*
    };
}

/// Declares the functions that make messages, each from the names of its parameters, their types where they are not
/// those of the lines before, and the type and the code of the message. `refuse` is `sure` to succeed, or else `maybe`;
/// a cancellation may have a function that wraps it.
macro_rules! envelopes {
    (
        id $id:ty;
        request |$asked_id:ident, $request:ident| $requests:ty => $envelope:ty $asked:block
        response |$answered_id:ident: $response_id:ty, $answer:ident| $payload:ty => $response:ty $answered:block
        $(refuse $how:ident |$refused_id:ident: $refusal_id:ty, $refusal:ident: $told:ty| => $refused:ty $refuse:block)?
        $(cancel $($wrap:ident)? |$cancelled_id:ident: $cancel_id:ty| => $cancel:ty $cancelled:block)?
    ) => {
        /// Returns an id that this process has not used for another request.
        #[must_use]
        pub fn new_request_id() -> $id {
            let number = crate::controls::next_number();
            <crate::session::Protocol as crate::session::Wired>::draw(number)
        }

        fn request_envelope($asked_id: $id, $request: $requests) -> $envelope $asked

        /// Wraps a request in its envelope.
        #[must_use]
        pub fn wrap_request(id: impl Into<$id>, request: impl Control) -> $envelope {
            request_envelope(id.into(), request.into_request())
        }

        fn response_envelope($answered_id: $response_id, answer: Option<$payload>) -> $response {
            let $answer = answer.or_else(|| crate::session::NONE.and_then(crate::controls::no_answer));
            $answered
        }

        /// Wraps the answer to a request in its envelope.
        ///
        /// # Errors
        ///
        /// Fails if the answer is invalid.
        pub fn wrap_response<R: Control>(
            id: impl Into<$response_id>,
            answer: &R::Answer,
        ) -> Result<$response, crate::EncodeError> {
            Ok(response_envelope(id.into(), R::encode_answer(answer)?))
        }

        $(
            refusing! {
                $how "Creates the response that refuses a request.";
                wrap_refusal(id: impl Into<$refusal_id>, refusal: impl Into<$told>) -> $refused {
                    let $refused_id: $refusal_id = id.into();
                    let $refusal: $told = refusal.into();
                    envelopes!(@ made $how $refuse)
                }
            }
        )?

        $(
            /// Creates the message that cancels the request with an id.
            #[must_use]
            pub fn wrap_cancel(id: impl Into<$cancel_id>) -> $cancel {
                let $cancelled_id: $cancel_id = id.into();
                envelopes!(@ wrapped $($wrap)? $cancelled)
            }
        )?
    };
    (@ made sure $made:block) => { $made };
    (@ made maybe $made:block) => { Ok($made) };
    (@ wrapped $made:block) => { $made };
    (@ wrapped $wrap:ident $made:block) => { $wrap($made) };
}

/// Declares a function that makes a refusal, which is `sure` to succeed, or else `maybe`.
macro_rules! refusing {
    (sure $about:literal; $name:ident($($parameters:tt)*) -> $refused:ty $made:block) => {
        #[doc = $about]
        #[must_use]
        pub fn $name($($parameters)*) -> $refused $made
    };
    (maybe $about:literal; $name:ident($($parameters:tt)*) -> $refused:ty $made:block) => {
        #[doc = $about]
        ///
        /// # Errors
        ///
        /// Fails if the data is invalid for the envelope.
        pub fn $name($($parameters)*) -> Result<$refused, crate::EncodeError> $made
    };
}

/// Adds methods to the envelope of a request if plain fields lead to its id and to the request: these paths are in
/// square brackets, before the type of responses. `refuse` has whether it is `sure` to succeed, the type of a refusal,
/// that of its message, and the code for unknown requests, if there is one.
macro_rules! plain_envelope {
    (
        $envelope:ident $id:tt $request:tt => $response:ty;
        $(refuse $how:ident $told:ty => $refused:ty $(, $unknown:expr)?;)?
        $(cancel => $cancel:ty;)?
    ) => {
        #[allow(clippy::clone_on_copy)] // ids are numbers in some protocols
        impl $envelope {
            /// Creates the response to the request that this envelope holds. Members that the protocol fills from the
            /// request get its values if they are absent.
            ///
            /// # Errors
            ///
            /// Fails if the envelope holds another request, or if the answer is invalid.
            pub fn reply<R: Control>(
                &self,
                request: &R,
                answer: impl Into<R::Answer>,
            ) -> Result<$response, crate::EncodeError> {
                let _ = request; // it determines R
                let held = &plain_envelope!(@ at self $request);
                if !R::is_held_by(held) {
                    return Err(crate::controls::another_request());
                }
                let mut answer = answer.into();
                R::fill(held, &mut answer)?;
                wrap_response::<R>(plain_envelope!(@ at self $id).clone(), &answer)
            }

            $(
                refusing! {
                    $how "Creates the response that refuses the request.";
                    refuse(&self, refusal: impl Into<$told>) -> $refused {
                        let refusal = refusal.into();
                        $(
                            let refusal = match known(&plain_envelope!(@ at self $request)) {
                                Some(_) => refusal,
                                None => <$told>::or_code(refusal, $unknown),
                            };
                        )?
                        wrap_refusal(plain_envelope!(@ at self $id).clone(), refusal)
                    }
                }
            )?

            $(
                /// Creates the message that cancels the request.
                #[must_use]
                pub fn cancel(&self) -> $cancel {
                    wrap_cancel(plain_envelope!(@ at self $id).clone())
                }
            )?
        }
    };
    (@ at $from:ident [$($way:tt)*]) => { $from $($way)* };
}

/// Follows a path of fields: `.` precedes a required one, `?` an option, `~` a presence. Braces enclose the structs
/// that a union may hold, each with the rest of the path. Returns the value at the end, or `None` if it is absent; if
/// `held` precedes the path, the last field as an option, or `None` if the path ends before it.
macro_rules! reach {
    ($from:ident [$($way:tt)*]) => {
        crate::controls::find(|| Some(reach!(@ value $from; $($way)*)))
    };
    (held $from:ident [$($way:tt)*]) => {
        crate::controls::find(|| Some(reach!(@ held $from; $($way)*)))
    };
    (@ value $place:expr; . $field:ident) => { &$place.$field };
    (@ value $place:expr; ? $field:ident) => { $place.$field.as_ref()? };
    (@ value $place:expr; ~ $field:ident) => { $place.$field.value()? };
    (@ held $place:expr; . $field:ident) => { Some(&$place.$field) };
    (@ held $place:expr; ? $field:ident) => { $place.$field.as_ref() };
    (@ held $place:expr; ~ $field:ident) => { $place.$field.value() };
    (@ $end:ident $place:expr; { $($type:ident [$($rest:tt)*],)* }) => {{
        let leaf = crate::codec::Codec::leaf($place);
        $(if let Some(held) = leaf.downcast_ref::<$type>() {
            reach!(@ $end held; $($rest)*)
        } else)* {
            return None;
        }
    }};
    (@ $end:ident $place:expr; $mark:tt $field:ident $($rest:tt)+) => {
        reach!(@ $end reach!(@ value $place; $mark $field); $($rest)+)
    };
}

/// Sets the member at the end of a path to a value, an option, if it is absent. The path is like those of `reach`.
macro_rules! fill {
    ($to:ident [$($way:tt)*] $value:expr) => {
        let _ = crate::controls::find(|| {
            fill!(@ $to; $value; $($way)*);
            Some(())
        });
    };
    (@ $place:expr; $value:expr; . $field:ident) => {}; // it is never absent
    (@ $place:expr; $value:expr; ? $field:ident) => {
        if $place.$field.is_none() {
            $place.$field = $value;
        }
    };
    (@ $place:expr; $value:expr; ~ $field:ident) => {
        if $place.$field.is_absent() {
            $place.$field = $value.map_or(crate::Presence::Absent, crate::Presence::Present);
        }
    };
    (@ $place:expr; $value:expr; { $($type:ident [$($rest:tt)*],)* }) => {{
        let leaf = crate::codec::Codec::leaf_mut($place);
        $(if let Some(held) = leaf.downcast_mut::<$type>() {
            fill!(@ held; $value; $($rest)*);
        } else)* {
            return None;
        }
    }};
    (@ $place:expr; $value:expr; . $field:ident $($rest:tt)+) => {
        fill!(@ (&mut $place.$field); $value; $($rest)+)
    };
    (@ $place:expr; $value:expr; ? $field:ident $($rest:tt)+) => {
        fill!(@ $place.$field.as_mut()?; $value; $($rest)+)
    };
    (@ $place:expr; $value:expr; ~ $field:ident $($rest:tt)+) => {
        fill!(@ $place.$field.value_mut()?; $value; $($rest)+)
    };
}

/// Declares the data of errors: the types that the protocol declares for it, and a variant for any other data.
macro_rules! error_data {
    ($code:ty; $($(#[doc = $doc:literal])* $variant:ident $type:ty,)* ; $($when:expr => $by:ident $rule:expr,)*) => {
        /// The data of an error that answers a request.
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum ErrorData {
            $($(#[doc = $doc])* $variant($type),)*
            /// Data that has no declared type, or that is invalid for its type.
            Untyped(crate::Json),
        }

        impl crate::controls::ByCode<$code> for ErrorData {
            fn by_code(code: Option<&$code>, data: crate::Json) -> Option<Self> {
                $(
                    if crate::controls::is(code, &$when) {
                        if let Some(typed) = crate::controls::fitting($rule, &data) {
                            return Some(ErrorData::$by(typed));
                        }
                    }
                )*
                let _ = code;
                Some(ErrorData::Untyped(data))
            }
        }

        impl ErrorData {
            /// The data as JSON.
            #[must_use]
            pub fn to_json(&self) -> crate::Json {
                match self {
                    $(ErrorData::$variant(typed) => crate::controls::untouched(typed),)*
                    ErrorData::Untyped(data) => data.clone(),
                }
            }
        }
    };
}
