//! How users create values, inspect them and answer requests.

use agentlines::content::*;
use agentlines::control::*;
use agentlines::enums::*;
use agentlines::hooks::*;
use agentlines::mcp::*;
use agentlines::messages::*;
use agentlines::options::*;
use agentlines::permissions::*;
use agentlines::*;

use crate::lines::{json, line, message, KINDS};

const ASK: &str = r#"{"type":"control_request","request_id":"r7","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"t1"}}"#;

fn asked(text: &str) -> ControlRequest {
    decode(text).unwrap()
}

#[test]
fn a_struct_is_made_of_its_required_members_and_setters() {
    let options = QueryOptions::new()
        .with_model("opus")
        .with_max_turns(3)
        .with_continue(false)
        .with_allowed_tools(["Read", "Bash"])
        .with_env([("A", "b")])
        .with_permission_mode(PermissionMode::Plan)
        .with_system_prompt("Be brief.");
    let text = encode(&options).unwrap();
    assert_eq!(
        json(&text),
        json(
            r#"{"allowedTools":["Read","Bash"],"continue":false,"env":{"A":"b"},"maxTurns":3,"model":"opus","permissionMode":"plan","systemPrompt":"Be brief."}"#
        )
    );
    assert_eq!(decode::<QueryOptions>(&text).unwrap(), options);
    assert_eq!(options.r#continue, Some(false));
}

#[test]
fn members_that_a_call_could_confuse_are_given_by_name() {
    let call = ToolUseBlock::new(ToolUseBlockRequired {
        id: "toolu_1".into(),
        name: "Bash".into(),
        input: [("command", "ls")].into(),
    });
    assert_eq!(
        encode(&call).unwrap(),
        r#"{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"ls"}}"#
    );
    assert_eq!(TextBlockParam::new("hi").text, "hi");
}

#[test]
fn a_member_of_three_states_takes_each_of_them_in_a_literal() {
    let matcher = || HookCallbackMatcher::new(vec!["h1".into()]);
    let text = |matcher: HookCallbackMatcher| encode(&matcher).unwrap();
    assert_eq!(text(matcher()), r#"{"hookCallbackIds":["h1"]}"#);
    assert_eq!(
        text(matcher().with_matcher(None)),
        r#"{"matcher":null,"hookCallbackIds":["h1"]}"#
    );
    for set in [
        matcher().with_matcher("Bash"),
        matcher().with_matcher(Some("Bash".to_string())),
        matcher().with_matcher(Presence::Present("Bash".into())),
    ] {
        assert_eq!(text(set), r#"{"matcher":"Bash","hookCallbackIds":["h1"]}"#);
    }
    assert_eq!(
        text(matcher().with_matcher(Presence::Absent)),
        text(matcher())
    );
}

#[test]
fn messages_have_accessors_for_what_they_share() {
    for kind in KINDS {
        let (message, raw) = (message(kind), json(&line(kind)));
        let member = |key| raw.get(key).and_then(JsonRef::as_str);
        assert_eq!(Some(message.kind()), member("type"), "{kind}");
        assert_eq!(
            message.session_id(),
            member("session_id").as_deref(),
            "{kind}"
        );
        assert_eq!(message.uuid(), member("uuid").as_deref(), "{kind}");
    }
    let newer: Message = decode(r#"{"type":"tele\u0070athy","session_id":"s"}"#).unwrap();
    assert_eq!((&*newer.kind(), newer.session_id()), ("telepathy", None));
}

#[test]
fn hook_inputs_and_blocks_have_accessors_as_well() {
    let hook: HookInput = decode(
        r#"{"hook_event_name":"Stop","session_id":"s1","transcript_path":"/t","cwd":"/w","stop_hook_active":false}"#,
    )
    .unwrap();
    assert_eq!(
        (&*hook.kind(), hook.session_id(), hook.cwd()),
        ("Stop", Some("s1"), Some("/w"))
    );
    assert_eq!(hook.permission_mode(), None);
    let block = ContentBlockParam::from(TextBlockParam::new("hi"));
    assert_eq!(block.kind(), "text");
    let Message::Result(result) = message("result_error") else {
        panic!("no result")
    };
    assert_eq!(result.num_turns(), Some(1));
}

#[test]
fn a_request_is_answered_with_its_id_and_the_type_of_its_answer() {
    let request = asked(ASK);
    let ControlRequestInner::Permission(ask) = &request.request else {
        panic!("it asks for a permission")
    };
    let allowed = PermissionResultAllow::new(ask.input.clone());
    let reply = request.reply(ask, allowed.clone()).unwrap();
    assert_eq!(
        encode(&reply).unwrap(),
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r7","response":{"behavior":"allow","updatedInput":{"command":"ls"}}}}"#
    );
    assert_eq!(
        decode_response::<PermissionRequest>(&reply).unwrap(),
        PermissionResult::from(allowed)
    );
}

#[test]
fn an_answer_to_another_request_is_refused() {
    let (request, interrupt) = (asked(ASK), InterruptRequest::new());
    let error = request.reply(&interrupt, None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "wrong_type: the envelope holds another request than the one to answer"
    );
    let model = SetModelRequest::new();
    let request = wrap_request("r8", model.clone());
    assert_eq!(
        encode(&request.reply(&model, None).unwrap()).unwrap(),
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r8"}}"#
    );
}

#[test]
fn a_reply_is_as_the_newest_release_answers_and_an_answer_as_any_did() {
    let interrupt = InterruptRequest::new();
    let request = wrap_request("r8", interrupt.clone());
    let error = request.reply(&interrupt, None).unwrap_err();
    assert_eq!(
        (error.code, error.path.as_str()),
        (agentlines::Code::MissingField, "/response/response")
    );
    let answer = InterruptResponse::new(Vec::new());
    assert_eq!(
        encode(&request.reply(&interrupt, answer).unwrap()).unwrap(),
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r8","response":{"still_queued":[]}}}"#
    );
    let old = r#"{"type":"control_response","response":{"subtype":"success","request_id":"r8"}}"#;
    let old: ControlResponse = decode(old).unwrap();
    assert_eq!(decode_response::<InterruptRequest>(&old).unwrap(), None);
}

#[test]
fn a_new_object_has_the_types_of_the_newest_release_and_one_that_was_read_any() {
    let made = InitializeRequest::new().with_system_prompt(["Be brief."]);
    let old = r#"{"subtype":"initialize","systemPrompt":"Be brief."}"#;
    let read: InitializeRequest = decode(old).unwrap();
    assert_ne!(made.system_prompt, read.system_prompt);
    assert_eq!(encode(&read).unwrap(), old);
}

#[test]
fn a_request_is_cancelled_by_its_id() {
    let cancel = wrap_request(new_request_id(), InterruptRequest::new()).cancel();
    assert_eq!(cancel.request_id.len(), 36);
    assert_eq!(
        encode(&wrap_cancel("r9")).unwrap(),
        r#"{"type":"control_cancel_request","request_id":"r9"}"#
    );
}

#[test]
fn a_response_is_found_in_the_message_that_it_is() {
    let refusal = asked(ASK).refuse("no");
    let line: Message = refusal.clone().into();
    let error = decode_response::<InterruptRequest>(&line).unwrap_err();
    assert_eq!(Err(error), decode_response::<InterruptRequest>(&refusal));
    let line: Message = asked(ASK).into();
    let error = decode_response::<InterruptRequest>(&line).unwrap_err();
    assert_eq!(error, ControlError::Missing);
}

#[test]
fn a_refusal_gives_its_text_to_whoever_asked() {
    let refusal = asked(ASK).refuse("not now");
    assert_eq!(
        encode(&refusal).unwrap(),
        r#"{"type":"control_response","response":{"subtype":"error","request_id":"r7","error":"not now"}}"#
    );
    let error = decode_response::<PermissionRequest>(&refusal).unwrap_err();
    assert_eq!(error.to_string(), "the request was refused: not now");
    let ControlError::Refused {
        message, response, ..
    } = error
    else {
        panic!("it is a refusal")
    };
    assert_eq!(message, "not now");
    assert_eq!(
        response.text(),
        r#"{"type":"control_response","response":{"subtype":"error","request_id":"r7","error":"not now"}}"#
    );
    // A refusal is never taken for an answer, even if the answer has no payload.
    assert!(decode_response::<InterruptRequest>(&refusal).is_err());
}

#[test]
fn the_unknown_of_an_enum_is_never_a_declared_value() {
    for mode in PermissionMode::ALL {
        assert_eq!(&PermissionMode::from(mode.as_str()), mode);
        let read: PermissionMode = decode(encode(mode).unwrap()).unwrap();
        assert!(&read == mode && read.is_known());
    }
    let PermissionMode::Unknown(other) = PermissionMode::from("telepathy") else {
        panic!("nothing declares it")
    };
    assert_eq!(
        (other.as_str(), other.to_string().as_str()),
        ("telepathy", "telepathy")
    );
    assert_eq!(
        format!("{:?}", PermissionMode::Unknown(other)),
        "Unknown(\"telepathy\")"
    );
}

#[test]
fn every_struct_of_a_variant_is_boxed_whatever_its_size() {
    let _: [fn(Box<StatusMessage>) -> SystemMessage; 1] = [SystemMessage::Status];
    let _: [fn(Box<SystemInitMessage>) -> SystemMessage; 1] = [SystemMessage::Init];
    let _: fn(Box<KeepAliveMessage>) -> Message = Message::KeepAlive;
    let _: fn(SystemMessage) -> Message = Message::System;
    let word = size_of::<usize>();
    assert!(size_of::<Message>() <= 5 * word);
    assert_eq!(size_of::<Option<Box<SandboxSettings>>>(), word);
}

#[test]
fn an_optional_tag_says_whether_it_is_there() {
    let mut config = McpStdioServerConfig::new("server");
    let text = encode(&config).unwrap();
    assert_eq!(text, r#"{"type":"stdio","command":"server"}"#);
    config.has_type = false;
    assert_eq!(encode(&config).unwrap(), r#"{"command":"server"}"#);
}
