//! A client whose functions are all in its options; it prints what it was told besides. `tests/functions` runs it.

use std::future::pending;
use std::sync::{Arc, Mutex};

use agentlines::control::{ElicitationRequest, UserDialogCancelled};
use agentlines::hooks::{HookInput, SyncHookJsonOutput};
use agentlines::jsonrpc::{JsonRpcMessage, JsonRpcResponse};
use agentlines::launch::{launch_with, Functions, Release};
use agentlines::mcp::{ElicitationResult, McpSdkServerConfigWithInstance, McpServerConfig};
use agentlines::options::{HookMatcher, QueryOptions};
use agentlines::permissions::{PermissionResult, PermissionResultAllow, PermissionResultDeny};
use agentlines::process::Process;
use agentlines::session::{Event, Peer};
use agentlines::{encode, Json, Map, Object};

async fn may_run(tool_name: String, _: Object) -> Result<PermissionResult, String> {
    match tool_name.as_str() {
        "Bash" => {
            let mut allow = PermissionResultAllow::new(Map::new());
            allow.updated_input = None;
            Ok(allow.into())
        }
        "Write" => Ok(PermissionResultAllow::new(Map::new()).into()),
        "Raise" => Err("broken".into()),
        "Wait" => pending().await,
        _ => Ok(PermissionResultDeny::new("no").into()),
    }
}

async fn hook(number: u8, tool_use_id: Option<String>) -> Result<SyncHookJsonOutput, String> {
    let id = tool_use_id.as_deref().unwrap_or("none");
    Ok(SyncHookJsonOutput::new().with_system_message(format!("{number} {id}")))
}

async fn serve(
    name: &'static str,
    message: JsonRpcMessage,
) -> Result<Option<JsonRpcMessage>, String> {
    let JsonRpcMessage::Request(request) = message else {
        return Ok(None);
    };
    let result = Map::from([("server", Json::from(name))]);
    Ok(Some(JsonRpcResponse::new(request.id, result).into()))
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let told = Arc::new(Mutex::new(String::new()));
    let receiver = told.clone();
    let servers = ["first", "second"].map(|name| {
        let server = McpSdkServerConfigWithInstance::new(name);
        (name, McpServerConfig::from(server))
    });
    let matchers = vec![HookMatcher::new(), HookMatcher::new()];
    let options = QueryOptions::new()
        .with_mcp_servers(Map::from(servers))
        .with_hooks(Map::from([("PreToolUse", matchers)]));
    let functions = Functions::new()
        .can_use_tool(may_run)
        .hooks("PreToolUse", 0, |_: HookInput, id| hook(0, id))
        .hooks("PreToolUse", 0, |_, id| hook(1, id))
        .hooks("PreToolUse", 1, |_, id| hook(2, id))
        .instance("first", |message| serve("first", message))
        .instance("second", |message| serve("second", message))
        .on_elicitation(|_: ElicitationRequest| async {
            Ok::<_, String>(ElicitationResult::new("decline".into()))
        })
        .on_user_dialog(|_| async { Ok::<_, String>(UserDialogCancelled::new()) })
        .stderr(move |text| receiver.lock().unwrap().push_str(text));
    let how = launch_with(&options, functions, Release::NEWEST).unwrap();
    let program = std::env::args_os().nth(1).unwrap();
    let process = Process::builder(Peer::Sdk, &how).program(program);
    let process = process.start().unwrap();
    let (mut failed, mut others) = (Vec::<Json>::new(), 0);
    while let Some(event) = process.next().await {
        match event.unwrap() {
            Event::FailedAnswer { message, .. } => failed.push(message.into()),
            Event::Request(_) => others += 1,
            _ => {}
        }
    }
    process.wait().await.unwrap();
    let printed: Object = Map::from([
        ("failed", Json::from(failed)),
        ("stderr", told.lock().unwrap().clone().into()),
        ("others", others.into()),
    ]);
    println!("{}", encode(&printed).unwrap());
}
