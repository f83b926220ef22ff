//! Prints a stored session as a conversation: `print_conversation SESSION.jsonl`.

use std::{env, fs, io};

use agentlines::content::{ContentBlock, ContentBlockParam, MessageContent, ToolResult};
use agentlines::sessions::{SystemEntry, TranscriptEntry};
use agentlines::{Conversation, Json, ReadError, Reader};

fn show(block: &ContentBlockParam) {
    match block {
        ContentBlockParam::Text(block) => println!("user: {}", block.text),
        ContentBlockParam::ToolResult(block) => {
            let who = ["result", "error"][usize::from(block.is_error == Some(true))];
            match &block.content {
                Some(ToolResult::Text(text)) => println!("  {who}: {text}"),
                Some(ToolResult::List(blocks)) => println!("  {who}: {} blocks", blocks.len()),
                _ => println!("  {who}"),
            }
        }
        other => println!("user: ({})", other.kind()),
    }
}

fn main() -> io::Result<()> {
    let file = fs::File::open(env::args_os().nth(1).unwrap_or_default())?;
    let mut conversation = Conversation::new();
    for item in Reader::<_, TranscriptEntry>::new(io::BufReader::new(file)) {
        match item {
            Ok(entry) => drop(conversation.add(entry)),
            Err(ReadError::Io(error)) => return Err(error),
            Err(bad) => eprintln!("{bad}"),
        }
    }
    // Also what was said before the context was compacted.
    for entry in conversation.history() {
        match entry {
            TranscriptEntry::User(entry) if entry.is_meta == Some(true) => {}
            TranscriptEntry::User(entry) => match &entry.message.content {
                MessageContent::Text(text) => println!("user: {text}"),
                MessageContent::List(blocks) => blocks.iter().for_each(show),
                other => println!("user: {other:?}"),
            },
            TranscriptEntry::Assistant(entry) => {
                for block in &entry.message.content {
                    match block {
                        ContentBlock::Text(block) => println!("assistant: {}", block.text),
                        ContentBlock::ToolUse(call) => {
                            let input = Json::from(call.input.clone());
                            println!("assistant calls {}: {input}", call.name);
                        }
                        other => println!("assistant: ({})", other.kind()),
                    }
                }
            }
            TranscriptEntry::System(SystemEntry::CompactBoundary(_)) => {
                println!("--- the context was compacted ---");
            }
            _ => {}
        }
    }
    Ok(())
}
