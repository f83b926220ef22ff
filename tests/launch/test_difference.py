"""`launch` compared with the official SDKs: both get the same options and start a stub that reports what it receives.

The records are generated from the spec (`records.py`). Allowed differences are listed in `differences.toml`, each entry
with the SDKs that need it and its reason. A difference that no entry allows fails the test, and so does an entry that
is not needed. A language whose maps have no order is compared on the same records with the keys of all maps sorted. A
language whose strings cannot contain lone surrogates is compared on records with U+FFFD in place of each, and needs no
entry about `surrogates`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import toolchain
from launch.compare import Difference, Flags, Json, differences, plain
from launch.python_sdk import NAMES, translated
from launch.records import RECORD, Record, drawn
from launch.test_cases import LANGUAGES, SCALAR, SORTED, command
from polywire.model.nodes import Model
from polywire.model.releases import Span
from polywire.plan.launch import launch_plans
from rendered import model_of
from sampling import turn

tomllib = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

HERE = Path(__file__).resolve().parent
SDK = "node_modules/@anthropic-ai/claude-agent-sdk"
RELEASES = {"0.2.33": toolchain.NODE_PACKAGES, "0.3.333": toolchain.NODE_PACKAGES / "newest"}
"""The oldest and the newest release of the TypeScript SDK, and the folders whose locks pin them."""
OWN = {"KEPT": "1", "NODE_OPTIONS": "--no-deprecation", "DEBUG": "1"}
"""The environment of the program that starts the stub: variables that must be inherited, and some that must not be."""
UNSEEN = {"abortController", "pathToClaudeCodeExecutable", "spawnClaudeCodeProcess", "sessionStore"}
"""Options that the test sets itself, and live objects."""


@dataclass(frozen=True)
class Entry:
    """An allowed difference and its reason."""

    sdks: list[str]
    place: str
    found: str
    reason: str
    text: str = "*"
    record: str = "*"
    options: list[str] = field(default_factory=list)
    surrogates: bool = False

    def allows(self, sdk: str, record: Record, difference: Difference) -> bool:
        return (
            sdk in self.sdks
            and self.found == difference.found
            and record.names.issuperset(self.options)
            and fnmatchcase(difference.place, self.place)
            and fnmatchcase(difference.text, self.text)
            and fnmatchcase(json.dumps(record.options), self.record)
        )


def entries() -> list[Entry]:
    """The listed differences; an entry with several places becomes one entry per place."""
    said: list[Json] = tomllib.loads((HERE / "differences.toml").read_text(encoding="utf-8"))["difference"]
    return [
        Entry(**{**each, "place": place})
        for each in said
        for place in ([each["place"]] if isinstance(each["place"], str) else each["place"])
    ]


def at(root: Path, release: str) -> Model:
    """The model at a release."""
    return model_of(root / "spec", span=Span.at(release))


def in_order(value: Any) -> Any:
    """A JSON value with the keys of all maps sorted."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(each) for each in value] if isinstance(value, list) else value


def scalar(value: Any) -> Any:
    """A JSON value with U+FFFD in place of lone surrogates."""
    if isinstance(value, dict):
        return {scalar(key): scalar(each) for key, each in value.items()}
    if isinstance(value, list):
        return [scalar(each) for each in value]
    return re.sub("[\ud800-\udfff]", "\ufffd", value) if isinstance(value, str) else value


def of_language(language: str, made: list[Record]) -> list[Record]:
    """The records on which a language is compared."""
    if language in SCALAR:
        return [Record(scalar(each.options), each.functions) for each in made]
    if language in SORTED:
        return [Record(in_order(each.options), each.functions) for each in made]
    return made


def distinct(made: Iterable[Record]) -> dict[str, Record]:
    """The records by their text, so that an SDK starts the stub once for each; most are the same in all languages."""
    return {text_of(each): each for each in made}


def text_of(record: Record) -> str:
    return json.dumps([record.options, record.functions])


def held(
    sdk: str,
    release: str,
    root: Path,
    records: list[Record],
    theirs: Mapping[str, Json],
    own: dict[str, str],
) -> None:
    """Assert that `launch` in every language starts the stub as an SDK did, except for the allowed differences."""
    flags = Flags.of(launch_plans(at(root, release), None)[0].table)
    listed = [each for each in entries() if sdk in each.sdks]
    for language in LANGUAGES:
        made = [each for each in of_language(language, records) if text_of(each) in theirs]
        assert len(made) >= 500
        expected = [started(theirs[text_of(record)], record, flags) for record in made]
        allowed = [each for each in listed if not (each.surrogates and language in SCALAR)]
        answers = asked(language, root, release, made)
        ours = [launched(each, record, flags, own) for record, each in zip(made, answers, strict=True)]
        found = [
            (record, each)
            for record, one, other in zip(made, ours, expected, strict=True)
            for each in differences(one, other)
        ]
        wrong = [
            f"{language} {json.dumps(record.options)[:600]} {record.functions}: {each}"
            for record, each in found
            if not any(entry.allows(sdk, record, each) for entry in allowed)
        ]
        assert not wrong, f"{len(wrong)} differ:\n" + "\n".join(wrong[: int(os.environ.get("SHOW", "12"))])
        unneeded = [entry for entry in allowed if not any(entry.allows(sdk, *each) for each in found)]
        assert not unneeded, f"{language} does not need {unneeded}"


# --- the SDKs --------------------------------------------------------------------------------------------------


SDKS = [*RELEASES, "of Python"]


@pytest.mark.parametrize("sdk", [pytest.param(each, marks=turn(f"SDK {each}")) for each in SDKS])
def test_launch_starts_a_program_as_an_official_sdk_does(
    sdk: str, root: Path, tmp_path: Path, node: toolchain.Toolchain
) -> None:
    if sdk not in RELEASES:
        compare_with_the_python_sdk(root, Stub.made(tmp_path, node))
    else:
        compare_with_the_typescript_sdk(sdk, root, Stub.made(tmp_path, node), node.program("node"))


def compare_with_the_typescript_sdk(release: str, root: Path, place: Stub, program: str) -> None:
    sdk = RELEASES[release] / SDK / "sdk.mjs"
    if not sdk.is_file():
        pytest.skip("the packages of upstream are not installed; `make .venv/node-all.stamp` says why")
    assert json.loads((sdk.parent / "package.json").read_text(encoding="utf-8"))["version"] == release
    model = at(root, release)
    records = [place.record(each) for each in drawn(model, seed=20, known=known(model))]
    given = distinct(each for language in LANGUAGES for each in of_language(language, records))
    own, theirs = place.run([program, str(HERE / "sdk" / "run.mjs"), str(sdk)], [*given.values()])
    held(release, release, root, records, dict(zip(given, theirs, strict=True)), own)


def compare_with_the_python_sdk(root: Path, place: Stub) -> None:
    if find_spec("claude_agent_sdk") is None:
        pytest.skip("the Python SDK is not installed; `make .venv/ports.stamp` fetches it")
    release = released(root)
    records = [place.native(each) for each in drawn(at(root, release), seed=20, known={*NAMES} - UNSEEN)]
    given = distinct(each for language in LANGUAGES for each in of_language(language, records))
    pairs = {text: other for text, each in given.items() if (other := translated(each)) is not None}
    own, theirs = place.run([sys.executable, str(HERE / "sdk" / "run.py")], [*pairs.values()])
    held("python", release, root, records, dict(zip(pairs, theirs, strict=True)), own)


def released(root: Path) -> str:
    """The release whose CLI the Python SDK is for."""
    bundled: str = import_module("claude_agent_sdk._cli_version").__cli_version__
    announced = model_of(root / "spec").protocol.announced
    assert announced is not None
    return next(release for release, number in announced.versions if number == bundled)


def known(model: Model) -> set[str]:
    """The options that are compared with the TypeScript SDK: all but `UNSEEN`."""
    return {field.name for field in model.struct(RECORD).fields} - UNSEEN


@dataclass(frozen=True)
class Stub:
    """A folder with the stub and the working directories in which it is started."""

    folder: Path
    node: str

    @classmethod
    def made(cls, folder: Path, node: toolchain.Toolchain) -> Stub:
        """Write the stub as an executable, also under the names of programs that run scripts."""
        program = folder / "bin" / "stub"
        program.parent.mkdir()
        text = (HERE / "sdk" / "stub.cjs").read_text(encoding="utf-8")
        program.write_text(f"#!{node.program('node')}\n{text}", encoding="utf-8")
        program.chmod(0o755)
        for name in ("node", "bun", "deno"):
            (program.parent / name).symlink_to(program)
        (folder / "cli.js").touch()
        for name in ("plain", "ü 'n\"\n🦀"):
            (folder / name).mkdir()
        return cls(folder, str(program))

    def record(self, record: Record) -> Record:
        """The record with the path of the stub and an existing working directory.

        The stub is a script that a program on PATH runs; or an executable if the record sets the environment, which
        then has no PATH.
        """
        own = {"pathToClaudeCodeExecutable": self.node if "env" in record.options else str(self.folder / "cli.js")}
        return self.native(record, own)

    def native(self, record: Record, script: Json | None = None) -> Record:
        """The record with the path of the stub as an executable, and an existing working directory."""
        own = {"pathToClaudeCodeExecutable": self.node} if script is None else script
        if record.options.get("cwd"):
            names = [path for path in sorted(self.folder.iterdir()) if path.is_dir() and path.name != "bin"]
            own["cwd"] = str(names[len(record.options["cwd"]) % len(names)])
        return Record({**record.options, **own}, record.functions)

    def run(self, arguments: list[str], made: list[Record]) -> tuple[dict[str, str], list[Json]]:
        """The environment of a program that starts the stub, and its answer to each record."""
        lines = "".join(json.dumps(each.request(number)) + "\n" for number, each in enumerate(made))
        environment = {**OWN, "PATH": str(self.folder / "bin"), "HOME": str(self.folder), "PWD": str(self.folder)}
        done = subprocess.run(
            arguments, input=lines.encode(), env=environment, cwd=self.folder, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()[-2000:]
        own, *answers = (json.loads(line) for line in done.stdout.split(b"\n") if line)
        answers.sort(key=lambda answer: answer["id"])
        assert [each["id"] for each in answers] == [*range(len(made))]
        return own["own"], answers


def started(answer: Json, record: Record, flags: Flags) -> Json:
    """How an SDK started the stub."""
    if "error" in answer:
        return {"error": answer["error"]}
    found = answer["started"]
    script = record.options["pathToClaudeCodeExecutable"]
    program, *arguments = found["argv"]
    if program == script:
        first, process = arguments.index("--output-format"), {"script": program}
        process["program_arguments"] = arguments[:first]
    else:
        first = arguments.index(script) + 1
        process = {"program": Path(program).name, "program_arguments": arguments[: first - 1], "script": script}
    *requests, prompt = (json.loads(line) for line in found["lines"])
    assert prompt["type"] == "user"
    assert all(each["type"] == "control_request" for each in requests)
    return {
        "arguments": flags.read(arguments[first:], record.options.get("extraArgs", {})),
        "environment": found["env"],
        "process": {**process, "cwd": found["cwd"]},
        "requests": {f"{n} {each['request']['subtype']}": plain(each["request"]) for n, each in enumerate(requests)},
    }


# --- `launch` --------------------------------------------------------------------------------------------------


def asked(language: str, root: Path, release: str, made: list[Record]) -> list[Json]:
    """The testee's answer to each record."""
    common = {"op": "launch", "type": RECORD, "release": release}
    lines = "".join(
        json.dumps({"id": n, "json": json.dumps(each.options), "functions": each.functions, **common}) + "\n"
        for n, each in enumerate(made)
    )
    done = subprocess.run(command(language, root / "generated"), input=lines.encode(), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-2000:]
    found = [json.loads(line) for line in done.stdout.split(b"\n") if line]
    assert [each["id"] for each in found] == [*range(len(made))]
    return found


def launched(answer: Json, record: Record, flags: Flags, own: dict[str, str]) -> Json:
    """How `launch` describes the start of the stub, for a client with the environment `own`."""
    if not answer.get("ok"):
        return {"error": f"{answer['code']} {' '.join(answer['paths'])}"}
    found = json.loads(answer["json"])
    environment = found["environment"]
    variables = {**(own if environment["inherit"] else {}), **environment["set"]}
    variables |= {name: text for name, text in environment["defaults"].items() if not variables.get(name)}
    process = {"program_arguments": found.get("program_arguments", []), "script": found["script"]}
    if found["script"].endswith(".js"):
        process["program"] = found.get("program") or "node"
    return {
        "arguments": flags.read(found["arguments"], record.options.get("extraArgs", {})),
        "environment": {name: text for name, text in variables.items() if name not in environment["unset"]},
        "process": {**process, "cwd": found.get("cwd") or own["PWD"]},
        "requests": {f"{n} {name}": plain(each) for n, (name, each) in enumerate(found["requests"].items())},
    }
