//! Drives the CLI with the Rust crate: reads commands of the test and writes events, both as lines of JSON.

use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use std::{io, panic, thread};

use agentlines::control::{ControlRequestInner, InitializeRequest};
use agentlines::hooks::HookJsonOutput;
use agentlines::jsonrpc::JsonRpcMessage;
use agentlines::launch::{launch_with, Functions, Release};
use agentlines::mcp::{ElicitationResult, McpServerConfig};
use agentlines::options::{HookMatcher, QueryOptions};
use agentlines::permissions::PermissionResult;
use agentlines::process::{Process, ProcessError};
use agentlines::session::{Event, Peer};
use agentlines::{decode, decode_with, encode, examine, Json, Map, Message, Mode, Wire};
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

/// The requests that the test has not answered yet, by number, and the process that sent them.
#[derive(Clone, Default)]
struct Waiting {
    askers: Arc<Mutex<Vec<Option<oneshot::Sender<Json>>>>>,
    process: Arc<OnceLock<Arc<Process>>>,
}

impl Waiting {
    /// Forwards the request that a function is called with to the test, and returns the test's answer.
    async fn ask<T: Wire>(
        self,
        is_asked: impl Fn(&ControlRequestInner) -> bool,
    ) -> Result<T, String> {
        let process = self.process.get().unwrap();
        let payload = process.session(|session| {
            let mut requests = session.unanswered().map(|request| request.payload());
            plain(requests.find(|payload| is_asked(payload)).unwrap())
        });
        let (asker, answer) = oneshot::channel();
        {
            let mut waiting = self.askers.lock().unwrap();
            say([("asked", waiting.len().into()), ("payload", payload)]);
            waiting.push(Some(asker));
        }
        Ok(decode(answer.await.unwrap().text()).unwrap())
    }

    fn answer(&self, number: usize, result: Json) {
        let asker = self.askers.lock().unwrap()[number].take().unwrap();
        let _ = asker.send(result); // the CLI may have cancelled the request
    }
}

/// The functions of the options, which forward their requests to the test.
fn functions(
    options: &QueryOptions,
    hooks: &[(String, usize)],
    waiting: &Waiting,
) -> Functions<QueryOptions> {
    let (may_run, elicit) = (waiting.clone(), waiting.clone());
    let mut functions = Functions::new()
        .can_use_tool(move |name, input| {
            may_run.clone().ask::<PermissionResult>(move |request| {
                matches!(request, ControlRequestInner::Permission(ask)
                    if (&ask.tool_name, &ask.input) == (&name, &input))
            })
        })
        .on_elicitation(move |asked| {
            elicit.clone().ask::<ElicitationResult>(move |request| {
                matches!(request, ControlRequestInner::Elicitation(ask) if **ask == asked)
            })
        });
    for (event, count) in hooks {
        for _ in 0..*count {
            let waiting = waiting.clone();
            functions = functions.hooks(&**event, 0, move |input, id| {
                waiting.clone().ask::<HookJsonOutput>(move |request| {
                    matches!(request, ControlRequestInner::HookCallback(ask)
                        if (&ask.input, &ask.tool_use_id) == (&input, &id))
                })
            });
        }
    }
    for (name, server) in options.mcp_servers.iter().flatten() {
        if let McpServerConfig::Sdk(_) = server {
            let (own, waiting) = (name.clone(), waiting.clone());
            functions = functions.instance(name.clone(), move |message| {
                let name = own.clone();
                waiting
                    .clone()
                    .ask::<Option<JsonRpcMessage>>(move |request| {
                        matches!(request, ControlRequestInner::McpMessage(ask)
                        if (&ask.server_name, &ask.message) == (&name, &message))
                    })
            });
        }
    }
    functions
}

/// Starts the CLI with the options of the test, and with the number of functions that it requests for each hook.
fn start(begin: &Object, waiting: &Waiting) -> Arc<Process> {
    let mut options: QueryOptions = decode(begin["options"].text()).unwrap();
    let hooks = begin["hooks"].members().map(|(event, count)| {
        let count = usize::try_from(count.as_i64().unwrap()).unwrap();
        (event.into_owned(), count)
    });
    let hooks: Vec<_> = hooks.collect();
    for (event, _) in &hooks {
        let matchers = options.hooks.get_or_insert_default();
        matchers.insert(&**event, vec![HookMatcher::new()]);
    }
    let functions = functions(&options, &hooks, waiting);
    let release: Release = begin["release"].as_str().unwrap().parse().unwrap();
    let launch = launch_with(&options, functions, release).unwrap();
    let program = begin["program"].as_str().unwrap();
    let builder = Process::builder(Peer::Sdk, &launch).program(&*program);
    let process = Arc::new(builder.start().unwrap());
    assert!(waiting.process.set(process.clone()).is_ok());
    process
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
    let process = start(&commands.recv().await.unwrap(), &waiting);
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
