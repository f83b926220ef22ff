//! A client that runs misbehaving programs, and prints what it sees of each. `tests/misbehaving` runs it.

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

use agentlines::launch::{launch_with, Functions, Release};
use agentlines::options::QueryOptions;
use agentlines::process::{Process, ProcessError};
use agentlines::session::{Event, Peer};
use agentlines::{encode, ControlError, Json, JsonRef, Object, ReadError};
use tokio::process::Command;
use tokio::runtime::Handle;
use tokio::time::sleep;

const LIMIT: usize = 1 << 20;

/// How long it takes until whatever is left counts as left for good.
const LONG: Duration = Duration::from_secs(60);

/// The numbers of threads, tasks, descriptors and child processes.
fn left() -> [(&'static str, usize); 4] {
    let count = |folder| fs::read_dir(folder).unwrap().count();
    let mut children = 0;
    for thread in fs::read_dir("/proc/self/task").unwrap() {
        // It cannot be read if the thread has ended.
        if let Ok(text) = fs::read_to_string(thread.unwrap().path().join("children")) {
            children += text.split_whitespace().count();
        }
    }
    [
        ("threads", count("/proc/self/task")),
        ("tasks", Handle::current().metrics().num_alive_tasks()),
        ("descriptors", count("/proc/self/fd")),
        ("children", children),
    ]
}

/// The exit status, negative for a signal.
fn plain(status: Option<ExitStatus>) -> Json {
    let signal = |status: ExitStatus| status.signal().map(|signal| -signal);
    let status = status.and_then(|status| status.code().or_else(|| signal(status)));
    status.into()
}

/// The last 40 characters of a text.
fn last(text: &str) -> Json {
    let from = text.chars().count().saturating_sub(40);
    text.chars().skip(from).collect::<String>().into()
}

/// What is seen of a program.
#[derive(Default)]
struct Seen {
    events: Vec<(String, usize)>,
    told: Object,
}

impl Seen {
    fn tell(&mut self, name: &str, value: impl Into<Json>) {
        self.told.insert(name, value.into());
    }

    /// Records an event, and returns whether the program is to be closed.
    fn record(&mut self, event: Result<Event, ReadError>) -> bool {
        let mut is_last = false;
        let name = match event {
            Ok(Event::Message(message)) => {
                is_last = encode(&message).unwrap().contains("\"close\"");
                "message".into()
            }
            Ok(Event::Answer(_)) => "answer".into(),
            Ok(Event::Request(_)) => "request".into(),
            Ok(Event::Cancellation(_)) => "cancellation".into(),
            Ok(Event::Stray { reason, .. }) => format!("stray {}", reason.as_str()),
            Ok(other) => format!("{other:?}"),
            Err(ReadError::Line(bad)) => format!("bad {} {}", bad.line, bad.error.code.as_str()),
            Err(error) => {
                self.tell("end", error.to_string());
                return false;
            }
        };
        match self.events.last_mut() {
            Some((last, count)) if *last == name => *count += 1,
            _ => self.events.push((name, 1)),
        }
        is_last
    }

    /// Takes events to the end, or until the program is to be closed.
    async fn rest(&mut self, process: &Process, is_closed: bool) {
        while let Some(event) = process.next().await {
            if self.record(event) && !is_closed {
                return;
            }
        }
    }

    /// Records the outcome of the request.
    async fn request(&mut self, process: &Process) {
        let (outcome, error) = match process.started("initialize").await.unwrap() {
            Ok(_) => {
                return self.tell(
                    "request",
                    Object::from([("outcome", Json::from("answered"))]),
                )
            }
            Err(error) => match &error {
                ProcessError::Control(refused) => match &**refused {
                    ControlError::Refused { .. } => ("refused", error),
                    _ => ("invalid", error),
                },
                _ => ("process", error),
            },
        };
        let mut told = Object::from([
            ("outcome", Json::from(outcome)),
            ("message", error.to_string().into()),
        ]);
        if let ProcessError::Ended { status, stderr, .. } = error {
            told.insert("status", plain(status));
            told.insert("stderr", last(&stderr));
        }
        self.tell("request", told);
    }
}

async fn run(asked: JsonRef<'_>) {
    let before = left();
    let member = |name| asked.get(name).unwrap();
    let text = |name| member(name).as_str().unwrap().into_owned();
    let seconds = |name| Duration::from_secs_f64(member(name).as_f64().unwrap());
    let mut seen = Seen::default();
    seen.tell("kind", text("kind"));
    seen.tell("request", None::<&str>);
    seen.tell("end", None::<&str>);
    let size = usize::try_from(member("size").as_i64().unwrap()).unwrap();
    let options = QueryOptions::new().with_system_prompt("x".repeat(size));
    let launch = launch_with(&options, Functions::new(), Release::NEWEST).unwrap();
    let builder = Process::builder(Peer::Sdk, &launch).program(text("program"));
    match builder.limit(LIMIT).start() {
        Err(error) => seen.tell("unstarted", error.to_string()),
        Ok(process) => {
            let awaits_answer = text("first") == "answer";
            if awaits_answer {
                seen.request(&process).await;
            }
            seen.rest(&process, false).await;
            let close = process.close_within(seconds("grace"), seconds("patience"));
            seen.tell("status", plain(close.await.ok()));
            seen.rest(&process, true).await;
            if !awaits_answer {
                seen.request(&process).await;
            }
            seen.tell("stderr", last(&process.stderr()));
        }
    }
    let deadline = Instant::now() + LONG;
    let mut now = left();
    while now != before && Instant::now() < deadline {
        sleep(Duration::from_millis(5)).await;
        now = left();
    }
    let pairs = before.iter().zip(now);
    let pairs = pairs.map(|((name, before), (_, now))| ((*name).into(), vec![*before, now].into()));
    seen.tell("left", pairs.collect::<Object>());
    let events = seen.events.iter();
    let events = events.map(|(name, count)| Json::from(vec![Json::from(&**name), (*count).into()]));
    let events = events.collect::<Vec<_>>();
    seen.tell("events", events);
    println!("{}", encode(&seen.told).unwrap());
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // The first child process opens descriptors for good.
    assert!(Command::new("true").status().await.unwrap().success());
    let asked = Json::parse(&std::env::args().nth(1).unwrap()).unwrap();
    for each in asked.items() {
        run(each).await;
    }
}
