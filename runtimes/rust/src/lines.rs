//! Streams of lines, each a JSON text.

use std::fmt;
use std::io::{self, BufRead, ErrorKind, Write};
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use crate::codec::Wire;
use crate::error::{Code, DecodeError, EncodeError};
use crate::filter::{Filter, Wanted};
use crate::framing::{frame, Framing};
use crate::splitter::{Frame, Held, KEPT};
use crate::{decode_with, encode, Mode};

#[cfg(feature = "__conformance")]
#[doc(hidden)]
pub use crate::filter::Kind as WantedKind;

/// The default limit on the length of a line in bytes: 64 MiB.
pub const DEFAULT_LIMIT: usize = 64 << 20;

/// A line that does not decode. The stream continues after it, except after a malformed header of the framing
/// `content-length`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BadLine {
    /// The number of the line, counted from 1, empty lines included.
    pub line: u64,
    /// The line without its line end; of a line over the limit or a malformed header, the beginning.
    pub raw: Vec<u8>,
    /// The fault.
    pub error: DecodeError,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.error)
    }
}

/// `Display` includes that of the source.
impl std::error::Error for BadLine {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// An error of a reader.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// A line that does not decode.
    Line(BadLine),
    /// Reading failed. The next call continues where this one stopped, so a stream that fails repeatedly does not end
    /// by itself.
    Io(io::Error),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Line(bad) => bad.fmt(f),
            ReadError::Io(error) => error.fmt(f),
        }
    }
}

/// `Display` is that of the source.
impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReadError::Line(bad) => Some(bad),
            ReadError::Io(error) => Some(error),
        }
    }
}

impl From<BadLine> for ReadError {
    fn from(bad: BadLine) -> Self {
        ReadError::Line(bad)
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        ReadError::Io(error)
    }
}

// --- lines --------------------------------------------------------------------------------------

/// Buffered bytes, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Waiting {
    bytes: Vec<u8>,
    /// The number of bytes that are consumed.
    done: usize,
}

impl Waiting {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[self.done..]
    }

    /// Removes bytes at the beginning.
    pub(crate) fn consume(&mut self, count: usize) {
        self.done += count;
        if self.done == self.bytes.len() {
            self.bytes.clear();
            self.done = 0;
        }
    }

    /// Adds bytes at the end. Returns how many other bytes it moved: over time, at most as many as were consumed.
    pub(crate) fn add(&mut self, more: &[u8]) -> usize {
        let mut moved = 0;
        if self.done > self.bytes.len() / 2 {
            moved = self.bytes().len();
            self.bytes.drain(..self.done);
            self.done = 0;
        }
        self.bytes.extend_from_slice(more);
        moved
    }
}

/// Converts a stream to items. Buffers at most the beginning of one message.
#[derive(Clone, Debug)]
struct Lines {
    mode: Mode,
    framing: Framing,
    held: Held,
    /// The number of messages that have ended.
    line: u64,
    /// The number of bytes that were kept of the last message.
    #[allow(dead_code)] // used only by processes, which not every crate has
    kept: usize,
    /// What items are limited to.
    filter: Option<Box<Filter>>,
    /// The number of messages that the filter skipped.
    skipped: u64,
}

impl Lines {
    fn new() -> Self {
        Lines {
            mode: Mode::Lenient,
            framing: Framing::default(),
            held: Held::new(DEFAULT_LIMIT),
            line: 0,
            kept: 0,
            filter: None,
            skipped: 0,
        }
    }

    /// Consumes a piece of the stream up to the end of a message. Returns the number of bytes and the item of the
    /// message, unless that continues, is blank or is skipped.
    fn take<T: Wire>(&mut self, piece: &[u8]) -> (usize, Option<Result<T, BadLine>>) {
        let (taken, frame) = self.framing.take(piece, &mut self.held);
        (taken, frame.and_then(|frame| self.item(&frame)))
    }

    /// The item of the last message, at the end of the stream.
    fn finish<T: Wire>(&mut self) -> Option<Result<T, BadLine>> {
        let frame = self.framing.finish(&mut self.held)?;
        self.item(&frame)
    }

    /// Consumes a piece of a stream as [`Lines::take`] does; an empty one is the end of the stream.
    fn read<T: Wire>(
        &mut self,
        piece: &[u8],
        ended: &mut bool,
    ) -> (usize, Option<Result<T, BadLine>>) {
        if piece.is_empty() {
            *ended = true;
            return (0, self.finish());
        }
        let read = self.take(piece);
        *ended = self.framing.is_closed();
        read
    }

    fn item<T: Wire>(&mut self, frame: &Frame<'_>) -> Option<Result<T, BadLine>> {
        self.line += 1;
        let data = &*frame.data;
        self.kept = data.len();
        let fault = if frame.length > self.held.limit as u64 {
            let message = format!("longer than {} bytes", self.held.limit);
            Some((&data[..data.len().min(KEPT)], Code::TooLong, message))
        } else {
            let fault = frame.fault.as_ref();
            fault.map(|message| (data, Code::InvalidJson, message.clone()))
        };
        if let Some((raw, code, message)) = fault {
            let path = String::new();
            let error = DecodeError {
                code,
                path,
                message,
            };
            return Some(Err(self.bad(raw, error)));
        }
        if data
            .iter()
            .all(|c| matches!(c, b' ' | b'\t' | b'\r' | b'\n'))
        {
            return None;
        }
        let item = match &self.filter {
            None => decode_with(data, self.mode).map(Some),
            Some(filter) => filter.decode(data, self.mode),
        };
        self.skipped += u64::from(matches!(item, Ok(None)));
        item.map_err(|error| self.bad(data, error)).transpose()
    }

    fn bad(&self, raw: &[u8], error: DecodeError) -> BadLine {
        BadLine {
            line: self.line,
            raw: raw.to_vec(),
            error,
        }
    }
}

/// The settings of readers and decoders.
macro_rules! settings {
    () => {
        /// Sets the mode.
        #[must_use]
        pub fn with_mode(mut self, mode: Mode) -> Self {
            self.lines.mode = mode;
            self
        }

        /// Sets the limit on the length of a line in bytes.
        #[must_use]
        pub fn with_limit(mut self, bytes: usize) -> Self {
            self.lines.held.limit = bytes;
            self
        }

        /// Limits the items to one type, or to those of a tuple: structs, unions (all of their structs, and their
        /// Unknown), and the Unknown of a union. The types replace those of an earlier call.
        ///
        /// Lines of other types are skipped, and [`skipped`](Self::skipped) counts them. An item is the same as
        /// without this method. Errors are returned for fewer lines:
        ///
        /// - A line without the text of any wanted tag, such as `"result"`, and without the escape `\u`, with which a
        ///   tag can be spelled, is skipped unread, even if it is not JSON. If a wanted type can be selected
        ///   without a tag, every line is read.
        /// - Any other line is parsed. It is an error if it is not JSON, or if its type cannot be determined. If its
        ///   type is not wanted, its members are not checked.
        ///
        /// # Panics
        ///
        /// Panics if the items of this reader never have one of the types.
        #[must_use]
        pub fn only<W: Wanted>(mut self) -> Self {
            self.lines.filter = Some(Box::new(Filter::new::<T>(&[W::KIND])));
            self
        }

        /// For conformance tests: limits the items to kinds.
        #[cfg(feature = "__conformance")]
        #[doc(hidden)]
        #[must_use]
        pub fn only_kinds(mut self, kinds: &[WantedKind]) -> Self {
            self.lines.filter = Some(Box::new(Filter::new::<T>(kinds)));
            self
        }

        /// The number of lines that were skipped because of [`only`](Self::only).
        #[must_use]
        pub fn skipped(&self) -> u64 {
            self.lines.skipped
        }

        /// The number of the last line that was read, counted from 1.
        #[must_use]
        pub fn line(&self) -> u64 {
            self.lines.line
        }
    };
}

/// An incremental decoder of lines: feed it pieces of any size.
///
/// ```
/// use polywire_runtime::{Json, LineDecoder, Writer};
///
/// let writer = Writer::new(Vec::new());
/// writer.write_line("[1, 2]")?;
/// writer.write_line("not JSON")?;
/// let stream = writer.into_inner();
///
/// let mut decoder = LineDecoder::<Json>::new();
/// assert_eq!(decoder.feed(&stream[..5]).count(), 0);
/// let items: Vec<_> = decoder.feed(&stream[5..]).collect();
/// assert!(items[0].is_ok());
/// assert_eq!(items[1].as_ref().unwrap_err().line, 2);
/// assert_eq!(decoder.finish().count(), 0);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LineDecoder<T> {
    lines: Lines,
    /// The part of earlier pieces that was not consumed.
    rest: Waiting,
    of: PhantomData<fn() -> T>,
}

impl<T: Wire> LineDecoder<T> {
    /// Creates a decoder in lenient mode, for lines of up to 64 MiB.
    #[must_use]
    pub fn new() -> Self {
        LineDecoder {
            lines: Lines::new(),
            rest: Waiting::default(),
            of: PhantomData,
        }
    }

    settings! {}

    /// Returns the items of the lines that a piece completes. Items that are left in the iterator when it is dropped
    /// are returned by the next call.
    pub fn feed<'a>(&'a mut self, piece: &'a [u8]) -> Items<'a, T> {
        Items {
            decoder: self,
            piece,
            ended: false,
        }
    }

    /// Ends the stream and returns the remaining items. A last line without a line end is decoded as well.
    pub fn finish(&mut self) -> Items<'_, T> {
        Items {
            decoder: self,
            piece: &[],
            ended: true,
        }
    }
}

impl<T: Wire> Default for LineDecoder<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// The messages and bad lines of a piece of a stream.
#[derive(Debug)]
#[must_use = "lines are decoded as they are asked for"]
pub struct Items<'a, T: Wire> {
    decoder: &'a mut LineDecoder<T>,
    piece: &'a [u8],
    ended: bool,
}

impl<T: Wire> Iterator for Items<'_, T> {
    type Item = Result<T, BadLine>;

    fn next(&mut self) -> Option<Self::Item> {
        let LineDecoder { lines, rest, .. } = &mut *self.decoder;
        while !rest.bytes().is_empty() {
            let (taken, item) = lines.take(rest.bytes());
            rest.consume(taken);
            if item.is_some() {
                return item;
            }
        }
        while !self.piece.is_empty() {
            let (taken, item) = lines.take(self.piece);
            self.piece = &self.piece[taken..];
            if item.is_some() {
                return item;
            }
        }
        if self.ended {
            return lines.finish();
        }
        None
    }
}

impl<T: Wire> Drop for Items<'_, T> {
    fn drop(&mut self) {
        if !self.decoder.lines.framing.is_closed() {
            self.decoder.rest.add(self.piece);
        }
    }
}

// --- readers and writers ------------------------------------------------------------------------

/// Reads a stream of lines: an iterator of messages, and of errors for bad lines.
///
/// The iterator ends at the end of the stream, or after a malformed header. After an error, such as a timeout or
/// `WouldBlock`, the next call continues where this one stopped. `Interrupted` is retried.
///
/// ```
/// use polywire_runtime::{Json, ReadError, Reader, Writer};
///
/// let writer = Writer::new(Vec::new());
/// writer.write_line("not JSON")?;
/// writer.write_line("[1, 2]")?;
///
/// let mut messages = 0;
/// for item in Reader::<_, Json>::new(&*writer.into_inner()) {
///     match item {
///         Ok(_) => messages += 1,
///         Err(ReadError::Line(bad)) => eprintln!("{bad}"),
///         Err(error) => panic!("{error}"),
///     }
/// }
/// assert_eq!(messages, 1);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R, T> {
    from: R,
    lines: Lines,
    ended: bool,
    of: PhantomData<fn() -> T>,
}

impl<R: BufRead, T: Wire> Reader<R, T> {
    /// Creates a reader in lenient mode, for lines of up to 64 MiB.
    #[must_use]
    pub fn new(from: R) -> Self {
        Reader {
            from,
            lines: Lines::new(),
            ended: false,
            of: PhantomData,
        }
    }

    settings! {}

    /// Returns the underlying stream.
    pub fn into_inner(self) -> R {
        self.from
    }

    fn read(&mut self) -> Result<Option<T>, ReadError> {
        while !self.ended {
            let piece = match self.from.fill_buf() {
                Ok(piece) => piece,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            let (taken, item) = self.lines.read(piece, &mut self.ended);
            self.from.consume(taken);
            if let Some(item) = item {
                return Ok(Some(item?));
            }
        }
        Ok(None)
    }
}

impl<R: BufRead, T: Wire> Iterator for Reader<R, T> {
    type Item = Result<T, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

impl<R: BufRead, T: Wire> FusedIterator for Reader<R, T> {}

/// An error of a writer.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// The value is invalid; nothing of it is written.
    Encode(EncodeError),
    /// Writing failed. The writer keeps the unwritten rest of the line and writes it first the next time, so do not
    /// write the value again.
    Io(io::Error),
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Encode(error) => error.fmt(f),
            WriteError::Io(error) => error.fmt(f),
        }
    }
}

/// `Display` is that of the source.
impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WriteError::Encode(error) => Some(error),
            WriteError::Io(error) => Some(error),
        }
    }
}

impl From<EncodeError> for WriteError {
    fn from(error: EncodeError) -> Self {
        WriteError::Encode(error)
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        WriteError::Io(error)
    }
}

/// Writes whole lines and flushes each. It can be shared between threads.
///
/// If writing fails, such as with `WouldBlock`, the writer keeps the rest of the line. The next
/// [`write`](Writer::write) or [`flush`](Writer::flush) continues with it.
#[derive(Debug)]
pub struct Writer<W> {
    state: Mutex<(W, Waiting)>,
}

impl<W: Write> Writer<W> {
    /// Creates a writer.
    #[must_use]
    pub fn new(to: W) -> Self {
        Writer {
            state: Mutex::new((to, Waiting::default())),
        }
    }

    /// Writes a value as one line.
    ///
    /// # Errors
    ///
    /// Fails if the value is invalid, or if writing fails.
    pub fn write<T: Wire>(&self, value: &T) -> Result<(), WriteError> {
        Ok(self.send(&frame(encode(value)?))?)
    }

    /// Writes a message that is encoded already, without line feeds, such as one that a session returned.
    ///
    /// # Errors
    ///
    /// Fails if writing fails.
    pub fn write_line(&self, line: &str) -> io::Result<()> {
        self.send(&frame(line.to_owned()))
    }

    /// Writes what earlier errors left unwritten, and flushes.
    ///
    /// # Errors
    ///
    /// Fails if writing fails.
    pub fn flush(&self) -> io::Result<()> {
        self.send("")
    }

    fn send(&self, line: &str) -> io::Result<()> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (to, rest) = &mut *state;
        rest.add(line.as_bytes());
        while !rest.bytes().is_empty() {
            match again(|| to.write(rest.bytes()))? {
                0 => return Err(ErrorKind::WriteZero.into()),
                count => rest.consume(count),
            }
        }
        again(|| to.flush())
    }

    /// Returns the underlying stream. Anything that errors left unwritten is dropped.
    pub fn into_inner(self) -> W {
        let inner = self.state.into_inner();
        inner.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Repeats an operation while it is interrupted.
fn again<T>(mut act: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match act() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

#[cfg(feature = "tokio")]
#[cfg_attr(docsrs, doc(cfg(feature = "tokio")))]
pub use asynchronous::{AsyncReader, AsyncWriter};

#[cfg(feature = "tokio")]
mod asynchronous {
    use super::*;
    use futures_core::Stream;
    use std::future::poll_fn;
    use std::pin::Pin;
    use std::task::{ready, Context, Poll};
    use tokio::io::{AsyncBufRead, AsyncWrite};

    /// Reads a stream of lines without blocking: a [`Stream`] with the items of a [`Reader`].
    ///
    /// ```
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// # runtime.block_on(async {
    /// use polywire_runtime::{AsyncReader, AsyncWriter, Json};
    ///
    /// let mut writer = AsyncWriter::new(Vec::new());
    /// writer.write_line("not JSON").await?;
    /// writer.write_line("[1, 2]").await?;
    ///
    /// let stream = writer.into_inner();
    /// let mut reader = AsyncReader::<_, Json>::new(&*stream);
    /// assert!(reader.next().await.is_some_and(|item| item.is_err()));
    /// assert!(reader.next().await.is_some_and(|item| item.is_ok()));
    /// assert!(reader.next().await.is_none());
    /// # Ok::<(), std::io::Error>(())
    /// # })?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[derive(Debug)]
    pub struct AsyncReader<R, T> {
        from: R,
        lines: Lines,
        ended: bool,
        of: PhantomData<fn() -> T>,
    }

    impl<R: AsyncBufRead + Unpin, T: Wire> AsyncReader<R, T> {
        /// Creates a reader in lenient mode, for lines of up to 64 MiB.
        #[must_use]
        pub fn new(from: R) -> Self {
            AsyncReader {
                from,
                lines: Lines::new(),
                ended: false,
                of: PhantomData,
            }
        }

        settings! {}

        /// Returns the underlying stream.
        pub fn into_inner(self) -> R {
            self.from
        }

        /// The length of the last line that was read, in bytes; for a line that is too long, the length of the part
        /// that was kept.
        #[allow(dead_code)] // as above
        pub(crate) fn kept(&self) -> usize {
            self.lines.kept
        }

        /// Whether nothing more can be read, as it is unknown where the next message begins.
        #[allow(dead_code)] // as above
        pub(crate) fn is_closed(&self) -> bool {
            self.lines.framing.is_closed()
        }

        /// Returns the next message, or an error; `None` at the end of the stream. This method is cancellation-safe:
        /// if the future is dropped before it is ready, the next call continues where it stopped.
        pub async fn next(&mut self) -> Option<Result<T, ReadError>> {
            poll_fn(|context| self.poll(context)).await
        }

        fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<T, ReadError>>> {
            while !self.ended {
                let piece = match ready!(Pin::new(&mut self.from).poll_fill_buf(context)) {
                    Ok(piece) => piece,
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => return Poll::Ready(Some(Err(error.into()))),
                };
                let (taken, item) = self.lines.read(piece, &mut self.ended);
                Pin::new(&mut self.from).consume(taken);
                if let Some(item) = item {
                    return Poll::Ready(Some(item.map_err(ReadError::Line)));
                }
            }
            Poll::Ready(None)
        }
    }

    impl<R: AsyncBufRead + Unpin, T: Wire> Stream for AsyncReader<R, T> {
        type Item = Result<T, ReadError>;

        fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
            self.get_mut().poll(context)
        }
    }

    /// Writes whole lines without blocking and flushes each. To share it, put it behind a mutex.
    ///
    /// If writing fails, or the future of a [`write`](AsyncWriter::write) is dropped after it was polled,
    /// the writer keeps the rest of the line. The next `write` or [`flush`](AsyncWriter::flush) continues
    /// with it.
    #[derive(Debug)]
    pub struct AsyncWriter<W> {
        to: W,
        rest: Waiting,
    }

    impl<W: AsyncWrite + Unpin> AsyncWriter<W> {
        /// Creates a writer.
        #[must_use]
        pub fn new(to: W) -> Self {
            AsyncWriter {
                to,
                rest: Waiting::default(),
            }
        }

        /// Writes a value as one line.
        ///
        /// # Errors
        ///
        /// Fails if the value is invalid, or if writing fails.
        pub async fn write<T: Wire>(&mut self, value: &T) -> Result<(), WriteError> {
            self.rest.add(frame(encode(value)?).as_bytes());
            Ok(self.flush().await?)
        }

        /// Writes a message that is encoded already, without line feeds, such as one that a session returned.
        ///
        /// # Errors
        ///
        /// Fails if writing fails.
        pub async fn write_line(&mut self, line: &str) -> io::Result<()> {
            self.rest.add(frame(line.to_owned()).as_bytes());
            self.flush().await
        }

        /// Writes what errors and dropped futures left unwritten, and flushes.
        ///
        /// # Errors
        ///
        /// Fails if writing fails.
        pub async fn flush(&mut self) -> io::Result<()> {
            poll_fn(|context| self.poll_send(context)).await
        }

        fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
            while !self.rest.bytes().is_empty() {
                let to = Pin::new(&mut self.to);
                match ready!(to.poll_write(context, self.rest.bytes())) {
                    Ok(0) => return Poll::Ready(Err(ErrorKind::WriteZero.into())),
                    Ok(count) => self.rest.consume(count),
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(error) => return Poll::Ready(Err(error)),
                }
            }
            Pin::new(&mut self.to).poll_flush(context)
        }

        /// Returns the underlying stream. Anything still unwritten is dropped.
        pub fn into_inner(self) -> W {
            self.to
        }
    }
}
