//! How processes end, and what functions in options answer: a shell acts as the other side.

use std::future::{pending, Future};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::launch::{launch_with, Environment, Functions, Launch, Release};
use crate::lines::ReadError;
use crate::map::{Map, Object};
use crate::process::{Builder, Process, ProcessError};
use crate::sample::{Circle, Framed, Label, Pitch, Shape, Square, Talk, Tone};
use crate::session::{Event, Peer};
use crate::{decode, Json};

/// A time limit that is reached only if something hangs.
const LONG: Duration = Duration::from_secs(600);

/// Longer than a process that has closed a pipe may take to end.
const SILENT: Duration = Duration::from_millis(1500);

fn start(code: &str) -> Process {
    let launch: Launch = Launch {
        arguments: vec!["-c".into(), code.into()],
        environment: Environment {
            inherit: true,
            ..Environment::default()
        },
        cwd: None,
        program: Some("sh".into()),
        program_arguments: Vec::new(),
        script: None,
        requests: Map::new(),
        functions: Vec::new(),
    };
    Process::builder(Peer::Sky, &launch).start().unwrap()
}

/// Runs a test with a time limit; afterwards, no task of the adapter may be left.
fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        tokio::time::timeout(LONG, test).await.unwrap();
        let tasks_end = async {
            while tokio::runtime::Handle::current()
                .metrics()
                .num_alive_tasks()
                > 0
            {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(LONG, tasks_end).await.unwrap();
    });
}

fn tone() -> Tone {
    Tone {
        kind: true,
        pitch: Pitch::High,
        extra: Object::new(),
    }
}

fn square() -> Talk {
    Talk::Pause(Square {
        side: 1.0,
        extra: Object::new(),
    })
}

fn side(item: Option<Result<Event, ReadError>>) -> f64 {
    match item {
        Some(Ok(Event::Message(Talk::Pause(square)))) => square.side,
        other => panic!("{other:?}"),
    }
}

/// The message, exit code and standard error of an error.
fn ended<T>(result: Result<T, ProcessError>) -> (String, Option<i32>, String) {
    match result.err() {
        Some(ProcessError::Ended {
            message,
            status,
            stderr,
        }) => (message, status.and_then(|status| status.code()), stderr),
        other => panic!("{other:?}"),
    }
}

fn kill(number: f64) {
    let mut kill = std::process::Command::new("kill");
    assert!(kill.arg(number.to_string()).status().unwrap().success());
}

#[test]
fn requests_fail_and_events_end_after_a_process_has_closed_its_output() {
    run(async {
        let process = start("echo cause >&2; exec 1>&-; cat >/dev/null; exit 3");
        let expected = (
            "the process has closed its output".into(),
            None,
            "cause\n".into(),
        );
        assert_eq!(ended(process.ask(tone()).await), expected);
        assert!(process.next().await.is_none());
        assert_eq!(ended(process.ask(tone()).await), expected);
        assert_eq!(ended(process.write(&square()).await), expected);
        assert_eq!(process.status(), None);
        let status = process.close_within(LONG, LONG).await.unwrap();
        assert_eq!(status.code(), Some(3));
    });
}

#[test]
fn errors_of_a_process_that_has_ended_have_its_status_and_its_standard_error() {
    let expected = || {
        let message = "the process ended: exit status: 1";
        (message.to_owned(), Some(1), "cause\n".to_owned())
    };
    let code = "echo cause >&2; exit 1";
    run(async {
        for _ in 0..20 {
            let process = start(code);
            assert_eq!(ended(process.ask(tone()).await), expected());
            assert_eq!(ended(process.ask(tone()).await), expected());

            let process = start(code);
            let failed = loop {
                let written = process.write(&square()).await;
                if written.is_err() {
                    break written;
                }
                tokio::task::yield_now().await;
            };
            assert_eq!(ended(failed), expected());
            assert!(process.next().await.is_none());
        }
    });
}

#[test]
fn requests_fail_and_events_come_after_a_process_has_closed_its_input() {
    let file = std::env::temp_dir().join(format!("polywire-input-{}", std::process::id()));
    run(async {
        let process = start(&format!(
            r#"
exec 0<&-; echo '{{"side":1}}'
until [ -e '{0}' ]; do sleep 0.01; done
echo '{{"side":2}}'; exit 3"#,
            file.display()
        ));
        assert_eq!(side(process.next().await), 1.0);
        let expected = (
            "the process has closed its input".into(),
            None,
            String::new(),
        );
        assert_eq!(ended(process.ask(tone()).await), expected);
        assert_eq!(ended(process.ask(tone()).await), expected);
        assert_eq!(ended(process.write(&square()).await), expected);
        std::fs::write(&file, "").unwrap();
        assert_eq!(side(process.next().await), 2.0);
        assert!(process.next().await.is_none());
        assert_eq!(process.wait().await.unwrap().code(), Some(3));
        std::fs::remove_file(&file).unwrap();
    });
}

#[test]
fn the_end_does_not_wait_for_others_that_hold_a_pipe_open() {
    for closed in ["", ">/dev/null", "2>/dev/null"] {
        run(async {
            let code = format!(r#"sleep 600 {closed} & echo "{{\"side\":$!}}"; exit 3"#);
            let process = start(&code);
            let other = side(process.next().await);
            assert_eq!(ended(process.ask(tone()).await).1, Some(3));
            assert!(process.next().await.is_none());
            assert_eq!(process.wait().await.unwrap().code(), Some(3));
            kill(other);
        });
    }
}

#[test]
fn nothing_is_lost_if_events_are_taken_long_after_the_end() {
    run(async {
        let code = r#"
sleep 600 & echo "{\"side\":$!}"
i=1; while [ $i -lt 1000 ]; do echo "{\"side\":$i}"; i=$((i + 1)); done"#;
        let process = start(code);
        let other = side(process.next().await);
        while process.status().is_none() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        tokio::time::sleep(SILENT).await;
        for expected in 1..1000 {
            assert_eq!(side(process.next().await), f64::from(expected));
        }
        assert!(process.next().await.is_none());
        assert!(process.wait().await.unwrap().success());
        kill(other);
    });
}

#[test]
fn closing_does_not_wait_for_others_that_write() {
    run(async {
        let code = r#"(while echo '{"side":1}'; do sleep 0.01; done) & exit 3"#;
        let process = start(code);
        assert_eq!(side(process.next().await), 1.0);
        let status = process.close_within(LONG, LONG).await.unwrap();
        assert_eq!(status.code(), Some(3));
    });
}

// --- functions in options -----------------------------------------------------------------------

/// Options with a place for each kind of function.
const OPTIONS: &str = r#"{"hooks":{"Stop":[{}]},"servers":{"low":{},"high":{}}}"#;

/// A process that sends requests one after the other, with an answer to each, and then reports the answers.
fn asking(functions: Functions<Object>, asked: &[&str], release: Release) -> Builder {
    let options: Object = decode(OPTIONS).unwrap();
    let mut launch = launch_with(&options, functions, release).unwrap();
    let asked = asked.iter().enumerate();
    let asked = asked.map(|(id, ask)| {
        format!("echo '{{\"id\":{id},\"ask\":{ask}}}'; read -r line; all=\"$all$line;\"\n")
    });
    let asked: String = asked.collect();
    launch.requests = Map::new();
    launch.program = Some("sh".into());
    launch.arguments = vec![
        "-c".into(),
        format!("echo oops >&2; all=\n{asked}echo \"$all\""),
    ];
    Process::builder(Peer::Sky, &launch)
}

/// Takes the events of a process of `asking`; returns the results or reasons in its answers, and the messages of the
/// failures.
async fn answered(builder: Builder) -> (Vec<String>, Vec<String>) {
    let process = builder.start().unwrap();
    let (mut failed, mut lines) = (Vec::new(), String::new());
    while let Some(event) = process.next().await {
        match event {
            Ok(Event::FailedAnswer {
                request, message, ..
            }) => {
                assert!(matches!(request.id(), Label::Number(_)));
                failed.push(message);
            }
            Err(ReadError::Line(bad)) => lines = String::from_utf8(bad.raw).unwrap(),
            other => panic!("{other:?}"),
        }
    }
    let answers = lines.trim_end().split_terminator(';').map(|line| {
        let line = Json::parse(line).unwrap();
        match line.get("told") {
            Some(told) => told.get("from").unwrap().as_str().unwrap().into_owned(),
            None => line.get("note").unwrap().text().into(),
        }
    });
    (answers.collect(), failed)
}

fn run_asking(functions: Functions<Object>, asked: &[&str]) -> (Vec<String>, Vec<String>) {
    let mut found = None;
    run(async { found = Some(answered(asking(functions, asked, Release::NEWEST)).await) });
    found.unwrap()
}

const TONE: &str = r#"{"kind":"tone","pitch":"high"}"#;

fn framed(id: &str) -> String {
    format!(r#"{{"kind":"framed","from":"{id}","radius":2}}"#)
}

fn wrapped(id: &str) -> String {
    format!(r#"{{"kind":"gift","wrapped":true,"paper":"{id}"}}"#)
}

fn circle(radius: f64) -> Circle {
    Circle {
        radius,
        extra: Object::new(),
    }
}

#[test]
fn functions_answer_requests_with_values_from_them() {
    let given = Arc::new(Mutex::new(Vec::new()));
    let heard = given.clone();
    let functions = Functions::new()
        .decide(move |pitch: Pitch| {
            heard.lock().unwrap().push(pitch.clone());
            async move {
                tokio::task::yield_now().await;
                Ok::<_, String>(Tone { pitch, ..tone() })
            }
        })
        .plain(|wrapped| async move {
            Ok::<_, String>(match wrapped {
                Some(true) => None,
                Some(false) => Some(Pitch::Low),
                None => Some(Pitch::High),
            })
        });
    let (plain, wrapped) = (r#"{"kind":"gift"}"#, r#"{"kind":"gift","wrapped":false}"#);
    let (answers, failed) = run_asking(functions, &[TONE, plain, wrapped]);
    assert_eq!(answers, [TONE, r#""high""#, r#""low""#]);
    assert!(failed.is_empty());
    assert_eq!(*given.lock().unwrap(), [Pitch::High]);
}

#[test]
fn a_request_is_answered_by_the_function_with_its_id() {
    let hook = |add: f64| {
        move |request: Framed, shape: Shape| async move {
            assert_eq!(request.shape, shape);
            match shape {
                Shape::Circle(held) => Ok(circle(held.radius + add)),
                Shape::Square(_) => Err("square"),
            }
        }
    };
    let functions = || {
        Functions::new()
            .hooks("Stop", 0, hook(0.5))
            .hooks("Stop", 0, hook(1.5))
    };
    let asked = [framed("hook_1"), framed("hook_0"), framed("hook_2")];
    let asked = asked.each_ref().map(String::as_str);
    let (answers, failed) = run_asking(functions(), &asked);
    let missing = r#"no function has the id "hook_2""#;
    assert_eq!(answers, [r#"{"radius":3.5}"#, r#"{"radius":2.5}"#, missing]);
    assert_eq!(failed, [missing]);
}

#[test]
fn a_value_goes_where_it_belongs_in_the_result_or_is_what_stands_for_none() {
    let functions = Functions::new()
        .servers(Pitch::Low, || async { Ok::<_, String>(Json::from(7)) })
        .servers(Pitch::High, || async { Ok::<Option<Json>, String>(None) });
    let asked = [wrapped("low"), wrapped("high"), wrapped("")];
    let asked = asked.each_ref().map(String::as_str);
    let (answers, _) = run_asking(functions, &asked);
    assert_eq!(
        answers,
        [
            r#"{"a":{"b":7}}"#,
            r#"{"a":{"b":[0]}}"#,
            r#"no function has the id """#
        ]
    );
}

#[test]
fn a_function_that_fails_refuses_the_request_and_gives_an_event() {
    let functions = |what: u8| {
        Functions::new().decide(move |_| async move {
            match what {
                0 => Err("broken"),
                1 => panic!("lost"),
                2 => Ok(None),
                _ => Ok(Some(Tone {
                    extra: Object::from([("a", Json::NULL)]),
                    ..tone()
                })),
            }
        })
    };
    for (what, message) in [
        (0, "broken"),
        (1, "the function panicked: lost"),
        (
            2,
            "missing_field: the function returned nothing, but the request needs an answer",
        ),
        (3, "wrong_type at /a: expected integer, got null"),
    ] {
        let (answers, failed) = run_asking(functions(what), &[TONE]);
        assert_eq!(
            (answers, failed),
            (vec![message.into()], vec![message.into()])
        );
    }
}

#[test]
fn an_explicit_answer_that_fails_gives_an_event() {
    run(async {
        let builder = asking(Functions::new(), &[TONE], Release::NEWEST)
            .answer(|_: Tone| async { Err::<Tone, _>("broken") });
        let (answers, failed) = answered(builder).await;
        assert_eq!(
            (&answers[0], &failed[0]),
            (&"broken".into(), &"broken".into())
        );
    });
}

#[test]
fn a_cancelled_request_cancels_its_function_and_gives_no_event() {
    struct Dropped(Arc<Mutex<bool>>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            *self.0.lock().unwrap() = true;
        }
    }

    run(async {
        let dropped = Arc::new(Mutex::new(false));
        let begun = Arc::new(tokio::sync::Notify::new());
        let (signal, held) = (begun.clone(), dropped.clone());
        let functions = Functions::new().decide(move |_| {
            let held = Dropped(held.clone());
            signal.notify_one();
            async move {
                let _held = held;
                pending::<Result<Tone, String>>().await
            }
        });
        let mut launch = launch_with(&Object::new(), functions, Release::NEWEST).unwrap();
        launch.requests = Map::new();
        launch.program = Some("sh".into());
        let code = format!(
            r#"echo '{{"id":1,"ask":{TONE}}}'; read -r line; echo '{{"id":1}}'; echo '{{"side":1}}'; cat"#
        );
        launch.arguments = vec!["-c".into(), code];
        let process = Process::builder(Peer::Sky, &launch).start().unwrap();
        begun.notified().await;
        process.write(&square()).await.unwrap();
        assert_eq!(side(process.next().await), 1.0);
        assert!(process.close_within(LONG, LONG).await.unwrap().success());
        assert!(process.next().await.is_none());
        assert!(*dropped.lock().unwrap());
    });
}

#[test]
fn a_function_in_the_options_receives_the_standard_error() {
    run(async {
        let told = Arc::new(Mutex::new(String::new()));
        let heard = told.clone();
        let functions = Functions::new().stderr(move |text| heard.lock().unwrap().push_str(text));
        let process = asking(functions, &[], Release::NEWEST).start().unwrap();
        process.wait().await.unwrap();
        assert_eq!(*told.lock().unwrap(), "oops\n");
    });
}

#[test]
fn functions_that_cannot_be_called_are_refused_before_the_start() {
    async fn decide<T>(_: T) -> Result<Tone, String> {
        Ok(tone())
    }
    let hooks = || {
        let hook = |_, _| async { Ok::<_, String>(circle(1.0)) };
        Functions::new().hooks("Stop", 0, hook)
    };
    let newest = |functions| asking(functions, &[], Release::NEWEST);
    let functions = || Functions::new().decide(decide);
    #[allow(unused_mut)]
    let mut wrong = vec![
        (
            newest(functions()).answer(decide::<Tone>),
            r#"both `answer` and the option /decide answer "tone"; give one of them"#,
        ),
        (
            newest(functions()).answer(|asked: Box<Tone>| decide(asked)),
            r#"both `answer` and the option /decide answer "tone"; give one of them"#,
        ),
        (
            newest(functions().also(|| decide(()))),
            r#"the options /decide and /also both answer "tone"; give one of them"#,
        ),
        (
            newest(Functions::new().stderr(|_| {})).stderr(|_| {}),
            "both `stderr` and the option /stderr receive it; give one of them",
        ),
        (
            newest(Functions::new().ask()),
            "the function in the option /ask is not used by a process; leave it out",
        ),
        (
            asking(hooks(), &[], Release::OLDEST),
            "the function in the option /hooks/Stop/0/run/0 is not used by a process; leave it out",
        ),
    ];
    #[cfg(feature = "__conformance")]
    wrong.push((
        newest(Functions::new().put_at("/signal", 1)),
        "the object in the option /signal is not used by a process; leave it out",
    ));
    for (builder, expected) in wrong {
        let Err(ProcessError::Start(error)) = builder.program("/no/such").start() else {
            panic!("{expected}");
        };
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
        assert_eq!(error.to_string(), expected);
    }
}
