//! Reads a session on standard input, and answers its permission requests on standard output.
//!
//! Reading files is allowed, everything else is denied. Progress is logged to standard error.

use std::error::Error;
use std::io;

use agentlines::content::ContentBlock;
use agentlines::control::{ControlRequestInner, PermissionRequest};
use agentlines::permissions::{PermissionResult, PermissionResultAllow, PermissionResultDeny};
use agentlines::{Message, ReadError, Reader, ResultMessage, SystemMessage, ToolInput, Writer};

/// Decides whether the tool may run. Known tools have typed inputs.
fn verdict(asked: &PermissionRequest) -> Result<PermissionResult, Box<dyn Error>> {
    Ok(match ToolInput::decode(&asked.tool_name, &asked.input)? {
        Some(ToolInput::Read(_)) => PermissionResultAllow::new(asked.input.clone()).into(),
        Some(ToolInput::Bash(bash)) => {
            PermissionResultDeny::new(format!("No commands here: {}", bash.command)).into()
        }
        _ => PermissionResultDeny::new(format!("No {} here.", asked.tool_name)).into(),
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let answers = Writer::new(io::stdout());
    for item in Reader::<_, Message>::new(io::stdin().lock()) {
        match item {
            Ok(Message::System(SystemMessage::Init(init))) => {
                eprintln!("session with {} and {} tools", init.model, init.tools.len());
            }
            Ok(Message::Assistant(answer)) => {
                for block in &answer.message.content {
                    match block {
                        ContentBlock::Text(text) => eprintln!("assistant: {}", text.text),
                        ContentBlock::ToolUse(call) => eprintln!("call of {}", call.name),
                        _ => {}
                    }
                }
            }
            Ok(Message::ControlRequest(item)) => {
                if let ControlRequestInner::Permission(asked) = &item.request {
                    let result = verdict(asked)?;
                    let behavior = match &result {
                        PermissionResult::Allow(_) => "allow",
                        _ => "deny",
                    };
                    answers.write(&item.reply(asked, result)?)?;
                    eprintln!("{}: {behavior}", asked.tool_name);
                }
            }
            Ok(Message::Result(ResultMessage::Success(end))) => eprintln!("done: {}", end.result),
            Ok(Message::Unknown(newer)) => {
                let kind = newer.get("type").and_then(|kind| kind.as_str());
                eprintln!("newer than this client: {}", kind.unwrap_or_default());
            }
            Ok(_) => {}
            Err(ReadError::Line(bad)) => {
                let path = Some(bad.error.path.as_str()).filter(|path| !path.is_empty());
                let place = path.unwrap_or("the top");
                eprintln!("line {}: {} at {place}", bad.line, bad.error.code);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
