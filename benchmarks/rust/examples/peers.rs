//! Copies the messages of a session from standard input to standard output, with the peer's types.

use std::error::Error;
use std::io::{self, BufRead, Write};

use peer::Message;

fn main() -> Result<(), Box<dyn Error>> {
    let mut to = io::stdout();
    for line in io::stdin().lock().lines() {
        match serde_json::from_str::<Message>(&line?) {
            Ok(message) => {
                to.write_all(serde_json::to_string(&message)?.as_bytes())?;
                to.write_all(b"\n")?;
                to.flush()?;
            }
            Err(bad) => eprintln!("{bad}"),
        }
    }
    Ok(())
}
