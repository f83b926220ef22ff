//! The guarantees of the crate, one test each.

use std::error::Error;
use std::panic::{RefUnwindSafe, UnwindSafe};

use agentlines::content::*;
use agentlines::control::*;
use agentlines::enums::*;
use agentlines::messages::*;
use agentlines::*;

use crate::lines::{comes_back, fault, json, line, message, with, KINDS};

#[test]
fn a_match_narrows_to_the_structs_of_the_wire() {
    let mut said = String::new();
    if let Message::Assistant(answer) = message("assistant") {
        for block in &answer.message.content {
            match block {
                ContentBlock::Text(text) => said.push_str(&text.text),
                ContentBlock::ToolUse(call) => said.push_str(&call.name),
                _ => {}
            }
        }
    }
    assert_eq!(said, "Hello");
}

#[test]
fn what_nothing_answers_to_keeps_its_raw_value() {
    let text =
        r#"{"type":"telepathy","n":12345678901234567890,"m":{"b":1,"a":[1e2,"\ud83d\ude00"]}}"#;
    let Message::Unknown(unknown) = decode(text).unwrap() else {
        panic!("nothing answers to it")
    };
    assert_eq!(
        unknown.get("type").unwrap().as_str().as_deref(),
        Some("telepathy")
    );
    assert_eq!(unknown.get("n").unwrap().text(), "12345678901234567890");
    assert_eq!(unknown.raw, json(text));
    assert_eq!(
        encode(&Message::from(unknown)).unwrap(),
        encode(&decode::<Message>(text).unwrap()).unwrap()
    );
}

#[test]
fn a_block_that_nothing_answers_to_ends_neither_its_message_nor_the_stream() {
    let known = r#"{"type":"text","text":"Hello"}"#;
    let block = r#"{"type":"hologram","depth":3}"#;
    let text = line("assistant").replace(known, &format!("{known},{block}"));
    let examined = examine::<Message>(&text).unwrap();
    assert_eq!(examined.variant, "AssistantMessage");
    assert_eq!(examined.unknown.to_vec(), ["/message/content/1/type"]);
    let Message::Assistant(answer) = &examined.value else {
        panic!("it is an answer")
    };
    assert!(matches!(
        &answer.message.content[..],
        [ContentBlock::Text(_), ContentBlock::Unknown(_)]
    ));
    assert_eq!(json(&encode(&examined.value).unwrap()), json(&text));
}

#[test]
fn a_known_tag_with_a_wrong_body_is_an_error_with_code_and_path() {
    let wrong = line("assistant").replace(r#""text":"Hello""#, r#""text":7"#);
    for mode in [Mode::Lenient, Mode::Strict] {
        let (code, path) = fault::<Message>(&wrong, mode);
        assert_eq!(
            (code, path.as_str()),
            (Code::WrongType, "/message/content/0/text")
        );
    }
    let error = decode::<Message>(&wrong).unwrap_err();
    assert_eq!(error.code.as_str(), "wrong_type");
    assert!(
        error
            .to_string()
            .starts_with("wrong_type at /message/content/0/text: "),
        "{error}"
    );
    let boxed: Box<dyn Error + Send + Sync> = error.into();
    assert!(boxed.source().is_none());
}

#[test]
fn the_tag_may_come_last() {
    for kind in KINDS {
        let first = json(&line(kind));
        let mut members: Vec<_> = first
            .members()
            .map(|(key, value)| format!("{}:{value}", Json::from(&*key)))
            .collect();
        members.reverse();
        let last = format!("{{{}}}", members.join(","));
        assert_eq!(decode::<Message>(&last).unwrap(), message(kind), "{kind}");
    }
}

#[test]
fn extra_keeps_its_order_and_is_written_behind_the_fields() {
    let text = r#"{"zeta":1,"type":"keep_alive","alpha":{"y":2,"x":[]},"mid":"\u00e9"}"#;
    let Message::KeepAlive(mut alive) = decode(text).unwrap() else {
        panic!("it says nothing")
    };
    assert_eq!(
        alive.extra.keys().collect::<Vec<_>>(),
        ["zeta", "alpha", "mid"]
    );
    assert_eq!(json(&encode(&alive).unwrap()), json(text));
    assert!(encode(&alive)
        .unwrap()
        .starts_with(r#"{"type":"keep_alive","zeta":1,"alpha":{"y":2,"x":[]},"mid":"#));
    assert_eq!(alive.extra.remove("zeta"), Some(Json::from(1)));
    alive.extra.insert("zeta", true);
    alive.extra.insert("alpha", Json::NULL);
    assert!(encode(&alive).unwrap().ends_with(r#","zeta":true}"#));
    assert!(encode(&alive).unwrap().contains(r#""alpha":null,"mid""#));
}

#[test]
fn a_field_that_is_set_wins_over_an_extra_of_its_name() {
    let mut info = McpServerInfo::new(McpServerInfoRequired {
        name: "m".into(),
        status: "connected".into(),
    });
    info.extra.insert("status", "stray");
    assert_eq!(
        encode(&info).unwrap(),
        r#"{"name":"m","status":"connected"}"#
    );
}

#[test]
fn integers_stay_integers_and_untouched_ones_keep_every_digit() {
    let text = r#"{"input_tokens":9007199254740991,"output_tokens":-9007199254740991,"cache_read_input_tokens":1e2,"cache_creation_input_tokens":5.0,"cache_creation":{"ephemeral_1h_input_tokens":0,"ephemeral_5m_input_tokens":0},"server_tool_use":{"web_fetch_requests":0,"web_search_requests":0},"service_tier":"standard","x":-123456789012345678901234567890}"#;
    let usage: UsageInfo = decode(text).unwrap();
    assert_eq!(usage.input_tokens, 9_007_199_254_740_991);
    assert_eq!(
        (
            usage.cache_read_input_tokens,
            usage.cache_creation_input_tokens
        ),
        (100, 5)
    );
    assert_eq!(usage.extra["x"].text(), "-123456789012345678901234567890");
    assert!(encode(&usage)
        .unwrap()
        .ends_with(r#""x":-123456789012345678901234567890}"#));
    let beyond = text.replace("9007199254740991,\"output", "9007199254740992,\"output");
    let (code, path) = fault::<UsageInfo>(&beyond, Mode::Lenient);
    assert_eq!((code, path.as_str()), (Code::OutOfRange, "/input_tokens"));
    let fraction = text.replace(":9007199254740991", ":0.5");
    assert_eq!(
        fault::<UsageInfo>(&fraction, Mode::Lenient).0,
        Code::OutOfRange
    );
    let overflow = text.replace("-123456789012345678901234567890", "1e400");
    let (code, path) = fault::<UsageInfo>(&overflow, Mode::Lenient);
    assert_eq!((code, path.as_str()), (Code::OutOfRange, "/x"));
}

#[test]
fn what_no_reader_would_take_is_not_written() {
    let mut usage = ModelUsage::new(ModelUsageRequired {
        input_tokens: 1,
        output_tokens: 2,
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 4,
        web_search_requests: 5,
        cost_usd: f64::NAN,
        context_window: 6,
        max_output_tokens: 7,
    });
    let error = encode(&usage).unwrap_err();
    assert_eq!(
        (error.code, error.path.as_str()),
        (Code::OutOfRange, "/costUSD")
    );
    usage.cost_usd = 0.5;
    usage.context_window = 1 << 53;
    let error = encode(&usage).unwrap_err();
    assert_eq!(
        (error.code, error.path.as_str()),
        (Code::OutOfRange, "/contextWindow")
    );
    usage.context_window = -0;
    assert!(encode(&usage).is_ok());
}

#[test]
fn duplicate_keys_depth_and_surrogates_are_as_in_every_binding() {
    let twice: KeepAliveMessage = decode(r#"{"type":"keep_alive","a":1e999,"a":2}"#).unwrap();
    assert_eq!(twice.extra["a"], Json::from(2));
    assert_eq!(twice.extra.len(), 1);
    let nested = |levels| {
        format!(
            r#"{{"type":"keep_alive","a":{}{}}}"#,
            "[".repeat(levels),
            "]".repeat(levels)
        )
    };
    comes_back_leniently(&nested(127));
    assert_eq!(
        fault::<Message>(&nested(128), Mode::Lenient),
        (Code::TooDeep, String::new())
    );
    // half of a surrogate pair stays in untouched JSON, and becomes U+FFFD in a text
    let half: Message = decode(r#"{"type":"telepathy","a":"\ud800"}"#).unwrap();
    assert_eq!(
        encode(&half).unwrap(),
        r#"{"type":"telepathy","a":"\ud800"}"#
    );
    let block: ThinkingBlock =
        decode(r#"{"type":"thinking","thinking":"\ud800!","signature":""}"#).unwrap();
    assert_eq!(block.thinking, "\u{fffd}!");
}

fn comes_back_leniently(text: &str) {
    assert_eq!(
        json(&encode(&decode::<Message>(text).unwrap()).unwrap()),
        json(text)
    );
}

#[test]
fn what_is_no_json_says_so() {
    for (bytes, code) in [
        (&b""[..], Code::InvalidJson),
        (b"{", Code::InvalidJson),
        (b"\xef\xbb\xbf{}", Code::InvalidJson),
        (b"{\"type\":\"keep_alive\"} x", Code::InvalidJson),
        (b"{\"type\":\"keep_alive\",\"n\":NaN}", Code::InvalidJson),
        (
            b"{\"type\":\"keep_alive\",\"n\":\"\xff\"}",
            Code::InvalidUtf8,
        ),
    ] {
        let error = decode::<Message>(bytes).unwrap_err();
        assert_eq!((error.code, error.path.as_str()), (code, ""));
    }
}

#[test]
fn strict_mode_refuses_what_lenient_mode_keeps_and_examine_tells_where() {
    let text = with(
        &with(&line("status"), r#""news":1"#),
        r#""permissionMode":"telepathy""#,
    );
    let examined = examine::<Message>(&text).unwrap();
    assert_eq!(examined.variant, "StatusMessage");
    assert_eq!(examined.unknown.to_vec(), ["/news", "/permissionMode"]);
    assert_eq!(examined.value, decode(&text).unwrap());
    let (code, path) = fault::<Message>(&text, Mode::Strict);
    assert_eq!(
        (code, path.as_str()),
        (Code::UnknownValue, "/permissionMode")
    );
    assert_eq!(Mode::default(), Mode::Lenient);
}

#[test]
fn equality_is_that_of_the_wire() {
    let one: Message = decode(r#"{"type":"keep_alive","a":1,"b":{"x":1.0,"y":"\u0041"}}"#).unwrap();
    let other: Message = decode(r#"{"b":{"y":"A","x":1},"a":1,"type":"keep_alive"}"#).unwrap();
    assert_eq!(one, other);
    for text in [
        r#"{"type":"keep_alive","a":true,"b":{"x":1,"y":"A"}}"#,
        r#"{"type":"keep_alive","a":1,"b":{"x":1}}"#,
        r#"{"type":"keep_alive","a":1}"#,
    ] {
        assert_ne!(one, decode(text).unwrap());
    }
    assert_eq!(one, one.clone());
}

#[test]
fn open_enums_keep_what_they_do_not_list() {
    let status: StatusMessage =
        decode(with(&line("status"), r#""permissionMode":"telepathy""#)).unwrap();
    let mode = status.permission_mode.unwrap();
    assert_eq!(mode, PermissionMode::from("telepathy"));
    assert_eq!(
        (mode.as_str(), mode.to_string().as_str()),
        ("telepathy", "telepathy")
    );
    assert_eq!(
        PermissionMode::from("acceptEdits"),
        PermissionMode::AcceptEdits
    );
    assert_eq!(PermissionMode::AcceptEdits.as_str(), "acceptEdits");
    let Ok(parsed) = "plan".parse::<PermissionMode>();
    assert_eq!(parsed, PermissionMode::Plan);
}

#[test]
fn closed_enums_take_nothing_else() {
    let error = "telepathy".parse::<Code>().unwrap_err();
    assert!(error.to_string().contains("telepathy"), "{error}");
    let mut codes = Code::ALL.iter();
    assert!(codes.all(|code| code.to_string().parse() == Ok(*code)));
}

#[test]
fn a_struct_becomes_any_union_that_has_it() {
    let init: SystemInitMessage = decode(line("system_init")).unwrap();
    let system = SystemMessage::from(init.clone());
    assert!(matches!(&system, SystemMessage::Init(same) if **same == init));
    assert_eq!(Message::from(system), Message::from(init));
}

#[test]
fn values_of_three_states_are_told_apart() {
    assert_eq!(Presence::from("x").value(), Some(&"x"));
    assert_eq!(Presence::<i64>::from(None), Presence::Null);
    assert_eq!(Presence::<i64>::default(), Presence::Absent);
    assert!(Presence::<i64>::Absent.is_absent() && Presence::<i64>::Null.is_null());
    assert_eq!(Presence::Present(7).into_value(), Some(7));
}

#[test]
fn untouched_json_is_read_where_it_is_looked_at() {
    let text = json(
        r#" {"a" : [1, 2.5, "x\ny", null, true], "n": 12345678901234567890, "o": {"k": {}}} "#,
    );
    assert_eq!(
        text.text(),
        r#"{"a":[1,2.5,"x\ny",null,true],"n":12345678901234567890,"o":{"k":{}}}"#
    );
    let items: Vec<_> = text.get("a").unwrap().items().collect();
    assert_eq!((items[0].as_i64(), items[1].as_f64()), (Some(1), Some(2.5)));
    assert_eq!(items[2].as_str().as_deref(), Some("x\ny"));
    assert!(items[3].is_null());
    assert_eq!(items[4].as_bool(), Some(true));
    assert_eq!(text.get("n").unwrap().as_i64(), None);
    assert_eq!(
        text.get("o").unwrap().get("k").unwrap().kind(),
        Kind::Object
    );
    assert!(text.get("absent").is_none() && text.at(0).is_none());
    let object: Object = [("k", Json::from(vec![1, 2]))].into();
    assert_eq!(Json::from(object).text(), r#"{"k":[1,2]}"#);
    assert_eq!(
        Json::from("<\u{2028}>\n").as_str().as_deref(),
        Some("<\u{2028}>\n")
    );
}

#[test]
fn the_input_of_a_tool_has_the_type_of_the_tool() {
    let input: Object = [("command", Json::from("ls")), ("news", Json::from(1))].into();
    let Some(ToolInput::Bash(bash)) = ToolInput::decode("Bash", &input).unwrap() else {
        panic!("it is a command")
    };
    assert_eq!(bash.command, "ls");
    assert_eq!(bash.extra["news"], Json::from(1));
    assert!(matches!(
        ToolInput::decode("mcp__m__t", &input),
        Ok(Some(ToolInput::Mcp(_)))
    ));
    assert_eq!(ToolInput::decode("Telepathy", &input), Ok(None));
    let error = ToolInput::decode("Bash", &Object::new()).unwrap_err();
    assert_eq!(
        (error.code, error.path.as_str()),
        (Code::MissingField, "/command")
    );
}

#[test]
fn what_the_spec_has_constructors_for_is_made_of_what_only_the_user_knows() {
    let prompt = UserMessage::prompt("Make a folder.");
    assert_eq!(prompt.message.content, "Make a folder.".into());
    assert_eq!(
        (prompt.session_id.as_deref(), &prompt.extra),
        (Some(""), &Object::new())
    );
    let other = UserMessage::create("Make a folder.", Some("s1".into()));
    assert_ne!(prompt.uuid, other.uuid);
    for message in [prompt, other] {
        let text = encode(&message).unwrap();
        assert_eq!(
            decode_with::<UserMessage>(text, Mode::Strict).unwrap(),
            message
        );
    }
    let mark = CompactBoundaryMessage::create(CompactTrigger::Manual, 36_512, "s1");
    assert_eq!(mark.compact_metadata.pre_tokens, 36_512);
}

#[test]
fn maps_are_walked_like_those_of_the_standard_library() {
    let mut object = Object::from([("a", 1), ("b", 2), ("c", 3)]);
    for (_, value) in &mut object {
        *value = Json::from(value.as_i64().unwrap() * 2);
    }
    let mut seen = Vec::new();
    for (key, value) in &object {
        seen.push(format!("{key}{value}"));
    }
    assert_eq!(seen, ["a2", "b4", "c6"]);
    assert_eq!(
        (
            object.iter().len(),
            object.iter().next_back().unwrap().0.as_str()
        ),
        (3, "c")
    );
    let values: Vec<_> = object
        .into_iter()
        .rev()
        .map(|(_, value)| value.to_string())
        .collect();
    assert_eq!(values, ["6", "4", "2"]);
}

#[test]
fn three_states_can_be_mapped_and_looked_into() {
    let limit = Presence::Present(String::from("five"));
    assert_eq!(limit.as_ref().map(String::len), Presence::Present(4));
    assert_eq!(
        Presence::<String>::Null.map(|text| text.len()),
        Presence::Null
    );
    assert!(limit.is_present() && !Presence::<i64>::Absent.is_present());
    assert_eq!(Option::from(limit), Some(String::from("five")));
    assert_eq!(Option::<i64>::from(Presence::Null), None);
}

/// The errors that an error wraps, outermost first.
fn chain<'a>(error: &'a (dyn Error + 'static)) -> Vec<&'a (dyn Error + 'static)> {
    std::iter::successors(error.source(), |&error| error.source()).collect()
}

/// Every variant that wraps an error; `tests/rust/test_runtime_sources.py` compares the types with the sources.
#[test]
fn the_source_of_an_error_is_the_error_that_it_wraps() {
    let fault = || decode::<Message>("[]").unwrap_err();
    let invalid = || encode(&f64::NAN).unwrap_err();
    let io = || std::io::Error::other("it ended");
    let bad = || {
        Reader::<_, Message>::new(&b"[]\n"[..])
            .next()
            .unwrap()
            .unwrap_err()
    };
    let ReadError::Line(line) = bad() else {
        panic!("expected a line")
    };
    assert_eq!(
        line.to_string(),
        "line 1: wrong_type: expected object, got array"
    );
    let refused = || ControlError::Decode(fault());
    let session = || session::SessionError::from(invalid());

    let (fault_text, invalid_text) = (fault().to_string(), invalid().to_string());
    let cases: Vec<(Box<dyn Error>, Vec<String>)> = vec![
        (fault().into(), vec![]),
        (invalid().into(), vec![]),
        ("x".parse::<Code>().unwrap_err().into(), vec![]),
        (Box::new(ReadError::from(io())), vec!["it ended".into()]),
        (Box::new(bad()), vec![line.to_string(), fault_text.clone()]),
        (Box::new(line), vec![fault_text.clone()]),
        (Box::new(WriteError::from(io())), vec!["it ended".into()]),
        (
            Box::new(WriteError::from(invalid())),
            vec![invalid_text.clone()],
        ),
        (Box::new(refused()), vec![fault_text.clone()]),
        (Box::new(session()), vec![invalid_text.clone()]),
        (Box::new(session::SessionError::IdInUse), vec![]),
        (
            Box::new(launch::LaunchError::from(invalid())),
            vec![invalid_text.clone()],
        ),
        (
            Box::new(process::ProcessError::Start(io())),
            vec!["it ended".into()],
        ),
        (
            Box::new(process::ProcessError::Control(Box::new(refused()))),
            vec![fault_text.clone(), fault_text.clone()],
        ),
        (
            Box::new(process::ProcessError::Session(session())),
            vec![invalid_text.clone(), invalid_text],
        ),
        (
            Box::new(process::ProcessError::Decode(fault())),
            vec![fault_text],
        ),
    ];
    for (error, wanted) in cases {
        let found: Vec<String> = chain(&*error).iter().map(ToString::to_string).collect();
        assert_eq!(found, wanted, "{error:?}");
    }
    let ended = ReadError::from(std::io::Error::from(std::io::ErrorKind::TimedOut));
    let cause = ended
        .source()
        .unwrap()
        .downcast_ref::<std::io::Error>()
        .unwrap();
    assert_eq!(cause.kind(), std::io::ErrorKind::TimedOut);
}

#[test]
fn everything_can_be_sent_and_shared() {
    fn shared<T: Send + Sync + Clone + std::fmt::Debug + PartialEq + 'static>() {}
    macro_rules! each {
        ($($name:literal => $type:ident,)* ; $($others:tt)*) => {
            $(shared::<agentlines::every_type::$type>();)*
        };
    }
    with_types!(each);
    shared::<Json>();
    shared::<DecodeError>();
    shared::<BadLine>();
}

#[test]
fn auto_traits_are_there_whatever_a_type_holds() {
    fn whole<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe>() {}
    macro_rules! each {
        ($($name:literal => $type:ident,)* ; $($others:tt)*) => {
            $(whole::<agentlines::every_type::$type>();)*
        };
    }
    with_types!(each);
    whole::<(Json, JsonRef<'static>, Map<String, Json>, Presence<Json>)>();
    whole::<(DecodeError, EncodeError, UnknownValue, BadLine, Tolerated)>();
    whole::<(Examined<Message>, LineDecoder<Message>)>();
    whole::<(Reader<&[u8], Message>, AsyncReader<&[u8], Message>)>();
    whole::<(Writer<Vec<u8>>, AsyncWriter<Vec<u8>>)>();
    fn sent<T: Send + Sync + Unpin + Error>() {}
    sent::<ReadError>();
    sent::<WriteError>();
    sent::<ControlError>();
}

#[test]
fn the_protocol_has_a_version_and_the_spec_a_hash() {
    assert_eq!(PROTOCOL_OLDEST.split('.').count(), 3);
    assert_eq!(PROTOCOL_NEWEST.split('.').count(), 3);
    assert_eq!(PACKAGE_VERSION.split('.').count(), 3);
    assert_eq!(SPEC_HASH.len(), 64);
    assert_eq!("wrong_type".parse(), Ok(Code::WrongType));
    assert_eq!(Code::ALL.len(), 14);
    assert_eq!(
        comes_back::<KeepAliveMessage>(r#"{"type":"keep_alive"}"#),
        KeepAliveMessage::new()
    );
}
