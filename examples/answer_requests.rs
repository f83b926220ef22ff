//! A client that answers requests: it allows only tools that read, and has a hook that denies network access.
//!
//! cargo run --bin answer_requests cli "Make a folder."

use std::error::Error;

use agentlines::hooks::{HookInput, PreToolUseHookSpecificOutput, SyncHookJsonOutput};
use agentlines::launch::{launch_with, Functions, Release};
use agentlines::messages::UserMessage;
use agentlines::options::{HookMatcher, QueryOptions};
use agentlines::permissions::{PermissionResult, PermissionResultAllow, PermissionResultDeny};
use agentlines::process::Process;
use agentlines::session::{Event, Peer};
use agentlines::{Map, Message, Object, ResultMessage, ToolInput};

/// Decides whether a tool may run, based on its typed input.
async fn may_run(tool_name: String, input: Object) -> Result<PermissionResult, String> {
    let typed = ToolInput::decode(&tool_name, &input).map_err(|error| error.to_string())?;
    Ok(match typed {
        Some(ToolInput::Read(_) | ToolInput::Glob(_) | ToolInput::Grep(_)) => {
            PermissionResultAllow::new(input).into()
        }
        Some(ToolInput::Bash(bash)) => {
            PermissionResultDeny::new(format!("Not without a person: {}", bash.command)).into()
        }
        _ => PermissionResultDeny::new(format!("{tool_name} is not allowed here.")).into(),
    })
}

/// The hook: denies WebFetch, which needs a network, and makes no decision about other tools.
async fn before_tool(event: HookInput, _: Option<String>) -> Result<SyncHookJsonOutput, String> {
    let output = SyncHookJsonOutput::new();
    Ok(match event {
        HookInput::PreToolUse(call) if call.tool_name == "WebFetch" => output
            .with_hook_specific_output(
                PreToolUseHookSpecificOutput::new()
                    .with_permission_decision("deny")
                    .with_permission_decision_reason("WebFetch needs a network."),
            ),
        _ => output,
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let [program, prompt] = [1, 2].map(|n| std::env::args().nth(n).unwrap_or_default());
    let hooks = Map::from([("PreToolUse", vec![HookMatcher::new()])]);
    let options = QueryOptions::new().with_hooks(hooks);
    let functions = Functions::new()
        .can_use_tool(may_run)
        .hooks("PreToolUse", 0, before_tool);
    let how = launch_with(&options, functions, Release::NEWEST)?;
    let process = Process::builder(Peer::Sdk, &how).program(program).start()?;
    process.write(&UserMessage::prompt(prompt)).await?;
    while let Some(event) = process.next().await {
        if let Event::Message(Message::Result(end)) = event? {
            let subtype = match &end {
                ResultMessage::Success(_) => "success",
                ResultMessage::Error(end) => end.subtype.as_str(),
                _ => "unknown",
            };
            eprintln!("the turn ended: {subtype}");
            process.close().await?;
            return Ok(());
        }
    }
    Err(format!("the process ended: {}", process.stderr()).into())
}
