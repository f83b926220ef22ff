//! Prints the entries of a stored session while the CLI writes it: `follow_transcript SESSION.jsonl`.

use std::io::{self, Read};
use std::{env, fs, thread, time::Duration};

use agentlines::sessions::TranscriptEntry;
use agentlines::LineDecoder;

fn main() -> io::Result<()> {
    let mut file = fs::File::open(env::args_os().nth(1).unwrap_or_default())?;
    let mut lines = LineDecoder::<TranscriptEntry>::new(); // keeps an incomplete line until the rest of it is there
    let mut piece = [0; 65536];
    loop {
        let length = file.read(&mut piece)?;
        if length == 0 {
            thread::sleep(Duration::from_millis(200));
        }
        for item in lines.feed(&piece[..length]) {
            match item {
                Ok(TranscriptEntry::LastPrompt(entry)) => {
                    println!("prompt: {}", entry.last_prompt.value().map_or("", |it| it));
                }
                Ok(TranscriptEntry::Assistant(entry)) => {
                    for block in &entry.message.content {
                        println!("assistant: {}", block.kind());
                    }
                }
                Ok(TranscriptEntry::Unknown(unknown)) => {
                    eprintln!("newer than this package: {}", unknown.raw);
                }
                Ok(entry) => println!("{}", entry.kind()),
                Err(bad) => eprintln!("{bad}"),
            }
        }
    }
}
