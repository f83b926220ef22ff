"""The Go listing of the protocol → Go code that compiles only if the package has everything as in the listing.

The listing is the API that Go users know: names, fields with their types, constants, methods and constructors. If the
package differs, `DIFFERENCES` lists what it has instead, with the reason; the package's README documents this for
users. The listing is of release 0.2.33: differences that came with later releases are in `LATER`, and the package of
0.2.33 has the listed form.

    go_listing.py         writes go/listing_test.go
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT.parent / "shared" / "seeds" / "000_4d416a232ca5e223.txt"
COPY = ROOT / "benchmarks" / "go" / "listing" / "listing.go"
"""The same code as a separate package, which the benchmarks measure."""

WRITTEN = ROOT / "tests" / "go" / "listing_test.go"


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of the package from a listed item: the field's actual type and key; neither if there is no field."""

    why: str
    has: str = ""
    key: str = ""


OPTIONAL: dict[str, tuple[str, ...]] = {
    "*bool": (
        "UserMessage.IsSynthetic",
        "ControlRequestInner.DryRun",
        "QueryOptions.Continue",
        "QueryOptions.ForkSession",
        "QueryOptions.EnableFileCheckpointing",
        "QueryOptions.AllowDangerouslySkipPermissions",
        "QueryOptions.StrictMcpConfig",
        "QueryOptions.IncludePartialMessages",
        "QueryOptions.Debug",
        "SandboxSettings.Enabled",
        "SandboxSettings.AutoAllowBashIfSandboxed",
        "SandboxNetworkConfig.AllowLocalBinding",
    ),
    "*string": (
        "AuthStatusMessage.Error",
        "ControlRequestInner.BlockedPath",
        "ControlRequestInner.DecisionReason",
        "ControlRequestInner.ToolUseID",
        "ControlRequestInner.AgentID",
        "ControlRequestInner.Description",
        "QueryOptions.Agent",
        "QueryOptions.Model",
        "QueryOptions.FallbackModel",
        "QueryOptions.CWD",
        "QueryOptions.Resume",
        "QueryOptions.ResumeSessionAt",
        "QueryOptions.SessionID",
        "QueryOptions.PermissionPromptToolName",
        "QueryOptions.DebugFile",
        "AgentDefinition.Model",
    ),
    "*PermissionMode": ("QueryOptions.PermissionMode",),
}
"""Optional fields that are plain values in the listing, which cannot write their zero value, by their actual type."""

DIFFERENCES: dict[str, Difference] = {
    "ControlSuccessResponse.Result": Difference("the wire has another key", "any", "response"),
    "ControlRequestInner.HookInput": Difference(
        "`input` is a key of two fields; the one of its request has it", "any", "-"
    ),
    "PermissionRuleValue.ToolName": Difference("camelCase on the wire", "string", "toolName"),
    "PermissionRuleValue.RuleContent": Difference("camelCase on the wire", "*string", "ruleContent"),
    "HookCallbackMatcher.Timeout": Difference("seconds may have a fraction", "*float64"),
    "PermissionUpdate.Rule": Difference("a change has any number of rules, in the field `Rules`"),
    "SandboxSettings.IgnoreViolations": Difference("an object on the wire: paths by command", "map[string][]string"),
    "AgentDefinition.MCPServers": Difference("a server is a name or a configuration", "[]AgentMcpServerSpec"),
    "ControlRequestInner.Model": Difference("may be absent, null or a value", "Nullable[string]"),
    "BetaUsage.CacheReadInputTokens": Difference("may be null", "*int"),
    "BetaUsage.CacheCreationInputTokens": Difference("may be null", "*int"),
    "SystemPromptConfig": Difference("a text, a list of strings, or one of two objects", "any"),
    "QueryOptions.SystemPrompt": Difference("an interface, whose nil is no prompt", "SystemPromptConfig"),
    "HookCallbackMatcher.Matcher": Difference("may be absent, null or a value", "Nullable[string]"),
    "UnmarshalSDKMessage": Difference("a mode may be given", "func([]byte, ...types.Mode) (SDKMessage, error)"),
    **{
        name: Difference("a pointer, as its zero value is a value", go)
        for go, names in OPTIONAL.items()
        for name in names
    },
}
"""By listed name: `TYPE`, `TYPE.FIELD`, `TYPE.METHOD`, `CONSTANT` or `FUNCTION`.

Members of a type that differs are not checked.
"""

LATER: dict[str, Difference] = {
    "ControlRequestInner.Mode": Difference(
        "a pointer, as set_mcp_permission_mode_override has null", "*PermissionMode"
    ),
    "ControlRequestInner.MaxThinkingTokens": Difference("may be absent, null or a value", "Nullable[int]"),
}
"""Differences that came with releases after the listed one."""

EVERYTHING = DIFFERENCES | LATER


@dataclass(frozen=True, slots=True)
class Declaration:
    """A declaration: its kind, name, owner and type, and the value of a constant or the key of a field."""

    kind: str
    name: str
    owner: str = ""
    type: str = ""
    value: str = ""

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}" if self.owner else self.name


# --- reading ---------------------------------------------------------------------------------------------------

FENCE = re.compile(r"^```go\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"(?m)(?:^|[ \t]+)//.*$")
NAMED = re.compile(r"^type (\w+) (?!struct|interface)(.+)$", re.MULTILINE)
BODY = re.compile(r"^type (\w+) (struct|interface) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
CONSTANT = re.compile(r"^\s+(\w+)(?:\s+(\w+))?\s*=\s*(\"[^\"]*\")$", re.MULTILINE)
CONSTANTS = re.compile(r"^const \(\n(.*?)^\)", re.MULTILINE | re.DOTALL)
FUNCTION = re.compile(r"^func (?:\(\w+ (\w+)\) )?(\w+)\((.*?)\) ([^{]+) \{", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^\s+(\w+)\s+(.+?)\s+`json:\"([^\",]*)[^`]*`$")
METHOD = re.compile(r"^\s+(\w+)\((.*)\) (.+)$")


def document() -> str:
    """Return the document's Go code."""
    return "\n".join(FENCE.findall(DOCUMENT.read_text(encoding="utf-8")))


def declarations(code: str) -> list[Declaration]:
    """Return everything exported in the code, ordered by kind and then by position."""
    code = COMMENT.sub("", code)
    found = [
        *(Declaration("named", name, type=text) for name, text in NAMED.findall(code)),
        *(Declaration(kind, name) for name, kind, _ in BODY.findall(code)),
        *(member for name, kind, body in BODY.findall(code) for member in members(name, kind, body)),
        *constants(code),
        *functions(code),
    ]
    return [declared for declared in found if declared.name[0].isupper()]


def members(owner: str, kind: str, body: str) -> Iterator[Declaration]:
    """Yield the fields of a struct, or the methods of an interface."""
    for line in filter(str.strip, body.splitlines()):
        if kind == "interface":
            name, parameters, result = groups(METHOD, line)
            yield Declaration("demand", name, owner, signature(parameters, result))
        elif re.fullmatch(r"\s+\w+", line):
            yield Declaration("field", line.strip(), owner, line.strip())
        else:
            name, text, key = groups(FIELD, line)
            yield Declaration("field", name, owner, text, key)


def constants(code: str) -> Iterator[Declaration]:
    """Yield named constants with their values, and their types if they have one."""
    for block in CONSTANTS.findall(code):
        for name, text, value in CONSTANT.findall(block):
            yield Declaration("constant", name, type=text, value=value)


def functions(code: str) -> Iterator[Declaration]:
    """Yield functions and methods with their types."""
    for owner, name, parameters, result in FUNCTION.findall(code):
        yield Declaration("method" if owner else "function", name, owner, signature(parameters, result))


def groups(pattern: re.Pattern[str], line: str) -> tuple[str, ...]:
    """Return the pattern's groups in a line, which must match."""
    found = pattern.match(line)
    if found is None:
        raise ValueError(f"not understood: {line!r}")
    return found.groups()


def signature(parameters: str, result: str) -> str:
    """Return a function's type without names of parameters: `a, b int, c string` → `func(int, int, string) …`."""
    types: list[str] = []
    waiting = 0
    for parameter in filter(None, (part.strip() for part in split(parameters))):
        name, _, text = parameter.partition(" ")
        if not text and name.isidentifier() and name[0].islower() and name not in BUILTIN:
            waiting += 1
            continue
        types += [text.strip() or name] * (waiting + 1)
        waiting = 0
    return f"func({', '.join(types)}) {result.strip()}"


def split(parameters: str) -> list[str]:
    """Split at the commas outside brackets."""
    return re.split(r",(?![^(\[]*[)\]])", " ".join(parameters.split()))


# --- writing ---------------------------------------------------------------------------------------------------

BUILTIN = {"string", "bool", "int", "int64", "float64", "byte", "error", "any"}
HEAD = """\
// Code generated by go_listing.py from the Go listing of the protocol. DO NOT EDIT.

//lint:file-ignore SA1019 The listing has what later releases deprecate.

package gotests

import (
\t"context"
\t"reflect"
\t"strings"
\t"testing"

\t"github.com/google/uuid"

\t"example.com/agentlines/types"
)
"""


def qualified(text: str, package: str = "types") -> str:
    """Return a type as written in another package."""
    return re.sub(r"(?<![\w.])([A-Z]\w*)", rf"{package}.\1", text)


def assertions(listed: list[Declaration], differences: Mapping[str, Difference]) -> str:
    """Return the Go file: first assertions at compile time, then those that need a run."""
    lines = [HEAD]
    lines += [f"var {line}" for declared in listed for line in compiled(declared, differences)]
    lines += ["", *run_time(listed, differences)]
    return "\n".join(lines) + "\n"


def compiled(declared: Declaration, differences: Mapping[str, Difference]) -> list[str]:
    """Return the assertions that compile only if the package has the listed form, or that of the difference."""
    difference = differences.get(str(declared))
    if declared.owner in differences or (difference is not None and not difference.has):
        return []
    text = qualified(difference.has if difference else declared.type)
    owner, name = f"types.{declared.owner}", f"types.{declared.name}"
    match declared.kind:
        case "named" if text.startswith("func"):
            return [f"_ {signature(*groups(re.compile(r'func[(](.*?)[)] (.*)'), text))} = {name}(nil)"]
        case "named":
            return [f'_ = {text}({name}(""))']
        case "struct" if difference:
            return [f"_ *{text} = (*{name})(nil)"]
        case "struct":
            return [f"_ = reflect.TypeFor[{name}]()"]
        case "field":
            return [f"_ = func(v *{owner}) *{text} {{ return &v.{declared.name} }}"]
        case "method" if declared.name.startswith("Get"):  # of pointers, which decoders return
            return [f"_ {text.replace('func(', f'func(*{owner}')} = (*{owner}).{declared.name}"]
        case "method":
            return [f"_ {text.replace('func(', f'func({owner}')} = {owner}.{declared.name}"]
        case "demand":
            method = text.replace("func", declared.name, 1)
            return [f"_ interface{{ {method} }} = {owner}(nil)"]
        case "function":
            return [f"_ {text} = {name}"]
        case "constant":
            return [f"_ {text or 'string'} = {name}"]
        case _:
            return []


def run_time(listed: list[Declaration], differences: Mapping[str, Difference]) -> Iterator[str]:
    """Yield tests of the values of constants and of the JSON keys of fields."""
    yield "func TestListedConstantsHaveTheListedValues(t *testing.T) {"
    yield "\tfor _, constant := range []struct{ name, is, listed string }{"
    for declared in listed:
        if declared.kind == "constant":
            yield f'\t\t{{"{declared}", string(types.{declared.name}), {declared.value}}},'
    yield "\t} {"
    yield "\t\tif constant.is != constant.listed {"
    yield '\t\t\tt.Errorf("%s is %q, listed as %q", constant.name, constant.is, constant.listed)'
    yield "\t\t}"
    yield "\t}"
    yield "}"
    yield ""
    yield "func TestListedFieldsHaveTheListedKeys(t *testing.T) {"
    yield "\tfor _, field := range []struct {"
    yield "\t\towner     reflect.Type"
    yield "\t\tname, key string"
    yield "\t}{"
    for declared in listed:
        if declared.owner in differences:
            continue
        difference = differences.get(str(declared))
        key = declared.value if difference is None else difference.key or (difference.has and declared.value)
        if declared.kind == "field" and key:
            yield f'\t\t{{reflect.TypeFor[types.{declared.owner}](), "{declared.name}", "{key}"}},'
    yield "\t} {"
    yield "\t\tfound, _ := field.owner.FieldByName(field.name)"
    yield '\t\tif key, _, _ := strings.Cut(found.Tag.Get("json"), ","); key != field.key {'
    yield '\t\t\tt.Errorf("%v.%s has the key %q, listed as %q", field.owner, field.name, key, field.key)'
    yield "\t\t}"
    yield "\t}"
    yield "}"


def main() -> int:
    """Write the file."""
    WRITTEN.write_text(assertions(declarations(document()), EVERYTHING), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
