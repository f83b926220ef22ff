//! Readers and writers over streams that stop, fail and continue at any point: nothing is lost or repeated.

use std::collections::VecDeque;
use std::future::Future;
use std::io::{self, BufRead, ErrorKind, Read, Write};
use std::pin::{pin, Pin};
use std::task::{Context, Poll, Waker};

use agentlines::*;
use futures_core::Stream;
use quickcheck::{Arbitrary, Gen};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};

use crate::properties::check;

/// What a stream does in one step.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Moves up to this number of bytes.
    Move(usize),
    /// Fails.
    Fail(ErrorKind),
    /// Is not ready; a blocking stream fails with `WouldBlock`.
    Wait,
}

impl Arbitrary for Step {
    fn arbitrary(g: &mut Gen) -> Self {
        let kinds = [
            ErrorKind::Interrupted,
            ErrorKind::TimedOut,
            ErrorKind::WouldBlock,
            ErrorKind::Other,
        ];
        match u8::arbitrary(g) % 6 {
            0..=2 => Step::Move(1 + usize::arbitrary(g) % 40),
            3 => Step::Wait,
            _ => Step::Fail(*g.choose(&kinds).expect("there are some")),
        }
    }

    fn shrink(&self) -> Box<dyn Iterator<Item = Self>> {
        match *self {
            Step::Move(count) if count > 1 => Box::new([Step::Move(count / 2)].into_iter()),
            _ => Box::new(std::iter::empty()),
        }
    }
}

/// A stream that follows its steps, and then does everything immediately.
#[derive(Clone, Debug)]
struct Scheduled {
    steps: VecDeque<Step>,
    /// The bytes to read, or the bytes written.
    bytes: Vec<u8>,
    /// The number of bytes that were read.
    at: usize,
    /// The number of bytes that may be read in the current step.
    open: usize,
}

impl Scheduled {
    fn new(steps: &[Step], bytes: &[u8]) -> Self {
        Scheduled {
            steps: steps.iter().copied().collect(),
            bytes: bytes.into(),
            at: 0,
            open: 0,
        }
    }

    fn step(&mut self) -> Poll<io::Result<usize>> {
        match self.steps.pop_front() {
            None => Poll::Ready(Ok(usize::MAX)),
            Some(Step::Move(count)) => Poll::Ready(Ok(count)),
            Some(Step::Fail(kind)) => Poll::Ready(Err(kind.into())),
            Some(Step::Wait) => Poll::Pending,
        }
    }

    /// Opens bytes for reading, if none are open.
    fn fill(&mut self) -> Poll<io::Result<()>> {
        if self.open == 0 {
            match self.step() {
                Poll::Ready(Ok(count)) => self.open = count.min(self.bytes.len() - self.at),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => return Poll::Pending,
            }
        }
        Poll::Ready(Ok(()))
    }

    fn take(&mut self, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.step().map_ok(|count| {
            let taken = count.min(bytes.len());
            self.bytes.extend(&bytes[..taken]);
            taken
        })
    }
}

fn blocking<T>(polled: Poll<io::Result<T>>) -> io::Result<T> {
    match polled {
        Poll::Ready(done) => done,
        Poll::Pending => Err(ErrorKind::WouldBlock.into()),
    }
}

impl Read for Scheduled {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        unreachable!("readers use the buffer")
    }
}

impl BufRead for Scheduled {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        blocking(self.fill())?;
        Ok(&self.bytes[self.at..self.at + self.open])
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
        self.open -= count;
    }
}

impl Write for Scheduled {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        blocking(self.take(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        blocking(self.step()).map(drop)
    }
}

impl AsyncRead for Scheduled {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        _: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        unreachable!("readers use the buffer")
    }
}

impl AsyncBufRead for Scheduled {
    fn poll_fill_buf(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        let filled = this.fill();
        filled.map_ok(|()| &this.bytes[this.at..this.at + this.open])
    }

    fn consume(self: Pin<&mut Self>, count: usize) {
        BufRead::consume(self.get_mut(), count);
    }
}

impl AsyncWrite for Scheduled {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().take(bytes)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.get_mut().step().map_ok(drop)
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// Values with the lines of a stream: short, long, not ASCII; with blank lines between them.
fn stream(numbers: &[u8]) -> (Vec<Json>, Vec<u8>) {
    let values: Vec<_> = numbers
        .iter()
        .map(|number| match number % 3 {
            0 => Json::from(i64::from(*number)),
            1 => Json::from("é\u{2028}".repeat(usize::from(*number))),
            _ => Json::from(vec![i64::from(*number); 7]),
        })
        .collect();
    let ends = ["\n", "\r\n", "\n\n", "\n \t\n"].iter().cycle();
    let lines = values
        .iter()
        .zip(ends)
        .map(|(value, end)| format!("{value}{end}"));
    (values.clone(), lines.collect::<String>().into_bytes())
}

/// Polls a future once, and drops it.
fn once<F: Future>(future: F) -> Poll<F::Output> {
    pin!(future).poll(&mut Context::from_waker(Waker::noop()))
}

/// The value in an item of a reader, unless it is an error of the stream.
fn value(item: Result<Json, ReadError>) -> Option<Json> {
    match item {
        Ok(value) => Some(value),
        Err(ReadError::Io(error)) => {
            assert_ne!(error.kind(), ErrorKind::Interrupted);
            None
        }
        Err(bad) => panic!("{bad}"),
    }
}

#[test]
fn a_reader_gives_every_line_once() {
    fn holds(numbers: Vec<u8>, steps: Vec<Step>) -> bool {
        let (values, bytes) = stream(&numbers);
        let reader = Reader::<_, Json>::new(Scheduled::new(&steps, &bytes));
        reader.filter_map(value).collect::<Vec<_>>() == values
    }
    check(500, holds as fn(Vec<u8>, Vec<Step>) -> bool);
}

#[test]
fn an_async_reader_gives_every_line_once() {
    fn holds(numbers: Vec<u8>, steps: Vec<Step>) -> bool {
        let (values, bytes) = stream(&numbers);
        let mut reader = AsyncReader::<_, Json>::new(Scheduled::new(&steps, &bytes));
        let mut found = Vec::new();
        loop {
            // Each future is dropped after one poll.
            match once(reader.next()) {
                Poll::Ready(None) => return found == values,
                Poll::Ready(Some(item)) => found.extend(value(item)),
                Poll::Pending => {}
            }
        }
    }
    check(500, holds as fn(Vec<u8>, Vec<Step>) -> bool);
}

#[test]
fn a_stream_of_futures_gives_every_line_once() {
    fn holds(numbers: Vec<u8>, steps: Vec<Step>) -> bool {
        let (values, bytes) = stream(&numbers);
        let mut reader = AsyncReader::<_, Json>::new(Scheduled::new(&steps, &bytes));
        let mut context = Context::from_waker(Waker::noop());
        let mut found = Vec::new();
        loop {
            match Pin::new(&mut reader).poll_next(&mut context) {
                Poll::Ready(None) => return found == values,
                Poll::Ready(Some(item)) => found.extend(value(item)),
                Poll::Pending => {}
            }
        }
    }
    check(500, holds as fn(Vec<u8>, Vec<Step>) -> bool);
}

#[test]
fn a_decoder_gives_every_line_once() {
    fn holds(numbers: Vec<u8>, sizes: Vec<u8>, taken: Vec<u8>) -> bool {
        let (values, bytes) = stream(&numbers);
        let mut decoder = LineDecoder::<Json>::new();
        let (mut rest, mut found) = (&bytes[..], Vec::new());
        for (size, taken) in sizes.iter().zip(&taken) {
            let (piece, more) = rest.split_at(rest.len().min(usize::from(*size)));
            found.extend(decoder.feed(piece).take(usize::from(taken % 3)));
            rest = more;
        }
        found.extend(decoder.feed(rest));
        found.extend(decoder.finish());
        found.into_iter().map(Result::unwrap).eq(values)
    }
    check(500, holds as fn(Vec<u8>, Vec<u8>, Vec<u8>) -> bool);
}

#[test]
fn a_writer_writes_every_line_once() {
    fn holds(numbers: Vec<u8>, steps: Vec<Step>) -> bool {
        let values: Vec<_> = numbers
            .into_iter()
            .map(|n| vec![i64::from(n); usize::from(n % 9)])
            .collect();
        let writer = Writer::new(Scheduled::new(&steps, &[]));
        for value in &values {
            match writer.write(value) {
                Ok(()) | Err(WriteError::Io(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
        while writer.flush().is_err() {}
        written(&writer.into_inner()) == values
    }
    check(500, holds as fn(Vec<u8>, Vec<Step>) -> bool);
}

#[test]
fn an_async_writer_writes_every_line_once() {
    fn holds(numbers: Vec<u8>, steps: Vec<Step>) -> bool {
        let values: Vec<_> = numbers
            .into_iter()
            .map(|n| vec![i64::from(n); usize::from(n % 9)])
            .collect();
        let mut writer = AsyncWriter::new(Scheduled::new(&steps, &[]));
        for value in &values {
            // Each future is dropped after one poll.
            match once(writer.write(value)) {
                Poll::Pending | Poll::Ready(Ok(()) | Err(WriteError::Io(_))) => {}
                Poll::Ready(Err(error)) => panic!("{error}"),
            }
        }
        while !matches!(once(writer.flush()), Poll::Ready(Ok(()))) {}
        written(&writer.into_inner()) == values
    }
    check(500, holds as fn(Vec<u8>, Vec<Step>) -> bool);
}

fn written(to: &Scheduled) -> Vec<Vec<i64>> {
    assert!(to.bytes.is_empty() || to.bytes.ends_with(b"\n"));
    Reader::new(&*to.bytes).map(Result::unwrap).collect()
}

#[test]
fn a_writer_that_takes_nothing_fails() {
    let writer = Writer::new(&mut [][..]);
    assert!(
        matches!(writer.write(&true), Err(WriteError::Io(error)) if error.kind() == ErrorKind::WriteZero)
    );
}
