//! Mistakes of users. The compiler reports every line below a comment `mistake`, and no other line.

#![allow(dead_code)]

use agentlines::content::{TextBlockParam, ToolUseBlock, ToolUseBlockRequired};
use agentlines::control::{InterruptRequest, PermissionRequest};
use agentlines::enums::PermissionMode;
use agentlines::hooks::HookCallbackMatcher;
use agentlines::mcp::McpStatusResponse;
use agentlines::options::TextOrTextList;
use agentlines::permissions::{PermissionResult, PermissionResultDeny};
use agentlines::*;

fn misspelt_value_of_an_enum() -> [PermissionMode; 2] {
    [
        // mistake
        PermissionMode::Plann,
        PermissionMode::Plan,
    ]
}

fn reader_limited_to_what_is_no_type_of_the_protocol(input: &[u8]) -> u64 {
    let reader = Reader::<_, Message>::new(input).only::<(ResultMessage, UnknownMessage)>();
    // mistake
    let reader = reader.only::<PermissionMode>();
    reader.skipped()
}

fn declared_value_as_an_unknown() -> PermissionMode {
    // mistake
    let _ = PermissionMode::Unknown("plan".into());
    PermissionMode::from("plan")
}

fn open_union_without_a_way_out(message: &Message) -> bool {
    // mistake
    match message {
        Message::Assistant(_) => true,
        Message::User(_) => false,
    }
}

fn open_enum_without_a_way_out(mode: &PermissionMode) -> bool {
    // mistake
    match mode {
        PermissionMode::Plan => true,
        PermissionMode::Default => false,
    }
}

fn field_of_some_variants_only(message: &Message) -> Option<&str> {
    // mistake
    let _ = &message.session_id;
    message.session_id()
}

fn optional_member_as_if_it_were_there(message: &Message) -> usize {
    // mistake
    let _ = message.session_id().len();
    message.session_id().map_or(0, str::len)
}

fn required_member_left_out() -> ToolUseBlock {
    // mistake
    let _ = ToolUseBlockRequired {
        id: "1".into(),
        name: "Bash".into(),
    };
    ToolUseBlock::new(ToolUseBlockRequired {
        id: "1".into(),
        name: "Bash".into(),
        input: Object::new(),
    })
}

fn misspelt_setter() -> QueryOptions {
    // mistake
    let _ = QueryOptions::new().with_modle("opus");
    QueryOptions::new().with_model("opus")
}

fn text_for_a_number() -> QueryOptions {
    // mistake
    let _ = QueryOptions::new().with_max_turns("3");
    QueryOptions::new().with_max_turns(3)
}

fn null_where_there_is_none() -> HookCallbackMatcher {
    // mistake
    let _ = QueryOptions::new().with_model(None);
    HookCallbackMatcher::new(vec!["h1".into()]).with_matcher(None)
}

fn answer_of_another_request(
    request: &ControlRequest,
    ask: &PermissionRequest,
    answer: McpStatusResponse,
) {
    // mistake
    let _ = request.reply(ask, answer);
    let _ = request.reply(ask, PermissionResultDeny::new("No."));
}

fn answer_read_as_another(response: &ControlResponse) -> Result<PermissionResult, ControlError> {
    // mistake
    let _: McpStatusResponse = decode_response::<PermissionRequest>(response)?;
    decode_response::<PermissionRequest>(response)
}

struct OwnRequest;

fn request_of_ones_own() -> [ControlRequest; 1] {
    // mistake
    let _ = wrap_request("1", OwnRequest);
    [wrap_request("1", InterruptRequest::new())]
}

fn struct_that_may_grow() -> TextBlockParam {
    // mistake
    let _ = TextBlockParam {
        text: "hi".into(),
        extra: Object::new(),
    };
    TextBlockParam::new("hi")
}

fn inline_union_without_a_way_out(prompt: &TextOrTextList) -> bool {
    // mistake
    match prompt {
        TextOrTextList::Text(_) => true,
        TextOrTextList::List(_) => false,
    }
}

fn error_that_may_grow(error: DecodeError) -> (Code, String) {
    // mistake
    let DecodeError { code, path, message } = error.clone();
    let DecodeError { code, path, .. } = error;
    (code, path)
}

// mistake
impl Wire for OwnRequest {
    const NAME: &'static str = "own";
}
