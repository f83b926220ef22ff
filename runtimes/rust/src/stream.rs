//! Streams of lines, each a JSON text.

use std::fmt;
use std::io::{self, BufRead, Write};
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

use crate::codec::Wire;
use crate::error::{Code, DecodeError, EncodeError};
use crate::{decode_with, encode, Mode};

/// The default limit on the length of a line in bytes: 64 MiB.
pub const DEFAULT_LIMIT: usize = 64 << 20;

/// How many bytes are kept of a line over the limit.
const KEPT: usize = 1 << 10;

/// A line that does not decode. The stream continues after it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BadLine {
    /// The number of the line, counted from 1, empty lines included.
    pub line: u64,
    /// The line without its line end; of a line over the limit, its beginning.
    pub raw: Vec<u8>,
    /// The fault.
    pub error: DecodeError,
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.error)
    }
}

/// `Display` includes the decode error, so there is no `source`.
impl std::error::Error for BadLine {}

/// An error of a reader.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReadError {
    /// A line does not decode. The stream goes on behind it.
    Line(BadLine),
    /// Reading failed; the reader ends here.
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

/// `Display` and `source` are those of the inner error.
impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ReadError::Line(bad) => bad.source(),
            ReadError::Io(error) => error.source(),
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

/// Splits bytes into lines. Holds at most the beginning of one line.
#[derive(Clone, Debug)]
struct Lines {
    mode: Mode,
    limit: usize,
    /// How many lines have ended.
    line: u64,
    /// The beginning of a line that has not ended.
    held: Vec<u8>,
    /// How many bytes of that line were read; over the limit, fewer are held.
    length: usize,
}

impl Lines {
    fn new() -> Self {
        Lines {
            mode: Mode::Lenient,
            limit: DEFAULT_LIMIT,
            line: 0,
            held: Vec::new(),
            length: 0,
        }
    }

    /// Holds more of a line. The byte after the limit may be a carriage return.
    fn hold(&mut self, piece: &[u8]) {
        let most = self.limit.saturating_add(1);
        self.length = self.length.saturating_add(piece.len());
        let kept = if self.length > most { KEPT } else { most };
        let room = kept.saturating_sub(self.held.len());
        self.held.extend_from_slice(&piece[..piece.len().min(room)]);
        if self.length > most {
            self.held.truncate(KEPT);
        }
    }

    /// Consumes a piece of the stream up to its first line end; returns how many bytes, and the item of the
    /// line, unless the line continues or is blank.
    fn take<T: Wire>(&mut self, piece: &[u8]) -> (usize, Option<Result<T, BadLine>>) {
        let Some(end) = piece.iter().position(|c| *c == b'\n') else {
            self.hold(piece);
            return (piece.len(), None);
        };
        if self.length == 0 {
            return (end + 1, self.item(&piece[..end], end));
        }
        self.hold(&piece[..end]);
        (end + 1, self.held_item())
    }

    /// The item of the last line, at the end of the stream.
    fn finish<T: Wire>(&mut self) -> Option<Result<T, BadLine>> {
        if self.length == 0 {
            return None;
        }
        self.held_item()
    }

    fn held_item<T: Wire>(&mut self) -> Option<Result<T, BadLine>> {
        let (line, length) = (std::mem::take(&mut self.held), self.length);
        self.length = 0;
        self.item(&line, length)
    }

    /// The item of a line of this length, of which `line` was kept.
    fn item<T: Wire>(&mut self, line: &[u8], length: usize) -> Option<Result<T, BadLine>> {
        self.line += 1;
        let line = match line.strip_suffix(b"\r") {
            Some(stripped) if line.len() == length => stripped,
            _ => line,
        };
        if line.len() > self.limit || length > self.limit.saturating_add(1) {
            let error = DecodeError {
                code: Code::TooLong,
                path: String::new(),
                message: format!("longer than {} bytes", self.limit),
            };
            return Some(Err(self.bad(&line[..line.len().min(KEPT)], error)));
        }
        if line.iter().all(|c| matches!(c, b' ' | b'\t' | b'\r')) {
            return None;
        }
        Some(decode_with(line, self.mode).map_err(|error| self.bad(line, error)))
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
            self.lines.limit = bytes;
            self
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
/// use polywire_runtime::{Json, LineDecoder};
///
/// let mut decoder = LineDecoder::<Json>::new();
/// assert_eq!(decoder.feed(b"{\"half\": ").count(), 0);
/// let items: Vec<_> = decoder.feed(b"a line\n\n").collect();
/// assert_eq!(items[0].as_ref().unwrap_err().line, 1);
/// assert_eq!(decoder.finish().count(), 0);
/// ```
#[derive(Clone, Debug)]
pub struct LineDecoder<T> {
    lines: Lines,
    /// The part of earlier pieces that was not consumed.
    rest: Vec<u8>,
    of: PhantomData<fn() -> T>,
}

impl<T: Wire> LineDecoder<T> {
    /// Creates a decoder in lenient mode, for lines of up to 64 MiB.
    #[must_use]
    pub fn new() -> Self {
        LineDecoder {
            lines: Lines::new(),
            rest: Vec::new(),
            of: PhantomData,
        }
    }

    settings! {}

    /// Returns the items of the lines that a piece completes. Items that are left in the iterator when it
    /// is dropped come first the next time.
    pub fn feed<'a>(&'a mut self, piece: &'a [u8]) -> Items<'a, T> {
        Items {
            decoder: self,
            piece,
            ended: false,
        }
    }

    /// Ends the stream; returns the remaining items. A last line without a line end counts.
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
        while !self.decoder.rest.is_empty() {
            let rest = std::mem::take(&mut self.decoder.rest);
            let (taken, item) = self.decoder.lines.take(&rest);
            self.decoder.rest = rest;
            self.decoder.rest.drain(..taken);
            if item.is_some() {
                return item;
            }
        }
        while !self.piece.is_empty() {
            let (taken, item) = self.decoder.lines.take(self.piece);
            self.piece = &self.piece[taken..];
            if item.is_some() {
                return item;
            }
        }
        if self.ended {
            return self.decoder.lines.finish();
        }
        None
    }
}

impl<T: Wire> Drop for Items<'_, T> {
    fn drop(&mut self) {
        self.decoder.rest.extend_from_slice(self.piece);
    }
}

// --- readers and writers ------------------------------------------------------------------------

/// Reads a stream of lines: an iterator of messages, and of errors for bad lines.
///
/// ```
/// use polywire_runtime::{Json, ReadError, Reader};
///
/// for item in Reader::<_, Json>::new(&b"not JSON\n"[..]) {
///     match item {
///         Ok(message) => println!("{message:?}"),
///         Err(ReadError::Line(bad)) => eprintln!("{bad}"),
///         Err(error) => panic!("{error}"),
///     }
/// }
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
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    self.ended = true;
                    return Err(error.into());
                }
            };
            let item = if piece.is_empty() {
                self.ended = true;
                self.lines.finish()
            } else {
                let (taken, item) = self.lines.take(piece);
                self.from.consume(taken);
                item
            };
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

/// An error of a writer.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// No reader accepts the value; nothing was written.
    Encode(EncodeError),
    /// Writing failed.
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

/// `Display` and `source` are those of the inner error.
impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            WriteError::Encode(error) => error.source(),
            WriteError::Io(error) => error.source(),
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
#[derive(Debug)]
pub struct Writer<W> {
    to: Mutex<W>,
}

impl<W: Write> Writer<W> {
    /// Creates a writer.
    #[must_use]
    pub fn new(to: W) -> Self {
        Writer { to: Mutex::new(to) }
    }

    /// Writes a value as one line.
    ///
    /// # Errors
    ///
    /// Fails if no reader accepts the value, or if writing fails.
    pub fn write<T: Wire>(&self, value: &T) -> Result<(), WriteError> {
        let mut line = encode(value)?;
        line.push('\n');
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        to.write_all(line.as_bytes())?;
        Ok(to.flush()?)
    }

    /// Returns the underlying stream.
    pub fn into_inner(self) -> W {
        let inner = self.to.into_inner();
        inner.unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(feature = "tokio")]
#[cfg_attr(docsrs, doc(cfg(feature = "tokio")))]
pub use asynchronous::{AsyncReader, AsyncWriter};

#[cfg(feature = "tokio")]
mod asynchronous {
    use super::*;
    use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};

    /// Reads a stream of lines without blocking; see [`Reader`].
    ///
    /// ```
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// # runtime.block_on(async {
    /// use polywire_runtime::{AsyncReader, Json};
    ///
    /// let mut reader = AsyncReader::<_, Json>::new(&b"not JSON\n"[..]);
    /// while let Some(item) = reader.next().await {
    ///     assert!(item.is_err());
    /// }
    /// # });
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

        /// Returns the next message, or the error for a bad line; `None` at the end. This is
        /// cancellation-safe: nothing is lost if the future is dropped before it is ready.
        pub async fn next(&mut self) -> Option<Result<T, ReadError>> {
            while !self.ended {
                let piece = match self.from.fill_buf().await {
                    Ok(piece) => piece,
                    Err(error) => {
                        self.ended = true;
                        return Some(Err(error.into()));
                    }
                };
                let item = if piece.is_empty() {
                    self.ended = true;
                    self.lines.finish()
                } else {
                    let (taken, item) = self.lines.take(piece);
                    self.from.consume(taken);
                    item
                };
                if let Some(item) = item {
                    return Some(item.map_err(ReadError::Line));
                }
            }
            None
        }
    }

    /// Writes whole lines without blocking and flushes each. To share it, put it behind a mutex.
    #[derive(Debug)]
    pub struct AsyncWriter<W> {
        to: W,
    }

    impl<W: AsyncWrite + Unpin> AsyncWriter<W> {
        /// Creates a writer.
        #[must_use]
        pub fn new(to: W) -> Self {
            AsyncWriter { to }
        }

        /// Writes a value as one line. If the future is dropped before it is ready, part of a line may
        /// have been written.
        ///
        /// # Errors
        ///
        /// Fails if no reader accepts the value, or if writing fails.
        pub async fn write<T: Wire>(&mut self, value: &T) -> Result<(), WriteError> {
            let mut line = encode(value)?;
            line.push('\n');
            self.to.write_all(line.as_bytes()).await?;
            Ok(self.to.flush().await?)
        }

        /// Returns the underlying stream.
        pub fn into_inner(self) -> W {
            self.to
        }
    }
}
