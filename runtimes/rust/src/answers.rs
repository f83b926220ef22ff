//! Functions that answer requests of the peer. They return futures, which processes run.

#![allow(dead_code)] // only processes call them

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::api::decode;
use crate::carriers::Returned;
use crate::codec::Codec;
use crate::controls::Reason;
use crate::error::{Code, EncodeError};
use crate::out::encode;
use crate::pairs::Control;
use crate::session::{AnyRefusal, Id, Protocol, Requests, Session, SessionError, Wired};

/// Builds the line that answers a request.
pub type Reply = Box<dyn FnOnce(&mut Session, &Id) -> Result<String, SessionError> + Send>;

/// A call of a function.
pub type Running = Pin<Box<dyn Future<Output = Result<Reply, Failed>> + Send>>;

/// A function that answers the requests of one type.
pub type Function = Box<dyn Fn(&Requests) -> Option<Running> + Send + Sync>;

/// The reason why a request is refused.
pub enum Failed {
    /// A function refused it.
    Refused(AnyRefusal),
    Other(String),
}

impl Failed {
    /// Builds the line that refuses the request, which follows its description for people; `None` if the peer no
    /// longer wants it. If there is no such line, returns the description as an error.
    pub fn refuse(
        self,
        session: &mut Session,
        id: &Id,
    ) -> Result<Option<(String, String)>, String> {
        let is_own = matches!(self, Failed::Refused(_));
        let (message, refusal) = match self {
            Failed::Refused(refusal) => (refusal.reason().to_owned(), Some(refusal)),
            Failed::Other(message) => (message.clone(), Protocol::told(message)),
        };
        let Some(refusal) = refusal else {
            return Err(message); // the protocol has no errors
        };
        match Protocol::refuse(session, id, refusal) {
            Ok(line) => Ok(Some((message, line))),
            Err(SessionError::NotOpen) => Ok(None),
            Err(error) if is_own => Failed::Other(error.to_string()).refuse(session, id),
            Err(_) => Err(message),
        }
    }
}

/// Makes a function that answers requests from one that returns their answers.
pub fn answers<R, A, E, F>(function: impl Fn(R) -> F + Send + Sync + 'static) -> Function
where
    R: Control + Send + 'static,
    R::Answer: Send,
    A: Into<R::Answer> + Send + 'static,
    E: Into<AnyRefusal> + Send + 'static,
    F: Future<Output = Result<A, E>> + Send + 'static,
{
    let function = Arc::new(function);
    Box::new(move |payload| {
        let asked = R::find(payload)?;
        let function = function.clone();
        Some(Box::pin(async move {
            match function(asked).await {
                Ok(answer) => Ok(reply::<R>(answer.into())),
                Err(refusal) => Err(Failed::Refused(refusal.into())),
            }
        }))
    })
}

fn reply<R: Control + 'static>(answer: R::Answer) -> Reply
where
    R::Answer: Send,
{
    Box::new(move |session, id| session.answer::<R>(id, answer))
}

/// A function in options that answers the requests of one type. Clones share it.
#[doc(hidden)]
#[derive(Clone)]
pub struct Answering {
    /// The name of the type.
    request: &'static str,
    id: fn(&Requests) -> Option<String>,
    call: Arc<Call>,
}

type Call = dyn Fn(&Requests, &Arc<Returned>) -> Option<Running> + Send + Sync;

impl Answering {
    /// Wraps a function whose values are encoded as a `V`. `id` takes the id of a function from a request of
    /// the type.
    pub fn new<R, V, A, E, F>(
        id: fn(&Requests) -> Option<String>,
        function: impl Fn(R) -> F + Send + Sync + 'static,
    ) -> Self
    where
        R: Control + Send + 'static,
        R::Answer: Send,
        V: Codec,
        A: Into<V> + Send + 'static,
        E: Into<AnyRefusal> + Send + 'static,
        F: Future<Output = Result<A, E>> + Send + 'static,
    {
        let function = Arc::new(function);
        Answering {
            request: R::NAME,
            id,
            call: Arc::new(move |payload, returned| {
                let asked = R::find(payload)?;
                let (function, returned) = (function.clone(), returned.clone());
                Some(Box::pin(async move {
                    match function(asked).await {
                        Ok(value) => match answer_of::<R, V>(&value.into(), &returned) {
                            Ok(answer) => Ok(reply::<R>(answer)),
                            Err(error) => Err(Failed::Other(error.to_string())),
                        },
                        Err(refusal) => Err(Failed::Refused(refusal.into())),
                    }
                }))
            }),
        }
    }

    /// Whether it answers the requests of a type with this name.
    pub fn is_for(&self, request: &str) -> bool {
        self.request == request
    }

    /// The id of a function in a request, if it is one of those that it answers; empty if it has none.
    pub fn id(&self, request: &Requests) -> Option<String> {
        (self.id)(request)
    }

    /// Calls the function with a request, if it is one of those that it answers.
    pub fn call(&self, request: &Requests, returned: &Arc<Returned>) -> Option<Running> {
        (self.call)(request, returned)
    }
}

impl fmt::Debug for Answering {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Answering({})", self.request)
    }
}

/// Clones are equal.
impl PartialEq for Answering {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.call, &other.call)
    }
}

/// The answer to a request for the value that a function returned.
fn answer_of<R: Control, V: Codec>(
    value: &V,
    returned: &Returned,
) -> Result<R::Answer, EncodeError> {
    let answer = match returned.result_of(&encode(value)?) {
        Some(text) => {
            let payload = decode::<<Protocol as Wired>::Payload>(text);
            payload.and_then(|payload| R::decode_answer(Some(&payload)))
        }
        None if R::lacks_answer(None) => {
            return Err(EncodeError {
                code: Code::MissingField,
                path: String::new(),
                message: "the function returned nothing, but the request needs an answer".into(),
            });
        }
        None => R::decode_answer(None),
    };
    answer.map_err(EncodeError::of)
}
