"""The crate of a JSON-RPC protocol: ids of two types, results of every type, errors with typed data."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.targets.rust import TARGET
from rendered import generate, model_of
from sampling import third, turn
from toolchain import Toolchain

HERE = Path(__file__).resolve().parent
SPECS = HERE.parent / "specs"

pytestmark = [third("packages for JSON-RPC in Rust"), pytest.mark.xdist_group("cargo")]


@pytest.fixture(scope="module")
def crate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The crate, with tests written as a user would."""
    out = generate(TARGET, model_of(SPECS / "jsonrpc"), tmp_path_factory.mktemp("jsonrpc"))
    (out / "tests").mkdir()
    (out / "tests" / "user.rs").write_bytes((HERE / "jsonrpc.rs").read_bytes())
    return out


def test_the_tests_of_a_user_pass(rust: Toolchain, crate: Path) -> None:
    done = rust.run("cargo", "test", "--quiet", "--test", "user", cwd=crate)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{(HERE / 'jsonrpc.rs').read_text('utf-8').count('#[test]')} passed" in done.stdout


def test_a_protocol_without_tools_offers_nothing_for_them(crate: Path) -> None:
    sources = "".join(path.read_text("utf-8") for path in (crate / "src").rglob("*.rs"))
    assert "id RequestId;\n" in sources
    assert "ToolInput" not in sources
    assert "ToolOutput" not in sources


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ('wrap_request(1, CountCall::new()).reply(&CountCall::new(), "3")', "E0277"),
        ("notify(PingCall::new())", "E0277"),
        ("wrap_request(1, ClosedNotice::new())", "E0277"),
        ("decode_response::<CountCall>(&wrap_request(1, CountCall::new()))", "E0277"),
        ('Refusal::new("no").code("-1")', "E0277"),
    ],
)
def test_what_does_not_fit_is_an_error_of_the_compiler(rust: Toolchain, crate: Path, wrong: str, code: str) -> None:
    (crate / "examples").mkdir(exist_ok=True)
    program = f"use shelf::protocol::*;\nuse shelf::*;\n\nfn main() {{\n    let _ = {wrong};\n}}\n"
    (crate / "examples" / "wrong.rs").write_text(program, encoding="utf-8")
    done = rust.run("cargo", "check", "--quiet", "--example", "wrong", cwd=crate)
    (crate / "examples" / "wrong.rs").unlink()
    assert f"error[{code}]" in done.stderr, done.stderr
    assert "examples/wrong.rs:5" in done.stderr


@pytest.mark.parametrize("spec", ["lengths", "events"])
def test_the_examples_of_a_protocol_whose_messages_are_not_lines_are_right(
    rust: Toolchain, tmp_path: Path, spec: str
) -> None:
    out = generate(TARGET, model_of(SPECS / spec), tmp_path)
    done = rust.run("cargo", "test", "--quiet", "--doc", "--all-features", cwd=out)
    assert done.returncode == 0, done.stdout + done.stderr


@turn("linter of Rust")
@pytest.mark.parametrize("spec", ["jsonrpc", "notices", "forms", "lengths", "events"])
def test_linters_and_rustdoc_report_nothing(rust: Toolchain, tmp_path: Path, spec: str) -> None:
    """Includes a protocol whose controls are only notifications."""
    out = generate(TARGET, model_of(SPECS / spec), tmp_path)
    lint = ["clippy", "--quiet", "--all-features", "--lib", "--", "-D", "warnings"]
    for arguments in (["fmt", "--check"], lint, ["doc", "--quiet", "--no-deps", "--all-features"]):
        done = rust.run("cargo", *arguments, cwd=out)
        assert (done.returncode, done.stdout + done.stderr) == (0, ""), done.stdout + done.stderr
