//! Streams of lines.

use std::io::{self, BufReader, Read, Write};

use crate::lines::Waiting;
use crate::sample::{Line, Pitch, Tone};
use crate::{
    BadLine, Code, Json, LineDecoder, Mode, Object, ReadError, Reader, WriteError, Writer,
};

const LINES: &[u8] = "1\r\n\n \t \r\n{\"a\":\"é\u{2028}\"}\nbad\n\"\\u00e9\"\n[2]".as_bytes();

/// Line numbers with texts, or codes.
fn shown(line: u64, item: Result<Json, BadLine>) -> (u64, String) {
    match item {
        Ok(json) => (line, json.text().into()),
        Err(bad) => (bad.line, bad.error.code.to_string()),
    }
}

fn expected() -> Vec<(u64, String)> {
    let lines = [
        (1, "1"),
        (4, "{\"a\":\"é\u{2028}\"}"),
        (5, "invalid_json"),
        (6, "\"\\u00e9\""),
        (7, "[2]"),
    ];
    lines.map(|(line, text)| (line, text.into())).to_vec()
}

/// What a decoder returns for a stream that arrives in two pieces.
fn halves(at: usize) -> Vec<(u64, String)> {
    let mut decoder = LineDecoder::<Json>::new();
    let mut found = Vec::new();
    for piece in [&LINES[..at], &LINES[at..]] {
        let mut next = decoder.feed(piece).next();
        while let Some(item) = next {
            found.push(shown(decoder.line(), item));
            next = decoder.feed(&[]).next();
        }
    }
    found.extend(decoder.finish().map(|item| shown(7, item)));
    found
}

#[test]
fn a_stream_may_be_cut_anywhere() {
    for at in 0..=LINES.len() {
        assert_eq!(halves(at), expected(), "cut at {at}");
    }
    let mut decoder = LineDecoder::<Json>::new();
    let mut found = Vec::new();
    for byte in LINES {
        let item = decoder.feed(std::slice::from_ref(byte)).next();
        found.extend(item.map(|item| shown(decoder.line(), item)));
    }
    let item = decoder.finish().next();
    found.extend(item.map(|item| shown(decoder.line(), item)));
    assert_eq!(found, expected());
}

#[test]
fn what_is_not_taken_comes_the_next_time() {
    let mut decoder = LineDecoder::<i64>::new();
    assert_eq!(decoder.feed(b"1\n2\n3\n4").next(), Some(Ok(1)));
    assert_eq!(decoder.feed(b"5\n6").next(), Some(Ok(2)));
    assert_eq!(
        decoder.feed(b"\n").map(Result::unwrap).collect::<Vec<_>>(),
        [3, 45, 6]
    );
    assert_eq!(decoder.finish().next(), None);
    assert_eq!(decoder.line(), 5);
}

#[test]
fn a_reader_gives_the_same_whatever_its_buffer_is() {
    for capacity in [1, 2, 7, 1000] {
        let mut reader = Reader::<_, Json>::new(BufReader::with_capacity(capacity, LINES));
        let mut found = Vec::new();
        while let Some(item) = reader.next() {
            let item = item.map_err(|error| match error {
                ReadError::Line(bad) => bad,
                ReadError::Io(error) => panic!("{error}"),
            });
            found.push(shown(reader.line(), item));
        }
        assert_eq!(found, expected());
    }
}

#[test]
fn a_line_over_the_limit_is_reported_with_its_beginning() {
    let long = "9".repeat(5000);
    let text = format!("[1]\n{long}\n[22]\r\n[333]\n\"\"");
    for size in [1, 3, 1000, 10_000] {
        let mut decoder = LineDecoder::<Json>::new().with_limit(4);
        let mut items: Vec<_> = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            items.extend(decoder.feed(piece));
        }
        items.extend(decoder.finish());
        let bad = items[1].as_ref().unwrap_err();
        assert_eq!(
            (bad.line, bad.error.code, &*bad.raw),
            (2, Code::TooLong, &long.as_bytes()[..1024])
        );
        assert_eq!(bad.to_string(), "line 2: too_long: longer than 4 bytes");
        assert_eq!(items[2].as_ref().unwrap().text(), "[22]");
        assert_eq!(items[3].as_ref().unwrap_err().raw, b"[333]");
        assert_eq!(
            (items.len(), items[4].as_ref().unwrap().text()),
            (5, "\"\"")
        );
    }
}

#[test]
fn a_mode_holds_for_every_line() {
    let text = b"{\"pitch\":\"low\"}\n{\"kind\":\"new\"}\n";
    let mut decoder = LineDecoder::<Line>::new().with_mode(Mode::Strict);
    let items: Vec<_> = decoder.feed(text).collect();
    assert!(items[0].is_ok());
    assert_eq!(
        items[1].as_ref().unwrap_err().error.code,
        Code::UnknownVariant
    );
    assert!(Reader::<_, Line>::new(&text[..]).all(|item| item.is_ok()));
}

/// Returns one byte at a time, interrupts every read once, and fails at the end.
struct Flaky<'a>(&'a [u8], bool);

impl Read for Flaky<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let Some((first, rest)) = self.0.split_first() else {
            return Err(io::ErrorKind::ConnectionReset.into());
        };
        to[0] = *first;
        self.0 = rest;
        Ok(1)
    }
}

#[test]
fn a_reader_continues_after_an_error() {
    let mut reader = Reader::<_, i64>::new(BufReader::new(Flaky(b"1\n2\n3", false)));
    assert_eq!(reader.next().unwrap().unwrap(), 1);
    assert_eq!(reader.next().unwrap().unwrap(), 2);
    for _ in 0..2 {
        let Some(Err(ReadError::Io(error))) = reader.next() else {
            panic!("the stream fails")
        };
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }
    let mut reader =
        Reader::<_, i64>::new((&b"4\n"[..]).chain(BufReader::new(reader.into_inner())));
    assert_eq!(reader.next().unwrap().unwrap(), 4);
}

#[test]
fn bytes_that_wait_are_moved_at_most_once_for_each_that_is_consumed() {
    let mut waiting = Waiting::default();
    let (mut moved, mut consumed, mut expected) = (0, 0, Vec::<u8>::new());
    for round in 0..2000_usize {
        let piece: Vec<u8> = (0..100).map(|at| (round + at) as u8).collect();
        expected.extend(&piece);
        moved += waiting.add(&piece);
        let count = [1, 70, 199, 130][round % 4].min(waiting.bytes().len());
        assert_eq!(waiting.bytes(), &expected[consumed..]);
        waiting.consume(count);
        consumed += count;
        assert!(moved <= consumed, "{moved} bytes were moved");
    }
    assert!(consumed > 150_000);
}

#[test]
fn a_decoder_gives_one_item_a_call_from_whatever_was_fed() {
    let mut decoder = LineDecoder::<i64>::new();
    let (mut fed, mut found) = (Vec::new(), Vec::new());
    for round in 0..300_i64 {
        let numbers = [3 * round, 3 * round + 1, 3 * round + 2];
        fed.extend(numbers);
        let text: String = numbers.iter().map(|number| format!("{number}\n")).collect();
        found.extend(decoder.feed(text.as_bytes()).next().map(Result::unwrap));
    }
    assert_eq!(found.len(), 300);
    found.extend(decoder.finish().map(Result::unwrap));
    assert_eq!(found, fed);
}

/// Accepts at most three bytes at a time, and counts how often it is flushed.
#[derive(Debug, Default)]
struct Short(Vec<u8>, usize);

impl Write for Short {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(3);
        self.0.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.1 += 1;
        Ok(())
    }
}

#[test]
fn a_writer_writes_whole_lines_and_flushes() {
    let writer = Writer::new(Short::default());
    writer.write(&"a\nb".to_string()).unwrap();
    let tone = Tone {
        kind: false,
        pitch: Pitch::High,
        extra: Object::new(),
    };
    writer.write(&tone).unwrap();
    let Err(WriteError::Encode(error)) = writer.write(&f64::NAN) else {
        panic!("it cannot be written")
    };
    assert_eq!(error.code, Code::OutOfRange);
    let Short(bytes, flushed) = writer.into_inner();
    assert_eq!(bytes, b"\"a\\nb\"\n{\"pitch\":\"high\"}\n");
    assert_eq!(flushed, 2);
}

#[test]
fn threads_share_a_writer() {
    let writer = Writer::new(Vec::new());
    std::thread::scope(|scope| {
        for number in 0..4_i64 {
            let writer = &writer;
            let line = crate::encode(&vec![number; 20]).unwrap();
            scope.spawn(move || (0..25).for_each(|_| writer.write(&vec![number; 20]).unwrap()));
            scope.spawn(move || (0..25).for_each(|_| writer.write_line(&line).unwrap()));
        }
    });
    let written = writer.into_inner();
    let lines: Vec<Vec<i64>> = Reader::new(&*written).map(Result::unwrap).collect();
    assert_eq!(lines.len(), 200);
    assert!(lines
        .iter()
        .all(|line| line.len() == 20 && line.iter().all(|each| *each == line[0])));
}

#[cfg(feature = "tokio")]
mod asynchronous {
    use super::{expected, shown, LINES};
    use crate::{AsyncReader, AsyncWriter, Json, ReadError};
    use std::future::Future;
    use std::task::{Context, Poll, Waker};
    use tokio::io::BufReader;

    fn run<T>(future: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        runtime.unwrap().block_on(future)
    }

    #[test]
    fn an_async_reader_gives_the_same() {
        run(async {
            let mut reader = AsyncReader::<_, Json>::new(BufReader::with_capacity(3, LINES));
            let mut found = Vec::new();
            while let Some(item) = reader.next().await {
                let item = item.map_err(|error| match error {
                    ReadError::Line(bad) => bad,
                    ReadError::Io(error) => panic!("{error}"),
                });
                found.push(shown(reader.line(), item));
            }
            assert_eq!(found, expected());
        });
    }

    #[test]
    fn a_read_that_is_dropped_loses_nothing() {
        run(async {
            let (mut peer, from) = tokio::io::duplex(64);
            let mut reader = AsyncReader::<_, Json>::new(BufReader::new(from));
            let mut writer = AsyncWriter::new(Vec::new());
            writer.write_line("[1,2,3]").await.unwrap();
            let line = writer.into_inner();
            for half in [&line[..3], &line[3..]] {
                {
                    let mut read = std::pin::pin!(reader.next());
                    let polled = read.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                    assert!(matches!(polled, Poll::Pending));
                }
                tokio::io::AsyncWriteExt::write_all(&mut peer, half)
                    .await
                    .unwrap();
            }
            assert_eq!(reader.next().await.unwrap().unwrap().text(), "[1,2,3]");
            drop(peer);
            assert!(reader.next().await.is_none());
        });
    }
}
