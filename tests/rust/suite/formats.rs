//! The types with serde, in formats that have no special support for them.

use std::collections::BTreeMap;

use agentlines::control::*;
use agentlines::enums::*;
use agentlines::messages::*;
use agentlines::*;
use serde::{Deserialize, Serialize};

use crate::lines::{json, line, message, with, KINDS};

#[test]
fn every_message_goes_through_serde_json() {
    for kind in KINDS {
        let read: Message = serde_json::from_str(&line(kind)).unwrap();
        assert_eq!(read, message(kind), "{kind}");
        assert_eq!(
            serde_json::to_string(&read).unwrap(),
            encode(&read).unwrap(),
            "{kind}"
        );
        let value = serde_json::to_value(&read).unwrap();
        assert_eq!(
            serde_json::from_value::<Message>(value).unwrap(),
            read,
            "{kind}"
        );
    }
}

#[test]
fn every_message_goes_through_a_format_that_is_no_text() {
    for kind in KINDS {
        let packed = rmp_serde::to_vec(&message(kind)).unwrap();
        assert_eq!(
            rmp_serde::from_slice::<Message>(&packed).unwrap(),
            message(kind),
            "{kind}"
        );
    }
}

#[test]
fn the_types_are_parts_of_types_of_others() {
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Record {
        at: u64,
        message: Message,
        mode: PermissionMode,
        any: Json,
        usage: Option<ModelUsage>,
    }
    let record = Record {
        at: 7,
        message: message("assistant"),
        mode: PermissionMode::from("telepathy"),
        any: json(r#"{"a":[1,null,"x"]}"#),
        usage: None,
    };
    let text = serde_json::to_string(&record).unwrap();
    assert!(
        text.contains(r#""mode":"telepathy","any":{"a":[1,null,"x"]},"usage":null"#),
        "{text}"
    );
    assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
    let packed = rmp_serde::to_vec_named(&record).unwrap();
    assert_eq!(rmp_serde::from_slice::<Record>(&packed).unwrap(), record);
}

#[test]
fn serde_goes_by_the_same_rules() {
    let unknown = with(
        &line("status"),
        r#""permissionMode":null,"news":{"z":1,"a":2}"#,
    );
    let read: Message = serde_json::from_str(&unknown).unwrap();
    assert_eq!(read, decode(&unknown).unwrap());
    let wrong = line("assistant").replace(r#""text":"Hello""#, r#""text":7"#);
    let error = serde_json::from_str::<Message>(&wrong)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("wrong_type at /message/content/0/text"),
        "{error}"
    );
    let nan = ModelUsage::new(ModelUsageRequired {
        input_tokens: 1,
        output_tokens: 2,
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 4,
        web_search_requests: 5,
        cost_usd: f64::NAN,
        context_window: 6,
        max_output_tokens: 7,
    });
    assert!(serde_json::to_string(&nan)
        .unwrap_err()
        .to_string()
        .contains("/costUSD"));
}

#[test]
fn integers_that_a_format_has_no_room_for_are_its_errors_and_never_other_numbers() {
    let digits = "12345678901234567890123";
    let alive: KeepAliveMessage =
        decode(format!(r#"{{"type":"keep_alive","n":{digits}}}"#)).unwrap();
    assert!(serde_json::to_string(&alive).unwrap().contains(digits));
    assert!(serde_json::to_value(&alive).is_err());
    let value: serde_json::Value = serde_json::from_str(&encode(&alive).unwrap()).unwrap();
    assert_eq!(value["n"], 12_345_678_901_234_567_890_123.0);
}

/// A request to use `Read`. It would become another request if a text in its input were inserted as raw JSON.
const INJECTED: &str = r#"{"type":"control_request","request_id":"r","request":{"subtype":"can_use_tool","tool_name":"Read","input":{"file":{"$serde_json::private::Number":"0},\"tool_name\":\"Bash\",\"input\":{\"command\":\"x\""}},"tool_use_id":"t"}}"#;

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Flattened {
    #[serde(flatten)]
    message: Message,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    One {
        message: Box<Message>,
        again: Option<Message>,
    },
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Message(Box<Message>),
    Number(i64),
}

#[test]
fn keys_that_are_no_strings_are_errors() {
    for packed in [
        rmp_serde::to_vec(&BTreeMap::from([(7, "x")])).unwrap(),
        rmp_serde::to_vec(&BTreeMap::from([(true, "x")])).unwrap(),
        rmp_serde::to_vec(&BTreeMap::from([("a", BTreeMap::from([((), "x")]))])).unwrap(),
    ] {
        let error = rmp_serde::from_slice::<Json>(&packed)
            .unwrap_err()
            .to_string();
        assert!(error.contains("a string as the key of a member"), "{error}");
    }
}

#[test]
fn text_never_becomes_json_on_any_path() {
    let own: Message = decode(INJECTED).unwrap();
    assert!(
        format!("{own:?}").contains(r#"tool_name: "Read""#),
        "{own:?}"
    );
    let value: serde_json::Value = serde_json::from_str(INJECTED).unwrap();
    assert_eq!(serde_json::from_str::<Message>(INJECTED).unwrap(), own);
    assert_eq!(
        serde_json::from_value::<Message>(value.clone()).unwrap(),
        own
    );
    let held: Flattened = serde_json::from_str(INJECTED).unwrap();
    assert_eq!(held.message, own);
    assert_eq!(serde_json::to_value(&held).unwrap(), value);
    let held: Untagged = serde_json::from_str(INJECTED).unwrap();
    assert_eq!(held, Untagged::Message(Box::new(own.clone())));
    let text = format!(r#"{{"kind":"One","message":{INJECTED},"again":{INJECTED}}}"#);
    let held: Tagged = serde_json::from_str(&text).unwrap();
    let Tagged::One { message, again } = held;
    assert_eq!((*message, again), (own.clone(), Some(own.clone())));
    assert_eq!(Message::deserialize(&json(INJECTED)).unwrap(), own);
}

#[test]
fn numbers_are_the_same_on_every_path() {
    for number in [
        "-0",
        "-0.0",
        "1e2",
        "18446744073709551615",
        "-9223372036854775808",
        "0.1",
    ] {
        let text = format!(r#"{{"type":"keep_alive","n":{number}}}"#);
        let own: Message = decode(&text).unwrap();
        assert_eq!(
            serde_json::from_str::<Message>(&text).unwrap(),
            own,
            "{number}"
        );
        let held: Flattened = serde_json::from_str(&text).unwrap();
        assert_eq!(held.message, own, "{number}");
        let value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            serde_json::from_value::<Message>(value).unwrap(),
            own,
            "{number}"
        );
        assert_eq!(Message::deserialize(&json(&text)).unwrap(), own, "{number}");
    }
    let usage = r#"{"inputTokens":-0,"outputTokens":2,"cacheReadInputTokens":3,"cacheCreationInputTokens":4,"webSearchRequests":5,"costUSD":0.5,"contextWindow":6,"maxOutputTokens":7}"#;
    let own: ModelUsage = decode(usage).unwrap();
    assert_eq!(serde_json::from_str::<ModelUsage>(usage).unwrap(), own);
    let value = serde_json::from_str(usage).unwrap();
    assert_eq!(serde_json::from_value::<ModelUsage>(value).unwrap(), own);
}

#[test]
fn untouched_json_is_read_as_types_of_others() {
    #[derive(Debug, PartialEq, Deserialize)]
    enum Shape {
        Empty,
        Circle(f64),
        Box { width: i64, height: Option<u8> },
    }
    #[derive(Debug, PartialEq, Deserialize)]
    struct Input<'a> {
        command: &'a str,
        note: String,
        shapes: Vec<Shape>,
        limit: Option<u64>,
    }
    let text = r#"{"command":"ls","note":"a\nb","shapes":["Empty",{"Circle":1.5},{"Box":{"width":-1,"height":null}}],"limit":null}"#;
    let json = json(text);
    let expected = Input {
        command: "ls",
        note: "a\nb".into(),
        shapes: vec![
            Shape::Empty,
            Shape::Circle(1.5),
            Shape::Box {
                width: -1,
                height: None,
            },
        ],
        limit: None,
    };
    assert_eq!(Input::deserialize(&json).unwrap(), expected);
    assert_eq!(Input::deserialize(json.view()).unwrap(), expected);
    let error = Vec::<bool>::deserialize(&json).unwrap_err();
    assert!(error.message.contains("invalid type: map"), "{error}");
}
