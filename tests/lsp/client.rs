//! Prints what a language server finds: client PYTHON SERVER [broken]

use std::env::args;
use std::error::Error;

use lsp_wire::launch::{launch, Release};
use lsp_wire::process::{Process, ProcessError};
use lsp_wire::protocol::*;
use lsp_wire::session::{Event, Peer};
use lsp_wire::{Object, ReadError};

const TEXT: &str = "a wrong word é\nno\nwrong wrong";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let program = args().nth(1).ok_or("no server")?;
    let how = Server::new(program).with_arguments(args().skip(2).collect::<Vec<_>>());
    let server = Process::builder(Peer::Client, &launch(&how, Release::NEWEST)?).start()?;
    let about = InitializeParams::new(None, None, Object::new());
    let answer = server.request(InitializeRequest::new(about)).await?;
    println!(
        "{}",
        answer.server_info.map_or("?".into(), |info| info.name)
    );
    server.notify(Initialized::new(Object::new())).await?;
    let document = OpenDocument::new(OpenDocumentRequired {
        uri: "file:///é".into(),
        language_id: "words".into(),
        version: 1,
        text: TEXT.into(),
    });
    server
        .notify(DidOpen::new(DidOpenParams::new(document)))
        .await?;
    take(&server).await?;
    match server.request(ShutdownRequest::new()).await {
        Ok(_) => {
            server.notify(Exit::new()).await?;
            println!("{}", server.wait().await?.code().unwrap_or(-1));
        }
        Err(error @ ProcessError::Ended { .. }) => {
            println!("{}", error.to_string().contains("behind a malformed header"));
            println!("{}", server.close().await?.code().unwrap_or(-1));
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}

/// Prints events until the server has logged something, or its output ends.
async fn take(server: &Process) -> Result<(), ReadError> {
    while let Some(event) = server.next().await {
        let notice = match event {
            Ok(Event::Notification(notification)) => notification,
            Err(ReadError::Line(bad)) => {
                let raw = String::from_utf8_lossy(&bad.raw);
                println!("message {}: {} {raw}", bad.line, bad.error.code.as_str());
                continue;
            }
            Err(_) => break,
            Ok(_) => continue,
        };
        match notice {
            Notice::PublishDiagnostics(found) => {
                for each in found.params.diagnostics {
                    let (start, message) = (each.range.start, each.message.replace('\n', "\\n"));
                    println!("{}:{} '{message}'", start.line, start.character);
                }
            }
            Notice::LogMessage(log) => {
                println!("{}", log.params.message);
                break;
            }
            _ => {}
        }
    }
    Ok(())
}
