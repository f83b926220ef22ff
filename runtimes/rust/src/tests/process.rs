//! How processes end: a shell acts as the other side.

use std::future::Future;
use std::time::Duration;

use crate::launch::{Environment, Launch};
use crate::lines::ReadError;
use crate::map::{Map, Object};
use crate::process::{Process, ProcessError};
use crate::sample::{Pitch, Square, Talk, Tone};
use crate::session::{Event, Peer};

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
        functions: Map::new(),
        answers: Map::new(),
        places: Map::new(),
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
