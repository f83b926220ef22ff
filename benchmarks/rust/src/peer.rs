//! The peer: the messages of a session as a careful port has them. Tags are serde's internal ones, and
//! what a type does not declare is kept by a flattened map.

#![allow(dead_code)] // what is decoded is only dropped

use serde::Deserialize;
use serde_json::{Map, Value};

type Object = Map<String, Value>;

macro_rules! records {
    ($($name:ident { $($(#[$meta:meta])* $field:ident: $type:ty,)* })*) => {
        $(
            #[derive(Debug, Deserialize)]
            pub struct $name {
                $($(#[$meta])* pub $field: $type,)*
                #[serde(flatten)]
                pub extra: Object,
            }
        )*
    };
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Message {
    Assistant(AssistantMessage),
    User(UserMessage),
    Result(ResultMessage),
    System(SystemMessage),
    StreamEvent(StreamEvent),
    ToolProgress(ToolProgress),
    AuthStatus(AuthStatus),
    ToolUseSummary(ToolUseSummary),
    ControlRequest(ControlRequest),
    ControlResponse(ControlResponse),
    ControlCancelRequest(ControlCancelRequest),
    KeepAlive(KeepAlive),
}

records! {
    AssistantMessage {
        message: ApiMessage,
        parent_tool_use_id: Option<String>,
        error: Option<String>,
        uuid: String,
        session_id: String,
    }
    UserMessage {
        message: MessageParam,
        parent_tool_use_id: Option<String>,
        #[serde(rename = "isSynthetic")]
        is_synthetic: Option<bool>,
        #[serde(rename = "isReplay")]
        is_replay: Option<bool>,
        tool_use_result: Option<Value>,
        priority: Option<String>,
        uuid: Option<String>,
        session_id: String,
    }
    StreamEvent {
        event: Event,
        parent_tool_use_id: Option<String>,
        uuid: String,
        session_id: String,
    }
    ToolProgress {
        tool_use_id: String,
        tool_name: String,
        parent_tool_use_id: Option<String>,
        elapsed_time_seconds: f64,
        uuid: String,
        session_id: String,
    }
    AuthStatus {
        #[serde(rename = "isAuthenticating")]
        is_authenticating: bool,
        output: Vec<String>,
        error: Option<String>,
        uuid: String,
        session_id: String,
    }
    ToolUseSummary {
        summary: String,
        preceding_tool_use_ids: Vec<String>,
        uuid: String,
        session_id: String,
    }
    ControlRequest { request_id: String, request: Request, }
    ControlResponse { response: Response, }
    ControlCancelRequest { request_id: String, }
    KeepAlive {}
}

#[derive(Debug, Deserialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub enum ResultMessage {
    Success(ResultSuccess),
    #[serde(
        rename = "error_during_execution",
        alias = "error_max_turns",
        alias = "error_max_budget_usd",
        alias = "error_max_structured_output_retries"
    )]
    Error(ResultError),
}

records! {
    ResultSuccess {
        is_error: bool,
        duration_ms: i64,
        duration_api_ms: i64,
        num_turns: i64,
        result: String,
        stop_reason: Option<String>,
        total_cost_usd: f64,
        usage: Usage,
        #[serde(rename = "modelUsage")]
        model_usage: std::collections::BTreeMap<String, ModelUsage>,
        permission_denials: Vec<PermissionDenial>,
        structured_output: Option<Value>,
        uuid: String,
        session_id: String,
    }
    ResultError {
        is_error: bool,
        duration_ms: i64,
        duration_api_ms: i64,
        num_turns: i64,
        stop_reason: Option<String>,
        total_cost_usd: f64,
        usage: Usage,
        #[serde(rename = "modelUsage")]
        model_usage: std::collections::BTreeMap<String, ModelUsage>,
        permission_denials: Vec<PermissionDenial>,
        errors: Vec<String>,
        uuid: String,
        session_id: String,
    }
    PermissionDenial { tool_name: String, tool_use_id: String, tool_input: Object, }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelUsage {
    pub input_tokens: i64,
    pub output_tokens: i64,
    pub cache_read_input_tokens: i64,
    pub cache_creation_input_tokens: i64,
    pub web_search_requests: i64,
    #[serde(rename = "costUSD")]
    pub cost_usd: f64,
    pub context_window: i64,
    pub max_output_tokens: i64,
    #[serde(flatten)]
    pub extra: Object,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub enum SystemMessage {
    Init(Init),
    Status(Status),
    CompactBoundary(CompactBoundary),
    HookStarted(HookStarted),
    HookProgress(HookProgress),
    HookResponse(HookResponse),
    TaskNotification(TaskNotification),
    FilesPersisted(FilesPersisted),
}

records! {
    Init {
        agents: Option<Vec<String>>,
        #[serde(rename = "apiKeySource")]
        api_key_source: String,
        betas: Option<Vec<String>>,
        claude_code_version: String,
        cwd: String,
        tools: Vec<String>,
        mcp_servers: Vec<McpServer>,
        model: String,
        #[serde(rename = "permissionMode")]
        permission_mode: String,
        slash_commands: Vec<String>,
        output_style: String,
        skills: Vec<String>,
        plugins: Vec<Plugin>,
        uuid: String,
        session_id: String,
    }
    McpServer { name: String, status: String, }
    Plugin { name: String, path: String, }
    Status {
        status: Option<String>,
        #[serde(rename = "permissionMode")]
        permission_mode: Option<String>,
        uuid: String,
        session_id: String,
    }
    CompactBoundary { compact_metadata: CompactMetadata, uuid: String, session_id: String, }
    CompactMetadata { trigger: String, pre_tokens: i64, }
    HookStarted {
        hook_id: String,
        hook_name: String,
        hook_event: String,
        uuid: String,
        session_id: String,
    }
    HookProgress {
        hook_id: String,
        hook_name: String,
        hook_event: String,
        stdout: String,
        stderr: String,
        output: String,
        uuid: String,
        session_id: String,
    }
    HookResponse {
        hook_id: String,
        hook_name: String,
        hook_event: String,
        output: String,
        stdout: String,
        stderr: String,
        exit_code: Option<i64>,
        outcome: String,
        uuid: String,
        session_id: String,
    }
    TaskNotification {
        task_id: String,
        status: String,
        output_file: String,
        summary: String,
        uuid: String,
        session_id: String,
    }
    FilesPersisted {
        files: Vec<Object>,
        failed: Vec<Object>,
        processed_at: String,
        uuid: String,
        session_id: String,
    }
    ApiMessage {
        id: String,
        role: String,
        model: String,
        content: Vec<ContentBlock>,
        stop_reason: Option<String>,
        stop_sequence: Option<String>,
        usage: Usage,
        context_management: Option<Value>,
        container: Option<Value>,
    }
    Usage {
        input_tokens: Option<i64>,
        output_tokens: i64,
        cache_creation_input_tokens: Option<i64>,
        cache_read_input_tokens: Option<i64>,
        cache_creation: Option<CacheCreation>,
        server_tool_use: Option<ServerToolUse>,
        service_tier: Option<String>,
        inference_geo: Option<String>,
    }
    CacheCreation { ephemeral_5m_input_tokens: i64, ephemeral_1h_input_tokens: i64, }
    ServerToolUse { web_search_requests: i64, web_fetch_requests: i64, }
    MessageParam { role: String, content: Content, }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Content {
    Text(String),
    Blocks(Vec<ContentBlock>),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ContentBlock {
    Text(TextBlock),
    Thinking(ThinkingBlock),
    RedactedThinking(RedactedThinkingBlock),
    ToolUse(ToolUseBlock),
    ServerToolUse(ToolUseBlock),
    ToolResult(ToolResultBlock),
    WebSearchToolResult(WebSearchToolResultBlock),
    Image(Source),
    Document(Source),
}

records! {
    TextBlock { text: String, citations: Option<Vec<Citation>>, }
    ThinkingBlock { thinking: String, signature: String, }
    RedactedThinkingBlock { data: String, }
    ToolUseBlock { id: String, name: String, input: Value, }
    ToolResultBlock { tool_use_id: String, content: Option<Content>, is_error: Option<bool>, }
    WebSearchToolResultBlock { tool_use_id: String, content: Vec<SearchResult>, }
    Source { source: Value, }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SearchResult {
    WebSearchResult(WebSearchResult),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Citation {
    CharLocation(CharLocation),
    WebSearchResultLocation(WebSearchResultLocation),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    MessageStart(MessageStart),
    MessageDelta(MessageDelta),
    MessageStop(MessageStop),
    ContentBlockStart(ContentBlockStart),
    ContentBlockDelta(ContentBlockDelta),
    ContentBlockStop(ContentBlockStop),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[allow(clippy::enum_variant_names)] // they are the tags
pub enum Delta {
    TextDelta(TextDelta),
    InputJsonDelta(InputJsonDelta),
    CitationsDelta(CitationsDelta),
    ThinkingDelta(ThinkingDelta),
    SignatureDelta(SignatureDelta),
}

records! {
    WebSearchResult {
        url: String,
        title: String,
        encrypted_content: String,
        page_age: Option<String>,
    }
    CharLocation {
        cited_text: String,
        document_index: i64,
        document_title: Option<String>,
        start_char_index: i64,
        end_char_index: i64,
    }
    WebSearchResultLocation {
        url: String,
        title: Option<String>,
        encrypted_index: String,
        cited_text: String,
    }
    MessageStart { message: ApiMessage, }
    MessageDelta { delta: StopDelta, usage: Usage, }
    StopDelta { stop_reason: Option<String>, stop_sequence: Option<String>, }
    MessageStop {}
    ContentBlockStart { index: i64, content_block: ContentBlock, }
    ContentBlockDelta { index: i64, delta: Delta, }
    ContentBlockStop { index: i64, }
    TextDelta { text: String, }
    InputJsonDelta { partial_json: String, }
    CitationsDelta { citation: Citation, }
    ThinkingDelta { thinking: String, }
    SignatureDelta { signature: String, }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub enum Request {
    Initialize(Initialize),
    Interrupt(Plain),
    McpStatus(Plain),
    CanUseTool(CanUseTool),
    SetPermissionMode(SetPermissionMode),
    SetModel(SetModel),
    SetMaxThinkingTokens(SetMaxThinkingTokens),
    HookCallback(HookCallback),
    McpMessage(McpMessage),
    RewindFiles(RewindFiles),
    McpSetServers(McpSetServers),
    McpReconnect(McpReconnect),
    McpToggle(McpToggle),
    StopTask(StopTask),
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum PermissionUpdate {
    AddRules(RulesChange),
    ReplaceRules(RulesChange),
    RemoveRules(RulesChange),
    SetMode(SetMode),
    AddDirectories(DirectoriesChange),
    RemoveDirectories(DirectoriesChange),
}

records! {
    Initialize {
        hooks: Option<std::collections::BTreeMap<String, Vec<HookMatcher>>>,
        agents: Option<Object>,
        #[serde(rename = "jsonSchema")]
        json_schema: Option<Object>,
    }
    HookMatcher {
        matcher: Option<String>,
        #[serde(rename = "hookCallbackIds")]
        hook_callback_ids: Vec<String>,
        timeout: Option<f64>,
    }
    Plain {}
    CanUseTool {
        tool_name: String,
        input: Object,
        permission_suggestions: Option<Vec<PermissionUpdate>>,
        blocked_path: Option<String>,
        decision_reason: Option<String>,
        tool_use_id: String,
        agent_id: Option<String>,
    }
    RulesChange { rules: Vec<Rule>, behavior: String, destination: String, }
    Rule {
        #[serde(rename = "toolName")]
        tool_name: String,
        #[serde(rename = "ruleContent")]
        rule_content: Option<String>,
    }
    SetMode { mode: String, destination: String, }
    DirectoriesChange { directories: Vec<String>, destination: String, }
    SetPermissionMode { mode: String, }
    SetModel { model: Option<String>, }
    SetMaxThinkingTokens { max_thinking_tokens: Option<i64>, }
    HookCallback { callback_id: String, input: HookInput, tool_use_id: Option<String>, }
    HookInput {
        session_id: String,
        transcript_path: String,
        cwd: String,
        permission_mode: Option<String>,
        hook_event_name: String,
    }
    McpMessage { server_name: String, message: Value, }
    RewindFiles { user_message_id: String, dry_run: Option<bool>, }
    McpSetServers { servers: Object, }
    McpReconnect {
        #[serde(rename = "serverName")]
        server_name: String,
    }
    McpToggle {
        #[serde(rename = "serverName")]
        server_name: String,
        enabled: bool,
    }
    StopTask { task_id: String, }
    Success { request_id: String, response: Option<Object>, }
    Failure { request_id: String, error: String, pending_permission_requests: Option<Vec<Value>>, }
}

#[derive(Debug, Deserialize)]
#[serde(tag = "subtype", rename_all = "snake_case")]
pub enum Response {
    Success(Success),
    Error(Failure),
}
