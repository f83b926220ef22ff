//! Sums the tokens and the cost of all stored sessions by day and model: `sum_usage FOLDER`.

use std::collections::{BTreeMap, HashMap};
use std::{env, fs, io};

use agentlines::content::ApiMessage;
use agentlines::sessions::TranscriptEntry;
use agentlines::{ReadError, Reader};

/// Input, output and cost, by day and model.
type Sums = BTreeMap<(String, String), [f64; 3]>;

fn add(sums: &mut Sums, day: &str, message: &ApiMessage, sign: i64) {
    let usage = &message.usage;
    let read = usage.cache_read_input_tokens.value().unwrap_or(&0);
    let written = usage.cache_creation_input_tokens.value().unwrap_or(&0);
    let input = usage.input_tokens + read + written;
    let row = sums.entry((day.into(), message.model.clone())).or_default();
    row[0] += (sign * input) as f64;
    row[1] += (sign * usage.output_tokens) as f64;
}

fn main() -> io::Result<()> {
    let mut sums = Sums::new();
    let mut counted = HashMap::new(); // forks and resumed sessions repeat entries
    let mut paths: Vec<_> = env::args_os().skip(1).map(Into::into).collect();
    while let Some(path) = paths.pop() {
        if fs::metadata(&path)?.is_dir() {
            for each in fs::read_dir(&path)? {
                paths.push(each?.path());
            }
        } else if path.extension().is_some_and(|it| it == "jsonl") {
            let mut day = String::from("unknown");
            let mut spent = HashMap::new(); // what the session has cost so far, by model
            let file = io::BufReader::new(fs::File::open(&path)?);
            for item in Reader::<_, TranscriptEntry>::new(file) {
                match item {
                    Ok(TranscriptEntry::Assistant(entry)) => {
                        let at = entry.timestamp.unwrap_or(day);
                        day = at.chars().take(10).collect();
                        add(&mut sums, &day, &entry.message, 1);
                        // Each block of a message has an entry: the usage in the last one counts.
                        let id = entry.message.id.clone();
                        if let Some(before) = counted.insert(id, entry.message) {
                            add(&mut sums, &day, &before, -1);
                        }
                    }
                    Ok(TranscriptEntry::CostState(entry)) => {
                        for (model, usage) in entry.model_usage.iter().flatten() {
                            let cost = usage.cost_usd.unwrap_or(0.0);
                            let before = spent.insert(model.to_string(), cost);
                            let row = sums.entry((day.clone(), model.to_string()));
                            row.or_default()[2] += f64::max(0.0, cost - before.unwrap_or(0.0));
                        }
                    }
                    Err(ReadError::Io(error)) => return Err(error),
                    Err(bad) => eprintln!("{}: {bad}", path.display()),
                    Ok(_) => {}
                }
            }
        }
    }
    for ((day, model), [input, output, cost]) in sums {
        println!("{day:10} {model:32} {input:12} {output:12} {cost:10.4}");
    }
    Ok(())
}
