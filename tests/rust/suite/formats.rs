//! The types in the hands of serde, by formats that know nothing of them.

use agentproto::*;
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
        mode: PermissionMode::Unknown("telepathy".into()),
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
    let nan = ModelUsage::new(1, 2, 3, 4, 5, f64::NAN, 6, 7);
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
