//! Writes the messages in the lines of a file, then checks what its features add and writes their names.

use agentlines::{decode, encode, Message};

/// The path of the first fault in a text.
#[allow(dead_code)] // without features
fn fault<T: agentlines::Wire>(text: &str) -> String {
    decode::<T>(text)
        .map(|_| ())
        .expect_err("a fault in the text")
        .path
}

fn main() {
    let path = std::env::args().nth(1).expect("the path of a file");
    for line in std::fs::read_to_string(path).expect("a file").lines() {
        let message: Message = decode(line).expect("a message");
        println!("{}", encode(&message).expect("a valid message"));
    }
    #[cfg(feature = "options")]
    {
        use agentlines::launch::{launch, Release};
        let text = r#"{"settings":{"sandbox":{"enabled":true}},"agents":{"a":{}}}"#;
        assert_eq!(fault::<agentlines::QueryOptions>(text), "/agents/a/description");
        assert!(launch(&agentlines::QueryOptions::new(), Release::NEWEST).is_ok());
        println!("options");
    }
    #[cfg(feature = "session")]
    {
        let text = r#"{"effective":{"sandbox":{"enabled":1}},"sources":[]}"#;
        let path = fault::<agentlines::control::GetSettingsResponse>(text);
        assert_eq!(path, "/effective/sandbox/enabled");
        println!("session");
    }
    #[cfg(feature = "settings")]
    {
        let path = fault::<agentlines::settings::Settings>(r#"{"sandbox":{"enabled":1}}"#);
        assert_eq!(path, "/sandbox/enabled");
        println!("settings");
    }
    #[cfg(feature = "tools")]
    {
        use agentlines::ToolInput;
        let input = decode(r#"{"command":"ls"}"#).expect("an object");
        let read = ToolInput::decode("Bash", &input);
        assert!(matches!(read, Ok(Some(ToolInput::Bash(bash))) if bash.command == "ls"));
        assert_eq!(fault::<agentlines::tools::BashInput>(r#"{"command":1}"#), "/command");
        println!("tools");
    }
}
