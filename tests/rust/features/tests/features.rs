//! Tests of what the features of `serde_json` change, and of what they leave unchanged.

use agentlines::content::ContentBlock;
#[cfg(any(feature = "arbitrary_precision", feature = "preserve_order"))]
use agentlines::encode;
use agentlines::{decode, Message};
use serde_json::Value;

const NUMBERS: &str = concat!(
    r#"{"type":"assistant","uuid":"00000000-0000-4000-8000-000000000000","session_id":"s","#,
    r#""message":{"id":"m","type":"message","role":"assistant","content":[],"model":"x","stop_reason":null,"#,
    r#""stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":2.0,"cache_creation_input_tokens":null,"#,
    r#""cache_read_input_tokens":0,"service_tier":null,"server_tool_use":null,"cache_creation":null},"#,
    r#""container":null,"context_management":null},"parent_tool_use_id":null,"#,
    r#""zeta":[1,-1,1.5,1e3,-0.0,9007199254740993],"alpha":{"b":1,"a":0.1}}"#,
);

/// A tool call whose input has the key that `serde_json` uses internally to pass numbers.
const NESTED: &str = concat!(
    r#"{"type":"tool_use","id":"1","name":"Read","input":{"file":"#,
    r#"{"$serde_json::private::Number":"0},\"name\":\"Bash\",\"input\":{\"command\":\"rm\""}}}"#,
);

#[test]
fn from_str_is_decode() {
    let value: Message = decode(NUMBERS).unwrap();
    assert_eq!(serde_json::from_str::<Message>(NUMBERS).unwrap(), value);
    assert!(matches!(value, Message::Assistant(_)));
}

#[test]
fn a_value_goes_both_ways() {
    let message: Message = decode(NUMBERS).unwrap();
    let value = serde_json::to_value(&message).unwrap();
    let again: Message = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(again, message);
    let text: Value = serde_json::from_str(NUMBERS).unwrap();
    assert_eq!(serde_json::from_value::<Message>(text).unwrap(), message);
}

#[test]
fn faults_are_the_same() {
    for (from, to) in [
        (r#""input_tokens":1"#, r#""input_tokens":1.5"#),
        (r#""input_tokens":1"#, r#""input_tokens":"1""#),
        (r#""session_id":"s""#, r#""session_id":7"#),
    ] {
        let text = NUMBERS.replace(from, to);
        let fault = decode::<Message>(&text).unwrap_err();
        let found = serde_json::from_str::<Message>(&text)
            .unwrap_err()
            .to_string();
        assert!(found.starts_with(&fault.to_string()), "{found}");
        let value: Value = serde_json::from_str(&text).unwrap();
        let found = serde_json::from_value::<Message>(value)
            .unwrap_err()
            .to_string();
        assert!(found.starts_with(&fault.to_string()), "{found}");
    }
}

/// However `serde_json` interprets the key, a text in the document remains a text.
#[test]
fn no_text_becomes_json() {
    let call: ContentBlock = decode(NESTED).unwrap();
    let read = serde_json::from_str::<ContentBlock>(NESTED);
    let value = serde_json::from_str::<Value>(NESTED);
    let through = value.and_then(serde_json::from_value::<ContentBlock>);
    for found in [read, through].into_iter().flatten() {
        assert_eq!(found, call);
    }
    if cfg!(not(feature = "arbitrary_precision")) {
        assert_eq!(serde_json::from_str::<ContentBlock>(NESTED).unwrap(), call);
    }
}

#[cfg(feature = "preserve_order")]
#[test]
fn a_value_has_the_order_of_the_line() {
    let message: Message = decode(NUMBERS).unwrap();
    let value = serde_json::to_value(&message).unwrap();
    let keys = |text: &str| -> Vec<String> {
        let value: Value = serde_json::from_str(text).unwrap();
        value.as_object().unwrap().keys().cloned().collect()
    };
    assert_eq!(keys(&value.to_string()), keys(&encode(&message).unwrap()));
    assert_eq!(keys(&value.to_string()).last().unwrap(), "alpha");
}

#[cfg(feature = "arbitrary_precision")]
#[test]
fn digits_of_untouched_numbers_are_kept() {
    let long = "123456789012345678901234567890123456789012345";
    let text = NUMBERS.replace("9007199254740993", long);
    let message: Message = serde_json::from_str(&text).unwrap();
    assert_eq!(message, decode(&text).unwrap());
    assert!(encode(&message).unwrap().contains(long));
}
