//! The framing `sse`: event streams, in which the `data` lines of an event are the lines of a message. Lines end with a
//! carriage return, a line feed, or both. Other fields and comments are ignored.

use crate::splitter::{Frame, Held};

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The number of bytes of a line that show what it is: a byte order mark, `data:` and a space.
const DECIDING: usize = 9;

/// A message as it is written to a stream.
#[allow(clippy::needless_pass_by_value)] // as in other framings
pub(crate) fn frame(message: String) -> String {
    format!("data: {message}\n\n")
}

/// Splits bytes into the data of events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Framing {
    /// The beginning of a line that does not show yet what it is.
    begun: Vec<u8>,
    /// Whether the current line is one of the message, if that is known.
    is_data: Option<bool>,
    /// Whether the event has such a line.
    has_data: bool,
    /// Whether a carriage return ended the last line, so that a line feed would belong to it.
    after_return: bool,
    /// Whether the current line is not the first one of the stream.
    is_later: bool,
}

impl Framing {
    /// Whether nothing more can be read. Events can always be.
    #[allow(clippy::unused_self)] // as in other framings
    pub(crate) fn is_closed(&self) -> bool {
        false
    }

    /// Consumes a piece of the stream up to the end of its first event with data. Returns the number of bytes, and the
    /// data if the event has ended.
    pub(crate) fn take(
        &mut self,
        piece: &[u8],
        held: &mut Held,
    ) -> (usize, Option<Frame<'static>>) {
        let mut at = 0;
        while at < piece.len() {
            let rest = &piece[at..];
            if std::mem::take(&mut self.after_return) && rest[0] == b'\n' {
                at += 1;
                continue;
            }
            let end = rest.iter().position(|c| matches!(c, b'\r' | b'\n'));
            self.read(&rest[..end.unwrap_or(rest.len())], held);
            let Some(end) = end else { break };
            self.after_return = rest[end] == b'\r';
            at += end + 1;
            if self.end_line(held) && self.has_data {
                return (at, self.end_event(held));
            }
        }
        (piece.len(), None)
    }

    /// The data of the last event, at the end of the stream.
    pub(crate) fn finish(&mut self, held: &mut Held) -> Option<Frame<'static>> {
        self.end_line(held);
        self.end_event(held)
    }

    /// Reads a part of a line.
    fn read(&mut self, part: &[u8], held: &mut Held) {
        match self.is_data {
            Some(true) => held.hold(part),
            Some(false) => {}
            None => {
                self.begun.extend_from_slice(part);
                if self.begun.len() >= DECIDING {
                    self.decide(held);
                }
            }
        }
    }

    /// Decides what the current line is, and holds what it has of the message.
    fn decide(&mut self, held: &mut Held) {
        let begun = std::mem::take(&mut self.begun);
        let value = match self.line(&begun).strip_prefix(b"data") {
            Some(b"") => b"",
            Some([b':', value @ ..]) => value.strip_prefix(b" ").unwrap_or(value),
            _ => {
                self.is_data = Some(false);
                return;
            }
        };
        if self.has_data {
            held.hold(b"\n");
        }
        held.hold(value);
        self.is_data = Some(true);
        self.has_data = true;
    }

    /// The beginning of the current line without a byte order mark.
    fn line<'a>(&self, begun: &'a [u8]) -> &'a [u8] {
        let mark = if self.is_later { b"" } else { BYTE_ORDER_MARK };
        begun.strip_prefix(mark).unwrap_or(begun)
    }

    /// Ends the current line. Returns whether it is empty.
    fn end_line(&mut self, held: &mut Held) -> bool {
        let is_empty = self.is_data.is_none() && self.line(&self.begun).is_empty();
        if self.is_data.is_none() && !is_empty {
            self.decide(held);
        }
        self.begun.clear();
        self.is_data = None;
        self.is_later = true;
        is_empty
    }

    /// Ends the current event. Returns its data, if it has any.
    fn end_event(&mut self, held: &mut Held) -> Option<Frame<'static>> {
        std::mem::take(&mut self.has_data).then(|| held.complete(&[]))
    }
}
