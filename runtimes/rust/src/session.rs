//! Requests and answers of one side of a connection, without I/O.
//!
//! A [`Session`] matches requests with answers. Pass it each message from the peer; it returns an [`Event`] that
//! describes the meaning of the message. Whatever it returns to be written is a line without its end.

// The module `pairs` implements `Wired` as the protocol's spec declares its controls; this module knows nothing of
// the protocol.

#![allow(clippy::clone_on_copy)] // ids are numbers in some protocols

use std::any::Any;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use crate::api::decode_as;
use crate::codec::{Codec, Wire};
use crate::controls::{
    another_request, answer_text, failed, held, lacks, ByCode, Failure, How, Reason,
};
use crate::engine;
use crate::error::{Code, DecodeError, EncodeError};
use crate::json::Json;
use crate::out::{encode, text_of};
use crate::pairs::{known, ControlError};
use crate::plan::PLAN;
use crate::table::Rule;
use crate::Mode;

pub use crate::pairs::peers::Peer;

/// The types and functions that a protocol provides for sessions; the macro `sessions` implements it.
#[doc(hidden)]
pub trait Wired {
    /// The id of a request.
    type Id: Codec + Clone + fmt::Debug + PartialEq + 'static;
    /// The union of all requests.
    type Requests: Codec;
    /// The envelope of a request.
    type Envelope: Wire + Clone + fmt::Debug + PartialEq + 'static;
    /// The union of all notifications.
    type Notifications: Clone + fmt::Debug + PartialEq + 'static;
    /// What an envelope holds for an answer.
    type Payload: Wire + Clone + fmt::Debug + PartialEq + 'static;
    /// The code of an error, and its data.
    type ErrorCode: Clone + fmt::Debug + PartialEq + 'static;
    type ErrorData: ByCode<Self::ErrorCode> + Clone + fmt::Debug + PartialEq + 'static;
    /// The type of the peer's messages.
    type Message;

    const ID: Rule;
    /// The location of an answer in its envelope, and the value there that represents no answer.
    const POINTER: &'static str;
    const NONE: Option<&'static str>;
    /// Whether a request that its sender cancelled must still be answered.
    const CANCELLED_IS_ANSWERED: bool;
    /// The number of every release that a peer may announce, and the release, oldest first.
    const RELEASES: &'static [(&'static str, &'static str)];

    /// Returns a new id, which may be derived from a number.
    fn draw(number: i64) -> Self::Id;

    fn wrap(id: Self::Id, request: Self::Requests) -> Self::Envelope;

    /// The request in an envelope.
    fn request(envelope: &Self::Envelope) -> Option<&Self::Requests>;

    /// What a message means, given its struct.
    fn part(message: &dyn Any) -> Part<'_>;

    /// The same for one that may answer a request; `None` if it does not.
    fn outcome(message: &dyn Any) -> Option<Part<'_>>;

    /// The line that answers a request.
    fn answer(id: Self::Id, payload: Option<Self::Payload>) -> Result<String, EncodeError>;

    /// The line that refuses an unknown request, if the protocol has errors.
    fn refusal(_id: Self::Id, _message: &str) -> Option<String> {
        None
    }

    /// The error with which a request is refused; an empty type if the protocol has no errors.
    type Told: Reason + Send + 'static;

    /// Creates the error with which a request is refused for a reason, if the protocol has errors.
    fn told(_reason: String) -> Option<Self::Told> {
        None
    }

    /// The line that refuses a request of the peer.
    fn refuse(
        _session: &mut Session,
        _id: &Self::Id,
        _told: Self::Told,
    ) -> Result<String, SessionError> {
        Err(SessionError::NotOpen)
    }

    /// The line of a notification.
    fn notify(_session: &Session, _payload: Self::Notifications) -> Result<String, SessionError> {
        Err(SessionError::WrongDirection)
    }

    /// The line that cancels a request sent by this side, if the protocol has cancellations.
    fn cancel(_session: &mut Session, _id: &Self::Id) -> Option<Result<String, SessionError>> {
        None
    }
}

/// The protocol of this crate.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Protocol {}

/// The id of a request.
pub type Id = <Protocol as Wired>::Id;
/// The union of all requests.
pub type Requests = <Protocol as Wired>::Requests;
/// The envelope of a request.
pub type Envelope = <Protocol as Wired>::Envelope;
/// The union of all notifications.
pub type Notifications = <Protocol as Wired>::Notifications;
/// The code of an error.
pub type PeerErrorCode = <Protocol as Wired>::ErrorCode;
/// The data of an error.
pub type PeerErrorData = <Protocol as Wired>::ErrorData;
/// The error with which a request is refused; an empty type if the protocol has no errors.
pub type AnyRefusal = <Protocol as Wired>::Told;
/// The default type of the peer's messages.
pub type PeerMessage = <Protocol as Wired>::Message;
pub(crate) type Payload = <Protocol as Wired>::Payload;
pub(crate) type Known =
    crate::controls::Known<Peer, PeerErrorCode, PeerErrorData, Requests, Payload>;

pub(crate) const POINTER: &str = Protocol::POINTER;
pub(crate) const NONE: Option<&str> = Protocol::NONE;

/// What a message means to a session, with the key of its id. An error that answers no request has no key.
#[doc(hidden)]
#[derive(Debug, PartialEq)]
pub enum Part<'a> {
    Request(Id, &'a Envelope),
    Notification(&'a Notifications),
    Cancellation(Key),
    Answer(Option<Key>, Option<&'a Payload>),
    Failed(Option<Key>, Failure<PeerErrorCode>),
    /// The number of the peer's release.
    Announced(String),
    Other,
}

/// Keeps [`Incoming`] from being implemented elsewhere.
#[doc(hidden)]
pub trait Sealed {}

impl<T: Sealed> Sealed for Box<T> {}

/// A message that a session accepts.
///
/// This trait cannot be implemented outside this crate.
pub trait Incoming: Sealed + Codec {
    #[doc(hidden)]
    fn part(&self) -> Part<'_> {
        Protocol::part(self.leaf())
    }
}

impl<T: Incoming> Incoming for Box<T> {}

/// A request with a declared type of answer.
///
/// This trait cannot be implemented outside this crate.
pub trait Control: crate::controls::Sealed + Clone + 'static {
    /// The type of the answer; `()` if there is none.
    type Answer;

    #[doc(hidden)]
    const NAME: &'static str;

    #[doc(hidden)]
    fn into_request(self) -> Requests;

    #[doc(hidden)]
    fn is_held_by(request: &Requests) -> bool {
        request.leaf().is::<Self>()
    }

    #[doc(hidden)]
    fn find(request: &Requests) -> Option<Self> {
        request.leaf().downcast_ref::<Self>().cloned()
    }

    #[doc(hidden)]
    fn encode_answer(answer: &Self::Answer) -> Result<Option<Payload>, EncodeError>;

    #[doc(hidden)]
    fn decode_answer(payload: Option<&Payload>) -> Result<Self::Answer, DecodeError>;

    #[doc(hidden)]
    fn lacks_answer(payload: Option<&Payload>) -> bool;

    /// Sets the members of an answer that are absent and have a value in the request.
    #[doc(hidden)]
    fn fill(_request: &Requests, _answer: &mut Self::Answer) -> Result<(), EncodeError> {
        Ok(())
    }

    #[doc(hidden)]
    fn failed(failure: Failure<PeerErrorCode>) -> ControlError {
        failed(failure, ByCode::by_code)
    }
}

impl<R: Control> Control for Box<R> {
    type Answer = R::Answer;

    const NAME: &'static str = R::NAME;

    fn into_request(self) -> Requests {
        R::into_request(*self)
    }

    fn is_held_by(request: &Requests) -> bool {
        R::is_held_by(request)
    }

    fn find(request: &Requests) -> Option<Self> {
        R::find(request).map(Box::new)
    }

    fn encode_answer(answer: &R::Answer) -> Result<Option<Payload>, EncodeError> {
        R::encode_answer(answer)
    }

    fn decode_answer(payload: Option<&Payload>) -> Result<R::Answer, DecodeError> {
        R::decode_answer(payload)
    }

    fn lacks_answer(payload: Option<&Payload>) -> bool {
        R::lacks_answer(payload)
    }

    fn fill(request: &Requests, answer: &mut R::Answer) -> Result<(), EncodeError> {
        R::fill(request, answer)
    }

    fn failed(failure: Failure<PeerErrorCode>) -> ControlError {
        R::failed(failure)
    }
}

/// A message that answers requests, or may do so.
///
/// This trait cannot be implemented outside this crate.
pub trait Respond: crate::controls::Sealed + Codec {
    #[doc(hidden)]
    fn outcome(&self) -> Option<Part<'_>> {
        Protocol::outcome(self.leaf())
    }
}

impl<T: Respond> Respond for Box<T> {}

/// Decodes the answer to a request from its envelope.
///
/// # Errors
///
/// Fails if the response is an error, has no answer, or has an answer of the wrong type.
#[allow(clippy::result_large_err)] // an error has the whole response
pub fn decode_response<R: Control>(response: &impl Respond) -> Result<R::Answer, ControlError> {
    match response.outcome() {
        Some(Part::Failed(_, failure)) => Err(R::failed(failure)),
        Some(Part::Answer(_, answer)) if !R::lacks_answer(answer) => {
            R::decode_answer(answer).map_err(ControlError::Decode)
        }
        _ => Err(ControlError::Missing),
    }
}

/// An id in comparable form: a text in JSON, or the shortest digits of a number.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key(String);

impl Key {
    pub fn of<T: Codec>(id: &T) -> Self {
        let text = text_of(id);
        match text.parse::<f64>() {
            Ok(number) => Key((number + 0.0).to_string()), // removes the sign of 0
            Err(_) => Key(text),
        }
    }

    /// The key of an id that may be absent or null.
    pub fn maybe<T: Codec>(id: Option<&T>) -> Option<Self> {
        id.map(Key::of).filter(|key| key.0 != "null")
    }

    /// The id, if it is a valid request id.
    fn id(&self) -> Option<Id> {
        decode_as(&Protocol::ID, self.0.as_bytes(), Mode::Lenient).ok()
    }
}

/// For conformance tests: an id or a code as JSON. Its type may be an inline union, which is not [`Wire`].
#[cfg(feature = "__conformance")]
#[doc(hidden)]
pub fn part_text<T: Codec>(part: &T) -> String {
    text_of(part)
}

#[cfg(feature = "__conformance")]
impl Session {
    /// For conformance tests: JSON as an id.
    #[doc(hidden)]
    pub fn parse_id(text: &str) -> Option<Id> {
        decode_as(&Protocol::ID, text.as_bytes(), Mode::Lenient).ok()
    }
}

/// Values by their ids, oldest first.
#[derive(Debug)]
struct Ordered<V> {
    numbers: HashMap<Key, u64>,
    values: BTreeMap<u64, (Key, V)>,
    next: u64,
}

impl<V> Ordered<V> {
    fn new() -> Self {
        Ordered {
            numbers: HashMap::new(),
            values: BTreeMap::new(),
            next: 0,
        }
    }

    fn len(&self) -> usize {
        self.values.len()
    }

    fn contains(&self, key: &Key) -> bool {
        self.numbers.contains_key(key)
    }

    fn get(&self, key: &Key) -> Option<&V> {
        let number = self.numbers.get(key)?;
        self.values.get(number).map(|(_, value)| value)
    }

    fn get_mut(&mut self, key: &Key) -> Option<&mut V> {
        let number = self.numbers.get(key)?;
        self.values.get_mut(number).map(|(_, value)| value)
    }

    /// Adds a value, which becomes the newest.
    fn insert(&mut self, key: Key, value: V) {
        self.remove(&key);
        self.numbers.insert(key.clone(), self.next);
        self.values.insert(self.next, (key, value));
        self.next += 1;
    }

    fn remove(&mut self, key: &Key) -> Option<V> {
        let number = self.numbers.remove(key)?;
        self.values.remove(&number).map(|(_, value)| value)
    }

    fn remove_oldest(&mut self) {
        if let Some((_, (key, _))) = self.values.pop_first() {
            self.numbers.remove(&key);
        }
    }

    fn values(&self) -> impl Iterator<Item = &V> {
        self.values.values().map(|(_, value)| value)
    }
}

/// A request in its envelope, sent by either side. Clones share it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request(Arc<(Id, Envelope)>);

impl Request {
    fn new(id: Id, envelope: Envelope) -> Self {
        Request(Arc::new((id, envelope)))
    }

    /// The id.
    #[must_use]
    pub fn id(&self) -> &Id {
        &self.0 .0
    }

    /// The envelope.
    #[must_use]
    pub fn envelope(&self) -> &Envelope {
        &self.0 .1
    }

    /// The payload.
    #[must_use]
    pub fn payload(&self) -> &Requests {
        Protocol::request(self.envelope()).expect("the envelope of a request holds one")
    }

    fn known(&self) -> Option<&'static Known> {
        known(self.payload())
    }
}

/// The answer to a request sent by this side.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    request: Request,
    payload: Option<Payload>,
}

impl Answer {
    /// The request.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The result in the type that matches a request `R`, if the request was an `R`.
    #[must_use]
    pub fn result<R: Control>(&self) -> Option<R::Answer> {
        if !R::is_held_by(self.request.payload()) {
            return None;
        }
        R::decode_answer(self.payload.as_ref()).ok() // it was checked before
    }

    /// The original result, if there is one.
    #[must_use]
    pub fn json(&self) -> Option<Json> {
        let text = result_text(self.request.known(), self.payload.as_ref());
        text.and_then(|text| Json::parse(&text).ok())
    }
}

/// The meaning of a message. `M` is the type of the peer's messages.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event<M = PeerMessage> {
    /// A message that is not part of the control protocol, or that has a form the spec does not describe.
    Message(M),
    /// A notification.
    Notification(Notifications),
    /// A request for this side to answer with [`Session::reply`] or a refusal.
    Request(Request),
    /// A request that the spec does not declare, or that only this side sends.
    #[non_exhaustive]
    UnknownRequest {
        /// The request.
        request: Request,
        /// The line that refuses it. Send it, as the peer is waiting for it. `None` if the protocol has no errors.
        line: Option<String>,
    },
    /// The answer to a request sent by this side.
    Answer(Answer),
    /// An error that answers a request sent by this side.
    #[non_exhaustive]
    Failure {
        /// The request; `None` if the peer reports an error that answers no request.
        request: Option<Request>,
        /// A human-readable message from the peer.
        message: String,
        /// The code, if the error has one.
        code: Option<PeerErrorCode>,
        /// The data, if the error has any.
        data: Option<PeerErrorData>,
        /// The response, untouched.
        response: Json,
    },
    /// An answer to a request sent by this side that does not have the request's type.
    #[non_exhaustive]
    InvalidAnswer {
        /// The request, which is no longer pending.
        request: Request,
        /// Why it is invalid. The path of a fault starts at the result.
        error: DecodeError,
        /// The answer.
        message: M,
    },
    /// The peer cancels this request, which is not answered yet.
    Cancellation(Request),
    /// A process refused this request, because a function failed or its answer is invalid. Only processes have this
    /// event.
    #[non_exhaustive]
    FailedAnswer {
        /// The request.
        request: Request,
        /// The message of the refusal, or a description of what is invalid.
        message: String,
    },
    /// An answer, a cancellation or a request that does not match the state of the session.
    #[non_exhaustive]
    Stray {
        /// The id, if it is a valid request id.
        id: Option<Id>,
        /// Why the message does not match.
        reason: Stray,
        /// The message.
        message: M,
    },
}

/// The reason why a message does not match the state of the session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stray {
    /// It answers an id that was never requested, or cancels a request that is not waiting for an answer.
    Unknown,
    /// It answers a request that was cancelled.
    Late,
    /// It answers a request that was already answered.
    Repeated,
    /// It is a request with the id of one that is not yet answered.
    Reused,
}

impl Stray {
    /// The name of the reason, which is the same in all bindings.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Stray::Unknown => "unknown",
            Stray::Late => "late",
            Stray::Repeated => "repeated",
            Stray::Reused => "reused",
        }
    }
}

impl fmt::Display for Stray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// The reason why a session did not build a line. The state of the session is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SessionError {
    /// A request with this id is pending.
    IdInUse,
    /// No request with this id is pending.
    NotPending,
    /// The request was answered or cancelled by the peer, or never existed.
    NotOpen,
    /// Only the peer sends this.
    WrongDirection,
    /// The value is invalid.
    Encode(EncodeError),
}

impl SessionError {
    /// The name of the kind of error, which is the same in all bindings.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            SessionError::IdInUse => "id_in_use",
            SessionError::NotPending => "not_pending",
            SessionError::NotOpen => "not_open",
            SessionError::WrongDirection => "wrong_direction",
            SessionError::Encode(error) => error.code.as_str(),
        }
    }
}

impl fmt::Display for SessionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            SessionError::IdInUse => "a request under this id is pending",
            SessionError::NotPending => "no request under this id is pending",
            SessionError::NotOpen => "no request under this id is to be answered",
            SessionError::WrongDirection => "only the peer sends this",
            SessionError::Encode(error) => return error.fmt(f),
        })
    }
}

/// `Display` is that of the source, if there is one.
impl std::error::Error for SessionError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            SessionError::Encode(error) => Some(error),
            _ => None,
        }
    }
}

impl From<EncodeError> for SessionError {
    fn from(error: EncodeError) -> Self {
        SessionError::Encode(error)
    }
}

/// The number of ids that a session remembers of requests that are no longer pending.
const REMEMBERED: usize = 1024;

/// A request sent by this side that has no answer yet.
#[derive(Debug)]
struct Sent {
    request: Request,
    /// It was cancelled, but the peer must still answer it.
    is_cancelled: bool,
}

/// Matches requests with answers for one side of a connection, without I/O.
///
/// Send each line that it returns, and pass it each message of the peer. It remembers pending and unanswered
/// requests, and the last 1,024 ids of its own requests that are no longer pending.
#[derive(Debug)]
pub struct Session {
    peer: Peer,
    refuses_unknown: bool,
    drawn: i64,
    pending: Ordered<Sent>,
    unanswered: Ordered<Request>,
    /// The reason for which another answer is stray, for requests that are no longer pending.
    gone: Ordered<Stray>,
    announced: Option<&'static str>,
}

impl Session {
    /// Creates the session of a peer: it sends that peer's requests and answers those of the other peer.
    #[must_use]
    pub fn new(peer: Peer) -> Self {
        Session {
            peer,
            refuses_unknown: true,
            drawn: 0,
            pending: Ordered::new(),
            unanswered: Ordered::new(),
            gone: Ordered::new(),
            announced: None,
        }
    }

    /// Sets whether the session refuses requests that the spec does not declare or that only this side sends. The
    /// default is `true`; if `false`, such a request is an [`Event::Request`]; answer it with
    /// [`Session::reply_json`].
    #[must_use]
    pub fn refuse_unknown(mut self, refuse: bool) -> Self {
        self.refuses_unknown = refuse;
        self
    }

    /// The peer of this side.
    #[must_use]
    pub fn peer(&self) -> Peer {
        self.peer
    }

    /// The release that the peer announced last. An unlisted release counts as the closest lower one that is listed,
    /// and one below all of them as the first.
    #[must_use]
    pub fn announced(&self) -> Option<&'static str> {
        self.announced
    }

    /// The requests sent by this side that have no answer yet, oldest first.
    pub fn pending(&self) -> impl Iterator<Item = &Request> {
        self.pending.values().map(|sent| &sent.request)
    }

    /// The unanswered requests of the peer, oldest first.
    pub fn unanswered(&self) -> impl Iterator<Item = &Request> {
        self.unanswered.values()
    }

    /// Builds a request with a new id. Returns the id and the line to send.
    ///
    /// # Errors
    ///
    /// Fails if only the peer sends the request, or if it is invalid.
    pub fn request(&mut self, request: impl Into<Requests>) -> Result<(Id, String), SessionError> {
        let mut drawn = self.drawn;
        let id = loop {
            drawn += 1;
            let id = Protocol::draw(drawn);
            if !self.pending.contains(&Key::of(&id)) {
                break id;
            }
        };
        let line = self.send(id.clone(), request.into())?;
        self.drawn = drawn;
        Ok((id, line))
    }

    /// Builds a request with a given id. Returns the line to send.
    ///
    /// # Errors
    ///
    /// Fails if the id is pending, if only the peer sends the request, or if it is invalid.
    pub fn request_with_id(
        &mut self,
        id: impl Into<Id>,
        request: impl Into<Requests>,
    ) -> Result<String, SessionError> {
        self.send(id.into(), request.into())
    }

    fn send(&mut self, id: Id, request: Requests) -> Result<String, SessionError> {
        self.may_send(known(&request).map(|known| known.from))?;
        let envelope = Protocol::wrap(id.clone(), request);
        let line = encode(&envelope)?;
        let key = Key::of(&id);
        if self.pending.contains(&key) {
            return Err(SessionError::IdInUse);
        }
        self.gone.remove(&key);
        let sent = Sent {
            request: Request::new(id, envelope),
            is_cancelled: false,
        };
        self.pending.insert(key, sent);
        Ok(line)
    }

    /// Fails for messages that only the peer sends, or that neither side sends. `from` is the peer that sends the
    /// message if only one does.
    pub(crate) fn may_send(&self, from: Option<Option<Peer>>) -> Result<(), SessionError> {
        match from {
            Some(from) if from.is_none_or(|peer| peer == self.peer) => Ok(()),
            _ => Err(SessionError::WrongDirection),
        }
    }

    /// Builds the line that cancels a request sent by this side. This ends the request unless the peer must still
    /// answer it.
    #[allow(dead_code)] // not every protocol has cancellations
    pub(crate) fn give_up(
        &mut self,
        id: &Id,
        line: impl FnOnce(Id) -> Result<String, EncodeError>,
    ) -> Result<String, SessionError> {
        let key = Key::of(id);
        let sent = self.pending.get_mut(&key).ok_or(SessionError::NotPending)?;
        let line = line(sent.request.id().clone())?;
        sent.is_cancelled = true;
        if !Protocol::CANCELLED_IS_ANSWERED {
            self.end(&key);
        }
        Ok(line)
    }

    /// Records that a request sent by this side is no longer pending, and the reason for which a further answer is
    /// stray.
    fn end(&mut self, key: &Key) -> Option<Sent> {
        let sent = self.pending.remove(key)?;
        let further = match sent.is_cancelled {
            true => Stray::Late,
            false => Stray::Repeated,
        };
        self.gone.insert(key.clone(), further);
        if self.gone.len() > REMEMBERED {
            self.gone.remove_oldest();
        }
        Some(sent)
    }

    /// Builds the answer to a request of the peer. `request` is its payload. Returns the line to send. Members that the
    /// protocol fills from the request get its values if they are absent.
    ///
    /// # Errors
    ///
    /// Fails if the request is not open or is a different one, or if the answer is invalid.
    pub fn reply<R: Control>(
        &mut self,
        id: &Id,
        request: &R,
        answer: impl Into<R::Answer>,
    ) -> Result<String, SessionError> {
        let _ = request; // only its type R is used
        self.answer::<R>(id, answer.into())
    }

    /// Like [`Session::reply`], given only the type of the request.
    pub(crate) fn answer<R: Control>(
        &mut self,
        id: &Id,
        mut answer: R::Answer,
    ) -> Result<String, SessionError> {
        self.close(id, |open, _| {
            if !R::is_held_by(open.payload()) {
                return Err(another_request());
            }
            R::fill(open.payload(), &mut answer)?;
            Protocol::answer(open.id().clone(), R::encode_answer(&answer)?)
        })
    }

    /// Builds the answer to a request of the peer from JSON: a value that lenient mode accepts for the type of the
    /// request, or any value for an unknown request. Returns the line to send. Absent members are filled as in
    /// [`Session::reply`].
    ///
    /// # Errors
    ///
    /// Fails if the request is not open, or if the answer has the wrong type.
    pub fn reply_json(&mut self, id: &Id, answer: Option<&Json>) -> Result<String, SessionError> {
        self.close(id, |open, known| {
            let mut payload = payload_of(known, answer)?;
            if let Some(filled) = known.and_then(|known| known.filled) {
                payload = filled(open.payload(), payload.as_ref())?;
            }
            Protocol::answer(open.id().clone(), payload)
        })
    }

    /// Builds the line that answers a request of the peer, given what is known about the request, which is then
    /// answered.
    pub(crate) fn close(
        &mut self,
        id: &Id,
        line: impl FnOnce(&Request, Option<&Known>) -> Result<String, EncodeError>,
    ) -> Result<String, SessionError> {
        let key = Key::of(id);
        let open = self.unanswered.get(&key).ok_or(SessionError::NotOpen)?;
        let line = line(open, self.answers(open))?;
        self.unanswered.remove(&key);
        Ok(line)
    }

    /// Processes a message from the peer and returns the event.
    pub fn receive<M: Incoming>(&mut self, message: M) -> Event<M> {
        match self.take(message.part()) {
            Taken::Message => Event::Message(message),
            Taken::Notification(payload) => Event::Notification(payload),
            Taken::Request(request) => Event::Request(request),
            Taken::Unknown(request, line) => Event::UnknownRequest { request, line },
            Taken::Answer(answer) => Event::Answer(answer),
            Taken::Failed(request, failure) => {
                let typed = request.as_ref().and_then(Request::known);
                let typed = typed.map_or(ByCode::by_code as Typed, |known| known.typed);
                let code = failure.code;
                Event::Failure {
                    request,
                    message: failure.message,
                    data: failure.data.and_then(|data| typed(code.as_ref(), data)),
                    code,
                    response: failure.response,
                }
            }
            Taken::Invalid(request, error) => Event::InvalidAnswer {
                request,
                error,
                message,
            },
            Taken::Cancelled(request) => Event::Cancellation(request),
            Taken::Stray(id, reason) => Event::Stray {
                id,
                reason,
                message,
            },
        }
    }

    #[allow(unreachable_code)] // if the protocol has no notifications
    fn take(&mut self, part: Part<'_>) -> Taken {
        match part {
            Part::Request(id, envelope) => self.asked(id, envelope),
            Part::Notification(payload) => Taken::Notification(payload.clone()),
            Part::Cancellation(key) => self.cancelled(&key),
            Part::Failed(None, failure) => Taken::Failed(None, failure),
            Part::Failed(Some(key), failure) => match self.answered(&key) {
                Ok(request) => Taken::Failed(Some(request), failure),
                Err(reason) => Taken::Stray(key.id(), reason),
            },
            Part::Answer(None, _) => Taken::Stray(None, Stray::Unknown),
            Part::Answer(Some(key), payload) => match self.answered(&key) {
                Ok(request) => match checked(request.known(), payload) {
                    Ok(()) => Taken::Answer(Answer {
                        payload: payload.cloned(),
                        request,
                    }),
                    Err(error) => Taken::Invalid(request, error),
                },
                Err(reason) => Taken::Stray(key.id(), reason),
            },
            Part::Announced(number) => {
                self.announced = release_of(&number, Protocol::RELEASES);
                Taken::Message
            }
            Part::Other => Taken::Message,
        }
    }

    fn asked(&mut self, id: Id, envelope: &Envelope) -> Taken {
        let key = Key::of(&id);
        if self.unanswered.contains(&key) {
            return Taken::Stray(Some(id), Stray::Reused);
        }
        let request = Request::new(id, envelope.clone());
        if self.refuses_unknown && self.answers(&request).is_none() {
            let line = Protocol::refusal(request.id().clone(), UNKNOWN);
            return Taken::Unknown(request, line);
        }
        self.unanswered.insert(key, request.clone());
        Taken::Request(request)
    }

    fn cancelled(&mut self, key: &Key) -> Taken {
        let request = match Protocol::CANCELLED_IS_ANSWERED {
            true => self.unanswered.get_mut(key).cloned(),
            false => self.unanswered.remove(key),
        };
        match request {
            Some(request) => Taken::Cancelled(request),
            None => Taken::Stray(key.id(), Stray::Unknown),
        }
    }

    /// The request sent by this side that a response ends, or the reason why there is none.
    fn answered(&mut self, key: &Key) -> Result<Request, Stray> {
        match self.end(key) {
            Some(sent) if sent.is_cancelled => Err(Stray::Late),
            Some(sent) => Ok(sent.request),
            None => Err(self.gone.get(key).copied().unwrap_or(Stray::Unknown)),
        }
    }

    /// What the spec declares about a request that this side answers.
    fn answers(&self, request: &Request) -> Option<&'static Known> {
        request
            .known()
            .filter(|known| known.from != Some(self.peer))
    }
}

/// The error message for a request that this side does not answer.
const UNKNOWN: &str = "unknown request";

type Typed = fn(Option<&PeerErrorCode>, Json) -> Option<PeerErrorData>;

/// What a message means, without the message itself.
enum Taken {
    Message,
    Notification(Notifications),
    Request(Request),
    Unknown(Request, Option<String>),
    Answer(Answer),
    Failed(Option<Request>, Failure<PeerErrorCode>),
    Invalid(Request, DecodeError),
    Cancelled(Request),
    Stray(Option<Id>, Stray),
}

/// The last release whose number is not greater than the given one, or the first if all are greater.
pub fn release_of(number: &str, releases: &[(&'static str, &'static str)]) -> Option<&'static str> {
    let told = releases
        .iter()
        .rev()
        .find(|(each, _)| compare_numbers(each, number).is_le());
    told.or_else(|| releases.first())
        .map(|(_, release)| *release)
}

/// Compares two release numbers: digits compare as integers and sort before everything else.
fn compare_numbers(mut one: &str, mut other: &str) -> Ordering {
    while let (Some(a), Some(b)) = (one.chars().next(), other.chars().next()) {
        match (a.is_ascii_digit(), b.is_ascii_digit()) {
            (true, true) => {
                let (first, second) = (digits_of(one), digits_of(other));
                let (x, y) = (
                    first.trim_start_matches('0'),
                    second.trim_start_matches('0'),
                );
                let order = x.len().cmp(&y.len()).then(x.cmp(y));
                if order.is_ne() {
                    return order;
                }
                one = &one[first.len()..];
                other = &other[second.len()..];
            }
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) if a != b => return a.cmp(&b),
            (false, false) => {
                one = &one[a.len_utf8()..];
                other = &other[b.len_utf8()..];
            }
        }
    }
    one.len().cmp(&other.len())
}

fn digits_of(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_digit());
    &text[..end.unwrap_or(text.len())]
}

/// The text of the result in a response. A request that the spec does not declare may have any result.
fn result_text(known: Option<&Known>, payload: Option<&Payload>) -> Option<String> {
    let how = known.map_or(How::Loose, |known| known.how);
    answer_text(how, payload, NONE)
}

/// Rejects a result that does not have the type that matches the request.
fn checked(known: Option<&Known>, payload: Option<&Payload>) -> Result<(), DecodeError> {
    let Some(known) = known else {
        return Ok(());
    };
    if lacks(known.how, payload) {
        return Err(DecodeError {
            code: Code::MissingField,
            path: String::new(),
            message: "expected an answer, got none".into(),
        });
    }
    let text = result_text(Some(known), payload);
    text.map_or(Ok(()), |text| engine::check(PLAN, &known.rule, &text))
}

/// Converts a JSON result, which lenient mode must accept, to the payload of an envelope.
fn payload_of(known: Option<&Known>, json: Option<&Json>) -> Result<Option<Payload>, EncodeError> {
    let undeclared = match engine::check(PLAN, &Payload::RULE, "null") {
        Ok(()) => How::Loose,
        Err(_) => How::Option,
    };
    let how = known.map_or(undeclared, |known| known.new.0);
    let is_null = json.is_none_or(Json::is_null);
    let json = match (how, json) {
        (How::Loose | How::Three, None) => return Ok(None),
        (How::None | How::Option, _) if is_null => return Ok(None),
        (How::None, _) => return Err(misplaced(Code::WrongType, "", "no result")),
        (_, None) => return Err(misplaced(Code::MissingField, POINTER, "a result")),
        (_, Some(json)) => json,
    };
    if let Some(known) = known {
        engine::check(PLAN, &known.new.1, json.text()).map_err(EncodeError::of)?;
    }
    held(json, Payload::RULE, POINTER)
}

/// The error for a result that is unexpectedly present or missing.
fn misplaced(code: Code, path: &str, expected: &str) -> EncodeError {
    EncodeError {
        code,
        path: path.into(),
        message: format!("expected {expected} for this request"),
    }
}

/// Declares the peers of a protocol, connects sessions to it, and adds the methods that not every protocol has. The
/// types are those of `Wired`, in order. `messages` are all that a session accepts, the default one first; `responses`
/// are those among them that may answer requests.
///
/// A form of messages has its struct, the values that identify it and the members that it must lack, and the paths to
/// its parts, as `reach` takes them. The path in `cancels` leads to the id in a notification that cancels a request.
macro_rules! sessions {
    (
        peers { $($peer:ident $name:literal,)* }
        types { $id:ty, $requests:ty, $notifications:ty, $payload:ty, $code:ty, $data:ty }
        id $id_rule:expr, $draw:ident $($prefix:literal)?;
        answer $pointer:literal, $none:expr;
        cancelled $is_answered:literal;
        releases [$($releases:tt)*];
        $(refuse $told:ty, $how:ident $(, $unknown:expr)?;)?
        $(code $code_rule:expr;)?
        $(notify $notify:path;)?
        $(cancel $cancel:path;)?
        messages { $default:ident, $($message:ident,)* }
        responses { $($responding:ident,)* }
        request $asking:ident $asking_when:tt { id [$($asking_id:tt)*]; payload [$($request:tt)*]; }
        $(notification $telling:ident $telling_when:tt {
            $(cancels [$($cancels:tt)*];)?
            payload [$($notification:tt)*];
        })?
        $(error $failing:ident $failing_when:tt {
            id [$($failing_id:tt)*];
            message [$($text:tt)*];
            $(code [$($coded:tt)*];)?
            $(data [$($detailed:tt)*];)?
        })?
        response $answering:ident $answering_when:tt { id [$($answering_id:tt)*]; result [$($result:tt)*]; }
        $(cancellation $cancelling:ident [] { id [$($cancelling_id:tt)*]; })?
        $(announced $announcing:ident { at [$($at:tt)*]; })?
    ) => {
        pub(crate) mod peers {
            /// A side of a connection.
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub enum Peer {
                $(#[doc = concat!("The peer `", $name, "`.")] $peer,)*
            }

            impl Peer {
                /// Every side.
                pub const ALL: &'static [Peer] = &[$(Peer::$peer),*];

                /// The name of the side, which is the same in all bindings.
                #[must_use]
                pub const fn as_str(self) -> &'static str {
                    match self {
                        $(Peer::$peer => $name,)*
                    }
                }
            }
        }

        impl crate::session::Wired for crate::session::Protocol {
            type Id = $id;
            type Requests = $requests;
            type Envelope = $asking;
            type Notifications = $notifications;
            type Payload = $payload;
            type ErrorCode = $code;
            type ErrorData = $data;
            type Message = $default;

            const ID: crate::table::Rule = $id_rule;
            const POINTER: &'static str = $pointer;
            const NONE: Option<&'static str> = $none;
            const CANCELLED_IS_ANSWERED: bool = $is_answered;
            const RELEASES: &'static [(&'static str, &'static str)] = &[$($releases)*];

            fn draw(number: i64) -> $id {
                sessions!(@ draw $draw number $($prefix)?)
            }

            fn wrap(id: $id, request: $requests) -> $asking {
                request_envelope(id, request)
            }

            fn request(envelope: &$asking) -> Option<&$requests> {
                reach!(envelope [$($request)*])
            }

            fn part(message: &dyn std::any::Any) -> crate::session::Part<'_> {
                if let Some(asked) = message.downcast_ref::<$asking>() {
                    if sessions!(@ meets asked $asking_when) {
                        let (id, request) = (reach!(asked [$($asking_id)*]), Self::request(asked));
                        if let (Some(id), Some(_)) = (id, request) {
                            return crate::session::Part::Request(id.clone(), asked);
                        }
                    }
                }
                $(
                    if let Some(told) = message.downcast_ref::<$telling>() {
                        if sessions!(@ meets told $telling_when) {
                            $(
                                if let Some(id) = reach!(told [$($cancels)*]) {
                                    return crate::session::Part::Cancellation(crate::session::Key::of(id));
                                }
                            )?
                            if let Some(payload) = reach!(told [$($notification)*]) {
                                return crate::session::Part::Notification(payload);
                            }
                        }
                    }
                )?
                if let Some(part) = Self::outcome(message) {
                    return part;
                }
                $(
                    if let Some(cancelled) = message.downcast_ref::<$cancelling>() {
                        if let Some(id) = reach!(cancelled [$($cancelling_id)*]) {
                            return crate::session::Part::Cancellation(crate::session::Key::of(id));
                        }
                    }
                )?
                $(
                    if let Some(announcement) = message.downcast_ref::<$announcing>() {
                        if let Some(number) = reach!(announcement [$($at)*]) {
                            return crate::session::Part::Announced(crate::controls::told(number));
                        }
                    }
                )?
                crate::session::Part::Other
            }

            fn outcome(message: &dyn std::any::Any) -> Option<crate::session::Part<'_>> {
                $(
                    if let Some(response) = message.downcast_ref::<$failing>() {
                        let text = reach!(held response [$($text)*]);
                        if let (Some(text), true) = (text, sessions!(@ meets response $failing_when)) {
                            #[allow(unused_mut, unused_assignments)]
                            let (mut code, mut data) = (None, None);
                            $(code = reach!(response [$($coded)*]).cloned();)?
                            $(data = reach!(response [$($detailed)*]).map(crate::controls::untouched);)?
                            let key = crate::session::Key::maybe(reach!(response [$($failing_id)*]));
                            let failure = crate::controls::Failure {
                                message: text.map_or_else(String::new, crate::controls::told),
                                code,
                                data,
                                response: crate::controls::untouched(response),
                            };
                            return Some(crate::session::Part::Failed(key, failure));
                        }
                    }
                )?
                let response = message.downcast_ref::<$answering>()?;
                let payload = reach!(held response [$($result)*])?;
                sessions!(@ meets response $answering_when).then(|| {
                    let key = crate::session::Key::maybe(reach!(response [$($answering_id)*]));
                    crate::session::Part::Answer(key, payload)
                })
            }

            fn answer(id: $id, payload: Option<$payload>) -> Result<String, crate::EncodeError> {
                crate::out::encode(&response_envelope(id.into(), payload))
            }

            $(
                fn refusal(id: $id, message: &str) -> Option<String> {
                    let refusal = <$told>::from(message);
                    sessions!(@ refuse $how id, refusal, false $(, $unknown)?).ok()
                }
            )?

            type Told = sessions!(@ told $($told)?);

            $(
                fn told(reason: String) -> Option<$told> {
                    Some(reason.into())
                }

                fn refuse(
                    session: &mut crate::session::Session,
                    id: &$id,
                    told: $told,
                ) -> Result<String, crate::session::SessionError> {
                    session.refuse(id, told)
                }
            )?

            $(
                fn notify(
                    session: &crate::session::Session,
                    payload: $notifications,
                ) -> Result<String, crate::session::SessionError> {
                    sessions!(@ skip $notify);
                    session.notify(payload)
                }
            )?

            $(
                fn cancel(
                    session: &mut crate::session::Session,
                    id: &$id,
                ) -> Option<Result<String, crate::session::SessionError>> {
                    sessions!(@ skip $cancel);
                    Some(session.cancel(id))
                }
            )?
        }

        impl crate::session::Session {
            $(
                /// For conformance tests: JSON as the code of an error.
                #[cfg(feature = "__conformance")]
                #[doc(hidden)]
                pub fn parse_code(text: &str) -> Option<$code> {
                    crate::api::decode_as(&$code_rule, text.as_bytes(), crate::Mode::Lenient).ok()
                }
            )?

            $(
                /// Builds the line that refuses a request of the peer.
                ///
                /// # Errors
                ///
                /// Fails if the request is not open, or if the refusal is invalid.
                pub fn refuse(
                    &mut self,
                    id: &$id,
                    refusal: impl Into<$told>,
                ) -> Result<String, crate::session::SessionError> {
                    let refusal = refusal.into();
                    self.close(id, |open, known| {
                        let id = open.id().clone();
                        sessions!(@ refuse $how id, refusal, known.is_some() $(, $unknown)?)
                    })
                }
            )?

            $(
                /// Builds the line of a notification.
                ///
                /// # Errors
                ///
                /// Fails if only the peer sends it, or if it is invalid.
                pub fn notify(
                    &self,
                    notification: impl Into<$notifications>,
                ) -> Result<String, crate::session::SessionError> {
                    let notification = notification.into();
                    self.may_send(teller(&notification))?;
                    Ok(crate::out::encode(&$notify(notification))?)
                }
            )?

            $(
                /// Builds the line that cancels a request sent by this side.
                ///
                /// # Errors
                ///
                /// Fails if the request is not pending.
                pub fn cancel(&mut self, id: &$id) -> Result<String, crate::session::SessionError> {
                    self.give_up(id, |id| crate::out::encode(&$cancel(id)))
                }
            )?
        }

        sessions! { @ messages $default, $($message,)* }

        $(
            impl crate::controls::Sealed for $responding {}
            impl crate::session::Respond for $responding {}
        )*
    };
    (@ messages $($message:ident,)*) => {
        $(
            impl crate::session::Sealed for $message {}
            impl crate::session::Incoming for $message {}
        )*
    };
    (@ draw uuid $number:ident) => {{
        let _: i64 = $number;
        crate::uuid::fresh_uuid().into()
    }};
    (@ draw integer $number:ident) => { $number.into() };
    (@ draw number $number:ident) => { ($number as f64).into() };
    (@ draw text $number:ident $prefix:literal) => {
        crate::controls::text_of_number($prefix, $number).into()
    };
    (@ meets $message:ident []) => { true };
    (@ meets $message:ident [when [$($way:tt)*] $scalar:expr; $($rest:tt)*]) => {
        crate::controls::is(reach!($message [$($way)*]), &$scalar)
            && sessions!(@ meets $message [$($rest)*])
    };
    (@ meets $message:ident [lacks [$($way:tt)*]; $($rest:tt)*]) => {
        reach!($message [$($way)*]).is_none() && sessions!(@ meets $message [$($rest)*])
    };
    (@ skip $path:path) => {};
    (@ told $told:ty) => { $told };
    (@ told) => { std::convert::Infallible };
    (@ refuse sure $id:expr, $refusal:expr, $is_known:expr $(, $unknown:expr)?) => {{
        let refusal = sessions!(@ coded $refusal, $is_known $(, $unknown)?);
        crate::out::encode(&wrap_refusal($id, refusal))
    }};
    (@ refuse maybe $id:expr, $refusal:expr, $is_known:expr $(, $unknown:expr)?) => {{
        let refusal = sessions!(@ coded $refusal, $is_known $(, $unknown)?);
        wrap_refusal($id, refusal).and_then(|refusal| crate::out::encode(&refusal))
    }};
    (@ coded $refusal:expr, $is_known:expr) => {{
        let _: bool = $is_known;
        $refusal
    }};
    (@ coded $refusal:expr, $is_known:expr, $unknown:expr) => {
        match $is_known {
            true => $refusal,
            false => $refusal.or_code($unknown),
        }
    };
}
