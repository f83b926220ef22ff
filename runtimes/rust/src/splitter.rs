//! What the framings share: a message that is split off a stream, and the beginning of one that has not ended.

use std::borrow::Cow;

/// The number of bytes that are kept of a message over the limit, and of a malformed header.
pub(crate) const KEPT: usize = 1 << 10;

/// A message.
#[derive(Debug)]
pub(crate) struct Frame<'a> {
    /// The message; only its beginning if it is too long.
    pub(crate) data: Cow<'a, [u8]>,
    /// Its length.
    pub(crate) length: u64,
    /// What is wrong with the stream there.
    pub(crate) fault: Option<String>,
}

/// The beginning of a message.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    /// The limit on the length of a message in bytes.
    pub(crate) limit: usize,
    bytes: Vec<u8>,
    /// The number of bytes read of the message; over the limit, fewer are held.
    length: usize,
}

impl Held {
    pub(crate) fn new(limit: usize) -> Self {
        Held {
            limit,
            bytes: Vec::new(),
            length: 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Keeps more of the message. The byte after the limit may be a carriage return.
    pub(crate) fn hold(&mut self, piece: &[u8]) {
        let most = self.limit.saturating_add(1);
        self.length = self.length.saturating_add(piece.len());
        let kept = if self.length > most { KEPT } else { most };
        let room = kept.saturating_sub(self.bytes.len());
        self.bytes
            .extend_from_slice(&piece[..piece.len().min(room)]);
        if self.length > most {
            self.bytes.truncate(KEPT);
        }
    }

    /// Completes the message with its last piece.
    pub(crate) fn complete<'a>(&mut self, piece: &'a [u8]) -> Frame<'a> {
        if self.is_empty() {
            return Frame {
                data: Cow::Borrowed(piece),
                length: piece.len() as u64,
                fault: None,
            };
        }
        self.hold(piece);
        let length = std::mem::take(&mut self.length) as u64;
        Frame {
            data: Cow::Owned(std::mem::take(&mut self.bytes)),
            length,
            fault: None,
        }
    }
}
