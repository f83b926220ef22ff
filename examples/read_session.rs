use std::io;

use agentlines::content::ContentBlock;
use agentlines::{Message, ReadError, Reader, ResultMessage};

fn main() -> io::Result<()> {
    for item in Reader::<_, Message>::new(io::stdin().lock()) {
        match item {
            Ok(Message::Assistant(answer)) => {
                for block in &answer.message.content {
                    if let ContentBlock::Text(text) = block {
                        println!("{}", text.text);
                    }
                }
            }
            Ok(Message::Result(ResultMessage::Success(end))) => println!("{}", end.result),
            Ok(Message::Unknown(unknown)) => eprintln!("newer than this package: {}", unknown.raw),
            Ok(_) => {}
            Err(ReadError::Io(error)) => return Err(error),
            Err(bad) => eprintln!("{bad}"),
        }
    }
    Ok(())
}
