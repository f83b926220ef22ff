//! The verification checklist of the listing that ports of the protocol start from: one test per item, in order.

use std::collections::HashSet;

use agentlines::content::*;
use agentlines::control::*;
use agentlines::enums::*;
use agentlines::messages::*;
use agentlines::options::*;
use agentlines::permissions::*;
use agentlines::*;

use crate::lines::{comes_back, fault, json, line, message, with, KINDS, UUID};

/// The lines of the conversation, a subset of all lines; there are two kinds of results.
fn conversation() -> Vec<&'static str> {
    let kinds = KINDS.into_iter();
    kinds
        .filter(|kind| examine::<SdkMessage>(line(kind)).unwrap().variant != "Unknown")
        .collect()
}

// Every variant has its own type, and every line of the conversation names its message and its session.
#[test]
fn checklist_01_type_completeness() {
    let kinds = conversation();
    assert_eq!(kinds.len(), 17);
    let mut seen = HashSet::new();
    for kind in kinds {
        let examined = examine::<SdkMessage>(line(kind)).unwrap();
        assert!(seen.insert(examined.variant), "{kind}");
        let read = json(&line(kind));
        assert!(read.get("session_id").is_some(), "{kind}");
        assert!(kind == "user" || read.get("uuid").is_some(), "{kind}");
    }
}

// Encoding and then decoding returns the same message, for all types.
#[test]
fn checklist_02_json_round_trip_fidelity() {
    for kind in KINDS {
        let message: Message = comes_back(&line(kind));
        let written = encode(&message).unwrap();
        assert_eq!(decode::<Message>(&written).unwrap(), message, "{kind}");
        assert_eq!(encode(&message.clone()).unwrap(), written, "{kind}");
    }
}

// A block is written with the members that belong to its type, and no others.
#[test]
fn checklist_03_content_block_marshaling() {
    let mut text = TextBlock::new("", vec![]);
    text.citations = Presence::Absent;
    let blocks: [(ContentBlock, &str); 4] = [
        (text.into(), r#"{"type":"text","text":""}"#),
        (
            ThinkingBlock::new(ThinkingBlockRequired {
                thinking: "Hm.".into(),
                signature: "".into(),
            })
            .into(),
            r#"{"type":"thinking","thinking":"Hm.","signature":""}"#,
        ),
        (
            RedactedThinkingBlock::new("x").into(),
            r#"{"type":"redacted_thinking","data":"x"}"#,
        ),
        (
            ToolUseBlock::new(ToolUseBlockRequired {
                id: "toolu_1".into(),
                name: "Bash".into(),
                input: Object::new(),
            })
            .into(),
            r#"{"type":"tool_use","id":"toolu_1","name":"Bash","input":{}}"#,
        ),
    ];
    for (block, expected) in blocks {
        assert_eq!(encode(&block).unwrap(), expected);
        assert_eq!(decode::<ContentBlock>(expected).unwrap(), block);
    }
}

// All types and subtypes are distinguished; an unknown one is a clear error in strict mode, and kept in lenient mode.
#[test]
fn checklist_04_discriminator_completeness() {
    for kind in MessageType::ALL {
        let text = format!(r#"{{"type":"{kind}"}}"#);
        let (code, path) = fault::<SdkMessage>(&text, Mode::Lenient);
        assert_eq!(code, Code::MissingField, "{kind}{path}");
    }
    for kind in SystemSubtype::ALL {
        let text = format!(r#"{{"type":"system","subtype":"{kind}"}}"#);
        assert_eq!(
            fault::<SystemMessage>(&text, Mode::Lenient).0,
            Code::MissingField
        );
    }
    for (text, path) in [
        (r#"{"type":"telepathy","n":1}"#, "/type"),
        (
            r#"{"type":"system","subtype":"telepathy","n":1}"#,
            "/subtype",
        ),
        (
            r#"{"type":"result","subtype":"telepathy","n":1}"#,
            "/subtype",
        ),
    ] {
        let error = decode_with::<Message>(text, Mode::Strict).unwrap_err();
        assert_eq!(
            (error.code, error.path.as_str()),
            (Code::UnknownVariant, path)
        );
        assert!(error.to_string().contains("telepathy"), "{error}");
        let kept: Message = decode(text).unwrap();
        assert!(format!("{kept:?}").contains("Unknown"), "{kept:?}");
        assert_eq!(encode(&kept).unwrap(), text);
    }
    for (text, code, path) in [
        (r#"{"type":"system"}"#, Code::MissingField, "/subtype"),
        (r#"{"n":1}"#, Code::MissingField, "/type"),
        (r#"{"type":7}"#, Code::WrongType, "/type"),
        ("[]", Code::WrongType, ""),
    ] {
        for mode in [Mode::Lenient, Mode::Strict] {
            assert_eq!(fault::<Message>(text, mode), (code, path.to_owned()));
        }
    }
}

// isReplay: true marks a replayed user message; false or absent does not.
#[test]
fn checklist_05_user_message_replay_detection() {
    let plain = line("user");
    let replay = line("user_replay");
    let is_replay =
        |text: &str| matches!(decode(text), Ok(Message::User(AnyUserMessage::Replay(_))));
    assert!(is_replay(&replay));
    assert!(!is_replay(&plain));
    for other in [r#""isReplay":false"#, r#""other":true"#] {
        let text = replay.replace(r#""isReplay":true"#, other);
        assert_ne!(text, replay);
        assert!(matches!(decode(text), Ok(AnyUserMessage::User(_))));
    }
    let (code, path) = fault::<UserMessage>(&replay, Mode::Lenient);
    assert_eq!((code, path.as_str()), (Code::WrongConstant, "/isReplay"));
    let (code, path) = fault::<Message>(&with(&plain, r#""isReplay":"yes""#), Mode::Lenient);
    assert_eq!((code, path.as_str()), (Code::WrongType, "/isReplay"));
}

// Every option that can be passed is present; one that cannot is absent, and unknown when decoded.
#[test]
fn checklist_06_options_completeness() {
    let everything = r#"{"agent":"a","agents":{"a":{"description":"d","prompt":"p"}},"allowedTools":["Read"],
        "disallowedTools":["Bash"],"tools":["Read"],"model":"m","fallbackModel":"f","maxThinkingTokens":1,"maxTurns":2,
        "maxBudgetUsd":1.5,"betas":["b"],"outputFormat":{"type":"json_schema","schema":{}},"cwd":"/",
        "additionalDirectories":["/x"],"continue":true,"resume":"r","resumeSessionAt":"u","sessionId":"s",
        "forkSession":true,"persistSession":false,"enableFileCheckpointing":true,"permissionMode":"plan",
        "allowDangerouslySkipPermissions":true,"permissionPromptToolName":"t","sandbox":{"enabled":true},
        "systemPrompt":"Be brief.","mcpServers":{"m":{"type":"stdio","command":"c"}},"strictMcpConfig":true,
        "hooks":{"Stop":[{"matcher":"x"}]},"plugins":[{"type":"local","path":"/p"}],"settingSources":["user"],
        "includePartialMessages":true,"debug":true,"debugFile":"/d","env":{"A":"1"},"executable":"node",
        "executableArgs":["-x"],"extraArgs":{"v":null},"pathToClaudeCodeExecutable":"/c"}"#;
    let options: QueryOptions = decode(everything).unwrap();
    assert!(options.extra.is_empty(), "{:?}", options.extra);
    assert_eq!(json(everything).members().count(), 39);
    assert_eq!(json(&encode(&options).unwrap()), json(everything));
    assert_eq!(options.persist_session, Some(false));
    assert_eq!(options.extra_args.unwrap()["v"], None);
    let live = r#"{"canUseTool":1}"#;
    assert_eq!(
        decode::<QueryOptions>(live).unwrap().extra["canUseTool"],
        Json::from(1)
    );
    let (code, path) = fault::<QueryOptions>(live, Mode::Strict);
    assert_eq!((code, path.as_str()), (Code::UnknownField, "/canUseTool"));
    let mut made = QueryOptions::new();
    made.model = Some("haiku".into());
    assert_eq!(encode(&made).unwrap(), r#"{"model":"haiku"}"#);
    assert_eq!(encode(&QueryOptions::default()).unwrap(), "{}");
}

// Every value of the enums is a variant with its spelling on the wire. Later releases add to those of the listing.
#[test]
fn checklist_07_enum_coverage() {
    fn covers<E: std::fmt::Display + std::str::FromStr + PartialEq + Clone>(
        all: &[E],
        listed: &str,
    ) {
        let spelt: HashSet<_> = all.iter().map(ToString::to_string).collect();
        assert_eq!(spelt.len(), all.len());
        for value in listed.split(' ') {
            assert!(spelt.contains(value), "{value}");
        }
        assert!(all
            .iter()
            .all(|value| value.to_string().parse::<E>().ok().as_ref() == Some(value)));
    }
    covers(
        PermissionMode::ALL,
        "default acceptEdits bypassPermissions plan delegate dontAsk",
    );
    covers(
        ResultSubtype::ALL,
        "success error_during_execution error_max_turns error_max_budget_usd \
         error_max_structured_output_retries",
    );
    covers(
        ExitReason::ALL,
        "clear logout prompt_input_exit other bypass_permissions_disabled",
    );
    covers(
        HookEvent::ALL,
        "PreToolUse PostToolUse PostToolUseFailure Notification UserPromptSubmit SessionStart SessionEnd Stop \
         SubagentStart SubagentStop PreCompact PermissionRequest Setup TeammateIdle TaskCompleted",
    );
    covers(
        SystemSubtype::ALL,
        "init status compact_boundary hook_started hook_progress hook_response task_notification \
         files_persisted",
    );
    assert!(PermissionMode::Plan.is_known());
    assert_eq!("telepathy".parse(), Ok(PermissionMode::from("telepathy")));
    assert!(!PermissionMode::from("telepathy").is_known());
}

/// A request of each of the thirteen subtypes of the listing.
const REQUESTS: [&str; 13] = [
    r#"{"subtype":"initialize","hooks":{"Stop":[{"hookCallbackIds":["c1"]}]},"sdkMcpServers":["m"],"jsonSchema":{}}"#,
    r#"{"subtype":"interrupt"}"#,
    r#"{"subtype":"can_use_tool","tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"toolu_1","agent_id":"a"}"#,
    r#"{"subtype":"set_permission_mode","mode":"plan"}"#,
    r#"{"subtype":"set_model","model":"haiku"}"#,
    r#"{"subtype":"set_max_thinking_tokens","max_thinking_tokens":null}"#,
    r#"{"subtype":"mcp_status"}"#,
    r#"{"subtype":"hook_callback","callback_id":"c1","input":{"session_id":"s1","transcript_path":"/t","cwd":"/",
        "hook_event_name":"Stop","stop_hook_active":false}}"#,
    r#"{"subtype":"mcp_message","server_name":"m","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}"#,
    r#"{"subtype":"rewind_files","user_message_id":"550e8400-e29b-41d4-a716-446655440000","dry_run":true}"#,
    r#"{"subtype":"mcp_set_servers","servers":{"m":{"command":"c"}}}"#,
    r#"{"subtype":"mcp_reconnect","serverName":"m"}"#,
    r#"{"subtype":"mcp_toggle","serverName":"m","enabled":false}"#,
];

// All control subtypes survive a round trip in their envelope, and an answer is decoded in the type of its request.
#[test]
fn checklist_08_control_protocol() {
    let mut seen = HashSet::new();
    for request in REQUESTS {
        let text = format!(r#"{{"type":"control_request","request_id":"r1","request":{request}}}"#);
        let Message::ControlRequest(asked) = comes_back::<Message>(&text) else {
            panic!("{text}")
        };
        assert_eq!(asked.request_id, "r1");
        assert!(
            !matches!(asked.request, ControlRequestInner::Unknown(_)),
            "{text}"
        );
        seen.insert(std::mem::discriminant(&asked.request));
    }
    assert_eq!(seen.len(), 13);
    let asked = wrap_request("r1", SetPermissionModeRequest::new(PermissionMode::Plan));
    assert_eq!(
        encode(&asked).unwrap(),
        r#"{"type":"control_request","request_id":"r1","request":{"subtype":"set_permission_mode","mode":"plan"}}"#
    );
    let answer: SetPermissionModeResponse = decode(r#"{"mode":"plan"}"#).unwrap();
    let reply = wrap_response::<SetPermissionModeRequest>("r1", &Some(answer.clone())).unwrap();
    assert_eq!(
        encode(&reply).unwrap(),
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"mode":"plan"}}}"#
    );
    assert_eq!(
        decode_response::<SetPermissionModeRequest>(&reply).unwrap(),
        Some(answer)
    );
    let refused: ControlResponse = decode(
        r#"{"type":"control_response","response":{"subtype":"error","request_id":"r1","error":"no"}}"#,
    )
    .unwrap();
    let error = decode_response::<McpStatusRequest>(&refused).unwrap_err();
    assert_eq!(error.to_string(), "the request was refused: no");
    let wrong: ControlResponse = decode(
        r#"{"type":"control_response","response":{"subtype":"success","request_id":"r1","response":{"mcpServers":1}}}"#,
    )
    .unwrap();
    let Err(ControlError::Decode(error)) = decode_response::<McpStatusRequest>(&wrong) else {
        panic!("that is no answer")
    };
    assert_eq!(error.code, Code::WrongType);
    assert_eq!(error.path, "/response/response/mcpServers");
}

// Absent stays absent and null stays null, each in a type that allows it.
#[test]
fn checklist_09_null_handling() {
    for (text, model) in [
        (r#"{"subtype":"set_model"}"#, Presence::Absent),
        (r#"{"subtype":"set_model","model":null}"#, Presence::Null),
        (
            r#"{"subtype":"set_model","model":""}"#,
            Presence::Present(String::new()),
        ),
    ] {
        assert_eq!(comes_back::<SetModelRequest>(text).model, model);
    }
    let limit = r#"{"subtype":"set_max_thinking_tokens","max_thinking_tokens":null}"#;
    assert_eq!(
        comes_back::<SetMaxThinkingTokensRequest>(limit).max_thinking_tokens,
        Presence::Null
    );
    let untouched = with(&line("user"), r#""tool_use_result":null"#);
    assert_eq!(
        comes_back::<UserMessage>(&untouched).tool_use_result,
        Some(Json::NULL)
    );
    assert_eq!(
        comes_back::<UserMessage>(&line("user")).tool_use_result,
        None
    );
    // a null where null is not allowed is invalid, but kept
    let repaired: UserMessage = decode(with(&line("user"), r#""isSynthetic":null"#)).unwrap();
    assert_eq!(repaired.is_synthetic, None);
    assert_eq!(repaired.extra["isSynthetic"], Json::NULL);
    assert!(encode(&repaired)
        .unwrap()
        .ends_with(r#","isSynthetic":null}"#));
}

// Identifiers are texts in the form of RFC 4122; their spelling is preserved.
#[test]
fn checklist_10_uuid_format() {
    let identity = json(&line("status"))
        .get("uuid")
        .unwrap()
        .as_str()
        .unwrap()
        .into_owned();
    let upper = line("status").replace(&identity, &identity.to_uppercase());
    assert_eq!(
        comes_back::<StatusMessage>(&upper).uuid,
        identity.to_uppercase()
    );
    for text in [
        "550e8400e29b41d4a716446655440000",
        "urn:uuid:550e8400-e29b-41d4-a716-446655440000",
        "",
        "x\n",
    ] {
        let mut status: StatusMessage = decode(line("status")).unwrap();
        status.uuid = text.into();
        let written = encode(&status).unwrap();
        let (code, path) = fault::<StatusMessage>(&written, Mode::Strict);
        assert_eq!((code, path.as_str()), (Code::BadFormat, "/uuid"));
        assert_eq!(decode::<StatusMessage>(&written).unwrap(), status);
    }
}

// A raw prompt is a text, a preset is an object.
#[test]
fn checklist_11_system_prompt_config_marshaling() {
    let raw = r#""You are a helpful assistant.""#;
    let preset = r#"{"type":"preset","preset":"claude_code","append":"Always explain."}"#;
    for prompt in [raw, preset] {
        let text = format!(r#"{{"systemPrompt":{prompt}}}"#);
        let options: QueryOptions = comes_back(&text);
        match options.system_prompt.unwrap() {
            SystemPromptConfig::Text(said) => assert_eq!(Json::from(said).text(), raw),
            SystemPromptConfig::Object(SystemPromptForm::Preset(made)) => {
                assert_eq!(made.append.as_deref(), Some("Always explain."));
            }
            other => panic!("{other:?}"),
        }
    }
    let (code, path) = fault::<QueryOptions>(r#"{"systemPrompt":1}"#, Mode::Lenient);
    assert_eq!((code, path.as_str()), (Code::WrongType, "/systemPrompt"));
}

// The counters of a result are plain numbers: none may be missing or null.
#[test]
fn checklist_12_beta_usage_invariant() {
    let Message::Result(ResultMessage::Success(result)) = message("result_success") else {
        panic!("no result")
    };
    let usage = encode(&result.usage).unwrap();
    let read = json(&usage);
    let counters: Vec<_> = read.members().collect();
    assert_eq!(counters.len(), 7);
    for (name, value) in counters {
        let member = format!("{}:{value}", Json::from(name.as_ref()));
        let null = usage.replace(&member, &format!("{}:null", Json::from(name.as_ref())));
        assert_eq!(
            fault::<UsageInfo>(&null, Mode::Strict),
            (Code::WrongType, format!("/{name}"))
        );
        let other = usage.replace(&member, r#""other":1"#);
        if name.ends_with("_tokens") {
            assert_eq!(
                fault::<UsageInfo>(&other, Mode::Lenient),
                (Code::MissingField, format!("/{name}"))
            );
        } else {
            // Older records have only the counters.
            assert!(decode::<UsageInfo>(&other).is_ok());
        }
    }
}

// Model usage has camelCase keys on the wire.
#[test]
fn checklist_13_model_usage_camel_case() {
    assert_eq!(
        encode(&ModelUsage::new(ModelUsageRequired {
            input_tokens: 1,
            output_tokens: 2,
            cache_read_input_tokens: 3,
            cache_creation_input_tokens: 4,
            web_search_requests: 5,
            cost_usd: 0.5,
            context_window: 6,
            max_output_tokens: 7
        }))
        .unwrap(),
        r#"{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheCreationInputTokens":4,"webSearchRequests":5,"costUSD":0.5,"contextWindow":6,"maxOutputTokens":7}"#
    );
}

// `new` requires the required members, and its result is valid in strict mode.
#[test]
fn checklist_14_constructor_correctness() {
    fn valid<T: Wire + PartialEq + std::fmt::Debug>(made: T) {
        assert_eq!(
            decode_with::<T>(encode(&made).unwrap(), Mode::Strict).unwrap(),
            made
        );
    }
    let Message::Result(ResultMessage::Success(result)) = message("result_success") else {
        panic!("no result")
    };
    valid(ResultSuccess::new(ResultSuccessRequired {
        uuid: UUID.into(),
        session_id: "s1".into(),
        is_error: false,
        duration_ms: 10,
        duration_api_ms: 5,
        num_turns: 1,
        stop_reason: Presence::Null,
        total_cost_usd: 0.5,
        usage: result.usage.clone(),
        model_usage: Map::new(),
        permission_denials: vec![],
        result: "Done.".into(),
    }));
    valid(ResultError::new(ResultErrorRequired {
        subtype: ResultErrorSubtype::ErrorMaxTurns,
        uuid: UUID.into(),
        session_id: "s1".into(),
        is_error: true,
        duration_ms: 10,
        duration_api_ms: 5,
        num_turns: 1,
        stop_reason: Presence::Null,
        total_cost_usd: 0.5,
        usage: result.usage,
        model_usage: Map::new(),
        permission_denials: vec![],
        errors: vec!["Too many.".into()],
    }));
    let content = MessageContent::Text("Go on.".into());
    let content = MessageParam::new(MessageRole::User, content);
    valid(UserMessage::new(UUID, content, None).with_session_id("s1"));
    valid(CompactBoundaryMessage::new(
        CompactBoundaryMessageRequired {
            uuid: UUID.into(),
            session_id: "s1".into(),
            compact_metadata: CompactMetadata::new(CompactTrigger::Auto, 1000),
        },
    ));
    valid(wrap_request("r1", InterruptRequest::new()));
    valid(PermissionResultDeny::new("No."));
    valid(PermissionResultAllow::new(Object::new()));
    valid(KeepAliveMessage::new());
}

// The event has the fields files, failed and processed_at; the items of files and failed have their members.
#[test]
fn checklist_15_files_persisted_event_fields() {
    let text = line("files_persisted");
    let event: FilesPersistedEvent = comes_back(&text);
    let made = FilesPersistedEvent::new(FilesPersistedEventRequired {
        uuid: event.uuid.clone(),
        session_id: event.session_id.clone(),
        files: event
            .files
            .iter()
            .map(|file| {
                PersistedFile::new(PersistedFileRequired {
                    filename: file.filename.clone(),
                    file_id: file.file_id.clone(),
                })
            })
            .collect(),
        failed: event
            .failed
            .iter()
            .map(|file| {
                FailedFile::new(FailedFileRequired {
                    filename: file.filename.clone(),
                    error: file.error.clone(),
                })
            })
            .collect(),
        processed_at: event.processed_at.clone(),
    });
    assert_eq!(made, event);
    let when = Json::from(event.processed_at).to_string();
    let wrong = text.replace(&when, r#""yesterday""#);
    let (code, path) = fault::<FilesPersistedEvent>(&wrong, Mode::Strict);
    assert_eq!((code, path.as_str()), (Code::BadFormat, "/processed_at"));
}
