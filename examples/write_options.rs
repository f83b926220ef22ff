//! Writes the options of a session and reads them back.

use agentlines::enums::PermissionMode;
use agentlines::{decode_with, encode, Mode, QueryOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let options = QueryOptions::new()
        .with_model("opus")
        .with_max_turns(3)
        .with_allowed_tools(["Read", "Grep"])
        .with_env([("LANG", "C")])
        .with_permission_mode(PermissionMode::Plan)
        .with_continue(false)
        .with_system_prompt("Be brief.");
    let text = encode(&options)?;
    println!("{text}");
    assert_eq!(decode_with::<QueryOptions>(&text, Mode::Strict)?, options);
    Ok(())
}
