//! Times the generated crate's decode and serde derive's on the same lines, one after the other.
//!
//! ```text
//! bench ratio FILE ROUNDS    the lines that both accept → {"lines": …, "accepted": …, "ratios": [ours / serde's, …]}
//! bench reject FILE          one line of faults each → {"CODE": count, …}; fails on a line that is accepted
//! ```

mod peer;

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::json;

/// How many lines one of the two decodes before the other has its turn.
const PORTION: usize = 2000;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let report = match arguments[..] {
        ["ratio", file, rounds] => {
            let data = std::fs::read(file)?;
            let all = lines(&data);
            let accepted: Vec<_> = all.iter().copied().filter(accepted_by_both).collect();
            let ratios = ratios(&accepted, rounds.parse()?);
            json!({"lines": all.len(), "accepted": accepted.len(), "ratios": ratios})
        }
        ["reject", file] => json!(codes(&lines(&std::fs::read(file)?))?),
        _ => return Err("expected: bench ratio FILE ROUNDS, or bench reject FILE".into()),
    };
    println!("{report}");
    Ok(())
}

fn lines(data: &[u8]) -> Vec<&[u8]> {
    let data = data.strip_suffix(b"\n").unwrap_or(data);
    data.split(|byte| *byte == b'\n').collect()
}

fn ours(line: &[u8]) -> bool {
    black_box(agentproto::decode::<agentproto::Message>(line)).is_ok()
}

fn theirs(line: &[u8]) -> bool {
    black_box(serde_json::from_slice::<peer::Message>(line)).is_ok()
}

fn accepted_by_both(line: &&[u8]) -> bool {
    ours(line) && theirs(line)
}

/// Times both on each portion, now one first, now the other; the first round only warms up.
fn ratios(lines: &[&[u8]], rounds: usize) -> Vec<f64> {
    let both: [fn(&[u8]) -> bool; 2] = [ours, theirs];
    let mut found = Vec::new();
    for round in 0..=rounds {
        let mut spent = [Duration::ZERO; 2];
        for (number, portion) in lines.chunks(PORTION).enumerate() {
            let first = (round + number) % 2;
            for which in [first, 1 - first] {
                let start = Instant::now();
                for line in portion {
                    assert!(both[which](line), "it was accepted before");
                }
                spent[which] += start.elapsed();
            }
        }
        if round > 0 {
            found.push(spent[0].as_secs_f64() / spent[1].as_secs_f64());
        }
    }
    found
}

/// Counts the errors that lines meet by their code.
fn codes(lines: &[&[u8]]) -> Result<BTreeMap<&'static str, usize>, String> {
    let mut counts = BTreeMap::new();
    for line in lines {
        match agentproto::decode::<agentproto::Message>(line) {
            Ok(_) => return Err(format!("accepted: {}", String::from_utf8_lossy(line))),
            Err(error) => *counts.entry(error.code.as_str()).or_default() += 1,
        }
    }
    Ok(counts)
}
