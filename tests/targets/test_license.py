"""Packages state the licence that the owner of the spec chooses, and none by default."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from polywire import checks
from polywire.plan import make_plan
from polywire.targets import registry
from polywire.writing.render import PLAIN, Custom, render

PACKAGES = {"python": "pyproject.toml", "typescript": "package.json", "rust": "Cargo.toml"}
SPEC = """\
polywire: 1
protocol: {{name: chat, title: Chat, version: 1.0, framing: ndjson, peers: [client, server], roots: [Line]}}
packages: {packages}
unions:
  Line: {{doc: What goes over the wire., open: true, by: type, variants: [Hello]}}
messages:
  Hello: {{doc: Who is there., from: client, tag: {{type: hello}}, fields: {{name: string}}}}
"""
Make: TypeAlias = Callable[..., dict[str, dict[str, str]]]

TEXT = "Do what you {{ want }} with it.\n\n    But keep this.\n"


@pytest.fixture
def made(tmp_path: Path) -> Make:
    def make(packages: str, custom: Custom = PLAIN, text: str = TEXT) -> dict[str, dict[str, str]]:
        (tmp_path / "protocol.yaml").write_text(SPEC.format(packages=packages), encoding="utf-8")
        (tmp_path / "legal").mkdir(exist_ok=True)
        (tmp_path / "legal" / "text").write_bytes(text.encode())
        report = checks.check(tmp_path)
        assert [each for each in report.findings if each.severity == "error"] == []
        assert report.model is not None
        plan = make_plan(report.model)
        return {
            name: {path: data.decode() for path, data in render(target, plan, custom).items()}
            for name, target in registry().items()
            if name != "jsonschema"
        }

    return make


def stated(files: dict[str, dict[str, str]]) -> dict[str, list[str]]:
    """The lines about the licence in the files that package managers read."""
    lines = {name: files[name][path].splitlines() for name, path in PACKAGES.items()}
    return {name: [line.strip() for line in lines[name] if "icense" in line and "SPDX" not in line] for name in lines}


def test_without_a_word_of_the_owner_there_is_none_and_the_pages_say_so(made: Make) -> None:
    files = made("{}")
    assert stated(files) == {"python": ["license-files = []"], "typescript": [], "rust": []}
    for each in files.values():
        assert "LICENSE" not in each
        assert "\n## Licence\n\nNo licence is stated for this package.\n" in each["README.md"]
        assert not any("Apache" in text for text in each.values())


def test_an_expression_and_a_text_are_in_every_package(made: Make) -> None:
    files = made("{license: MIT OR Apache-2.0, license_file: legal/text}")
    assert stated(files) == {
        "python": ['license = "MIT OR Apache-2.0"', 'license-files = ["LICENSE"]'],
        "typescript": ['"license": "MIT OR Apache-2.0",'],
        "rust": ['license = "MIT OR Apache-2.0"'],
    }
    for each in files.values():
        assert each["LICENSE"] == TEXT
        assert "\n`MIT OR Apache-2.0`; see [LICENSE](LICENSE).\n" in each["README.md"]
    assert '"README.md", "LICENSE"]' in files["rust"]["Cargo.toml"]


def test_one_of_the_two_is_enough(made: Make) -> None:
    files = made("{license: MIT}")
    assert all("LICENSE" not in each and "\n`MIT`.\n" in each["README.md"] for each in files.values())
    files = made("{license_file: legal/text}")
    assert stated(files) == {
        "python": ['license-files = ["LICENSE"]'],
        "typescript": ['"license": "SEE LICENSE IN LICENSE",'],
        "rust": ['license-file = "LICENSE"'],
    }
    json.loads(files["typescript"]["package.json"])


@pytest.mark.parametrize("line", ["SPDX-License-Identifier: BSD-2-Clause", "  SPDX-License-Identifier:BSD-2-Clause "])
def test_what_a_consumer_heads_every_file_with_is_not_contradicted(made: Make, line: str) -> None:
    files = made("{license: MIT, license_file: legal/text}", Custom(header=("Copyright Acme", line)))
    assert stated(files)["rust"] == ['license = "BSD-2-Clause"']
    for each in files.values():
        assert "LICENSE" not in each
        assert "\n`BSD-2-Clause`.\n" in each["README.md"]
    files = made("{license: MIT, license_file: legal/text}", Custom(header=("SPDX-License-Identifier: MIT",)))
    assert all(each["LICENSE"] == TEXT for each in files.values())


def test_lines_may_end_as_on_windows(made: Make) -> None:
    files = made("{license_file: legal/text}", text=TEXT.replace("\n", "\r\n"))
    assert all(each["LICENSE"] == TEXT for each in files.values())


@pytest.mark.parametrize(
    ("packages", "rule"),
    [
        ("{license: Apache 2}", "wrong-kind"),
        ("{license_file: gone}", "missing-file"),
        ("{license_file: ../text}", "bad-path"),
    ],
)
def test_what_cannot_be_one_is_a_finding(tmp_path: Path, packages: str, rule: str) -> None:
    (tmp_path / "protocol.yaml").write_text(SPEC.format(packages=packages), encoding="utf-8")
    assert rule in {each.rule for each in checks.check(tmp_path).findings}
