//! Copies the messages of a session from standard input to standard output.

use std::error::Error;
use std::io;

use agentlines::{Message, ReadError, Reader, Writer};

fn main() -> Result<(), Box<dyn Error>> {
    let to = Writer::new(io::stdout());
    for item in Reader::<_, Message>::new(io::stdin().lock()) {
        match item {
            Ok(message) => to.write(&message)?,
            Err(ReadError::Io(error)) => return Err(error.into()),
            Err(bad) => eprintln!("{bad}"),
        }
    }
    Ok(())
}
