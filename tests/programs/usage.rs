//! What the sessions in a folder cost, and how often each tool was called: `usage FOLDER`.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::{read_dir, File};
use std::io::BufReader;

use agentlines::content::ContentBlock;
use agentlines::{Message, ReadError, Reader};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: usage FOLDER")?;
    let (mut files, mut messages, mut bad, mut cost) = (0, 0, 0, 0.0);
    let mut tools = BTreeMap::<String, u64>::new();
    for entry in read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|suffix| suffix != "ndjson") {
            continue;
        }
        files += 1;
        for item in Reader::<_, Message>::new(BufReader::new(File::open(path)?)) {
            let message = match item {
                Ok(message) => message,
                Err(ReadError::Io(error)) => return Err(error.into()),
                Err(_) => {
                    bad += 1;
                    continue;
                }
            };
            messages += 1;
            match message {
                Message::Result(end) => cost += end.total_cost_usd().unwrap_or_default(),
                Message::Assistant(answer) => {
                    for block in answer.message.content {
                        if let ContentBlock::ToolUse(call) = block {
                            *tools.entry(call.name).or_default() += 1;
                        }
                    }
                }
                _ => {}
            }
        }
    }
    let sums =
        json!({"files": files, "messages": messages, "bad": bad, "cost": cost, "tools": tools});
    println!("{sums}");
    Ok(())
}
