"""Crates of dialects beside that of the spec, in one program."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

import toolchain
from polywire.commands.cli import cli
from sampling import turn
from toolchain import Toolchain

ROOT = toolchain.ROOT
DIALECTS = {"rusty_claw": "agentlines-rusty-claw", "miriad": "agentlines-miriad"}

MANIFEST = """\
[package]
name = "both"
edition = "2021"

[dependencies]
agentlines = {{ path = "{base}" }}
{dialects}

[workspace]
"""

PROGRAM = """\
use agentlines_rusty_claw as claw;
use claw::content::ContentBlock;
use claw::control::{ControlResponseInner, PermissionRequest};
use claw::messages::{ResultMessage, SystemMessage};
use claw::permissions::PermissionResult;

fn main() {
    // The document's variants, by its names.
    let named = |message: &claw::Message| match message {
        claw::Message::System(SystemMessage::Init(_) | SystemMessage::CompactBoundary(_)) => "system",
        claw::Message::Assistant(_) | claw::Message::User(_) => "turn",
        claw::Message::Result(
            ResultMessage::Success(_) | ResultMessage::Error(_) | ResultMessage::InputRequired(_),
        ) => "result",
        claw::Message::ControlRequest(_) | claw::Message::ControlResponse(_) => "control",
        claw::Message::RateLimitEvent(_) | claw::Message::McpMessage(_) => "event",
        _ => "unknown",
    };
    let blocks = |block: &ContentBlock| match block {
        ContentBlock::Text(_) | ContentBlock::Thinking(_) => "text",
        ContentBlock::ToolUse(_) | ContentBlock::ToolResult(_) => "tool",
        _ => "unknown",
    };
    let block = claw::decode(r#"{"type":"tool_result","tool_use_id":"1","content":7,"is_error":false}"#).unwrap();
    println!("{}", blocks(&block));
    let line = r#"{"type":"mcp_message","x":1}"#;
    println!("{}", named(&claw::decode(line).unwrap()));
    println!("{}", matches!(agentlines::decode(line).unwrap(), agentlines::Message::Unknown(_)));

    // The flat response to a request has the type that matches the request.
    let line = r#"{"type":"control_response","request_id":"2","subtype":"success","allowed":false,"reason":"No"}"#;
    let claw::Message::ControlResponse(response) = claw::decode(line).unwrap() else { panic!() };
    assert!(matches!(response.response, ControlResponseInner::Success(_)));
    match claw::decode_response::<PermissionRequest>(&*response).unwrap() {
        PermissionResult::Deny(denied) => println!("{:?}", denied.reason),
        other => panic!("{other:?}"),
    }
    println!("{}", agentlines_miriad::PROTOCOL_NEWEST);
}
"""

pytestmark = [turn("crates of dialects"), pytest.mark.xdist_group("cargo")]


def test_a_program_uses_the_crates_of_the_spec_and_of_dialects(rust: Toolchain, tmp_path: Path) -> None:
    listed = []
    for dialect, crate in DIALECTS.items():
        flags = [
            "--spec",
            str(ROOT / "spec"),
            "--dialect",
            dialect,
            "--target",
            "rust",
            "--out",
            str(tmp_path / dialect),
        ]
        done = CliRunner().invoke(cli, ["generate", *flags])
        assert done.exit_code == 0, done.output
        listed.append(f'{crate} = {{ path = "{(tmp_path / dialect / "rust").as_posix()}" }}')
    manifest = MANIFEST.format(base=toolchain.RUST_CRATE.as_posix(), dialects="\n".join(listed))
    (tmp_path / "Cargo.toml").write_text(manifest, "utf-8")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main.rs").write_text(PROGRAM, "utf-8")
    shutil.copy(toolchain.RUST_TESTS / "Cargo.lock", tmp_path)
    found = rust.run("cargo", "metadata", "--offline", "--format-version=1", cwd=tmp_path)  # writes the lock file
    assert found.returncode == 0, found.stderr
    ran = rust.run("cargo", "run", "--offline", "--locked", "--quiet", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["tool", "event", "true", '"No"', "0.2.33"]
