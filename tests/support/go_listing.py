"""The Go listing of the protocol → its types in Go, and code that compiles only if a package has all that is listed.

The listing is the API that Go users know: names, fields with their types, constants, methods and constructors. If the
package differs, `DIFFERENCES` lists what it has instead, with the reason; the package's README documents this for
users. The listing is of release 0.2.33: differences that came with later releases are in `LATER`, and the package of
0.2.33 has the listed form.

    go_listing.py         writes go/listing_test.go, go/peer_test.go, and the types of the peer in the benchmarks

The listing is data: `go/listing.toml`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import tomllib

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "go" / "listing.toml"
PEER = ROOT / "benchmarks" / "go" / "listing" / "types.go"
"""The listed types as a separate package, which the benchmarks measure; its functions are in `functions.go`."""

WRITTEN = ROOT / "tests" / "go" / "listing_test.go"
WRITTEN_OF_PEER = ROOT / "tests" / "go" / "peer_test.go"


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
    "BetaUsage.CacheReadInputTokens": Difference("may be absent, null or a value", "Nullable[int64]"),
    "BetaUsage.CacheCreationInputTokens": Difference("may be absent, null or a value", "Nullable[int64]"),
    "BetaMessage.StopSequence": Difference("may be absent, null or a value", "Nullable[string]"),
    "ResultMessage.StopReason": Difference("may be absent, null or a value", "Nullable[string]"),
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
    "ControlRequestInner.MaxThinkingTokens": Difference("may be absent, null or a value", "Nullable[int64]"),
}
"""Differences that came with releases after the listed one."""

EVERYTHING = DIFFERENCES | LATER

INTEGER = re.compile(r"\bint\b")
"""The listed type of integers."""


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


@cache
def listing() -> Mapping[str, Mapping[str, Any]]:
    """Return the listing: by kind, then by name."""
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


@cache
def declarations() -> tuple[Declaration, ...]:
    """Return everything that is listed, ordered by kind and then by position."""
    return tuple(_declarations(listing()))


def _declarations(data: Mapping[str, Mapping[str, Any]]) -> Iterator[Declaration]:
    yield from (Declaration("named", name, type=text) for name, text in data["named"].items())
    for kind in ("interface", "struct"):
        yield from (Declaration(kind, name) for name in data[kind])
    for owner, demands in data["interface"].items():
        yield from (Declaration("demand", name, owner, text) for name, text in demands.items())
    for owner, fields in data["struct"].items():
        for name, field in fields.items():
            text, tag = field or (name, "")  # an embedded struct has neither
            yield Declaration("field", name, owner, text, tag.partition(",")[0])
    for text, constants in data["constant"].items():
        yield from (Declaration("constant", name, type=text, value=value) for name, value in constants.items())
    for owner, methods in data["method"].items():
        yield from (Declaration("method", name, owner, text) for name, text in methods.items())
    yield from (Declaration("function", name, type=text) for name, text in data["function"].items())


def groups(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    """Return the pattern's groups in a text, which must match."""
    found = pattern.match(text)
    if found is None:
        raise ValueError(f"not understood: {text!r}")
    return found.groups()


# --- writing ---------------------------------------------------------------------------------------------------

GENERATED = "// Code generated by go_listing.py from the Go listing of the protocol. DO NOT EDIT.\n"
HEAD = """\

//lint:file-ignore SA1019 The listing has what later releases deprecate.

package gotests

import (
\t"context"
\t"reflect"
\t"strings"
\t"testing"

\t"github.com/google/uuid"

\t"{path}"
)
"""


PACKAGES = {"types": "example.com/agentlines/types", "listing": "bench/listing"}
"""The packages that have what is listed: the generated one, and the peer of the benchmarks."""

INTEGERS = {"types": "int64", "listing": "int"}
"""Their types of integers: an int has 32 bits on some platforms, so the generated package has an int64 instead."""


def qualified(text: str, package: str) -> str:
    """Return a type as written in another package."""
    return re.sub(r"(?<![\w.])([A-Z]\w*)", rf"{package}.\1", text)


def assertions(differences: Mapping[str, Difference], package: str = "types") -> str:
    """Return a Go file about a package: first assertions at compile time, then those that need a run."""
    lines = [GENERATED + HEAD.format(path=PACKAGES[package])]
    lines += [f"var {line}" for declared in declarations() for line in compiled(declared, differences, package)]
    lines += ["", *run_time(differences, package)]
    return "\n".join(lines) + "\n"


def compiled(declared: Declaration, differences: Mapping[str, Difference], package: str) -> list[str]:
    """Return the assertions that compile only if the package has the listed form, or that of the difference."""
    difference = differences.get(str(declared))
    if declared.owner in differences or (difference is not None and not difference.has):
        return []
    text = INTEGER.sub(INTEGERS[package], qualified(difference.has if difference else declared.type, package))
    owner, name = f"{package}.{declared.owner}", f"{package}.{declared.name}"
    match declared.kind:
        case "named" if text.startswith("func"):
            return [f"_ {text} = {name}(nil)"]
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


def run_time(differences: Mapping[str, Difference], package: str) -> Iterator[str]:
    """Yield tests of the values of constants and of the JSON keys of fields."""
    tested = package.title()
    yield f"func TestConstantsOf{tested}HaveTheListedValues(t *testing.T) {{"
    yield "\tfor _, constant := range []struct{ name, is, listed string }{"
    for declared in declarations():
        if declared.kind == "constant":
            yield f'\t\t{{"{declared}", string({package}.{declared.name}), "{declared.value}"}},'
    yield "\t} {"
    yield "\t\tif constant.is != constant.listed {"
    yield '\t\t\tt.Errorf("%s is %q, listed as %q", constant.name, constant.is, constant.listed)'
    yield "\t\t}"
    yield "\t}"
    yield "}"
    yield ""
    yield f"func TestFieldsOf{tested}HaveTheListedKeys(t *testing.T) {{"
    yield "\tfor _, field := range []struct {"
    yield "\t\towner     reflect.Type"
    yield "\t\tname, key string"
    yield "\t}{"
    for declared in declarations():
        if declared.owner in differences:
            continue
        difference = differences.get(str(declared))
        key = declared.value if difference is None else difference.key or (difference.has and declared.value)
        if declared.kind == "field" and key:
            yield f'\t\t{{reflect.TypeFor[{package}.{declared.owner}](), "{declared.name}", "{key}"}},'
    yield "\t} {"
    yield "\t\tfound, _ := field.owner.FieldByName(field.name)"
    yield '\t\tif key, _, _ := strings.Cut(found.Tag.Get("json"), ","); key != field.key {'
    yield '\t\t\tt.Errorf("%v.%s has the key %q, listed as %q", field.owner, field.name, key, field.key)'
    yield "\t\t}"
    yield "\t}"
    yield "}"


PEER_HEAD = """
package listing

import (
\t"context"

\t"github.com/google/uuid"
)
"""


def types_of_peer() -> str:
    """Return the listed types and constants in Go, formatted."""
    data = listing()
    parts = [GENERATED + PEER_HEAD]
    parts += [f"type {name} {text}\n" for name, text in data["named"].items()]
    for values in data["constant"].items():
        parts += ["const (\n" + _constants(*values) + ")\n"]
    for name, demands in data["interface"].items():
        lines = (f"\t{text.replace('func', demand, 1)}\n" for demand, text in demands.items())
        parts += [f"type {name} interface {{\n" + "".join(lines) + "}\n"]
    for name, fields in data["struct"].items():
        parts += [f"type {name} struct {{\n" + _fields(fields) + "}\n"]
    return "\n".join(parts)


def _constants(text: str, values: Mapping[str, str]) -> str:
    width = max(map(len, values))
    typed = f" {text}" if text else ""
    return "".join(f'\t{name:{width}}{typed} = "{value}"\n' for name, value in values.items())


def _fields(fields: Mapping[str, list[str]]) -> str:
    written = {name: each for name, each in fields.items() if each}
    width = max(map(len, written), default=0)
    of_type = max((len(text) for text, _ in written.values()), default=0)
    return "".join(
        f'\t{name:{width}} {each[0]:{of_type}} `json:"{each[1]}"`\n' if each else f"\t{name}\n"
        for name, each in fields.items()
    )


FILES = {
    WRITTEN: lambda: assertions(EVERYTHING),
    WRITTEN_OF_PEER: lambda: assertions({}, "listing"),
    PEER: types_of_peer,
}
"""What is generated from the listing."""


def main() -> int:
    """Write the files."""
    for path, make in FILES.items():
        path.write_text(make(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
