//! Sessions with processes that are started by a [`Launch`], for tokio.
//!
//! A [`Process`] returns what it reads as events, answers requests with functions, and sends requests.

// The session alone interprets lines and matches answers with requests; this module knows nothing of the protocol.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::ffi::OsString;
use std::fmt;
use std::future::{self, poll_fn, Future};
use std::io::{self, ErrorKind};
use std::mem;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::pin::{pin, Pin};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{copy, sink, AsyncRead, AsyncReadExt, AsyncWriteExt, BufReader, ReadBuf};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot, Notify};
use tokio::task::{AbortHandle, JoinError, JoinHandle};
use tokio::time::timeout;

use crate::answers::{answers, Failed, Function, Reply, Running};
use crate::codec::Wire;
use crate::controls::ControlError;
use crate::error::{DecodeError, EncodeError};
use crate::framing::frame;
use crate::launch::{self as options, Launch, LaunchFunction};
use crate::lines::{AsyncReader, ReadError};
use crate::pairs::Control;
use crate::session::{
    Answer, AnyRefusal, Event, Id, Key, Notifications, Peer, PeerErrorCode, PeerErrorData,
    PeerMessage, Protocol, Request, Requests, Session, SessionError, Wired,
};

/// The number of bytes of the standard error that are kept.
const KEPT: usize = 64 << 10;

/// The number of events and function calls that may be in progress before reading pauses, unless a request is waiting
/// for its answer.
const WAITING: usize = 256;

/// The default limit while a request is waiting for its answer.
const BACKLOG: usize = 4096;

/// The limit, in either case, on the size of their lines in bytes.
const HELD: usize = 64 << 20;

/// The number of bytes that may be queued for the process before writers have to wait.
const QUEUED: usize = 64 << 10;

/// The number of bytes of answers that may be queued for a process that sends requests but does not read.
const UNREAD: usize = 1 << 20;

/// The output of the process that functions in options may receive.
const STDERR: &str = "stderr";

const INPUT_CLOSED: &str = "the process has closed its input";

/// How long a process may take to end by itself, and again after it is terminated.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a process that has closed a pipe may take to end, and how long its output may be silent once it has ended
/// before it counts as read.
const ENDING: Duration = Duration::from_secs(1);

/// The reason why a call of a process failed.
#[derive(Debug)]
#[non_exhaustive]
pub enum ProcessError {
    /// The process cannot be started, or no program is specified.
    Start(io::Error),
    /// The process has ended, is being ended, or has closed its input or output.
    #[non_exhaustive]
    Ended {
        /// A human-readable description.
        message: String,
        /// The exit status, if it is known.
        status: Option<ExitStatus>,
        /// The last part of what the process wrote to its standard error.
        stderr: String,
    },
    /// Too many events arrived before an answer.
    #[non_exhaustive]
    Backlog {
        /// The number of waiting events.
        events: usize,
        /// The number of function calls in progress.
        calls: usize,
        /// The size of their lines in bytes.
        bytes: usize,
    },
    /// The process refused a request, or its answer does not have the type of the request.
    Control(Box<ControlError<PeerErrorCode, PeerErrorData>>),
    /// The session cannot build the line.
    Session(SessionError),
    /// A request of the launch is not a request of the protocol.
    Decode(DecodeError),
}

impl fmt::Display for ProcessError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProcessError::Start(error) => error.fmt(f),
            ProcessError::Ended { message, .. } => f.write_str(message),
            ProcessError::Backlog {
                events,
                calls,
                bytes,
            } => write!(
                f,
                "{events} events wait and {calls} functions are called ({bytes} bytes of lines), so that no answer can \
                 be read: take events while a request awaits its answer"
            ),
            ProcessError::Control(error) => error.fmt(f),
            ProcessError::Session(error) => error.fmt(f),
            ProcessError::Decode(error) => error.fmt(f),
        }
    }
}

/// `Display` is that of the source, if there is one.
impl std::error::Error for ProcessError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ProcessError::Start(error) => Some(error),
            ProcessError::Control(error) => Some(&**error),
            ProcessError::Session(error) => Some(error),
            ProcessError::Decode(error) => Some(error),
            ProcessError::Ended { .. } | ProcessError::Backlog { .. } => None,
        }
    }
}

impl From<SessionError> for ProcessError {
    fn from(error: SessionError) -> Self {
        ProcessError::Session(error)
    }
}

impl From<EncodeError> for ProcessError {
    fn from(error: EncodeError) -> Self {
        ProcessError::Session(error.into())
    }
}

// --- starting -----------------------------------------------------------------------------------

type Told = Box<dyn FnMut(&str) + Send>;

/// How a process is started, and how its requests are answered.
#[must_use]
pub struct Builder {
    peer: Peer,
    program: Option<OsString>,
    arguments: Vec<String>,
    cwd: Option<String>,
    environment: crate::launch::Environment,
    requests: Vec<(String, crate::Json)>,
    /// The functions in the options of the launch.
    optional: Vec<LaunchFunction>,
    /// The functions that answer other requests, each with the name of their type.
    given: Vec<(&'static str, Function)>,
    told: Option<Told>,
    limit: Option<usize>,
    backlog: usize,
    refuses_unknown: bool,
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder")
            .field("peer", &self.peer)
            .field("program", &self.program)
            .field("arguments", &self.arguments)
            .finish_non_exhaustive()
    }
}

impl Builder {
    /// Sets the program to run instead of the one in the launch.
    pub fn program(mut self, program: impl Into<OsString>) -> Self {
        self.program = Some(program.into());
        self
    }

    /// Answers the requests of a type with a function, which is called in a separate task. If it returns an error, the
    /// request is refused, and there is an [`Event::FailedAnswer`]. The task is aborted if the peer cancels the
    /// request. Functions in the options of the launch need no such call.
    pub fn answer<R, A, E, F>(mut self, function: impl Fn(R) -> F + Send + Sync + 'static) -> Self
    where
        R: Control + Send + 'static,
        R::Answer: Send,
        A: Into<R::Answer> + Send + 'static,
        E: Into<AnyRefusal> + Send + 'static,
        F: Future<Output = Result<A, E>> + Send + 'static,
    {
        self.given.push((R::NAME, answers(function)));
        self
    }

    /// Sets a function that receives the standard error of the process, in pieces of any size.
    pub fn stderr(mut self, told: impl FnMut(&str) + Send + 'static) -> Self {
        self.told = Some(Box::new(told));
        self
    }

    /// Sets the limit on the length of a line in bytes.
    pub fn limit(mut self, bytes: usize) -> Self {
        self.limit = Some(bytes);
        self
    }

    /// Sets how many events may wait while a request is waiting for its answer; the default is 4096. If more events
    /// arrive before the answer, the request fails with [`ProcessError::Backlog`], and its answer becomes an event.
    pub fn backlog(mut self, events: usize) -> Self {
        self.backlog = events;
        self
    }

    /// Sets whether the session refuses undeclared requests, like [`Session::refuse_unknown`].
    pub fn refuse_unknown(mut self, refuse: bool) -> Self {
        self.refuses_unknown = refuse;
        self
    }

    /// Starts the process and sends the requests of the launch. Call it in a tokio runtime with drivers for I/O and
    /// time enabled. When this runtime ends, the process is killed.
    ///
    /// # Errors
    ///
    /// Fails if there is no such program, if the launch has a request that is not a request of the protocol, if two
    /// functions are given for a request or for the standard error, or if a function in the options cannot be called.
    pub fn start(mut self) -> Result<Process, ProcessError> {
        let functions = self.functions()?;
        let requests = self.requests.iter();
        let requests = requests.map(|(control, payload)| {
            let payload = crate::decode::<Requests>(payload.text())?;
            Ok((control.clone(), payload))
        });
        let requests: Vec<_> = requests
            .collect::<Result<_, _>>()
            .map_err(ProcessError::Decode)?;
        let program = self
            .program
            .ok_or_else(|| misuse("neither the launch nor the builder names a program".into()))?;
        let mut command = Command::new(program);
        command
            .args(&self.arguments)
            .env_clear()
            .envs(self.environment.over(std::env::vars_os()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if let Some(cwd) = &self.cwd {
            command.current_dir(cwd);
        }
        let mut child = command.spawn().map_err(ProcessError::Start)?;
        let (signals, asked) = mpsc::unbounded_channel();
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                session: Session::new(self.peer).refuse_unknown(self.refuses_unknown),
                events: VecDeque::new(),
                askers: HashMap::new(),
                running: HashMap::new(),
                numbers: 0,
                calls: 0,
                held: 0,
                backlog: self.backlog,
                queue: Vec::new(),
                queued: 0,
                unread: 0,
                tail: String::new(),
                status: None,
                closed: None,
                is_explained: false,
                is_deaf: false,
                is_closing: false,
                is_abandoned: false,
                is_over: false,
                is_done: false,
            }),
            functions,
            signals,
            news: Notify::new(),
            room: Notify::new(),
            lines: Notify::new(),
            drained: Notify::new(),
            ended: Notify::new(),
        });
        // Requests come before the tasks, which may find that the process has already ended.
        let mut started = HashMap::new();
        for (control, payload) in requests {
            let (_, answer) = shared.ask(payload)?;
            started.insert(control, answer);
        }
        if let Some(stdin) = child.stdin.take() {
            tokio::spawn(write(shared.clone(), stdin));
        }
        let errors = child.stderr.take();
        let errors = errors.map(|from| tokio::spawn(read_errors(shared.clone(), from, self.told)));
        let output = child.stdout.take();
        let output = output.map(|from| tokio::spawn(read(shared.clone(), from, self.limit)));
        let end = End {
            shared: shared.clone(),
            is_cancelled: true,
        };
        tokio::spawn(watch(end, child, asked, output, errors));
        Ok(Process {
            shared,
            started: Mutex::new(started),
        })
    }
}

impl Builder {
    /// Takes all functions that answer requests, and the one that receives the standard error.
    fn functions(&mut self) -> Result<Vec<Function>, ProcessError> {
        let mut own: Vec<Answerers> = Vec::new();
        for each in mem::take(&mut self.optional) {
            let place = &each.place;
            match (&each.function, &each.control, each.receives.as_deref()) {
                (options::Function::Answers(function), Some(control), _) => {
                    if self.given.iter().any(|(name, _)| function.is_for(name)) {
                        return Err(misuse(format!(
                            "both `answer` and the option {place} answer {control:?}; give one of them"
                        )));
                    }
                    let there = own
                        .iter()
                        .position(|others| others.control() == Some(control));
                    match there {
                        Some(at) => own[at].add(each)?,
                        None => own.push(Answerers(vec![each])),
                    }
                }
                (options::Function::Receives(function), _, Some(STDERR)) => {
                    if self.told.is_some() {
                        return Err(misuse(format!(
                            "both `stderr` and the option {place} receive it; give one of them"
                        )));
                    }
                    let function = function.clone();
                    self.told = Some(Box::new(move |text| function.call(text)));
                }
                _ => {
                    let what = if each.live { "object" } else { "function" };
                    return Err(misuse(format!(
                        "the {what} in the option {place} is not used by a process; leave it out"
                    )));
                }
            }
        }
        let given = mem::take(&mut self.given).into_iter();
        let mut functions: Vec<_> = given.map(|(_, function)| function).collect();
        for others in own {
            functions.push(Box::new(move |request| others.call(request)));
        }
        Ok(functions)
    }
}

/// The functions in options that answer the requests of a control.
struct Answerers(Vec<LaunchFunction>);

impl Answerers {
    fn control(&self) -> Option<&String> {
        self.0.first()?.control.as_ref()
    }

    fn add(&mut self, new: LaunchFunction) -> Result<(), ProcessError> {
        let is_same =
            |each: &&LaunchFunction| each.id.is_none() || new.id.is_none() || each.id == new.id;
        if let Some(other) = self.0.iter().find(is_same) {
            let control = new.control.as_deref().unwrap_or_default();
            return Err(misuse(format!(
                "the options {} and {} both answer {control:?}; give one of them",
                other.place, new.place
            )));
        }
        self.0.push(new);
        Ok(())
    }

    /// Calls the function that a request refers to, if it is a request of the control.
    fn call(&self, request: &Requests) -> Option<Running> {
        let mut others = self.0.iter().filter_map(|each| match &each.function {
            options::Function::Answers(function) => Some((each, function)),
            _ => None,
        });
        let (first, function) = others.next()?;
        let Some(own) = &first.id else {
            return function.call(request, &first.returned);
        };
        let wanted = function.id(request)?;
        if *own == wanted {
            return function.call(request, &first.returned);
        }
        match others.find(|(each, _)| each.id.as_ref() == Some(&wanted)) {
            Some((each, function)) => function.call(request, &each.returned),
            None => {
                let message = format!("no function has the id {wanted:?}");
                Some(Box::pin(future::ready(Err(Failed::Other(message)))))
            }
        }
    }
}

/// The error for a process that is not started because its builder was used in a wrong way.
fn misuse(message: String) -> ProcessError {
    ProcessError::Start(io::Error::new(ErrorKind::InvalidInput, message))
}

// --- the process --------------------------------------------------------------------------------

/// A process that speaks the protocol, together with its session.
///
/// Its output is read while the program takes events or waits for answers. If events are not taken, the process has
/// to wait. All methods take a shared reference, so tasks can share it in an [`Arc`]. All futures can be dropped
/// without losing or breaking a line. Dropping the process kills it.
pub struct Process {
    shared: Arc<Shared>,
    /// The answers to the requests of the launch.
    started: Mutex<HashMap<String, oneshot::Receiver<Outcome>>>,
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.shared.state();
        f.debug_struct("Process")
            .field("session", &state.session)
            .field("status", &state.status)
            .finish_non_exhaustive()
    }
}

impl Process {
    /// Configures the process of a launch. `peer` is the side of the connection that this program takes. The functions
    /// in the options of the launch are called.
    pub fn builder(peer: Peer, launch: &Launch) -> Builder {
        let script = launch.script.iter();
        let arguments = launch.program_arguments.iter().chain(script);
        let requests = launch.requests.iter();
        Builder {
            peer,
            program: launch.program.clone().map(Into::into),
            arguments: arguments.chain(&launch.arguments).cloned().collect(),
            cwd: launch.cwd.clone(),
            environment: launch.environment.clone(),
            requests: requests
                .map(|(control, payload)| (control.clone(), payload.clone()))
                .collect(),
            optional: launch.functions.clone(),
            given: Vec::new(),
            told: None,
            limit: None,
            backlog: BACKLOG,
            refuses_unknown: true,
        }
    }

    /// Waits for the next event of the session, except those that functions and other methods handle. An invalid line
    /// is an error, as for a reader. Returns `None` once the process has ended and its output has been read, or a
    /// second after it has closed its output.
    pub async fn next(&self) -> Option<Result<Event, ReadError>> {
        let shared = &self.shared;
        until(&shared.news, || {
            let state = shared.state();
            !state.events.is_empty() || state.is_over
        })
        .await;
        let event = shared.state().pop();
        shared.room.notify_waiters();
        event
    }

    // Sending.

    /// Sends a request and waits for its answer. If the future is dropped, the request is cancelled if the protocol
    /// supports that.
    ///
    /// # Errors
    ///
    /// Fails if the peer refuses the request, if the answer is invalid, or if the process ends first or too many
    /// events are waiting.
    pub async fn request<R: Control>(&self, request: R) -> Result<R::Answer, ProcessError> {
        let answer = self.ask(request.into_request()).await?;
        let missing = || ProcessError::Control(Box::new(ControlError::Missing));
        answer.result::<R>().ok_or_else(missing)
    }

    /// Like [`Process::request`] for a request of any type; returns the original answer.
    ///
    /// # Errors
    ///
    /// Fails like [`Process::request`].
    pub async fn ask(&self, request: impl Into<Requests>) -> Result<Answer, ProcessError> {
        /// Gives up the request when its caller no longer waits.
        struct Asking<'a>(&'a Shared, Id);

        impl Drop for Asking<'_> {
            fn drop(&mut self) {
                self.0.give_up(&self.1);
            }
        }

        self.shared.settled().await;
        let (id, answer) = self.shared.ask(request.into())?;
        let _asking = Asking(&self.shared, id);
        match answer.await {
            Ok(outcome) => outcome,
            Err(_) => Err(self.shared.state().ended(None)),
        }
    }

    /// Waits for the answer to a request of the launch, by the name of its control. Returns `None` if the launch has
    /// no such request, or if its answer was already taken.
    pub async fn started(&self, control: &str) -> Option<Result<Answer, ProcessError>> {
        poll_fn(|context| {
            let mut started = lock(&self.started);
            let Some(answer) = started.get_mut(control) else {
                return Poll::Ready(None);
            };
            let answer = Pin::new(answer).poll(context);
            answer.map(|outcome| {
                started.remove(control);
                Some(outcome.unwrap_or_else(|_| Err(self.shared.state().ended(None))))
            })
        })
        .await
    }

    /// Writes a message that is not part of the control protocol and waits until the process is ready for more.
    ///
    /// # Errors
    ///
    /// Fails if the message is invalid, in which case nothing is written, or if the process accepts no more input.
    pub async fn write<T: Wire>(&self, message: &T) -> Result<(), ProcessError> {
        let line = crate::encode(message)?;
        self.send(|_| Ok(line)).await
    }

    /// Sends a notification.
    ///
    /// # Errors
    ///
    /// Fails if only the peer sends it, if it is invalid, or if the process accepts no more input.
    #[allow(unreachable_code, unused_variables)] // without notifications
    pub async fn notify(&self, notification: impl Into<Notifications>) -> Result<(), ProcessError> {
        let notification = notification.into();
        self.send(|session| Protocol::notify(session, notification))
            .await
    }

    /// Answers a request that is not answered by a function. `request` is its payload.
    ///
    /// # Errors
    ///
    /// Fails if the request is not open or is a different one, if the answer is invalid, or if the process accepts no
    /// more input.
    pub async fn reply<R: Control>(
        &self,
        id: &Id,
        request: &R,
        answer: impl Into<R::Answer>,
    ) -> Result<(), ProcessError> {
        let answer = answer.into();
        self.send(|session| session.reply(id, request, answer))
            .await
    }

    /// Refuses a request that is not answered by a function.
    ///
    /// # Errors
    ///
    /// Fails if the request is not open, if the refusal is invalid, or if the process accepts no more input.
    pub async fn refuse(
        &self,
        id: &Id,
        refusal: impl Into<AnyRefusal>,
    ) -> Result<(), ProcessError> {
        let refusal = refusal.into();
        self.send(|session| Protocol::refuse(session, id, refusal))
            .await
    }

    async fn send(
        &self,
        line: impl FnOnce(&mut Session) -> Result<String, SessionError>,
    ) -> Result<(), ProcessError> {
        let shared = &self.shared;
        shared.settled().await;
        {
            let mut state = shared.state();
            state.check_runs()?;
            let line = line(&mut state.session)?;
            state.push(&line);
        }
        shared.lines.notify_waiters();
        until(&shared.drained, || {
            let state = shared.state();
            state.queued <= QUEUED || state.is_deaf || state.is_over
        })
        .await;
        shared.settled().await;
        let state = shared.state();
        match state.is_closing {
            true => Ok(()),
            false => state.check_runs(),
        }
    }

    // State.

    /// Gives access to the session. The process does not notice changes made directly to the session.
    pub fn session<T>(&self, look: impl FnOnce(&Session) -> T) -> T {
        look(&self.shared.state().session)
    }

    /// The last part of the standard error of the process: at most 64 KiB.
    #[must_use]
    pub fn stderr(&self) -> String {
        self.shared.state().tail().into()
    }

    /// The exit status, if the process has ended.
    #[must_use]
    pub fn status(&self) -> Option<ExitStatus> {
        self.shared.state().status
    }

    // Ending.

    /// Waits until the process has ended and its output has been read. The output is read until too many events are
    /// waiting to be taken, unless the process is closed.
    ///
    /// # Errors
    ///
    /// Fails if the exit status is not available.
    pub async fn wait(&self) -> io::Result<ExitStatus> {
        let shared = &self.shared;
        until(&shared.ended, || shared.state().is_done).await;
        let status = shared.state().status;
        status.ok_or_else(|| io::Error::other("the exit status is not known"))
    }

    /// Ends the process with [`close_within`](Process::close_within) and 5 seconds for each step.
    ///
    /// # Errors
    ///
    /// Fails if the exit status is not available.
    pub async fn close(&self) -> io::Result<ExitStatus> {
        self.close_within(PATIENCE, PATIENCE).await
    }

    /// Ends the process: closes its input and waits for `grace`, terminates it and waits for `patience`, then kills
    /// it. If other processes keep its output open, it is read for `patience`, but at most for a second. If the future
    /// is dropped, the process is killed.
    ///
    /// # Errors
    ///
    /// Fails if the exit status is not available.
    pub async fn close_within(
        &self,
        grace: Duration,
        patience: Duration,
    ) -> io::Result<ExitStatus> {
        let shared = &self.shared;
        let mut hurry = Hurry(Some(shared));
        shared.close();
        let exited = || until(&shared.ended, || shared.state().has_exited());
        if timeout(grace, exited()).await.is_err() {
            shared.signal(Signal::Terminate);
            if timeout(patience, exited()).await.is_err() {
                shared.signal(Signal::Kill);
                exited().await;
            }
        }
        if timeout(patience.min(ENDING), self.wait()).await.is_err() {
            shared.abandon();
        }
        let status = self.wait().await;
        hurry.0 = None;
        status
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(Hurry(Some(&self.shared)));
    }
}

/// Kills the process when it is dropped.
struct Hurry<'a>(Option<&'a Shared>);

impl Drop for Hurry<'_> {
    fn drop(&mut self) {
        if let Some(shared) = self.0 {
            shared.close();
            shared.signal(Signal::Kill);
            shared.abandon();
        }
    }
}

// --- state --------------------------------------------------------------------------------------

type Outcome = Result<Answer, ProcessError>;

/// Instructions to the task that watches the process.
enum Signal {
    Terminate,
    Kill,
}

struct Shared {
    state: Mutex<State>,
    functions: Vec<Function>,
    signals: mpsc::UnboundedSender<Signal>,
    /// There is an event, or there will be no more.
    news: Notify,
    /// There may be room for more events.
    room: Notify,
    /// There are lines to write, or there will be no more.
    lines: Notify,
    /// Lines have been written, or will not be.
    drained: Notify,
    /// The process has ended.
    ended: Notify,
}

struct State {
    session: Session,
    /// The events that the program has not taken, each with the size of its line in bytes.
    events: VecDeque<(Result<Event, ReadError>, usize)>,
    /// The callers that wait for an answer, by the id of the request.
    askers: HashMap<Key, oneshot::Sender<Outcome>>,
    /// The running functions, by the id of the request.
    running: HashMap<Key, Call>,
    numbers: u64,
    /// The number of calls, including those whose requests were cancelled.
    calls: usize,
    /// The size of the lines of the events and calls in progress.
    held: usize,
    backlog: usize,
    /// Lines to be written, and the number of bytes queued or being written.
    queue: Vec<u8>,
    queued: usize,
    /// The number of bytes of answers that the process has not read.
    unread: usize,
    /// The last part of the standard error, and earlier text that has not been cut off yet.
    tail: String,
    status: Option<ExitStatus>,
    /// The reason why a process that goes on after it has closed a pipe cannot be used.
    closed: Option<&'static str>,
    /// The standard error has been read.
    is_explained: bool,
    /// The process has closed its input.
    is_deaf: bool,
    is_closing: bool,
    /// The output is read no more, although child processes may keep it open.
    is_abandoned: bool,
    /// No further events will arrive.
    is_over: bool,
    /// The process has ended, and everything has been read.
    is_done: bool,
}

/// A call of a function.
struct Call {
    number: u64,
    task: AbortHandle,
    /// Whether the peer cancelled the request.
    is_cancelled: bool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits until a condition holds, checking it whenever notified.
async fn until(notify: &Notify, is_so: impl Fn() -> bool) {
    loop {
        let notified = notify.notified(); // registered from here on, even before it is polled
        if is_so() {
            return;
        }
        notified.await;
    }
}

impl State {
    fn has_exited(&self) -> bool {
        self.status.is_some() || self.is_done
    }

    /// Whether the exit status and the whole standard error are known.
    fn is_explained(&self) -> bool {
        self.is_done || self.status.is_some() && self.is_explained
    }

    /// Whether nothing can be sent any more for a reason that is about to become known.
    fn is_ending(&self) -> bool {
        let is_settled = self.is_closing || self.is_over || self.closed.is_some();
        (self.is_deaf || self.status.is_some()) && !is_settled && !self.is_explained()
    }

    /// Fails if nothing can be sent any more.
    fn check_runs(&self) -> Result<(), ProcessError> {
        if self.status.is_some() || self.is_over {
            return Err(self.ended(None));
        }
        if self.is_closing {
            return Err(self.ended(Some("the process is being ended")));
        }
        if self.is_deaf {
            return Err(self.ended(Some(INPUT_CLOSED)));
        }
        Ok(())
    }

    fn ended(&self, message: Option<&str>) -> ProcessError {
        let message = match (message, self.status) {
            (Some(message), _) => message.into(),
            (None, Some(status)) => format!("the process ended: {status}"),
            (None, None) => self.closed.unwrap_or("the process ended").into(),
        };
        ProcessError::Ended {
            message,
            status: self.status,
            stderr: self.tail().into(),
        }
    }

    fn tail(&self) -> &str {
        let mut from = self.tail.len().saturating_sub(KEPT);
        while !self.tail.is_char_boundary(from) {
            from += 1;
        }
        &self.tail[from..]
    }

    /// Processes text from the standard error.
    fn tell(&mut self, text: &str) {
        self.tail.push_str(text);
        if self.tail.len() > 2 * KEPT {
            self.tail = self.tail().into();
        }
    }

    /// Queues a line without waiting until the process reads it.
    fn push(&mut self, line: &str) {
        if !self.is_deaf {
            let frame = frame(line.to_owned());
            self.queue.extend_from_slice(frame.as_bytes());
            self.queued += frame.len();
        }
    }

    /// Processes the result of writing a number of bytes of the queue.
    fn wrote(&mut self, bytes: usize, is_deaf: bool) {
        self.queued -= bytes;
        if self.queued == 0 {
            self.unread = 0;
        }
        if is_deaf {
            self.is_deaf = true;
            self.queue.clear();
            self.queued = 0;
        }
    }

    /// Whether enough events are waiting for the program, which may itself be waiting for an answer.
    fn is_full(&self) -> bool {
        // A caller that waits for an answer takes no events.
        !self.is_closing
            && !self.is_over
            && self.askers.is_empty()
            && self.has(WAITING.min(self.backlog))
    }

    /// Whether `count` events and calls are in progress, or their lines have reached the size limit.
    fn has(&self, count: usize) -> bool {
        self.events.len() + self.calls >= count || self.held >= HELD
    }

    /// Whether new events are discarded: after their end, or because the process is being ended and enough are waiting.
    fn is_dropped(&self) -> bool {
        self.is_over || (self.is_closing && self.has(WAITING))
    }

    fn backlog(&self) -> ProcessError {
        ProcessError::Backlog {
            events: self.events.len(),
            calls: self.calls,
            bytes: self.held,
        }
    }

    fn add(&mut self, event: Result<Event, ReadError>, size: usize) {
        if !self.is_dropped() {
            self.events.push_back((event, size));
            self.held += size;
        }
    }

    fn pop(&mut self) -> Option<Result<Event, ReadError>> {
        let (event, size) = self.events.pop_front()?;
        self.held -= size;
        Some(event)
    }

    /// Fails all callers that wait for answers.
    fn reject(&mut self, error: impl Fn(&Self) -> ProcessError) {
        for (_, asker) in mem::take(&mut self.askers) {
            let _ = asker.send(Err(error(self))); // the caller may no longer be waiting
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn signal(&self, signal: Signal) {
        let _ = self.signals.send(signal); // ignored once the process has ended
    }

    fn close(&self) {
        self.state().is_closing = true;
        self.wake();
    }

    fn abandon(&self) {
        self.state().is_abandoned = true;
        self.wake();
    }

    fn wake(&self) {
        for each in [
            &self.news,
            &self.room,
            &self.lines,
            &self.drained,
            &self.ended,
        ] {
            each.notify_waiters();
        }
    }

    // Ending.

    /// Waits, while the process is ending, until errors can include its exit status and its standard error.
    async fn settled(&self) {
        let settled = until(&self.ended, || !self.state().is_ending());
        let _ = timeout(ENDING, settled).await; // after it, errors have what is known
    }

    /// Gives a process that has closed a pipe time to end. If it goes on, pending and later calls fail with the
    /// message, and after the end of its output, the events end.
    async fn closed(&self, message: &'static str, ends_events: bool) {
        let exited = until(&self.ended, || self.state().has_exited());
        if timeout(ENDING, exited).await.is_ok() {
            return; // the task that watches the process reports its end
        }
        let mut state = self.state();
        if state.has_exited() || state.is_closing || state.is_over {
            return;
        }
        state.closed = Some(message);
        state.is_over = ends_events;
        state.reject(|state| state.ended(None));
        drop(state);
        self.wake();
    }

    // Requests.

    fn ask(&self, payload: Requests) -> Result<(Id, oneshot::Receiver<Outcome>), ProcessError> {
        let (asker, answer) = oneshot::channel();
        let mut state = self.state();
        state.check_runs()?;
        if state.has(state.backlog) {
            return Err(state.backlog());
        }
        let (id, line) = state.session.request(payload)?;
        state.askers.insert(Key::of(&id), asker);
        state.push(&line);
        drop(state);
        self.lines.notify_waiters();
        self.room.notify_waiters(); // events that wait for the program no longer block reading the answer
        Ok((id, answer))
    }

    /// Stops waiting for an answer, and cancels the request if the protocol supports that.
    fn give_up(&self, id: &Id) {
        let mut state = self.state();
        if state.askers.remove(&Key::of(id)).is_none() || state.is_over {
            return;
        }
        if let Some(Ok(line)) = Protocol::cancel(&mut state.session, id) {
            state.push(&line);
            self.lines.notify_waiters();
        }
    }

    // Receiving.

    /// Processes an item, given the size of its line.
    fn take(self: &Arc<Self>, item: Result<PeerMessage, ReadError>, size: usize) {
        let mut state = self.state();
        match item {
            Err(error) => state.add(Err(error), size),
            Ok(message) => {
                let event = state.session.receive(message);
                if let Some(event) = self.handled(&mut state, event, size) {
                    state.add(Ok(event), size);
                }
            }
        }
        if !state.askers.is_empty() && state.has(state.backlog) {
            state.reject(State::backlog);
        }
        self.news.notify_waiters();
    }

    /// Returns the event, unless it was consumed: a caller was waiting for it, or a function answers it.
    fn handled(self: &Arc<Self>, state: &mut State, event: Event, size: usize) -> Option<Event> {
        match event {
            Event::Answer(answer) => match state.askers.remove(&Key::of(answer.request().id())) {
                Some(asker) => drop(asker.send(Ok(answer))),
                None => return Some(Event::Answer(answer)),
            },
            Event::Failure {
                request: Some(request),
                message,
                code,
                data,
                response,
            } => match state.askers.remove(&Key::of(request.id())) {
                Some(asker) => {
                    let refused = ControlError::Refused {
                        message,
                        code,
                        data,
                        response,
                    };
                    drop(asker.send(Err(ProcessError::Control(Box::new(refused)))));
                }
                None => {
                    return Some(Event::Failure {
                        request: Some(request),
                        message,
                        code,
                        data,
                        response,
                    });
                }
            },
            Event::InvalidAnswer {
                request,
                error,
                message,
            } => match state.askers.remove(&Key::of(request.id())) {
                Some(asker) => {
                    let error = Box::new(ControlError::Decode(error));
                    drop(asker.send(Err(ProcessError::Control(error))));
                }
                None => {
                    return Some(Event::InvalidAnswer {
                        request,
                        error,
                        message,
                    });
                }
            },
            Event::UnknownRequest {
                line: Some(line), ..
            } => self.tell(state, &line),
            Event::Cancellation(request) => match state.running.get_mut(&Key::of(request.id())) {
                Some(call) => {
                    call.is_cancelled = true;
                    call.task.abort();
                }
                None => return Some(Event::Cancellation(request)),
            },
            Event::Request(request) => {
                state.running.remove(&Key::of(request.id())); // of a cancelled request, whose id this one has now
                let mut functions = self.functions.iter();
                match functions.find_map(|function| function(request.payload())) {
                    Some(_) if state.is_dropped() => {}
                    Some(running) => self.call(state, request, running, size),
                    None => return Some(Event::Request(request)),
                }
            }
            other => return Some(other),
        }
        None
    }

    // Functions.

    fn call(self: &Arc<Self>, state: &mut State, request: Request, running: Running, size: usize) {
        state.calls += 1;
        state.held += size;
        state.numbers += 1;
        let number = state.numbers;
        let task = tokio::spawn(running);
        let call = Call {
            number,
            task: task.abort_handle(),
            is_cancelled: false,
        };
        state.running.insert(Key::of(request.id()), call);
        let shared = self.clone();
        tokio::spawn(async move {
            let done = task.await;
            shared.returned(request, number, size, done);
        });
    }

    /// Handles a function that has returned, has panicked, or was aborted, possibly before it was called.
    fn returned(
        &self,
        request: Request,
        number: u64,
        size: usize,
        done: Result<Result<Reply, Failed>, JoinError>,
    ) {
        let mut state = self.state();
        state.calls -= 1;
        state.held -= size;
        let key = Key::of(request.id());
        let is_own = |call: &Call| call.number == number; // not one for another request with the same id
        let call = match state.running.get(&key).is_some_and(is_own) {
            true => state.running.remove(&key),
            false => None,
        };
        if let (Some(call), false) = (call, state.is_closing || state.is_over) {
            let failed = match done {
                Ok(Ok(reply)) => match reply(&mut state.session, request.id()) {
                    Ok(line) => {
                        self.tell(&mut state, &line);
                        None
                    }
                    Err(SessionError::NotOpen) => None, // the peer no longer wants it
                    Err(error) => Some(Failed::Other(error.to_string())),
                },
                Ok(Err(failed)) => Some(failed),
                Err(error) => Some(Failed::Other(reason(error))),
            };
            match failed.map(|failed| failed.refuse(&mut state.session, request.id())) {
                Some(Ok(Some((message, line)))) => {
                    self.tell(&mut state, &line);
                    if !call.is_cancelled {
                        state.add(Ok(Event::FailedAnswer { request, message }), size);
                        self.news.notify_waiters();
                    }
                }
                Some(Err(message)) => self.fail(&mut state, &message),
                Some(Ok(None)) | None => {}
            }
        }
        drop(state);
        self.room.notify_waiters();
    }

    /// Sends an answer without a waiting caller; a process that sends requests but does not read is ended.
    fn tell(&self, state: &mut State, line: &str) {
        if state.is_closing || state.is_over {
            return;
        }
        state.unread += line.len();
        state.push(line);
        self.lines.notify_waiters();
        if state.unread > UNREAD {
            self.fail(
                state,
                "the process does not read the answers to its requests",
            );
            self.signal(Signal::Kill);
        }
    }

    /// Ends the events with an error.
    fn fail(&self, state: &mut State, message: &str) {
        if !state.is_over {
            state.reject(|state| state.ended(Some(message)));
            state.add(Err(io::Error::other(message).into()), 0);
            state.is_over = true;
        }
        self.wake();
    }
}

fn reason(error: JoinError) -> String {
    if error.is_cancelled() {
        return "the call was cancelled".into();
    }
    match panicked(&*error.into_panic()) {
        Some(text) => format!("the function panicked: {text}"),
        None => "the function panicked".into(),
    }
}

fn panicked(payload: &(dyn Any + Send)) -> Option<&str> {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| payload.downcast_ref::<&str>().copied())
}

// --- tasks --------------------------------------------------------------------------------------

/// A pipe from the process. It ends even if children of the process keep it open: when it is abandoned, or when nothing
/// more has come for a while since the process has ended. A reader that pauses does not poll, so what comes meanwhile
/// is not missed. What it holds in the end is still read: a function may have delayed the reader.
struct Pipe<R> {
    from: R,
    /// Whether what comes postpones the end; not on the standard error, since child processes may log without a pause.
    renews: bool,
    has_ended: bool,
    shared: Arc<Shared>,
    silence: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl<R> Pipe<R> {
    fn new(from: R, renews: bool, shared: Arc<Shared>) -> Self {
        Pipe {
            from,
            renews,
            has_ended: false,
            shared,
            silence: None,
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Pipe<R> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Pipe {
            from,
            renews,
            has_ended,
            shared,
            silence,
        } = self.get_mut();
        if *has_ended {
            return Poll::Ready(Ok(()));
        }
        let read = Pin::new(from).poll_read(context, buffer);
        *has_ended = shared.state().is_abandoned;
        if *renews && read.is_ready() {
            *silence = None;
            return read;
        }
        let silence = silence.get_or_insert_with(|| {
            let shared = shared.clone();
            Box::pin(async move {
                until(&shared.ended, || shared.state().has_exited()).await;
                let abandoned = until(&shared.ended, || shared.state().is_abandoned);
                let _ = timeout(ENDING, abandoned).await;
            })
        });
        *has_ended |= silence.as_mut().poll(context).is_ready();
        match *has_ended {
            true if read.is_pending() => Poll::Ready(Ok(())),
            _ => read,
        }
    }
}

async fn read(shared: Arc<Shared>, from: ChildStdout, limit: Option<usize>) {
    let from = Pipe::new(from, true, shared.clone());
    let mut reader = AsyncReader::<_, PeerMessage>::new(BufReader::new(from));
    if let Some(limit) = limit {
        reader = reader.with_limit(limit);
    }
    loop {
        until(&shared.room, || !shared.state().is_full()).await;
        match reader.next().await {
            None => break,
            Some(Err(ReadError::Io(error))) => {
                let text = error.to_string();
                return shared.fail(&mut shared.state(), &text);
            }
            Some(item) => shared.take(item, reader.kept()),
        }
    }
    let why = if reader.is_closed() {
        "the output of the process cannot be read behind a malformed header"
    } else {
        "the process has closed its output"
    };
    // The process must not block if it writes on.
    let discarded = tokio::spawn(async move { copy(&mut reader.into_inner(), &mut sink()).await });
    shared.closed(why, true).await;
    until(&shared.ended, || shared.state().has_exited()).await;
    discarded.abort(); // what child processes write may not end
}

async fn read_errors(shared: Arc<Shared>, from: ChildStderr, mut told: Option<Told>) {
    let mut from = Pipe::new(from, false, shared.clone());
    let mut buffer = vec![0; 64 << 10]; // what a pipe holds: the last read takes all of it
    let mut rest = Vec::new(); // the bytes of an incomplete character
    loop {
        let count = match from.read(&mut buffer).await {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(_) => 0,
        };
        rest.extend_from_slice(&buffer[..count]);
        let whole = if count == 0 { rest.len() } else { whole(&rest) };
        let text = String::from_utf8_lossy(&rest[..whole]).into_owned();
        rest.drain(..whole);
        shared.state().tell(&text);
        if !text.is_empty() {
            if let Some(tell) = &mut told {
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| tell(&text))) {
                    told = None; // it is not called again
                    let text = panicked(&*panic).unwrap_or_default();
                    let message = format!("the function for the standard error panicked: {text}");
                    shared.fail(&mut shared.state(), &message);
                }
            }
        }
        if count == 0 {
            shared.state().is_explained = true;
            return shared.wake();
        }
    }
}

/// The number of bytes before an incomplete character at the end.
fn whole(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Err(error) = std::str::from_utf8(&bytes[at..]) {
        match error.error_len() {
            None => return at + error.valid_up_to(),
            Some(length) => at += error.valid_up_to() + length,
        }
    }
    bytes.len()
}

async fn write(shared: Arc<Shared>, mut to: ChildStdin) {
    loop {
        until(&shared.lines, || {
            let state = shared.state();
            !state.queue.is_empty() || state.is_closing || state.has_exited()
        })
        .await;
        let lines = mem::take(&mut shared.state().queue);
        if lines.is_empty() {
            return; // which closes the input
        }
        let written = {
            let mut writing = pin!(to.write_all(&lines));
            let mut exited = pin!(until(&shared.ended, || shared.state().has_exited()));
            poll_fn(|context| match writing.as_mut().poll(context) {
                // Child processes may keep its input open.
                Poll::Pending => {
                    let broken = || Err(ErrorKind::BrokenPipe.into());
                    exited.as_mut().poll(context).map(|()| broken())
                }
                done => done,
            })
            .await
        };
        shared.state().wrote(lines.len(), written.is_err());
        shared.drained.notify_waiters();
        if written.is_err() {
            return shared.closed(INPUT_CLOSED, false).await;
        }
    }
}

/// Ends the session when the task that watches the process ends. If the runtime ends first, it drops the tasks, which
/// kills the process; a caller in another runtime must not wait for them.
struct End {
    shared: Arc<Shared>,
    is_cancelled: bool,
}

impl Drop for End {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        if self.is_cancelled {
            let why = "the runtime of the process has ended";
            state.closed = Some(why);
            self.shared.fail(&mut state, why);
        }
        state.is_over = true;
        state.is_done = true;
        state.reject(|state| state.ended(None));
        for call in state.running.values() {
            call.task.abort();
        }
        drop(state);
        self.shared.wake();
    }
}

/// Waits for the process and its output.
async fn watch(
    mut end: End,
    mut child: Child,
    mut asked: mpsc::UnboundedReceiver<Signal>,
    output: Option<JoinHandle<()>>,
    errors: Option<JoinHandle<()>>,
) {
    enum Next {
        Exited(io::Result<ExitStatus>),
        Asked(Option<Signal>),
    }
    let status = loop {
        let next = {
            let mut exited = pin!(child.wait());
            poll_fn(|context| match exited.as_mut().poll(context) {
                Poll::Ready(status) => Poll::Ready(Next::Exited(status)),
                Poll::Pending => asked.poll_recv(context).map(Next::Asked),
            })
            .await
        };
        match next {
            Next::Exited(status) => break status,
            Next::Asked(Some(Signal::Terminate)) => terminate(&mut child),
            Next::Asked(_) => drop(child.start_kill()), // it fails only if the process has ended
        }
    };
    end.shared.state().status = status.ok();
    end.shared.wake();
    if let Some(reader) = output {
        let _ = reader.await; // it ends with its pipe
    }
    if let Some(reader) = errors {
        // It ends with its pipe, a second after the process, but the function that it calls may block.
        let _ = timeout(2 * ENDING, reader).await;
    }
    end.is_cancelled = false;
}

/// Tells the process to end.
fn terminate(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{kill_process, Pid, Signal};

        // The process has not been reaped yet, so the number is still its own.
        let number = child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(pid) = number.and_then(Pid::from_raw) {
            let _ = kill_process(pid, Signal::TERM); // it fails only if the process has ended
        }
    }
    #[cfg(not(unix))]
    drop(child.start_kill());
}
