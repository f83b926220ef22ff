"""A spec of another protocol gives a package that works, with any names and texts."""

from __future__ import annotations

import importlib
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

import flat_answers
from polywire.model.nodes import Model
from polywire.oracle.instances import derive
from polywire.targets.common.document import lay_out
from polywire.targets.python import TARGET
from polywire.targets.python.layout import WIDTH, docstring, literal, quoted
from polywire.targets.python.names import Names
from rendered import generate, model_of
from sampling import third

ROOT = Path(__file__).parents[2]
PARCEL = ROOT / "tests" / "specs" / "parcel"


def imported(folder: Path, module: str) -> Any:
    sys.path.insert(0, str(folder))
    try:
        for name in [name for name in sys.modules if name.split(".")[0] == module]:
            del sys.modules[name]
        return importlib.import_module(module)
    finally:
        sys.path.remove(str(folder))


@pytest.fixture(scope="module", params=[None, "courier", "terse"])
def parcel(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Model, Path, Any]:
    """The packages of the parcel spec and of its dialects."""
    folder = tmp_path_factory.mktemp("parcel")
    model = model_of(PARCEL, request.param)
    generate(TARGET, model, folder)
    return model, folder, imported(folder, "parcel")


def test_every_instance_gets_its_verdict_and_comes_back(parcel: tuple[Model, Path, Any]) -> None:
    model, _, package = parcel
    count: Counter[str] = Counter()
    for instance in derive(model, seed=3, random=1):
        for outcome, strict in ((instance.lenient, False), (instance.strict, True)):
            if outcome.errors:
                with pytest.raises(package.DecodeError) as caught:
                    package.decode(instance.text, instance.type, strict=strict)
                assert (caught.value.code, caught.value.path) in outcome.errors
            else:
                value = package.decode(instance.text, instance.type, strict=strict)
                assert package.decode(package.encode(value, instance.type), instance.type) == value
                count[instance.type] += 1
    assert len(count) == len(model.declarations)


def test_ruff_changes_nothing(parcel: tuple[Model, Path, Any]) -> None:
    _, folder, _ = parcel
    for command in (["format", "--check"], ["check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *command, "--no-cache", "."],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "command",
    [["mypy"], pytest.param(["pyright", "-p", "."], marks=third("other protocols in Pyright"))],
    ids=lambda command: command[0],
)
def test_a_type_checker_reports_nothing(command: list[str], parcel: tuple[Model, Path, Any]) -> None:
    _, folder, _ = parcel
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@third("other protocols in Pyright")
@pytest.mark.parametrize("spec", ["events", "lengths"])
@pytest.mark.parametrize("command", [["mypy"], ["pyright", "-p", "."]], ids=lambda command: command[0])
def test_a_type_checker_reports_nothing_in_a_package_whose_messages_are_not_lines(
    command: list[str], spec: str, tmp_path: Path
) -> None:
    generate(TARGET, model_of(ROOT / "tests" / "specs" / spec), tmp_path)
    done = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


HOSTILE: dict[str, Any] = {
    "polywire": 1,
    "protocol": {
        "name": "odd",
        "title": 'Ends """ here \\',
        "version": "1",
        "framing": "ndjson",
        "peers": ["a", "b"],
        "roots": ["Line"],
    },
    "packages": {"python": {"distribution": "odd", "module": "odd"}},
    "parts": ["part.yaml"],
}

KEYS = [
    "class",
    "None",
    "__proto__",
    "constructor",
    "self",
    "extra",
    "list",
    "type",
    "d",
    "o",
    "new",
    "5m",
    "a'b",
    'q"q',
]

PART: dict[str, Any] = {
    "messages": {
        "Odd": {
            "doc": 'A """ quote, a \\ backslash, a \u202e turn, {{ braces }} and \'quotes\'"',
            "from": "a",
            "tag": {"kind": 'it\'s "odd" {x} \\ \u2028'},
            "fields": {
                **{key: {"type": "string", "doc": '"""' + key} for key in KEYS},
                **{f"{key}_too?": "integer | null" for key in KEYS},
            },
        },
        "Even": {"doc": "Even.", "from": "b", "tag": {"kind": "even"}, "fields": {"mapping": "map<(string | Odd)[]>"}},
        "Record": {
            "doc": "Called as the runtime calls its own.",
            "from": "b",
            "tag": {"kind": "record"},
            "fields": {"null": "NULL", "more": "MAX"},
            "construct": {"fresh_uuid": {"params": [{"more": "/more"}]}},
        },
    },
    "enums": {"NULL": {"doc": "One word.", "open": False, "values": {"word": "A word."}}},
    "aliases": {"MAX": {"doc": "Texts.", "type": "string[]"}},
    "unions": {
        "Line": {
            "doc": "A line.",
            "open": True,
            "by": "kind",
            "variants": ["Odd", "Even", "Record"],
            "targets": {"python": {"name": "AnyLine"}},
        }
    },
}


def test_names_and_texts_of_any_kind_are_only_names_and_texts(tmp_path: Path) -> None:
    spec = tmp_path / "spec"
    spec.mkdir()
    (spec / "protocol.yaml").write_text(yaml.safe_dump(HOSTILE, sort_keys=False))
    (spec / "part.yaml").write_text(yaml.safe_dump(PART, sort_keys=False))
    model = model_of(spec)
    generate(TARGET, model, tmp_path / "out")
    package = imported(tmp_path / "out", "odd")
    odd = {"kind": PART["messages"]["Odd"]["tag"]["kind"], **dict.fromkeys(KEYS, "x"), "class_too": None}
    record = {"kind": "record", "null": "word", "more": ["x"]}
    for value in (odd, {"kind": "even", "mapping": {"a": ["b", odd]}}, record):
        message = package.from_dict(value)
        assert package.to_dict(message) == value
        assert package.from_dict(value, strict=True) == message
    assert package.fresh_uuid_(["x"], null="word") == package.RecordType(null="word", more=["x"])
    assert package.decode(b'{"kind":"new"}') == package.UnknownLine(raw={"kind": "new"})
    assert package.from_dict(odd).class_ == "x"
    assert package.from_dict(odd).class_too is None
    for command in (["ruff", "format", "--check", "."], ["ruff", "check", "."], ["mypy"]):
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=tmp_path / "out", capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


def test_answers_may_stand_flat_in_what_stands_flat_in_their_envelope(tmp_path: Path) -> None:
    header = {"name": "flat", "title": "Flat", "version": "1.0.0", "framing": "ndjson", "peers": ["a", "b"]}
    protocol = {**header, "roots": ["Exchange"], "control": flat_answers.CONTROL}
    entry = {"polywire": 1, "protocol": protocol, **flat_answers.with_them({})}
    (tmp_path / "protocol.yaml").write_text(yaml.safe_dump(entry, sort_keys=False), encoding="utf-8")
    generate(TARGET, model_of(tmp_path), tmp_path / "out")
    flat = imported(tmp_path / "out", "flat")
    asked = flat.request(flat.WhereRequest(of="y"), "1")
    assert flat.encode(asked) == b'{"kind":"ask","id":"1","what":"where","of":"y"}'
    line = flat.encode(flat.reply(asked, flat.Place(x=7)))
    assert line == b'{"kind":"answer","how":"good","id":"1","x":7}'
    assert flat.decode_response(asked, flat.decode(line)) == flat.Place(x=7)
    nothing = flat.decode(b'{"kind":"answer","how":"good","id":"1"}')
    assert flat.decode_response(flat.LookRequest(), nothing) == flat.Look()
    assert flat.decode_response(flat.NearRequest(), nothing) is None
    with pytest.raises(flat.DecodeError, match="/x"):
        flat.decode_response(asked, nothing)
    with pytest.raises(flat.ControlError, match=r"^no such place$"):
        flat.decode_response(asked, flat.decode(b'{"kind":"answer","how":"bad","id":"1","why":"no such place"}'))
    with pytest.raises(LookupError):
        flat.decode_response(asked, asked)


def test_names_tell_what_they_would_collide_on() -> None:
    names = list(Names(model_of(ROOT / "spec")).all())
    assert not [each for each, count in Counter((n.scope, n.name) for n in names).items() if count > 1]
    assert {"package"} <= {name.scope for name in names}


@pytest.mark.parametrize("text", ['"""', "\\", 'a"', "'", "\u202e", "\ud800", "\x00", "{x}", "\n", 'it\'s "both"'])
def test_literals_mean_what_they_are_of(text: str) -> None:
    assert eval(quoted(text)) == text  # noqa: S307  (the point)
    assert quoted(text).isprintable()
    namespace: dict[str, Any] = {}
    exec(f"def f():\n    {docstring(text, 4)}\n", namespace)  # noqa: S102  (the point)


def test_docstrings_of_any_length_are_as_the_formatter_leaves_them() -> None:
    texts = ["x" * 200, *(("word " * 40)[:size].strip() + "." for size in range(90, 130))]
    code = "\n\n".join(f"class A{at}:\n    {docstring(text, 4)}\n" for at, text in enumerate(texts))
    command = [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length=120", "--stdin-filename=a.py", "-"]
    assert subprocess.run(command, input=code, capture_output=True, text=True, check=True).stdout == code


def test_long_literals_are_broken_one_item_a_line() -> None:
    value = {"a" * 60: ("b" * 50, None), "c": ("d",)}  # 120 columns and more
    text = lay_out(literal(value), WIDTH)
    assert eval(text) == value  # noqa: S307  (the point)
    assert text.splitlines() == [
        "{",
        '    "' + "a" * 60 + '": (',
        '        "' + "b" * 50 + '",',
        "        None,",
        "    ),",
        '    "c": ("d",),',
        "}",
    ]
