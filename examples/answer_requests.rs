//! Answers the CLI's requests for permissions and calls of hooks, and refuses every other request.

use std::error::Error;
use std::io;

use agentlines::control::ControlRequestInner;
use agentlines::hooks::{
    HookInput, HookJsonOutput, PreToolUseHookSpecificOutput, SyncHookJsonOutput,
};
use agentlines::permissions::{PermissionResult, PermissionResultAllow, PermissionResultDeny};
use agentlines::{ControlRequest, ControlResponse, Message, Reader, ToolInput, Writer};

fn answer(asked: &ControlRequest) -> Result<ControlResponse, Box<dyn Error>> {
    Ok(match &asked.request {
        ControlRequestInner::Permission(ask) => {
            let allowed = PermissionResultAllow::new(ask.input.clone());
            let verdict: PermissionResult = match ToolInput::decode(&ask.tool_name, &ask.input)? {
                Some(ToolInput::Read(_) | ToolInput::Glob(_) | ToolInput::Grep(_)) => {
                    allowed.into()
                }
                Some(ToolInput::Bash(bash)) if bash.command == "ls" => allowed.into(),
                _ => PermissionResultDeny::new(format!("No {} here.", ask.tool_name)).into(),
            };
            asked.reply(ask, verdict)?
        }
        ControlRequestInner::HookCallback(call) => asked.reply(call, before_tool(&call.input))?,
        other => asked.refuse(format!("This client does not handle {}.", other.kind())),
    })
}

/// Denies network access before the permission rules are asked, and has no opinion on anything else.
fn before_tool(event: &HookInput) -> HookJsonOutput {
    let output = SyncHookJsonOutput::new();
    match event {
        HookInput::PreToolUse(call) if call.tool_name.starts_with("Web") => output
            .with_hook_specific_output(
                PreToolUseHookSpecificOutput::new()
                    .with_permission_decision("deny")
                    .with_permission_decision_reason("There is no network."),
            )
            .into(),
        _ => output.into(),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let to_cli = Writer::new(io::stdout());
    for item in Reader::<_, Message>::new(io::stdin().lock()) {
        if let Message::ControlRequest(asked) = item? {
            to_cli.write(&answer(&asked)?)?;
        }
    }
    Ok(())
}
