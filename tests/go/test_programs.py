"""Programs that use the Go package: the mistakes that the compiler reports, and the tables that a program links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sampling import third
from toolchain import Toolchain

HERE = Path(__file__).resolve().parent

MISTAKES = {
    "a case for a value, which decoders never return": (
        "func f(m types.SDKMessage) { switch m.(type) { case types.AssistantMessage: } }",
        "impossible type switch case",
    ),
    "a value in place of a pointer": (
        "var _ types.SDKMessage = types.UserMessage{}",
        "has pointer receiver",
    ),
    "a type of the user's own as a message": (
        """type mine struct{ types.BaseMessage }
        func (mine) GetType() types.MessageType { return "" }
        var _ types.SDKMessage = &mine{}""",
        "isSDKMessage",
    ),
    "a plain value in an optional field": ("var _ = types.SandboxSettings{Enabled: false}", r"as \*bool value"),
    "a plain value in a nullable field": (
        'var _ = types.HookCallbackMatcher{Matcher: "Bash"}',
        r"as types\.Nullable\[string\] value",
    ),
    "a union for Decode": ("var _, _ = types.Decode[types.HookInput](nil)", r"does not satisfy types\.declaredPlace"),
    "a reader without a root": ("var _ = types.NewReaderOf(os.Stdin)", "not enough arguments in call"),
    "the answer to another request": (
        "var _, _ = types.Reply(nil, types.InterruptRequest{}, types.PermissionResult{})",
        r"(does not match|mismatched types|type .* of .* does not)",
    ),
    "a misspelt constant": ("var _ = types.PermissionModePlna", "undefined: types.PermissionModePlna"),
    "a member of a value of any type": (
        "func g(m *types.PartialAssistantMessage) { _ = m.Event.Delta }",
        r"m\.Event\.Delta undefined",
    ),
    "structs compared by ==": (
        "func h(a, b types.TextBlock) bool { return a == b }",
        r"cannot be compared|cannot compare",
    ),
    "a struct as the key of a map": ("var _ map[types.ContentBlock]bool", "invalid map key type types.ContentBlock"),
    "a function that answers with the result of another request": (
        """func answer(context.Context, *types.PermissionRequest) (*types.McpMessageResponse, error) { return nil, nil }
        var _ = process.WithAnswer(answer)""",
        r"(does not satisfy types\.Control|does not match)",
    ),
    "a request that is none": (
        'var _ = types.WrapRequest("r1", types.UserMessage{})',
        r"(does not implement types\.Control|does not match)",
    ),
}
"""A mistake → the code that makes it, and the compiler's message."""


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """A module that can import the package."""
    for name in ("go.mod", "go.sum"):
        text = (HERE / name).read_text(encoding="utf-8")
        replaced = re.sub(r"=> (\.\.\S+)", lambda found: f"=> {(HERE / found[1]).resolve()}", text)
        (tmp_path / name).write_text(replaced, encoding="utf-8")
    return tmp_path


IMPORT = 'import "example.com/agentlines/types"\n'

PATHS = {"process": "example.com/agentlines/types/process", "types": "example.com/agentlines/types"}
"""The import paths of packages, by name."""


def imports(code: str) -> str:
    """The import declarations for the packages that code uses."""
    named = dict.fromkeys(re.findall(r"(?<![\w.])(context|errors|fmt|log|os|process|time|types)\.[A-Z]", code))
    return "".join(f'import "{PATHS.get(name, name)}"\n' for name in named)


def test_mistakes_are_errors_of_the_compiler(go: Toolchain, module: Path) -> None:
    for at, (code, _) in enumerate(MISTAKES.values()):
        folder = module / f"mistake{at}"
        folder.mkdir()
        (folder / "main.go").write_text(f"package mistake\n{imports(code)}{code}\n", encoding="utf-8")
    done = go.run("go", "build", "./...", cwd=module)
    said = dict.fromkeys(range(len(MISTAKES)), "")
    for found in re.finditer(r"^mistake(\d+)/main.go:.*(?:\n\t.*)*", done.stderr, re.MULTILINE):
        said[int(found[1])] += found[0]
    missed = {
        what: said[at] for at, (what, (_, message)) in enumerate(MISTAKES.items()) if not re.search(message, said[at])
    }
    assert missed == {}
    assert len(MISTAKES) >= 10


def test_the_code_of_the_readme_compiles(go: Toolchain, module: Path) -> None:
    readme = (HERE.parents[1] / "generated" / "go" / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```go\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)
    for at, code in enumerate(blocks):
        folder = module / f"block{at}"
        folder.mkdir()
        whole = code if code.startswith("package") else f"package block\n{imports(code)}{code}"
        (folder / "main.go").write_text(whole, encoding="utf-8")
    assert len(blocks) >= 4
    done = go.run("go", "build", "-o", "/dev/null", "./...", cwd=module)
    assert done.returncode == 0, done.stderr


def test_a_program_without_processes_does_not_link_what_starts_them(go: Toolchain) -> None:
    linked = {}
    for path in PATHS.values():
        done = go.run("go", "list", "-deps", path, cwd=HERE)
        assert done.returncode == 0, done.stderr
        linked[path] = "os/exec" in done.stdout.splitlines()
    assert linked == {PATHS["process"]: True, PATHS["types"]: False}


LINKED = {
    "types.UnmarshalHookInput(nil)": ("tableStopHookInput", "tableBashInput"),
    "types.Decode[types.ControlRequest](nil)": ("tablePermissionRequest", "tableAssistantMessage"),
    "types.NewReader(os.Stdin).Read()": ("tableAssistantMessage", "tableBashInput"),
    'types.ToolInput("Bash", nil)': ("tableBashInput", "tableAssistantMessage"),
}
"""An expression → a table that a program with it contains, and one that it does not."""


@third("programs in Go")
@pytest.mark.parametrize("expression", LINKED)
def test_a_program_links_what_its_root_reaches(go: Toolchain, module: Path, expression: str) -> None:
    code = (
        f'package main\nimport "os"\n{IMPORT}func main() {{ if _, err := {expression}; err != nil {{ os.Exit(1) }} }}\n'
    )
    (module / "main.go").write_text(code, encoding="utf-8")
    built = go.run("go", "build", "-o", "program", "main.go", cwd=module)
    assert built.returncode == 0, built.stderr
    symbols = set(re.findall(r"/types\.(\w+)$", go.run("go", "tool", "nm", "program", cwd=module).stdout, re.MULTILINE))
    there, absent = LINKED[expression]
    assert there in symbols
    assert absent not in symbols


@pytest.mark.full
def test_a_program_that_reads_links_nothing_that_writes(go: Toolchain, module: Path) -> None:
    code = f'package main\nimport "os"\n{IMPORT}func main() {{ types.NewReader(os.Stdin).Read() }}\n'
    (module / "main.go").write_text(code, encoding="utf-8")
    built = go.run("go", "build", "-o", "program", "main.go", cwd=module)
    assert built.returncode == 0, built.stderr
    symbols = go.run("go", "tool", "nm", "program", cwd=module).stdout
    assert "types.(*decoder)" in symbols
    assert "types.(*encoder).structure" not in symbols
    assert not re.search(r"/types\.\S+\.MarshalJSON", symbols)
    assert not re.search(r"/types\.(\(\*Session\)|newSession|exchanged|launch|paired)", symbols)
