//! The testee for the crate `claude-codes`, which decodes lines as the crate's `ClaudeOutput`.
//!
//! It claims only what the crate's documentation claims; the source of each claim and each exception is next to it.

use std::io::{self, BufRead, Write};

use base64::{engine::general_purpose::STANDARD, Engine};
use claude_codes::io::ResultSubtype;
use claude_codes::ClaudeOutput;
use serde_json::{json, Value};

/// The crate's name for a message → the name in the spec, if the `type` alone determines it.
const MESSAGES: &[(&str, &str)] = &[
    ("assistant", "AssistantMessage"),
    ("auth_status", "AuthStatusMessage"),
    ("control_cancel_request", "ControlCancelRequest"),
    ("control_request", "ControlRequest"),
    ("control_response", "ControlResponse"),
    ("stream_event", "PartialAssistantMessage"),
    ("tool_progress", "ToolProgressMessage"),
    ("tool_use_summary", "ToolUseSummaryMessage"),
];

/// `subtype` → the name in the spec, for system messages.
const SYSTEM: &[(&str, &str)] = &[
    ("compact_boundary", "CompactBoundaryMessage"),
    ("files_persisted", "FilesPersistedEvent"),
    ("hook_progress", "HookProgressMessage"),
    ("hook_response", "HookResponseMessage"),
    ("hook_started", "HookStartedMessage"),
    ("init", "SystemInitMessage"),
    ("status", "StatusMessage"),
    ("task_notification", "TaskNotificationMessage"),
];

/// The control requests for which `ControlRequestPayload` has a variant.
const CONTROLS: &[&str] = &[
    "can_use_tool",
    "hook_callback",
    "initialize",
    "interrupt",
    "mcp_message",
];

/// The control responses for which `ControlResponsePayload` has a variant.
const RESPONSES: &[&str] = &["error", "success"];

/// The fields that are a `Value`: their content is kept unchanged.
const UNTYPED: &[&str] = &[
    "/event",
    "/request/hooks",
    "/request/input",
    "/request/message",
    "/response/response",
    "/tool_use_result",
];

/// The version of the crate in the lock file.
fn version() -> &'static str {
    let lock = include_str!("../Cargo.lock");
    let found = lock
        .split("name = \"claude-codes\"\nversion = \"")
        .nth(1)
        .and_then(|rest| rest.split('"').next());
    found.expect("the crate is in the lock")
}

fn described() -> Value {
    json!({
        "language": "rust",
        "version": format!("claude-codes {}", version()),
        // io/claude_output.rs: "Top-level enum for all possible Claude output messages".
        "types": ["SDKMessage", "StdoutMessage", "WireMessage"],
        // There is only one mode. README.md: "the protocol is unstable", so enums and blocks have an `Unknown`.
        "modes": ["lenient"],
        // Only its clients split lines, and they start the CLI; `parse_json` takes a single line.
        "ops": ["decode"],
        // Errors are texts (`ParseError`); unknown parts are not reported. io/wrap_audit.rs: "Re-serializing that typed
        // value reproduces every wire field (a lossless round-trip)".
        "answers": ["ok", "variant", "json"],
    })
}

fn decoded(text: &str) -> Value {
    let raw: Value = serde_json::from_str(text).unwrap_or_default();
    let output = match ClaudeOutput::parse_json(text) {
        Ok(output) => output,
        Err(error) => {
            return unclaimed(&raw)
                .unwrap_or_else(|| json!({"ok": false, "message": error.error_message}))
        }
    };
    if let Some(reason) = unread(&output) {
        return json!({"ok": false, "message": reason});
    }
    let written = serde_json::to_value(&output).expect("what was read can be written");
    if written != raw && carries_the_same(&raw, &written) {
        // io/wrap_audit.rs, `diff_lost`: lost nulls and empty collections, and added defaults, "are not data loss".
        return json!({"unsupported": "nulls and empty collections need not come back"});
    }
    let mut places = Vec::new();
    typed(&raw, &written, "", &mut places);
    json!({"ok": true, "variant": variant(&output), "json": written.to_string(), "typed": places})
}

/// The answer for a rejected message that the crate does not claim to decode: it documents an error for such messages.
///
/// `parse_json`: "returning ParseError with raw JSON if it doesn't match our types".
fn unclaimed(raw: &Value) -> Option<Value> {
    let kind = raw.get("type")?.as_str()?;
    let subtype = |place: &str| raw.pointer(place).and_then(Value::as_str);
    let reason = match kind {
        // message_types.rs: `session_id: Option<Uuid>`, only in user messages.
        "user" => raw["session_id"]
            .as_str()
            .filter(|id| !is_uuid(id))
            .map(|_| "a session id that is no UUID".to_string()),
        "control_request" => subtype("/request/subtype")
            .filter(|name| !CONTROLS.contains(name))
            .map(|name| format!("no control request {name}")),
        "control_response" => subtype("/response/subtype")
            .filter(|name| !RESPONSES.contains(name))
            .map(|name| format!("no control response {name}")),
        "result" | "system" => None,
        _ => MESSAGES
            .iter()
            .all(|(name, _)| *name != kind)
            .then(|| format!("no message {kind}")),
    };
    reason.map(|reason| json!({"unsupported": reason}))
}

fn is_uuid(text: &str) -> bool {
    let groups: Vec<usize> = text.split('-').map(str::len).collect();
    groups == [8, 4, 4, 4, 12] && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

/// The error of a system message: it is decoded as untyped JSON, so faults only appear in its typed view.
fn unread(output: &ClaudeOutput) -> Option<String> {
    let ClaudeOutput::System(message) = output else {
        return None;
    };
    let described = SYSTEM
        .iter()
        .any(|(name, _)| *name == message.subtype.as_str());
    (described && message.typed_value().is_none())
        .then(|| format!("no typed view of {}", message.subtype))
}

/// The places to which the crate gives a type and which are present; absent optional fields are not included.
fn typed(raw: &Value, written: &Value, place: &str, found: &mut Vec<String>) {
    found.push(place.to_string());
    if UNTYPED.contains(&place) {
        return;
    }
    match (raw, written) {
        (Value::Object(members), Value::Object(kept)) => {
            for (key, value) in members {
                if let Some(own) = kept.get(key) {
                    typed(
                        value,
                        own,
                        &format!("{place}/{}", key.replace('~', "~0").replace('/', "~1")),
                        found,
                    );
                }
            }
        }
        (Value::Array(items), Value::Array(kept)) => {
            for (index, (value, own)) in items.iter().zip(kept).enumerate() {
                typed(value, own, &format!("{place}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn variant(output: &ClaudeOutput) -> String {
    let of = |table: &[(&str, &str)], name: &str| {
        table
            .iter()
            .find(|(own, _)| *own == name)
            .map_or_else(|| name.to_string(), |(_, declared)| declared.to_string())
    };
    match output {
        // The crate has some subtypes that the spec is too old for.
        ClaudeOutput::System(message) => SYSTEM
            .iter()
            .find(|(own, _)| *own == message.subtype.as_str())
            .map_or("Unknown", |(_, declared)| declared)
            .to_string(),
        ClaudeOutput::User(message) if message.is_replay == Some(true) => {
            "UserMessageReplay".to_string()
        }
        ClaudeOutput::User(_) => "UserMessage".to_string(),
        // All results have the same struct, and are distinguished by the subtype.
        ClaudeOutput::Result(message) => match &message.subtype {
            ResultSubtype::Success => "ResultSuccess".to_string(),
            ResultSubtype::Unknown(other) if !other.starts_with("error_") => "Unknown".to_string(),
            _ => "ResultError".to_string(),
        },
        other => of(MESSAGES, &other.message_type()),
    }
}

/// Whether two values have the same data, as defined by the crate's own audit of round trips.
fn carries_the_same(wire: &Value, typed: &Value) -> bool {
    match (wire, typed) {
        (Value::Object(wire), Value::Object(typed)) => wire.iter().all(|(key, value)| {
            typed
                .get(key)
                .map_or(is_empty(value), |own| carries_the_same(value, own))
        }),
        (Value::Array(wire), Value::Array(typed)) => {
            wire.len() == typed.len()
                && wire
                    .iter()
                    .zip(typed)
                    .all(|(value, own)| carries_the_same(value, own))
        }
        (Value::Number(wire), Value::Number(typed)) => wire.as_f64() == typed.as_f64(),
        _ => wire == typed,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

fn answer(request: &Value) -> Value {
    if request["op"] == "describe" {
        return described();
    }
    if let Some(text) = request["json"].as_str() {
        return decoded(text);
    }
    let bytes = STANDARD
        .decode(request["bytes"].as_str().unwrap_or_default())
        .expect("base64");
    match String::from_utf8(bytes) {
        Ok(text) => decoded(&text),
        Err(_) => json!({"unsupported": "parse_json takes text"}),
    }
}

fn main() -> io::Result<()> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let request: Value = serde_json::from_str(&line?)?;
        let mut said = answer(&request);
        said["id"] = request["id"].clone();
        writeln!(out, "{said}")?;
        out.flush()?;
    }
    Ok(())
}
