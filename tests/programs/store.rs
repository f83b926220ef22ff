//! Keeps the messages of a session in records of this program's own, and compares what comes back:
//! `store SESSION STORE`.

use std::error::Error;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::Path;

use agentlines::{Message, ReadError, Reader};
use serde::{Deserialize, Serialize};

/// A message, and what this program knows about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    number: usize,
    note: String,
    message: Message,
}

/// The messages of a session.
fn records(session: &Path) -> Result<Vec<Record>, ReadError> {
    let mut found = Vec::new();
    for item in Reader::<_, Message>::new(BufReader::new(File::open(session)?)) {
        match item {
            Ok(message) => found.push(Record {
                number: found.len(),
                note: message.kind().into_owned(),
                message,
            }),
            Err(ReadError::Io(error)) => return Err(error.into()),
            Err(bad) => eprintln!("{bad}"),
        }
    }
    Ok(found)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let [session, store] = &arguments[..] else {
        return Err("usage: store SESSION STORE".into());
    };
    let written = records(Path::new(session))?;
    let lines: Result<Vec<String>, _> = written.iter().map(serde_json::to_string).collect();
    fs::write(store, lines?.join("\n") + "\n")?;

    let mut equal = 0;
    let lines = BufReader::new(File::open(store)?).lines();
    for (line, record) in lines.zip(&written) {
        equal += usize::from(serde_json::from_str::<Record>(&line?)? == *record);
    }
    println!(
        "{}",
        serde_json::json!({"stored": written.len(), "equal": equal})
    );
    Ok(())
}
