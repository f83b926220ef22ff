//! An agent with its own tool: `run_agent PROGRAM PROMPT` runs a CLI and allows it to use that tool.

use agentlines::launch::{launch, Release};
use agentlines::process::Process;
use agentlines::session::{Event, Peer};
use agentlines::{control::*, jsonrpc::*, mcp::*, messages::*, permissions::*};
use agentlines::{decode, options::QueryOptions, Map, ResultMessage};

const ABOUT: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},
    "serverInfo":{"name":"own","version":"1"}}"#;
const TOOLS: &str = r#"{"tools":[{"name":"count","description":"Counts the characters of a text.",
    "inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}"#;
const COUNTED: &str = r#"{"content":[{"type":"text","text":"*"}]}"#;

/// Answers as the MCP server that provides the tool.
async fn serve(asked: McpMessageRequest) -> Result<Option<McpMessageResponse>, String> {
    let JsonRpcMessage::Request(call) = asked.message else {
        let empty = JsonRpcResponse::new(0, Map::new()); // for a notification
        return Ok(Some(McpMessageResponse::new(empty.into())));
    };
    let params = call.params.unwrap_or_default();
    let given = params.get("arguments").and_then(|given| given.get("text"));
    let result = match (call.method.as_str(), given.and_then(|text| text.as_str())) {
        ("initialize", _) => ABOUT.to_owned(),
        ("tools/list", _) => TOOLS.to_owned(),
        ("tools/call", Some(text)) => COUNTED.replace('*', &text.chars().count().to_string()),
        (name, _) => {
            let refusal = format!("this server does not handle {name} with these parameters");
            return Err(refusal);
        }
    };
    let result = decode(result).map_err(|error| error.to_string())?;
    let answer = JsonRpcResponse::new(call.id, result);
    Ok(Some(McpMessageResponse::new(answer.into())))
}

/// Decides whether a tool may run.
async fn may_run(asked: PermissionRequest) -> Result<PermissionResult, String> {
    Ok(match asked.tool_name.as_str() {
        "mcp__counter__count" => PermissionResultAllow::new(asked.input).into(),
        _ => PermissionResultDeny::new("Only counting.").into(),
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [program, prompt] = [1, 2].map(|n| std::env::args().nth(n).unwrap_or_default());
    let server = McpServerConfig::from(McpSdkServerConfigWithInstance::new("counter"));
    let options = QueryOptions::new().with_mcp_servers(Map::from([("counter", server)]));
    let options = options.with_permission_prompt_tool_name("stdio");
    let how = launch(&options, Release::NEWEST)?;
    let agent = Process::builder(Peer::Sdk, &how).program(program);
    let agent = agent.answer(serve).answer(may_run).start()?;
    agent.write(&UserMessage::prompt(prompt)).await?;
    while let Some(event) = agent.next().await {
        if let Event::Message(Message::Result(ResultMessage::Success(end))) = event? {
            println!("{}", end.result);
            eprintln!("the turn ended: success");
            agent.close().await?;
            return Ok(());
        }
    }
    Err(format!("the turn did not end well: {}", agent.stderr()).into())
}
