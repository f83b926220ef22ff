//! Sessions with processes: a shell acts as the other side.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agentlines::control::*;
use agentlines::launch::{launch, Launch, Release};
use agentlines::mcp::McpMessageResponse;
use agentlines::messages::*;
use agentlines::options::QueryOptions;
use agentlines::permissions::*;
use agentlines::process::{Builder, Process, ProcessError};
use agentlines::session::{Event, Peer};
use agentlines::*;

/// A time limit that is reached only if something hangs.
const LONG: Duration = Duration::from_secs(600);

/// The time that a process gets to end, in tests of what happens afterwards.
const SHORT: Duration = Duration::from_millis(50);

/// Functions of the shell: print lines of JSON, answer requests, and send a message that reports a value.
const PRELUDE: &str = r#"
say() { printf '%s\n' "$1"; }
tell() { say '{"type":"keep_alive","value":'"$1"'}'; }
ask() { say '{"type":"control_request","request_id":"'"$1"'","request":'"$2"'}'; }
hear() { IFS= read -r heard; }
id() { printf '%s' "$heard" | sed 's/.*"request_id":"\([^"]*\)".*/\1/'; }
answer() {
    say '{"type":"control_response","response":{"subtype":"success","request_id":"'"$(id)"'","response":'"$1"'}}'
}
refuse() {
    say '{"type":"control_response","response":{"subtype":"error","request_id":"'"$(id)"'","error":"'"$1"'"}}'
}
may='{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t"}'
"#;

/// Answers the request of the launch.
const SETUP: &str = r#"
hear; answer '{"commands":[],"output_style":"x","available_output_styles":[],"models":[],"account":{}}'
"#;

/// A launch that starts a shell instead of the CLI.
fn launched(code: &str) -> Launch {
    let options = QueryOptions::new()
        .with_executable("sh")
        .with_executable_args([
            "-c".to_owned(),
            format!("{PRELUDE}{SETUP}{code}"),
            "sh".into(),
        ])
        .with_model("m");
    launch(&options, Release::NEWEST).unwrap()
}

fn builder(code: &str) -> Builder {
    Process::builder(Peer::Sdk, &launched(code))
}

/// Runs a test with a time limit.
fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime
        .unwrap()
        .block_on(async { tokio::time::timeout(LONG, test).await.unwrap() });
}

/// The value that a message reports.
fn told(item: Option<Result<Event, ReadError>>) -> Json {
    match item {
        Some(Ok(Event::Message(Message::KeepAlive(message)))) => message.extra["value"].clone(),
        other => panic!("{other:?}"),
    }
}

fn text(item: Option<Result<Event, ReadError>>) -> String {
    told(item).as_str().unwrap().into_owned()
}

/// The message of a failed answer.
fn failed(item: Option<Result<Event, ReadError>>) -> String {
    match item {
        Some(Ok(Event::FailedAnswer { message, .. })) => message,
        other => panic!("{other:?}"),
    }
}

fn ended(error: ProcessError) -> (String, Option<i32>, String) {
    match error {
        ProcessError::Ended {
            message,
            status,
            stderr,
            ..
        } => (message, status.and_then(|status| status.code()), stderr),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_process_is_started_as_the_launch_says_with_its_requests() {
    run(async {
        let process = builder(r#"tell "\"$PWD $KEPT ${NODE_OPTIONS-none} $*\"""#);
        let process = process.start().unwrap();
        let answer = process.started("initialize").await.unwrap().unwrap();
        let result = answer.result::<InitializeRequest>().unwrap();
        assert_eq!(result.output_style, "x");
        assert!(process.started("initialize").await.is_none());
        let said = text(process.next().await);
        assert!(said.contains(" none --output-format stream-json"), "{said}");
        assert!(said.contains("--model m"), "{said}");
        assert!(process.next().await.is_none());
        assert!(process.wait().await.unwrap().success());
    });
}

#[test]
fn the_working_directory_and_the_environment_are_those_of_the_launch() {
    run(async {
        let mut how = launched(r#"tell "\"$PWD|$KEPT|${HOME-none}\"""#);
        let folder = std::env::temp_dir().canonicalize().unwrap();
        how.cwd = folder.to_str().map(Into::into);
        how.environment.inherit = false;
        how.environment
            .set
            .insert("KEPT", "a\nb".replace('\n', " "));
        let path = std::env::var("PATH").unwrap();
        how.environment.set.insert("PATH", path);
        let process = Process::builder(Peer::Sdk, &how).start().unwrap();
        let said = text(process.next().await);
        assert_eq!(said, format!("{}|a b|none", folder.display()));
    });
}

#[test]
fn a_request_gets_its_answer_or_the_error_that_came_instead() {
    run(async {
        let code = r#"
hear; answer '{"still_queued":[]}'
hear; tell '"between"'; refuse no
hear; answer '{"mode":1}'
hear; tell "$heard"; list=$(cat)
"#;
        let process = builder(code).start().unwrap();
        let answer = process.request(InterruptRequest::new()).await.unwrap();
        assert!(answer.is_some());
        let error = process
            .request(SetModelRequest::new().with_model("x"))
            .await;
        let ProcessError::Control(error) = error.unwrap_err() else {
            panic!()
        };
        assert!(
            matches!(*error, agentlines::ControlError::Refused { message, .. } if message == "no")
        );
        let plan = SetPermissionModeRequest::new(agentlines::enums::PermissionMode::Plan);
        let ProcessError::Control(error) = process.request(plan).await.unwrap_err() else {
            panic!()
        };
        assert!(
            matches!(*error, agentlines::ControlError::Decode(_)),
            "{error}"
        );
        assert_eq!(text(process.next().await), "between");
        process.write(&UserMessage::prompt("hi")).await.unwrap();
        let heard = told(process.next().await);
        let content = heard.get("message").unwrap().get("content").unwrap();
        assert_eq!(content.as_str().unwrap(), "hi");
        assert!(process.close_within(LONG, LONG).await.unwrap().success());
    });
}

#[test]
fn functions_answer_requests_and_what_they_fail_with_refuses_them() {
    run(async {
        let code = r#"
ask a "$may"; hear; tell "$heard"
ask b '{"subtype":"mcp_message","server_name":"s","message":{"jsonrpc":"2.0","method":"x"}}'; hear; tell "$heard"
ask c '{"subtype":"hook_callback","callback_id":"hook_0","input":{"hook_event_name":"Stop","session_id":"s","transcript_path":"","cwd":"","stop_hook_active":false}}'
hear; tell "$heard"
"#;
        let process = builder(code)
            .answer(|asked: PermissionRequest| async move {
                tokio::task::yield_now().await;
                let allowed = PermissionResultAllow::new(asked.input);
                Ok::<_, String>(PermissionResult::from(allowed))
            })
            .answer(|asked: McpMessageRequest| async move {
                Err::<Option<McpMessageResponse>, _>(format!("no {}", asked.server_name))
            })
            .answer(|_: HookCallbackRequest| async move {
                if true {
                    panic!("in the function");
                }
                Err::<agentlines::hooks::HookJsonOutput, _>("")
            })
            .start()
            .unwrap();
        let response = |heard: Json| heard.get("response").unwrap().to_owned();
        let allowed = response(told(process.next().await));
        let result = allowed.get("response").unwrap();
        assert_eq!(allowed.get("request_id").unwrap().as_str().unwrap(), "a");
        assert_eq!(result.get("behavior").unwrap().as_str().unwrap(), "allow");
        assert_eq!(
            result.get("updatedInput").unwrap().text(),
            r#"{"command":"ls"}"#
        );
        assert_eq!(failed(process.next().await), "no s");
        let refused = response(told(process.next().await));
        assert_eq!(refused.get("error").unwrap().as_str().unwrap(), "no s");
        let panic = "the function panicked: in the function";
        assert_eq!(failed(process.next().await), panic);
        let panicked = response(told(process.next().await));
        let message = panicked
            .get("error")
            .unwrap()
            .as_str()
            .unwrap()
            .into_owned();
        assert_eq!(message, panic);
        assert!(process.next().await.is_none());
        assert_eq!(process.session(|session| session.unanswered().count()), 0);
    });
}

#[test]
fn an_allowed_tool_gets_the_input_of_its_request_unless_it_has_another() {
    let allow = |input: Option<Object>| {
        let mut allowed = PermissionResultAllow::new(Object::new());
        allowed.updated_input = input;
        PermissionResult::from(allowed)
    };
    run(async {
        let code = r#"
for name in a b c d e; do ask $name "$may"; hear; tell "$heard"; done"#;
        let process = builder(code).start().unwrap();
        let deny: PermissionResult = PermissionResultDeny::new("no").into();
        for (answer, input) in [
            (allow(None), Some(r#"{"command":"ls"}"#)),
            (allow(Some(Object::new())), Some("{}")),
            (deny, None),
        ] {
            let Some(Ok(Event::Request(request))) = process.next().await else {
                panic!()
            };
            let ControlRequestInner::Permission(ask) = request.payload() else {
                panic!()
            };
            process
                .reply(request.id(), ask, answer.clone())
                .await
                .unwrap();
            let heard = told(process.next().await);
            let result = heard.get("response").unwrap().get("response").unwrap();
            assert_eq!(result.get("updatedInput").map(JsonRef::text), input);
            let by_hand = wrap_response::<PermissionRequest>("a", &answer).unwrap();
            let by_hand = encode(&by_hand).unwrap();
            let given = input.filter(|input| *input == "{}").is_some();
            assert_eq!(by_hand.contains("updatedInput"), given);
            let response = request.envelope().reply(ask.as_ref(), answer).unwrap();
            assert_eq!(encode(&response).unwrap(), heard.text());
        }
    });
    let mut session = session::Session::new(Peer::Sdk);
    for (answer, expected) in [
        (r#"{"behavior":"allow"}"#, Some(r#""updatedInput":{"a":1}"#)),
        (
            r#"{"behavior":"allow","updatedInput":{}}"#,
            Some(r#""updatedInput":{}"#),
        ),
        (
            r#"{"behavior":"deny","message":"no"}"#,
            Some(r#"{"behavior":"deny","message":"no"}"#),
        ),
        (r#"{"behavior":"allow","updatedInput":null}"#, None),
    ] {
        let line = r#"{"type":"control_request","request_id":"a","request":{"subtype":"can_use_tool",
            "tool_name":"Bash","input":{"a":1},"tool_use_id":"t"}}"#;
        let Event::Request(request) = session.receive(decode::<Message>(line).unwrap()) else {
            panic!()
        };
        let line = session.reply_json(request.id(), Some(&Json::parse(answer).unwrap()));
        match expected {
            Some(expected) => assert!(line.unwrap().contains(expected)),
            None => assert_eq!(line.unwrap_err().as_str(), "wrong_type"),
        }
    }
}

#[test]
fn a_task_is_aborted_with_the_request_that_it_answers() {
    struct Dropped(Arc<AtomicUsize>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    run(async {
        let code = r#"
ask p "$may"; hear; say '{"type":"control_cancel_request","request_id":"p"}'
tell '"dropped"'; tell "\"$(cat)\""
"#;
        let begun = Arc::new(tokio::sync::Notify::new());
        let dropped = Arc::new(AtomicUsize::new(0));
        let (signal, count) = (begun.clone(), dropped.clone());
        let process = builder(code)
            .answer(move |_: PermissionRequest| {
                let held = Dropped(count.clone());
                signal.notify_one();
                async move {
                    let _held = held;
                    std::future::pending::<Result<PermissionResult, String>>().await
                }
            })
            .start()
            .unwrap();
        begun.notified().await;
        process.write(&KeepAliveMessage::new()).await.unwrap();
        assert_eq!(text(process.next().await), "dropped");
        assert!(process.close_within(LONG, LONG).await.unwrap().success());
        assert_eq!(text(process.next().await), "");
        assert_eq!(dropped.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn requests_without_a_function_are_handed_out() {
    run(async {
        let code = r#"ask a "$may"; ask b "$may"; hear; tell "$heard"; hear; tell "$heard""#;
        let process = builder(code).start().unwrap();
        let mut asked = Vec::new();
        for _ in 0..2 {
            match process.next().await {
                Some(Ok(Event::Request(request))) => asked.push(request),
                other => panic!("{other:?}"),
            }
        }
        let ControlRequestInner::Permission(ask) = asked[0].payload() else {
            panic!()
        };
        let denied = PermissionResult::from(PermissionResultDeny::new("no"));
        process
            .reply(asked[0].id(), ask, denied.clone())
            .await
            .unwrap();
        process.refuse(asked[1].id(), "not now").await.unwrap();
        let again = process.reply(asked[0].id(), ask, denied).await.unwrap_err();
        assert_eq!(
            again.to_string(),
            "no request under this id is to be answered"
        );
        assert!(told(process.next().await)
            .text()
            .contains("\"message\":\"no\""));
        assert!(told(process.next().await)
            .text()
            .contains("\"error\":\"not now\""));
    });
}

#[test]
fn unknown_requests_are_refused_unless_the_program_wants_them() {
    run(async {
        let code = r#"ask a '{"subtype":"telepathy"}'; hear; tell "$heard""#;
        let process = builder(code).start().unwrap();
        assert!(told(process.next().await)
            .text()
            .contains("unknown request"));
        let process = builder(code).refuse_unknown(false).start().unwrap();
        let Some(Ok(Event::Request(request))) = process.next().await else {
            panic!()
        };
        process.refuse(request.id(), "mine").await.unwrap();
        assert!(told(process.next().await)
            .text()
            .contains("\"error\":\"mine\""));
    });
}

#[test]
fn a_bad_line_is_handed_out_and_the_session_goes_on() {
    run(async {
        let process = builder("say 'no JSON'; say \"$(printf %02000d 1)\"; tell 1")
            .limit(1000)
            .start()
            .unwrap();
        for code in [Code::InvalidJson, Code::TooLong] {
            match process.next().await {
                Some(Err(ReadError::Line(bad))) => assert_eq!(bad.error.code, code),
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(told(process.next().await).text(), "1");
    });
}

#[test]
fn a_process_that_ends_in_the_middle_of_a_line_takes_nothing_along() {
    run(async {
        let code = r#"tell 1; printf '{"type":"keep_al'; printf 'last \303\244 words' >&2; exit 3"#;
        let process = builder(code).start().unwrap();
        let error = process.request(InterruptRequest::new()).await.unwrap_err();
        let (message, status, stderr) = ended(error);
        assert_eq!(
            (status, stderr.as_str()),
            (Some(3), "last ä words"),
            "{message}"
        );
        assert_eq!(told(process.next().await).text(), "1");
        let Some(Err(ReadError::Line(bad))) = process.next().await else {
            panic!()
        };
        assert_eq!(bad.raw, b"{\"type\":\"keep_al");
        assert!(process.next().await.is_none());
        assert_eq!(process.wait().await.unwrap().code(), Some(3));
        assert_eq!(process.session(|session| session.pending().count()), 1);
        let late = process.write(&KeepAliveMessage::new()).await.unwrap_err();
        assert_eq!(ended(late).1, Some(3));
    });
}

#[test]
fn nothing_is_sent_to_a_process_that_has_closed_its_input() {
    run(async {
        let process = builder("exec 0<&-; tell 1; exec sleep 600")
            .start()
            .unwrap();
        assert_eq!(told(process.next().await).text(), "1");
        let error = loop {
            // The pipe fails on the first bytes that are written to it.
            match process.write(&KeepAliveMessage::new()).await {
                Ok(()) => tokio::task::yield_now().await,
                Err(error) => break error,
            }
        };
        assert_eq!(ended(error).0, "the process has closed its input");
        let status = process.close_within(SHORT, LONG).await.unwrap();
        assert!(status.code().is_none());
    });
}

#[test]
fn a_program_that_is_not_there_is_an_error_of_the_start() {
    run(async {
        let error = builder("").program("/no/such/program").start().unwrap_err();
        assert!(
            matches!(error, ProcessError::Start(error) if error.kind() == std::io::ErrorKind::NotFound)
        );
        let how = launch(&QueryOptions::new(), Release::NEWEST).unwrap();
        let error = Process::builder(Peer::Sdk, &how).start().unwrap_err();
        assert_eq!(
            error.to_string(),
            "neither the launch nor the builder names a program"
        );
    });
}

#[test]
fn a_request_of_the_start_that_does_not_decode_starts_nothing() {
    run(async {
        let mut how = launched("");
        let payload = Json::parse(r#"{"subtype":"initialize","hooks":1}"#).unwrap();
        how.requests.insert("initialize", payload);
        let error = Process::builder(Peer::Sdk, &how).start().unwrap_err();
        assert!(matches!(error, ProcessError::Decode(error) if error.path == "/hooks"));
    });
}

#[test]
fn a_process_is_closed_terminated_and_killed() {
    run(async {
        // It ends when its input is closed.
        let process = builder("cat > /dev/null; exit 7").start().unwrap();
        process.started("initialize").await.unwrap().unwrap();
        assert_eq!(
            process.close_within(LONG, LONG).await.unwrap().code(),
            Some(7)
        );
        // It ends when it is terminated.
        let code = "trap 'exit 8' TERM; tell 1; while :; do sleep 0.01; done";
        let process = builder(code).start().unwrap();
        assert_eq!(told(process.next().await).text(), "1");
        assert_eq!(
            process.close_within(SHORT, LONG).await.unwrap().code(),
            Some(8)
        );
        // It ignores both.
        let code = "trap '' TERM; tell 1; while :; do sleep 0.01; done";
        let process = builder(code).start().unwrap();
        assert_eq!(told(process.next().await).text(), "1");
        let asking = process.request(InterruptRequest::new());
        let (answer, status) = tokio::join!(asking, process.close_within(SHORT, SHORT));
        assert_eq!(status.unwrap().code(), None);
        assert_eq!(ended(answer.unwrap_err()).1, None);
        let late = process.request(InterruptRequest::new()).await.unwrap_err();
        assert!(ended(late).0.starts_with("the process ended: signal: 9"));
    });
}

#[test]
fn others_that_hold_the_output_open_do_not_keep_the_end_away() {
    run(async {
        let process = builder("sleep 600 & tell $!; exit 0").start().unwrap();
        let other = told(process.next().await).text().to_owned();
        assert!(process.close_within(LONG, SHORT).await.unwrap().success());
        assert!(process.next().await.is_none());
        let killed = tokio::process::Command::new("kill").arg(other).status();
        assert!(killed.await.unwrap().success());
    });
}

#[test]
fn a_close_that_is_dropped_kills() {
    run(async {
        let process = builder("trap '' TERM; tell 1; while :; do sleep 0.01; done");
        let process = process.start().unwrap();
        assert_eq!(told(process.next().await).text(), "1");
        let closing = process.close_within(LONG, LONG);
        assert!(tokio::time::timeout(SHORT, closing).await.is_err());
        assert_eq!(process.wait().await.unwrap().code(), None);
    });
}

#[test]
fn a_process_that_is_dropped_is_killed() {
    run(async {
        let process = builder("tell $$; while :; do sleep 0.01; done")
            .start()
            .unwrap();
        let number = told(process.next().await).text().to_owned();
        drop(process);
        loop {
            let mut ask = tokio::process::Command::new("kill");
            ask.args(["-0", &number])
                .stderr(std::process::Stdio::null());
            if !ask.status().await.unwrap().success() {
                break;
            }
            tokio::task::yield_now().await;
        }
    });
}

#[test]
fn a_process_ends_with_its_runtime_and_nobody_waits_for_it_in_another_one() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let process = runtime.block_on(async { builder("hear").start().unwrap() });
    drop(runtime);
    let why = "the runtime of the process has ended";
    run(async move {
        assert!(
            matches!(process.next().await, Some(Err(ReadError::Io(error))) if error.to_string() == why)
        );
        assert!(process.next().await.is_none());
        let error = process.request(InterruptRequest::new()).await.unwrap_err();
        assert_eq!(ended(error).0, why);
        let error = process.write(&KeepAliveMessage::new()).await.unwrap_err();
        assert_eq!(ended(error).0, why);
        assert!(process.wait().await.is_err());
        assert!(process.close().await.is_err());
    });
}

#[test]
fn an_answer_comes_behind_more_events_than_wait_without_it_and_none_of_them_is_lost() {
    run(async {
        let code = "n=0; hear; while [ $n -lt 1000 ]; do tell $n; n=$((n+1)); done; answer '{\"still_queued\":[]}'";
        let process = builder(code).start().unwrap();
        process.request(InterruptRequest::new()).await.unwrap();
        for number in 0..1000 {
            assert_eq!(told(process.next().await).text(), number.to_string());
        }
        assert!(process.next().await.is_none());
    });
}

/// The numbers of events, calls and bytes in a backlog error.
fn backlog(error: ProcessError) -> (usize, usize, usize) {
    match error {
        ProcessError::Backlog {
            events,
            calls,
            bytes,
            ..
        } => (events, calls, bytes),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_request_fails_if_too_many_events_come_before_its_answer_and_nothing_is_lost() {
    run(async {
        let code = "n=0; hear; while [ $n -lt 1000 ]; do tell $n; n=$((n+1)); done; answer '{\"still_queued\":[]}'
hear; answer null";
        let process = builder(code).backlog(300).start().unwrap();
        for _ in 0..2 {
            // the second is not sent
            let failed = process.request(InterruptRequest::new()).await.unwrap_err();
            let text = failed.to_string();
            let (events, calls, bytes) = backlog(failed);
            assert_eq!((events, calls), (300, 0));
            let waiting =
                format!("300 events wait and 0 functions are called ({bytes} bytes of lines), ");
            assert!(text.starts_with(&waiting), "{text}");
        }
        assert_eq!(process.session(|session| session.pending().count()), 1);
        for number in 0..1000 {
            assert_eq!(told(process.next().await).text(), number.to_string());
        }
        match process.next().await {
            Some(Ok(Event::Answer(answer))) => {
                assert!(answer.result::<InterruptRequest>().is_some());
            }
            other => panic!("{other:?}"),
        }
        let model = SetModelRequest::new();
        process.request(model).await.unwrap();
    });
}

#[test]
fn a_request_of_the_start_fails_like_others() {
    run(async {
        let options = QueryOptions::new()
            .with_executable("sh")
            .with_executable_args([
                "-c".to_owned(),
                format!("{PRELUDE} hear; while :; do tell 1; done"),
                "sh".into(),
            ]);
        let launch = launch(&options, Release::NEWEST).unwrap();
        let process = Process::builder(Peer::Sdk, &launch).backlog(300);
        let process = process.start().unwrap();
        let failed = process.started("initialize").await.unwrap().unwrap_err();
        assert_eq!(backlog(failed).0, 300);
        process.close_within(SHORT, SHORT).await.unwrap();
    });
}

#[test]
fn events_that_wait_have_64_mib_at_most() {
    run(async {
        let code = "hear; text=$(head -c 8388608 /dev/zero | tr '\\0' x); \
                    for n in 0 1 2 3 4 5 6 7 8 9; do tell \"\\\"$text\\\"\"; done; answer '{\"still_queued\":[]}'";
        let process = builder(code).start().unwrap();
        let failed = process.request(InterruptRequest::new()).await.unwrap_err();
        assert_eq!(backlog(failed).0, 8);
        for _ in 0..10 {
            assert_eq!(text(process.next().await).len(), 8 << 20);
        }
    });
}

#[test]
fn calls_of_functions_count_as_events_do() {
    run(async {
        let code = "n=0; hear; while [ $n -lt 40 ]; do ask $n \"$may\"; n=$((n+1)); done; answer '{\"still_queued\":[]}'; tell 1";
        let gate = Arc::new(tokio::sync::Semaphore::new(0));
        let waits = gate.clone();
        let process = builder(code)
            .backlog(20)
            .answer(move |_: PermissionRequest| {
                let gate = waits.clone();
                async move {
                    let _open = gate.acquire().await;
                    let denied = PermissionResultDeny::new("no");
                    Ok::<PermissionResult, String>(denied.into())
                }
            });
        let process = process.start().unwrap();
        process.started("initialize").await.unwrap().unwrap();
        let failed = process.request(InterruptRequest::new()).await.unwrap_err();
        let (events, calls, _) = backlog(failed);
        assert_eq!((events, calls), (0, 20));
        gate.close();
        assert!(matches!(process.next().await, Some(Ok(Event::Answer(_)))));
        assert_eq!(told(process.next().await).text(), "1");
    });
}

#[test]
fn no_more_is_read_than_a_number_of_events_ahead_of_the_program() {
    run(async {
        // It writes its count along with each message; while nobody takes the messages, the pipes fill up and it
        // stops.
        let code = "n=0; while [ $n -lt 20000 ]; do tell \"\\\"$(printf %0999d $n)\\\"\"; n=$((n+1)); printf . >&2; done";
        let seen = Arc::new(Mutex::new(0));
        let count = seen.clone();
        let process = builder(code).stderr(move |text| *count.lock().unwrap() += text.len());
        let process = process.start().unwrap();
        process.started("initialize").await.unwrap().unwrap();
        let mut before = 0;
        loop {
            tokio::time::sleep(Duration::from_millis(300)).await;
            let now = *seen.lock().unwrap();
            if now == before && now > 0 {
                break;
            }
            before = now;
        }
        assert!(before < 1000, "{before} were written");
        assert!(process.next().await.is_some());
        process.close_within(SHORT, SHORT).await.unwrap();
    });
}

#[test]
fn what_nobody_takes_does_not_keep_a_process_from_ending() {
    run(async {
        let code =
            "n=0; while [ $n -lt 2000 ]; do tell $n; n=$((n+1)); done; cat > /dev/null; exit 5";
        let process = builder(code).start().unwrap();
        assert_eq!(
            process.close_within(LONG, LONG).await.unwrap().code(),
            Some(5)
        );
    });
}

#[test]
fn a_process_that_asks_without_reading_is_ended() {
    run(async {
        let code = r#"while :; do ask x '{"subtype":"telepathy"}' || exit; done"#;
        let process = builder(code).start().unwrap();
        let Some(Err(ReadError::Io(error))) = process.next().await else {
            panic!()
        };
        let message = "the process does not read the answers to its requests";
        assert_eq!(error.to_string(), message);
        assert!(process.next().await.is_none());
        assert_eq!(process.wait().await.unwrap().code(), None);
    });
}

#[test]
fn the_standard_error_is_passed_on_and_its_end_kept() {
    run(async {
        let whole = Arc::new(Mutex::new(String::new()));
        let to = whole.clone();
        let code = "n=0; while [ $n -lt 3000 ]; do printf 'ä%099d\\n' $n >&2; n=$((n+1)); done; printf '\\303' >&2";
        let process = builder(code).stderr(move |text| to.lock().unwrap().push_str(text));
        let process = process.start().unwrap();
        assert!(process.next().await.is_none());
        process.wait().await.unwrap();
        let whole = whole.lock().unwrap();
        assert_eq!(whole.len(), 3000 * 102 + 3);
        assert_eq!(whole.matches('ä').count(), 3000);
        assert!(whole.ends_with('\u{fffd}'));
        let kept = process.stderr();
        assert!(whole.ends_with(&kept));
        assert!((65_000..=65_536).contains(&kept.len()));
    });
}

#[test]
fn a_close_does_not_wait_for_what_takes_the_standard_error_and_gets_all_of_it() {
    let (begin, begun) = std::sync::mpsc::channel();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (to, passed) = std::sync::mpsc::channel();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2) // the function blocks one of them
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let code = "printf oh >&2; cat > /dev/null; printf %060000d. 0 >&2";
        let process = builder(code).stderr(move |text| {
            begin.send(()).unwrap();
            let _ = released.recv(); // fails at once when the test has dropped the other end
            to.send(text.to_owned()).unwrap();
        });
        let process = process.start().unwrap();
        begun.recv_timeout(LONG).unwrap();
        let closed = tokio::time::timeout(LONG, process.close_within(LONG, LONG));
        assert!(closed.await.unwrap().unwrap().success());
        assert!(passed.try_recv().is_err());
        drop(release);
        let mut whole = String::new();
        while !whole.ends_with('.') {
            whole += &passed.recv_timeout(LONG).unwrap();
        }
        assert_eq!(whole, format!("oh{:060000}.", 0));
        drop(begun);
    });
}

#[test]
fn a_panic_of_what_takes_the_standard_error_ends_the_events() {
    run(async {
        let process = builder("printf x >&2; cat > /dev/null")
            .stderr(|_| panic!("in the function"))
            .start()
            .unwrap();
        let Some(Err(ReadError::Io(error))) = process.next().await else {
            panic!()
        };
        let message = "the function for the standard error panicked: in the function";
        assert_eq!(error.to_string(), message);
        assert!(process.close_within(LONG, LONG).await.unwrap().success());
    });
}

#[test]
fn a_request_that_is_no_longer_waited_for_is_cancelled() {
    run(async {
        let code = "hear; first=$heard; hear; tell \"$first\"; tell \"$heard\"; cat > /dev/null";
        let process = builder(code).start().unwrap();
        let asking = process.request(InterruptRequest::new());
        assert!(tokio::time::timeout(SHORT, asking).await.is_err());
        let id = |heard: &Json| heard.get("request_id").unwrap().text().to_owned();
        let (asked, cancelled) = (told(process.next().await), told(process.next().await));
        assert_eq!(id(&asked), id(&cancelled));
        assert_eq!(
            cancelled.get("type").unwrap().as_str().unwrap(),
            "control_cancel_request"
        );
        process.close_within(LONG, LONG).await.unwrap();
    });
}

#[test]
fn a_timeout_of_an_event_loses_none() {
    run(async {
        let process = builder("tell 1; hear; tell 2").start().unwrap();
        assert_eq!(told(process.next().await).text(), "1");
        assert!(tokio::time::timeout(SHORT, process.next()).await.is_err());
        process.write(&KeepAliveMessage::new()).await.unwrap();
        assert_eq!(told(process.next().await).text(), "2");
    });
}

#[test]
fn tasks_share_a_process() {
    fn shared<T: Send + Sync>() {}
    shared::<Process>();
    run(async {
        let code = "for n in 1 2 3; do hear; answer '{\"still_queued\":[]}'; done";
        let process = Arc::new(builder(code).start().unwrap());
        let tasks: Vec<_> = (0..3)
            .map(|_| {
                let process = process.clone();
                tokio::spawn(async move { process.request(InterruptRequest::new()).await })
            })
            .collect();
        for task in tasks {
            assert!(task.await.unwrap().unwrap().is_some());
        }
    });
}
