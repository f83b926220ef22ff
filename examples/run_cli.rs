//! Runs the CLI, sends it a prompt, and prints its answer.
//!
//! ```text
//! run_cli PROMPT PROGRAM [ARGUMENT]…
//! ```

use std::error::Error;
use std::process::Stdio;

use agentlines::content::ContentBlock;
use agentlines::messages::UserMessage;
use agentlines::{AsyncReader, AsyncWriter, Message, ReadError, ResultMessage};
use tokio::io::BufReader;
use tokio::process::Command;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(prompt), Some(program)) = (arguments.next(), arguments.next()) else {
        return Err("expected: run_cli PROMPT PROGRAM [ARGUMENT]…".into());
    };
    let mut cli = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut to_cli = AsyncWriter::new(cli.stdin.take().ok_or("no standard input")?);
    let from_cli = BufReader::new(cli.stdout.take().ok_or("no standard output")?);
    to_cli.write(&UserMessage::prompt(prompt)).await?;
    let mut messages = AsyncReader::<_, Message>::new(from_cli);
    while let Some(item) = messages.next().await {
        match item {
            Ok(Message::Assistant(answer)) => {
                for block in &answer.message.content {
                    if let ContentBlock::Text(text) = block {
                        println!("{}", text.text);
                    }
                }
            }
            Ok(Message::Result(ResultMessage::Success(end))) => println!("{}", end.result),
            Ok(_) => {}
            Err(ReadError::Io(error)) => return Err(error.into()),
            Err(bad) => eprintln!("{bad}"),
        }
    }
    drop(to_cli);
    cli.wait().await?;
    Ok(())
}
