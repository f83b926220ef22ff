//! Drives the CLI with the Rust crate: reads commands of the test and writes events, both as lines of JSON.

use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{io, panic, thread};

use agentlines::control::{ControlRequestInner, ElicitationRequest, HookCallbackRequest};
use agentlines::control::{InitializeRequest, McpMessageRequest, PermissionRequest};
use agentlines::launch::{launch_with, Functions, Release};
use agentlines::options::{HookMatcher, QueryOptions};
use agentlines::process::{Builder, Process, ProcessError};
use agentlines::session::{Event, Peer};
use agentlines::{decode, decode_with, encode, examine, Control, Json, Map, Message, Mode, Wire};
use tokio::sync::{mpsc, oneshot};

/// The time that the CLI has to exit after it is terminated.
const PATIENCE: Duration = Duration::from_secs(5);

type Object = Map<String, Json>;

fn say<const N: usize>(told: [(&str, Json); N]) {
    println!("{}", encode(&Object::from(told)).unwrap());
}

/// Converts a value of the crate to JSON.
fn plain(value: &impl Wire) -> Json {
    Json::parse(&encode(value).unwrap()).unwrap()
}

/// The requests that the test has not answered yet, by number.
#[derive(Clone, Default)]
struct Waiting(Arc<Mutex<Vec<Option<oneshot::Sender<Json>>>>>);

impl Waiting {
    /// Forwards a request to the test, and returns the receiver of its answer.
    fn ask(&self, payload: Json) -> oneshot::Receiver<Json> {
        let (asker, answer) = oneshot::channel();
        let mut waiting = self.0.lock().unwrap();
        say([("asked", waiting.len().into()), ("payload", payload)]);
        waiting.push(Some(asker));
        answer
    }

    fn answer(&self, number: usize, result: Json) {
        let asker = self.0.lock().unwrap()[number].take().unwrap();
        let _ = asker.send(result); // the CLI may have cancelled the request
    }
}

/// Adds a handler that forwards requests of a type to the test, and returns its answers.
fn answered<R>(builder: Builder, waiting: &Waiting) -> Builder
where
    R: Control + Wire + Send + 'static,
    R::Answer: Wire + Send + 'static,
{
    let waiting = waiting.clone();
    builder.answer(move |payload: R| {
        let answer = waiting.ask(plain(&payload));
        async move { Ok::<R::Answer, String>(decode(answer.await.unwrap().text()).unwrap()) }
    })
}

/// Starts the CLI with the options of the test, and with the number of functions that it requests for each hook.
fn start(begin: &Object, waiting: &Waiting) -> Process {
    let mut options: QueryOptions = decode(begin["options"].text()).unwrap();
    let mut functions = Functions::new();
    for (event, count) in begin["hooks"].members() {
        let count = usize::try_from(count.as_i64().unwrap()).unwrap();
        let hooks = options.hooks.get_or_insert_default();
        hooks.insert(&*event, vec![HookMatcher::new()]);
        functions = functions.hooks(&*event, 0, vec![(); count]);
    }
    let release: Release = begin["release"].as_str().unwrap().parse().unwrap();
    let launch = launch_with(&options, functions, release).unwrap();
    let program = begin["program"].as_str().unwrap();
    let builder = Process::builder(Peer::Sdk, &launch).program(&*program);
    let builder = answered::<PermissionRequest>(builder, waiting);
    let builder = answered::<HookCallbackRequest>(builder, waiting);
    let builder = answered::<McpMessageRequest>(builder, waiting);
    let builder = answered::<ElicitationRequest>(builder, waiting);
    builder.start().unwrap()
}

async fn tell(process: Arc<Process>) {
    while let Some(event) = process.next().await {
        match event.unwrap() {
            Event::Message(message) => {
                let line = encode(&message).unwrap();
                let unknown = examine::<Message>(&line).unwrap().unknown;
                let unknown = unknown.iter().collect();
                say([
                    ("message", Json::parse(&line).unwrap()),
                    ("unknown", unknown),
                ]);
            }
            Event::Stray { reason, .. } => say([("stray", reason.as_str().into())]),
            Event::Cancellation(_) => say([("event", "cancellation".into())]),
            other => say([("event", format!("{other:?}").into())]),
        }
    }
    say([("ended", true.into())]);
}

async fn obey(process: Arc<Process>, waiting: Waiting, command: Object) {
    if let Some(message) = command.get("write") {
        let message: Message = decode(message.text()).unwrap();
        process.write(&message).await.unwrap();
    } else if let Some(payload) = command.get("request") {
        let payload: ControlRequestInner = decode_with(payload.text(), Mode::Strict).unwrap();
        let id = command["id"].clone();
        match process.ask(payload).await {
            Err(ProcessError::Control(error)) => {
                say([("failed", id), ("message", error.to_string().into())]);
            }
            outcome => say([("answered", id), ("result", outcome.unwrap().json().into())]),
        }
    } else if let Some(number) = command.get("answer") {
        let number = usize::try_from(number.as_i64().unwrap()).unwrap();
        waiting.answer(number, command["result"].clone());
    } else {
        let grace = u64::try_from(command["close"].as_i64().unwrap()).unwrap();
        let grace = Duration::from_secs(grace);
        let status = process.close_within(grace, PATIENCE).await.unwrap();
        let stderr = process.stderr().into();
        say([("closed", status.code().into()), ("stderr", stderr)]);
    }
}

/// The commands of the test, read in a separate thread.
fn commands() -> mpsc::UnboundedReceiver<Object> {
    let (sender, commands) = mpsc::unbounded_channel();
    thread::spawn(move || {
        for line in io::stdin().lines() {
            sender.send(decode(line.unwrap()).unwrap()).unwrap();
        }
    });
    commands
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    panic::set_hook(Box::new(|what| {
        eprintln!("{what}");
        std::process::exit(1); // a panic in any task ends the program
    }));
    let mut commands = commands();
    let waiting = Waiting::default();
    let process = Arc::new(start(&commands.recv().await.unwrap(), &waiting));
    let events = tokio::spawn(tell(process.clone()));
    let initialized = process.started("initialize").await.unwrap().unwrap();
    let initialized = initialized.result::<InitializeRequest>().unwrap();
    say([("initialized", plain(&initialized))]);
    while let Some(command) = commands.recv().await {
        tokio::spawn(obey(process.clone(), waiting.clone(), command));
    }
    process.close().await.unwrap();
    events.await.unwrap();
}
