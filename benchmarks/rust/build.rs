//! Puts the peer's types, which `benchmarks/serde_peer.py` writes from the schema, where `src/lib.rs` includes them.
//!
//! `PEER` names their file. Without it, as when this crate is only linted, the peer is untyped JSON.

use std::{env, fs, path::Path};

fn main() {
    println!("cargo:rerun-if-env-changed=PEER");
    let types = match env::var("PEER") {
        Ok(file) => {
            println!("cargo:rerun-if-changed={file}");
            fs::read_to_string(&file).expect("PEER names a file")
        }
        Err(_) => "pub type Message = serde_json::Value;\n".to_owned(),
    };
    let folder = env::var("OUT_DIR").expect("Cargo sets OUT_DIR");
    fs::write(Path::new(&folder).join("peer.rs"), types).expect("OUT_DIR is writable");
}
