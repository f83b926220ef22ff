//! Times our crate and its peer on the same lines in turn, and counts what our crate allocates and does.
//!
//! ```text
//! bench ratio PAIR FILE    lines that both accept → {"lines": …, "accepted": …, "ratios": [ours / the peer's, …]}
//! bench reject FILE        one line of faults each → {"CODE": count, …}; fails on a line that is accepted
//! bench bounds FILE        each line in each mode → [{"mode": …, "bytes": …, "steps": …}, …]; needs the feature `counts`
//! ```

#[cfg(feature = "counts")]
mod counts;

use std::collections::BTreeMap;
use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, BufReader};
use std::time::{Duration, Instant};

use agentlines::{decode, decode_with, encode, Message, Mode, Reader, ResultMessage};
use serde_json::{json, Value};

/// Lines that one of the two reads before it is the other's turn; the first portion only warms up. Each gives a ratio.
const PORTION: usize = 500;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let report = match arguments[..] {
        ["ratio", pair, file] => ratio(pair, &lines(&std::fs::read(file)?))?,
        ["reject", file] => json!(codes(&lines(&std::fs::read(file)?))?),
        #[cfg(feature = "counts")]
        ["bounds", file] => json!(counts::bounds(&lines(&std::fs::read(file)?))),
        _ => {
            return Err(
                "expected: bench ratio PAIR FILE, bench reject FILE, or bench bounds FILE".into(),
            )
        }
    };
    println!("{report}");
    Ok(())
}

fn lines(data: &[u8]) -> Vec<&[u8]> {
    let data = data.strip_suffix(b"\n").unwrap_or(data);
    data.split(|byte| *byte == b'\n').collect()
}

fn ours(line: &[u8]) -> Option<Message> {
    decode(line).ok()
}

fn reader(file: &[u8]) -> Reader<&[u8], Message> {
    Reader::new(file)
}

fn strictly(line: &[u8]) -> Option<Message> {
    decode_with(line, Mode::Strict).ok()
}

fn through_serde(line: &[u8]) -> Option<Message> {
    serde_json::from_str(std::str::from_utf8(line).ok()?).ok()
}

fn theirs(line: &[u8]) -> Option<peer::Message> {
    peer::decode(line).ok()
}

/// Measures one of the pairs.
fn ratio(pair: &str, lines: &[&[u8]]) -> Result<Value, String> {
    let both: Vec<_> = lines
        .iter()
        .filter_map(|line| Some((*line, ours(line)?, theirs(line)?)))
        .collect();
    let strict: Vec<_> = lines
        .iter()
        .copied()
        .filter(|line| strictly(line).is_some())
        .collect();
    let (accepted, ratios) = match pair {
        "decode" => in_turn(&both, |(line, ..)| ours(line), |(line, ..)| theirs(line)),
        "encode" => in_turn(
            &both,
            |(_, ours, _)| encode(ours),
            |(.., theirs)| peer::encode(theirs),
        ),
        "strict" => in_turn(&strict, |line| strictly(line), |line| ours(line)),
        "only" => {
            let files: Vec<_> = lines
                .chunks_exact(PORTION)
                .map(|portion| portion.join(&b'\n'))
                .collect();
            let (_, ratios) = by_portions(
                &files,
                1,
                |file| reader(file).only::<ResultMessage>().count(),
                |file| reader(file).count(),
            );
            (lines.len(), ratios)
        }
        "read" => {
            let files: Vec<_> = both
                .chunks_exact(PORTION)
                .map(|portion| {
                    let lines: Vec<_> = portion.iter().map(|(line, ..)| *line).collect();
                    lines.join(&b'\n')
                })
                .collect();
            let (_, ratios) = by_portions(
                &files,
                1,
                |file| Reader::<_, Message>::new(BufReader::new(&file[..])).count(),
                |file| {
                    let lines = BufReader::new(&file[..]).split(b'\n');
                    lines.filter_map(|line| theirs(&line.ok()?)).count()
                },
            );
            (both.len(), ratios)
        }
        "serde_decode" => in_turn(
            &both,
            |(line, ..)| through_serde(line),
            |(line, ..)| ours(line),
        ),
        "to_string" => in_turn(
            &both,
            |(_, ours, _)| serde_json::to_string(ours),
            |(.., theirs)| peer::encode(theirs),
        ),
        _ => return Err(format!("there is no pair {pair}")),
    };
    Ok(json!({"lines": lines.len(), "accepted": accepted, "ratios": ratios}))
}

/// Times two functions portion by portion, each item once. Returns the number of items and the ratios.
fn in_turn<T, A, B>(
    items: &[T],
    ours: impl Fn(&T) -> A,
    peer: impl Fn(&T) -> B,
) -> (usize, Vec<f64>) {
    by_portions(items, PORTION, ours, peer)
}

/// Like `in_turn`, with another number of items in a portion.
fn by_portions<T, A, B>(
    items: &[T],
    size: usize,
    ours: impl Fn(&T) -> A,
    peer: impl Fn(&T) -> B,
) -> (usize, Vec<f64>) {
    let mut found = Vec::new();
    for (number, portion) in items.chunks_exact(size).enumerate() {
        let mut spent = [Duration::ZERO; 2];
        for which in [number % 2, 1 - number % 2] {
            spent[which] = match which {
                0 => time(portion, &ours),
                _ => time(portion, &peer),
            };
        }
        if number > 0 {
            found.push(spent[0].as_secs_f64() / spent[1].as_secs_f64());
        }
    }
    (items.len(), found)
}

fn time<T, R>(items: &[T], run: impl Fn(&T) -> R) -> Duration {
    let start = Instant::now();
    for item in items {
        black_box(run(item));
    }
    start.elapsed()
}

/// Counts the errors that lines meet by their code.
fn codes(lines: &[&[u8]]) -> Result<BTreeMap<&'static str, usize>, String> {
    let mut counts = BTreeMap::new();
    for line in lines {
        match decode::<Message>(line) {
            Ok(_) => return Err(format!("accepted: {}", String::from_utf8_lossy(line))),
            Err(error) => *counts.entry(error.code.as_str()).or_default() += 1,
        }
    }
    Ok(counts)
}
