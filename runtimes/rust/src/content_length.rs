//! The framing `content-length`, as in the Language Server Protocol: headers with the length of a message, the message.
//! A malformed header ends the stream, as it is unknown where the next message begins.

use std::borrow::Cow;

use crate::splitter::{Frame, Held, KEPT};

/// The maximum length of a header section in bytes, with its line ends.
const HEADER: usize = 4096;

/// The maximum number of digits of a length.
const DIGITS: usize = 15;

/// A message as it is written to a stream.
#[allow(clippy::needless_pass_by_value)] // as in other framings
pub(crate) fn frame(message: String) -> String {
    format!("Content-Length: {}\r\n\r\n{message}", message.len())
}

/// Splits bytes into headers and messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Framing {
    /// The header section so far.
    header: Vec<u8>,
    /// Where its last line begins.
    begun: usize,
    /// The length that the header states.
    stated: Option<u64>,
    /// The number of bytes of the message that have not arrived; in a header, none.
    left: Option<u64>,
    /// Whether a header was malformed.
    closed: bool,
}

impl Framing {
    /// Whether nothing more can be read.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Consumes a piece of the stream up to the end of its first message. Returns the number of bytes, and the message
    /// if it has ended.
    pub(crate) fn take<'a>(
        &mut self,
        piece: &'a [u8],
        held: &mut Held,
    ) -> (usize, Option<Frame<'a>>) {
        let mut at = 0;
        while at < piece.len() && !self.closed {
            let rest = &piece[at..];
            if self.left.is_none() {
                let (taken, malformed) = self.read_header(rest);
                at += taken;
                if malformed.is_some() {
                    return (at, malformed);
                }
            }
            let Some(left) = self.left else { continue };
            let rest = &piece[at..];
            let part = usize::try_from(left).map_or(rest, |left| &rest[..rest.len().min(left)]);
            at += part.len();
            let left = left - part.len() as u64;
            self.left = Some(left);
            if left == 0 {
                return (at, Some(self.complete(held.complete(part))));
            }
            held.hold(part);
        }
        (piece.len(), None)
    }

    /// What is left of a header or a message, at the end of the stream.
    pub(crate) fn finish(&mut self, held: &mut Held) -> Option<Frame<'static>> {
        if self.closed {
            return None;
        }
        let Some(left) = self.left else {
            let fault = "the stream ends in a header";
            return (!self.header.is_empty()).then(|| self.close(self.header.len(), fault));
        };
        let mut frame = self.complete(held.complete(&[]));
        let (length, arrived) = (frame.length, frame.length - left);
        frame.fault = Some(format!("the stream ends after {arrived} of {length} bytes"));
        Some(frame)
    }

    /// A message with the length that its header states.
    fn complete<'a>(&mut self, mut frame: Frame<'a>) -> Frame<'a> {
        frame.length = self.stated.take().unwrap_or_default();
        self.left = None;
        frame
    }

    /// Reads a line of the header, as far as it has arrived. Returns the number of bytes, and the header if it is
    /// malformed.
    fn read_header(&mut self, piece: &[u8]) -> (usize, Option<Frame<'static>>) {
        let room = &piece[..piece.len().min(HEADER - self.header.len())];
        let end = room.iter().position(|c| *c == b'\n');
        let taken = end.map_or(room.len(), |end| end + 1);
        self.header.extend_from_slice(&room[..taken]);
        if end.is_none() {
            let is_full = taken < piece.len();
            let malformed = is_full.then(|| self.close(HEADER, "the header is too long"));
            return (taken, malformed);
        }
        let line = &self.header[self.begun..self.header.len() - 1];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() && self.stated.is_some() {
            self.header.clear();
            self.begun = 0;
            self.left = self.stated;
            return (taken, None);
        }
        match length(line, self.stated) {
            Ok(stated) => {
                self.stated = stated;
                self.begun = self.header.len();
                (taken, None)
            }
            Err(fault) => (taken, Some(self.close(self.begun + line.len(), fault))),
        }
    }

    /// Reports a malformed header, of which the first bytes were read. Nothing after it is read.
    fn close(&mut self, read: usize, fault: &str) -> Frame<'static> {
        self.closed = true;
        let mut header = std::mem::take(&mut self.header);
        header.truncate(read.min(KEPT));
        Frame {
            data: Cow::Owned(header),
            length: 0,
            fault: Some(fault.to_owned()),
        }
    }
}

/// The length that a header states up to a line, or what is wrong with the line.
fn length(line: &[u8], stated: Option<u64>) -> Result<Option<u64>, &'static str> {
    if line.is_empty() {
        return Err("no Content-Length");
    }
    let is_name = |c: &u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_');
    let colon = line.iter().position(|c| !is_name(c));
    let (name, value) = match colon {
        Some(at) if at > 0 && line[at] == b':' => (&line[..at], &line[at + 1..]),
        _ => return Err("a line of the header has no name"),
    };
    if !name.eq_ignore_ascii_case(b"content-length") {
        return Ok(stated);
    }
    let value = std::str::from_utf8(value).unwrap_or_default();
    let digits = value.trim_matches([' ', '\t']);
    let is_number = digits.bytes().all(|c| c.is_ascii_digit());
    match digits.parse() {
        Ok(length) if is_number && digits.len() <= DIGITS && stated.is_none() => Ok(Some(length)),
        _ => Err("Content-Length is no number, or is repeated"),
    }
}
