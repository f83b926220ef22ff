//! Framings other than that of the sample protocol: pieces of any size have the same messages as the whole stream.

use crate::splitter::{Frame, Held};
use crate::{content_length, sse};

/// A message with its length and its fault.
type Found = (Vec<u8>, u64, Option<String>);

/// The messages of a stream that is read in pieces of some bytes.
macro_rules! messages {
    ($framing:ident, $stream:expr, $size:expr) => {{
        let (mut framing, mut held) = ($framing::Framing::default(), Held::new(20));
        let mut found = Vec::new();
        for mut piece in $stream.chunks($size) {
            while !piece.is_empty() {
                let (taken, frame) = framing.take(piece, &mut held);
                found.extend(frame.map(owned));
                piece = &piece[taken..];
            }
        }
        found.extend(framing.finish(&mut held).map(owned));
        assert!(framing.finish(&mut held).is_none());
        (found, framing.is_closed())
    }};
}

fn owned(frame: Frame<'_>) -> Found {
    (frame.data.into_owned(), frame.length, frame.fault)
}

fn sound(message: &str) -> Found {
    (message.into(), message.len() as u64, None)
}

#[test]
fn messages_have_the_length_of_their_headers() {
    let written = ["{}", "", "[1,\n2]"].map(|each| content_length::frame(each.to_owned()));
    let stream = [&*written.concat(), "A: b\nCONTENT-length:3\n\n[1]no\r\n{}"].concat();
    let broken = (
        b"no".to_vec(),
        0,
        Some("a line of the header has no name".into()),
    );
    let expected = [
        sound("{}"),
        sound(""),
        sound("[1,\n2]"),
        sound("[1]"),
        broken,
    ];
    for size in 1..stream.len() {
        let (found, closed) = messages!(content_length, stream.as_bytes(), size);
        assert_eq!((found, closed), (expected.to_vec(), true), "{size}");
    }
}

#[test]
fn events_have_the_lines_of_their_data() {
    let written = ["{}", "", "[1]"].map(|each| sse::frame(each.to_owned()));
    let stream = [
        "\u{feff}",
        &*written.concat(),
        "id: 1\rdata: a\r\ndata\ndata:b\r\r:\n\ndata:",
    ]
    .concat();
    let expected = ["{}", "", "[1]", "a\n\nb", ""].map(sound);
    for size in 1..stream.len() {
        let (found, closed) = messages!(sse, stream.as_bytes(), size);
        assert_eq!((found, closed), (expected.to_vec(), false), "{size}");
    }
}
