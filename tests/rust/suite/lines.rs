//! The lines used by the tests.

use agentlines::{decode, decode_with, encode, Code, DecodeError, Json, Message, Mode, Wire};

pub const UUID: &str = "550e8400-e29b-41d4-a716-446655440000";

/// The kinds of lines that exist as fixtures, one file each.
pub const KINDS: [&str; 24] = [
    "assistant",
    "auth_status",
    "compact_boundary",
    "control_cancel_request",
    "control_request",
    "control_response",
    "files_persisted",
    "hook_progress",
    "hook_response",
    "hook_started",
    "keep_alive",
    "result_error",
    "result_success",
    "status",
    "stream_event",
    "streamlined_text",
    "streamlined_tool_use_summary",
    "system_init",
    "task_notification",
    "tool_progress",
    "tool_use_summary",
    "update_environment_variables",
    "user",
    "user_replay",
];

/// The line of a kind.
pub fn line(kind: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/variants");
    let case = std::fs::read_to_string(format!("{folder}/{kind}.json")).expect("a fixture");
    let case = Json::parse(&case).expect("a fixture is JSON");
    case.get("input")
        .expect("a fixture has an input")
        .to_string()
}

/// The line with another member inserted in front.
pub fn with(line: &str, member: &str) -> String {
    format!("{{{member},{}", &line[1..])
}

/// The message of a kind of line.
pub fn message(kind: &str) -> Message {
    decode(line(kind)).expect("a fixture decodes")
}

/// The code and path of the fault in a document.
#[track_caller]
pub fn fault<T: Wire + std::fmt::Debug>(text: &str, mode: Mode) -> (Code, String) {
    let DecodeError { code, path, .. } = decode_with::<T>(text, mode).expect_err(text);
    (code, path)
}

/// Asserts that a document decodes in both modes, and encodes to the same JSON.
#[track_caller]
pub fn comes_back<T: Wire + PartialEq + std::fmt::Debug>(text: &str) -> T {
    let value: T = decode_with(text, Mode::Strict).expect(text);
    assert_eq!(decode::<T>(text).expect(text), value);
    assert_eq!(json(&encode(&value).expect(text)), json(text));
    value
}

/// The text as a value that can be compared.
#[track_caller]
pub fn json(text: &str) -> Json {
    Json::parse(text).expect(text)
}
