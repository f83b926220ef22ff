"""Text and names from a spec are data: each gives a finding, or output in which it is only text."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from polywire import checks
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.targets.common.header import header
from polywire.targets.jsonschema import TARGET
from polywire.writing.comparing import compare
from polywire.writing.output import write
from polywire.writing.render import render
from sampling import sample

TEXTS = {
    "quotes": "\" ' \"\"\" ''' ` \\\" \\' ``` \\",
    "a docstring that ends": '""" + __import__("os").abort() + """',
    "a docstring that ends, and a newline": '"""\nraise SystemExit(3)\n"""',
    "a string that ends": "' + __import__('os').abort() + '",
    "ends of comments": "*/ --> ]]> #} %> */ // /* <!-- ",
    "markup": "</script><script>alert(1)</script> & &amp; <b>",
    "braces of templates": "{{ 7 * 7 }} {% raw %} {# gone #} {%- endif -%} ${x} $(x) `x` #{x}",
    "escapes": "\\n \\u0041 \\x41 \\N{BULLET} \\101 %s %(x)s {x} {0}",
    "a backslash at the end": "ends in \\",
    "line breaks of all kinds": "a\nb\n\n    c\n\td",
    "separators": "a\u2028b\u2029c\u0085d",
    "bidi": "access\u202e level\u2066 user\u2069 \u200f",
    "invisible": "a\u200bb\u00adc\ufeffd\u2060",
    "beyond the first plane": "\U0001f600 \U000e0041",
    "controls": "bell\x07 escape\x1b[31m null\x00 delete\x7f",
    "directives": "# noqa\n# type: ignore\n# -*- coding: utf-7 -*-\n//go:build ignore\n//nolint",
    "only space": "  ",
}

NAMES = [
    "../x",
    "..",
    "a/b",
    "a\\b",
    "C:x",
    "/etc/passwd",
    "class",
    "def",
    "None",
    "True",
    "self",
    "cls",
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "__class__",
    "__init__",
    "__slots__",
    "__dict__",
    "type",
    "list",
    "dict",
    "object",
    "str",
    "int",
    "isinstance",
    "print",
    "Exception",
    "decode",
    "encode",
    "extra",
    "raw",
    "tags",
    "Unknown",
    "UNSET",
    "a b",
    "a-b",
    "a.b",
    "1x",
    "x1",
    "_",
    "__",
    "é",
    "ß",
    "ﬁ",
    "İ",
    "日本",
    "\u202ex",
    "x\ny",
    "x\x00y",
    "'",
    '"',
    "%",
    "~",
    "$ref",
    "$defs",
    "{{ x }}",
    "{% x %}",
    "\U0001f600",
    "CON",
    "manifest.json",
    "match",
    "case",
    "await",
    "async",
    "nonlocal",
    "fields",
    "replace",
    "json",
    "re",
    "Any",
    "Literal",
    "dataclass",
    "1.2.3",
    "x" * 300,
]

HIDING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029\u200b\ufeff]")


def spec(folder: Path, **sections: object) -> Path:
    """Write a spec of one message, one enum and the given sections as YAML."""
    document: dict[str, Any] = {
        "polywire": 1,
        "protocol": {
            "name": "parcel",
            "title": "Parcel",
            "version": "1.0.0",
            "framing": "ndjson",
            "peers": ["one", "other"],
            "roots": ["Line"],
        },
        "packages": {"python": {"distribution": "parcel", "module": "parcel"}},
        "parts": ["part.yaml"],
    }
    for key, changes in sections.items():
        if key in document and isinstance(changes, Mapping):
            document[key] = {**document[key], **changes}
    part = {key: value for key, value in sections.items() if key not in document}
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (("protocol.yaml", document), ("part.yaml", part)):
        (folder / name).write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=False), encoding="utf-8")
    return folder


def line(fields: Mapping[str, object], **more: object) -> dict[str, object]:
    return {"messages": {"Line": {"doc": "A line.", "from": "both", "tag": {"type": "line"}, "fields": fields, **more}}}


def rendered(folder: Path) -> dict[str, dict[str, bytes]] | None:
    """Return the files of all targets, or None if the spec was rejected with a finding."""
    report = checks.check(folder)
    if report.failed or report.model is None:
        assert any(finding.severity == "error" for finding in report.findings)
        assert not HIDING.search(report.render("text").replace("\n", ""))
        return None
    plan = make_plan(report.model)
    return {name: render(target, plan) for name, target in registry().items()}


def sources(trees: Mapping[str, Mapping[str, bytes]]) -> Iterator[tuple[str, str]]:
    for target, files in trees.items():
        for path, contents in files.items():
            yield f"{target}/{path}", contents.decode("utf-8")


@cache
def parse_python(text: str) -> None:
    """Parse Python. Cached, as many files only differ in the comment at the top. Raises `SyntaxError`."""
    ast.parse(text)


def sound(trees: Mapping[str, Mapping[str, bytes]]) -> None:
    """Check that every file is valid in its language, and hides nothing from readers."""
    for path, text in sources(trees):
        assert not HIDING.search(text), path
        if path.endswith(".json"):
            json.loads(text)
        if path.endswith((".py", ".pyi")):
            parse_python(re.sub(r"\A(#.*\n)*", "", text))


def everywhere(text: str) -> dict[str, object]:
    """Return a spec with `text` wherever it can contain prose, or text for the wire."""
    return {
        "protocol": {"title": text},
        **line(
            {
                "note": {"type": "string", "doc": text, "deprecated": text, "source": text},
                "size?": {"type": "Size", "doc": text},
                "filled?": {"type": "string", "default": text},
            },
            doc=text,
            const={"said": text},
            examples=[{"type": "line", "said": text, "note": text}],
        ),
        "enums": {"Size": {"doc": text, "open": True, "values": {"small": {"doc": text}, "large": text}}},
    }


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_text_is_nothing_but_text(tmp_path: Path, text: str) -> None:
    trees = rendered(spec(tmp_path, **everywhere(text)))
    if trees is not None:
        sound(trees)
        entry = json.loads(trees["jsonschema"]["parcel.strict.schema.json"])["$defs"]["Line"]
        assert entry["properties"]["said"] == {"const": text, "type": "string"}
        assert entry["examples"] == [{"type": "line", "said": text, "note": text}]
        assert entry.get("description", "") == text.strip()


def test_most_hostile_texts_are_rendered_and_not_refused(tmp_path: Path) -> None:
    refused = [name for name, text in TEXTS.items() if rendered(spec(tmp_path / name, **everywhere(text))) is None]
    assert set(refused) <= {"controls", "only space", "separators", "invisible", "bidi"}


def test_python_that_says_hostile_things_imports_and_says_them(tmp_path: Path) -> None:
    fields = {f"f{at}": {"type": "string", "doc": text} for at, text in enumerate(TEXTS.values()) if text.isprintable()}
    doc = " ".join(text for text in TEXTS.values() if text.isprintable())
    consts = {f"c{at}": text for at, text in enumerate(TEXTS.values())}
    trees = rendered(spec(tmp_path / "spec", **line(fields, doc=doc, const=consts)))
    assert trees is not None
    for path, contents in trees["python"].items():
        place = tmp_path / "out" / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(contents)
    (package,) = (place.parent for place in (tmp_path / "out").rglob("__init__.py") if place.parent.name == "parcel")
    message = {"type": "line", **consts, **dict.fromkeys(fields, "x")}
    code = "import sys, parcel; m = parcel.decode(sys.argv[1]); sys.stdout.write(parcel.encode(m).decode('ascii'))"
    words = [sys.executable, "-c", code, json.dumps(message)]
    done = subprocess.run(words, cwd=package.parent, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == message


# --- names -----------------------------------------------------------------------------------------------------

PLACES = {
    "type": lambda name: {
        **line({"other": "object"}, doc="A line."),
        "types": {name: {"doc": "A type.", "fields": {"inner": "string"}}},
        "protocol": {"roots": ["Line", name]},
    },
    "field": lambda name: line({name: "integer"}),
    "optional field": lambda name: line({f"{name}?": "integer | null"}),
    "enum value": lambda name: {
        **line({"size": "Size"}),
        "enums": {"Size": {"doc": "S.", "open": False, "values": {name: "A value.", "sane": "Another."}}},
    },
    "tag": lambda name: line({}, tag={"type": name}),
    "tag's key": lambda name: line({}, tag={name: "line"}),
    "const's key": lambda name: line({}, const={name: "c"}),
    "stem": lambda name: line({"x": "string"}, name=name),
    "override": lambda name: line({"x": "string"}, targets={target: {"name": name} for target in registry()}),
    "unknown": lambda name: {
        **line({}),
        "unions": {"Lines": {"doc": "U.", "open": True, "by": "type", "unknown": name, "variants": ["Line"]}},
        "protocol": {"roots": ["Lines"]},
    },
    "control": lambda name: {
        "protocol": {
            "roots": ["Ask"],
            "control": {
                "request": {"envelope": "Ask", "id": "/id", "payload": "/ask", "by": "what"},
                "response": {"envelope": "Answer", "id": "/id", "result": "/answer"},
            },
        },
        "messages": {
            "Ask": {"doc": "A.", "from": "both", "tag": {"type": "ask"}, "fields": {"id": "string", "ask": "Request"}},
            "Answer": {
                "doc": "A.",
                "from": "both",
                "tag": {"type": "no"},
                "fields": {"id": "string", "answer?": "object"},
            },
        },
        "unions": {"Request": {"doc": "R.", "open": True, "by": "what"}},
        "controls": {name: {"doc": "C.", "from": "one", "request": {"x": "string"}, "response": "none"}},
    },
    "protocol": lambda name: {**line({}), "protocol": {"name": name}},
    "version": lambda name: {**line({}), "protocol": {"version": name}},
    "packages": lambda name: {
        **line({}),
        "packages": {"python": {"distribution": name, "module": name}, "jsonschema": {"name": name}},
    },
}


@pytest.mark.full
@pytest.mark.parametrize("place", sample([*PLACES], 7))
def test_a_name_gives_a_finding_or_files_that_stay_in_their_folder(tmp_path: Path, place: str) -> None:
    rendered_names = 0
    for number, name in enumerate(NAMES):
        trees = rendered(spec(tmp_path / str(number), **PLACES[place](name)))
        if trees is not None:
            rendered_names += 1
            sound(trees)
            for path, _ in sources(trees):
                assert (tmp_path / path).resolve().is_relative_to(tmp_path.resolve()), (name, path)
    assert rendered_names > 0


@pytest.mark.parametrize("name", NAMES)
def test_a_field_of_any_name_is_checked_under_that_name(tmp_path: Path, name: str) -> None:
    report = checks.check(spec(tmp_path, **line({name: "integer"})))
    if report.failed or report.model is None:
        return
    schema = json.loads(render(TARGET, make_plan(report.model))["parcel.strict.schema.json"])
    validator = jsonschema.Draft202012Validator(schema)
    assert validator.is_valid({"type": "line", name: 1})
    assert not validator.is_valid({"type": "line", name: "1"})
    assert not validator.is_valid({"type": "line"})


def test_hostile_output_is_written_below_the_folder_and_compares_equal(tmp_path: Path) -> None:
    report = checks.check(spec(tmp_path / "spec", **line({}), protocol={"name": "..parcel"}))
    if report.model is not None and not report.failed:
        plan = make_plan(report.model)
        trees = {name: render(target, plan) for name, target in registry().items()}
        out = tmp_path / "deep" / "out"
        write(out, trees, header(report.model), whole=True)
        assert compare(out, trees, header(report.model), whole=True) == []
    assert {path.name for path in tmp_path.iterdir()} <= {"spec", "deep"}
