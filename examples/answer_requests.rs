//! Answers the CLI's permission requests and hook calls, and refuses every other request.

use std::error::Error;
use std::io;

use agentlines::control::ControlRequestInner;
use agentlines::hooks::{
    HookInput, HookJsonOutput, PreToolUseHookSpecificOutput, SyncHookJsonOutput,
};
use agentlines::permissions::{PermissionResult, PermissionResultAllow, PermissionResultDeny};
use agentlines::session::{Event, Peer, Request, Session};
use agentlines::{Message, Reader, ToolInput};

/// Returns the line that answers a request.
fn answer(session: &mut Session, asked: &Request) -> Result<String, Box<dyn Error>> {
    let id = asked.id();
    Ok(match asked.payload() {
        ControlRequestInner::Permission(ask) => {
            let allowed = PermissionResultAllow::new(ask.input.clone());
            let verdict: PermissionResult = match ToolInput::decode(&ask.tool_name, &ask.input)? {
                Some(ToolInput::Read(_) | ToolInput::Glob(_) | ToolInput::Grep(_)) => {
                    allowed.into()
                }
                Some(ToolInput::Bash(bash)) if bash.command == "ls" => allowed.into(),
                _ => PermissionResultDeny::new(format!("No {} here.", ask.tool_name)).into(),
            };
            session.reply(id, ask, verdict)?
        }
        ControlRequestInner::HookCallback(call) => {
            session.reply(id, call, before_tool(&call.input))?
        }
        other => session.refuse(id, format!("This client does not handle {}.", other.kind()))?,
    })
}

/// Denies network access before the permission rules are applied, and makes no decision on anything else.
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
    let mut session = Session::new(Peer::Sdk).refuse_unknown(false);
    for item in Reader::<_, Message>::new(io::stdin().lock()) {
        if let Event::Request(asked) = session.receive(item?) {
            println!("{}", answer(&mut session, &asked)?);
        }
    }
    Ok(())
}
