//! Streams of lines: readers, the decoder they use, and writers.

use std::io::{self, BufReader, Read, Write};
use std::sync::{Arc, Mutex};

use agentlines::control::*;
use agentlines::messages::*;
use agentlines::*;

use crate::lines::{json, line, message, KINDS};

/// Good lines, bad ones, blank ones, long ones, and a last one without an end.
fn session() -> (Vec<u8>, usize) {
    let mut bytes = Vec::new();
    for kind in KINDS {
        bytes.extend(line(kind).bytes());
        bytes.extend(b"\r\n");
    }
    bytes.extend(b"\n \t\nnot JSON\n{\"type\":\"telepathy\",\"t\":\"\xe2\x80\xa8\"}\n\xff\n");
    bytes.extend([b'x'; 3000]);
    bytes.extend(b"\n{\"type\":\"keep_alive\"}");
    (bytes, 2000)
}

type Item = Result<Message, (u64, Code, usize)>;

/// Converts an item to a comparable form.
fn told(item: Result<Message, BadLine>) -> Item {
    item.map_err(|bad| (bad.line, bad.error.code, bad.raw.len()))
}

fn expected() -> Vec<Item> {
    let mut items: Vec<Item> = KINDS.into_iter().map(|kind| Ok(message(kind))).collect();
    items.push(Err((27, Code::InvalidJson, 8)));
    items.push(Ok(
        decode("{\"type\":\"telepathy\",\"t\":\"\u{2028}\"}").unwrap()
    ));
    items.push(Err((29, Code::InvalidUtf8, 1)));
    items.push(Err((30, Code::TooLong, 1024)));
    items.push(Ok(KeepAliveMessage::new().into()));
    items
}

#[test]
fn a_reader_gives_each_line_as_a_message_or_an_error() {
    let (bytes, limit) = session();
    for capacity in [1, 7, 64 << 10] {
        let mut reader = Reader::<_, Message>::new(BufReader::with_capacity(capacity, &bytes[..]))
            .with_limit(limit);
        let mut items = Vec::new();
        for item in reader.by_ref() {
            items.push(told(item.map_err(|error| match error {
                ReadError::Line(bad) => bad,
                error => panic!("{error}"),
            })));
        }
        assert_eq!(items, expected(), "buffers of {capacity}");
        assert_eq!(reader.line(), 31);
    }
}

#[test]
fn the_decoder_takes_pieces_of_any_size() {
    let (bytes, limit) = session();
    for size in [1, 2, 3, 5, 64, 1021, bytes.len()] {
        let mut decoder = LineDecoder::<Message>::new().with_limit(limit);
        let mut items: Vec<Item> = Vec::new();
        for piece in bytes.chunks(size) {
            items.extend(decoder.feed(piece).map(told));
        }
        items.extend(decoder.finish().map(told));
        assert_eq!(items, expected(), "pieces of {size}");
        assert_eq!(decoder.line(), 31);
        assert_eq!(decoder.finish().count(), 0);
    }
}

#[test]
fn items_that_nobody_took_are_not_lost() {
    let mut decoder = LineDecoder::<Message>::new();
    let two = b"{\"type\":\"keep_alive\"}\n{\"type\":\"telepathy\"}\n";
    assert!(matches!(
        decoder.feed(two).next(),
        Some(Ok(Message::KeepAlive(_)))
    ));
    let rest: Vec<_> = decoder.feed(b"x\n").collect();
    assert!(matches!(rest[0], Ok(Message::Unknown(_))));
    assert_eq!(rest[1].as_ref().unwrap_err().line, 3);
}

#[test]
fn a_reader_of_some_types_gives_what_a_reader_of_all_gives_of_these() {
    let (bytes, limit) = session();
    let all = Reader::<_, Message>::new(&bytes[..])
        .with_limit(limit)
        .flatten();
    let wanted = all.filter(|item| matches!(item, Message::Result(_) | Message::KeepAlive(_)));
    let mut reader = Reader::<_, Message>::new(&bytes[..])
        .with_limit(limit)
        .only::<(ResultMessage, KeepAliveMessage)>();
    let (good, bad): (Vec<_>, Vec<_>) = reader.by_ref().partition(Result::is_ok);
    let good: Vec<_> = good.into_iter().flatten().collect();
    assert_eq!(good, wanted.collect::<Vec<_>>());
    assert!(good.len() >= 3, "{good:?}");
    let [Err(ReadError::Line(bad))] = &bad[..] else {
        panic!("the line over the limit is the only error: {bad:?}")
    };
    assert_eq!((bad.line, bad.error.code), (30, Code::TooLong));
    let blank = 2;
    assert_eq!(
        reader.line() - reader.skipped(),
        good.len() as u64 + blank + 1
    );
}

#[test]
fn a_line_of_exactly_the_limit_is_read_whatever_ends_it() {
    let text = "{\"type\":\"keep_alive\"}";
    for end in ["", "\n", "\r\n"] {
        for (limit, fits) in [(text.len(), true), (text.len() - 1, false)] {
            let stream = format!("{text}{end}");
            let mut reader = Reader::<_, Message>::new(stream.as_bytes()).with_limit(limit);
            assert_eq!(reader.next().unwrap().is_ok(), fits, "{end:?} {limit}");
            assert!(reader.next().is_none());
        }
    }
}

#[test]
fn a_reader_in_strict_mode_goes_on_as_well() {
    let stream = "{\"type\":\"telepathy\"}\n{\"type\":\"keep_alive\"}\n";
    let items: Vec<_> = Reader::<_, Message>::new(stream.as_bytes())
        .with_mode(Mode::Strict)
        .collect();
    let Err(ReadError::Line(bad)) = &items[0] else {
        panic!("a bad line")
    };
    assert_eq!(bad.to_string(), format!("line 1: {}", bad.error));
    assert_eq!(
        (bad.error.code, bad.raw.as_slice()),
        (Code::UnknownVariant, &b"{\"type\":\"telepathy\"}"[..])
    );
    assert!(items[1].is_ok());
}

#[test]
fn a_reader_gives_the_error_of_a_stream_each_time_it_is_asked() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    let stream = BufReader::new((&b"{\"type\":\"keep_alive\"}\n"[..]).chain(Broken));
    let mut reader = Reader::<_, Message>::new(stream);
    assert!(matches!(reader.next(), Some(Ok(_))));
    for _ in 0..2 {
        assert!(
            matches!(reader.next(), Some(Err(ReadError::Io(error))) if error.kind() == io::ErrorKind::ConnectionReset)
        );
    }
}

/// A shared destination that passes data on only when it is flushed.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<(Vec<u8>, usize)>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().0.extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.lock().unwrap().1 += 1;
        Ok(())
    }
}

#[test]
fn a_writer_is_shared_between_threads_and_writes_whole_lines() {
    let shared = Shared::default();
    let writer = Writer::new(shared.clone());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let writer = &writer;
            scope.spawn(move || {
                for number in 0..50 {
                    let mut alive = KeepAliveMessage::new();
                    alive.extra.insert("from", format!("{thread}\n<{number}>"));
                    writer.write(&alive).unwrap();
                }
            });
        }
    });
    let (bytes, flushed) = shared.0.lock().unwrap().clone();
    assert_eq!(flushed, 200);
    let text = String::from_utf8(bytes).unwrap();
    assert!(text.contains("<1>") && text.ends_with('\n'));
    assert_eq!(
        Reader::<_, Message>::new(text.as_bytes())
            .filter(Result::is_ok)
            .count(),
        200
    );
}

#[test]
fn a_value_that_cannot_be_encoded_writes_nothing() {
    let writer = Writer::new(Vec::new());
    let usage = ModelUsage::new(ModelUsageRequired {
        input_tokens: 1,
        output_tokens: 2,
        cache_read_input_tokens: 3,
        cache_creation_input_tokens: 4,
        web_search_requests: 5,
        cost_usd: f64::INFINITY,
        context_window: 6,
        max_output_tokens: 7,
    });
    assert!(
        matches!(writer.write(&usage), Err(WriteError::Encode(error)) if error.path == "/costUSD")
    );
    assert_eq!(writer.into_inner(), b"");
}

fn run<F: std::future::Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap()
        .block_on(future)
}

#[test]
fn the_reader_of_tokio_gives_the_same_items() {
    let (bytes, limit) = session();
    let items = run(async {
        let stream = tokio::io::BufReader::with_capacity(5, &bytes[..]);
        let mut reader = AsyncReader::<_, Message>::new(stream).with_limit(limit);
        let mut items = Vec::new();
        while let Some(item) = reader.next().await {
            items.push(told(item.map_err(|error| match error {
                ReadError::Line(bad) => bad,
                error => panic!("{error}"),
            })));
        }
        items
    });
    assert_eq!(items, expected());
}

#[test]
fn the_reader_of_tokio_does_not_wait_for_more_than_a_line() {
    run(async {
        let (mut to, from) = tokio::io::duplex(16);
        let mut reader = AsyncReader::<_, Message>::new(tokio::io::BufReader::new(from));
        for _ in 0..3 {
            let written = async {
                tokio::io::AsyncWriteExt::write_all(&mut to, b"{\"type\":\"keep_alive\"}\n")
                    .await
                    .unwrap();
            };
            let read = async { reader.next().await.unwrap().unwrap() };
            let (read, ()) = join(read, written).await;
            assert_eq!(read, KeepAliveMessage::new().into());
        }
    });
}

/// Runs both concurrently on the single thread of this runtime.
async fn join<A, B>(
    one: impl std::future::Future<Output = A>,
    other: impl std::future::Future<Output = B>,
) -> (A, B) {
    let (mut one, mut other) = (Box::pin(one), Box::pin(other));
    let (mut first, mut second) = (None, None);
    std::future::poll_fn(|context| {
        use std::task::Poll::{Pending, Ready};
        if first.is_none() {
            if let Ready(value) = one.as_mut().poll(context) {
                first = Some(value);
            }
        }
        if second.is_none() {
            if let Ready(value) = other.as_mut().poll(context) {
                second = Some(value);
            }
        }
        if first.is_some() && second.is_some() {
            Ready(())
        } else {
            Pending
        }
    })
    .await;
    (first.expect("it is there"), second.expect("it is there"))
}

#[test]
fn the_writer_of_tokio_writes_whole_lines() {
    let written = run(async {
        let mut bytes = Vec::new();
        let mut writer = AsyncWriter::new(&mut bytes);
        writer.write(&message("status")).await.unwrap();
        writer.write(&KeepAliveMessage::new()).await.unwrap();
        bytes
    });
    let text = String::from_utf8(written).unwrap();
    let lines: Vec<_> = text.split('\n').collect();
    assert_eq!(lines.len(), 3);
    assert_eq!(json(lines[0]), json(&line("status")));
    assert_eq!(&lines[1..], [r#"{"type":"keep_alive"}"#, ""]);
}
