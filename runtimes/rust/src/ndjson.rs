//! The framing `ndjson`: a line feed ends a message; a carriage return before it is not a part of the message.

use std::borrow::Cow;

use crate::splitter::{Frame, Held};

/// A message as it is written to a stream.
pub(crate) fn frame(mut message: String) -> String {
    message.push('\n');
    message
}

/// Splits bytes into lines. It has no state, unlike other framings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Framing {}

impl Framing {
    /// Whether nothing more can be read. Lines can always be.
    #[allow(clippy::unused_self)] // as in other framings
    pub(crate) fn is_closed(&self) -> bool {
        false
    }

    /// Consumes a piece of the stream up to its first line end. Returns the number of bytes, and the line if it has
    /// ended.
    #[allow(clippy::unused_self)]
    pub(crate) fn take<'a>(
        &mut self,
        piece: &'a [u8],
        held: &mut Held,
    ) -> (usize, Option<Frame<'a>>) {
        let Some(end) = memchr::memchr(b'\n', piece) else {
            held.hold(piece);
            return (piece.len(), None);
        };
        (end + 1, Some(without_return(held.complete(&piece[..end]))))
    }

    /// The last line, at the end of the stream.
    #[allow(clippy::unused_self)]
    pub(crate) fn finish(&mut self, held: &mut Held) -> Option<Frame<'static>> {
        (!held.is_empty()).then(|| without_return(held.complete(&[])))
    }
}

/// A line without a carriage return at its end.
fn without_return(mut line: Frame<'_>) -> Frame<'_> {
    if line.length == line.data.len() as u64 && line.data.ends_with(b"\r") {
        line.length -= 1;
        match &mut line.data {
            Cow::Borrowed(data) => *data = &data[..data.len() - 1],
            Cow::Owned(data) => data.truncate(data.len() - 1),
        }
    }
    line
}
