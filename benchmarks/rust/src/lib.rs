//! The peer: the types of the protocol with serde's derive, and its two functions, compiled as ours are.

mod types {
    include!(concat!(env!("OUT_DIR"), "/peer.rs"));
}

pub use types::Message;

/// Decodes a line.
pub fn decode(line: &[u8]) -> serde_json::Result<Message> {
    serde_json::from_slice(line)
}

/// Encodes a message.
pub fn encode(message: &Message) -> serde_json::Result<String> {
    serde_json::to_string(message)
}
