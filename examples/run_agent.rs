//! An agent with its own tool: `run_agent PROGRAM PROMPT` runs a CLI and allows it to use that tool.

use agentlines::launch::{launch_with, Functions, Release};
use agentlines::process::Process;
use agentlines::session::{Event, Peer};
use agentlines::{decode, options::QueryOptions, Map, Object, ResultMessage};
use agentlines::{jsonrpc::*, mcp::*, messages::*, permissions::*};

const ABOUT: &str = r#"{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},
    "serverInfo":{"name":"own","version":"1"}}"#;
const TOOLS: &str = r#"{"tools":[{"name":"count","description":"Counts the characters of a text.",
    "inputSchema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}"#;
const COUNTED: &str = r#"{"content":[{"type":"text","text":"*"}]}"#;

/// Answers as the MCP server that provides the tool.
async fn serve(message: JsonRpcMessage) -> Result<Option<JsonRpcMessage>, String> {
    let JsonRpcMessage::Request(call) = message else {
        return Ok(None); // a notification
    };
    let params = call.params.unwrap_or_default();
    let given = params.get("arguments").and_then(|given| given.get("text"));
    let result = match (call.method.as_str(), given.and_then(|text| text.as_str())) {
        ("initialize", _) => ABOUT.to_owned(),
        ("tools/list", _) => TOOLS.to_owned(),
        ("tools/call", Some(text)) => COUNTED.replace('*', &text.chars().count().to_string()),
        (name, _) => {
            return Err(format!(
                "this server does not handle {name} with these parameters"
            ))
        }
    };
    let result = decode(result).map_err(|error| error.to_string())?;
    Ok(Some(JsonRpcResponse::new(call.id, result).into()))
}

/// Decides whether a tool may run.
async fn may_run(tool_name: String, input: Object) -> Result<PermissionResult, String> {
    Ok(match tool_name.as_str() {
        "mcp__counter__count" => PermissionResultAllow::new(input).into(),
        _ => PermissionResultDeny::new("Only counting.").into(),
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [program, prompt] = [1, 2].map(|n| std::env::args().nth(n).unwrap_or_default());
    let server = McpServerConfig::from(McpSdkServerConfigWithInstance::new("counter"));
    let options = QueryOptions::new().with_mcp_servers(Map::from([("counter", server)]));
    let functions = Functions::new().can_use_tool(may_run);
    let functions = functions.instance("counter", serve);
    let how = launch_with(&options, functions, Release::NEWEST)?;
    let agent = Process::builder(Peer::Sdk, &how).program(program);
    let agent = agent.start()?;
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
