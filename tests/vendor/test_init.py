"""What `polywire init` writes can be obeyed, says what each key is for, and takes the place of nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polywire.targets import registry
from polywire.vendor.config import KEYS, target_keys, tomllib
from polywire.vendor.init import text_of
from vendor.support import Run


@pytest.fixture
def empty(repository: Path) -> Path:
    """The repository without a config."""
    (repository / "polywire.toml").unlink()
    return repository


def test_flags_become_a_file_that_is_obeyed(empty: Path, run: Run) -> None:
    flags = "--spec protocol --dialect terse --target python=src/wire --target jsonschema --package python.module=wire"
    done = run("init", *flags.split(), "--root", "Envelope", "--header", 'SPDX-License-Identifier: "MIT" \\')
    assert done.exit_code == 0, done.output
    assert done.stdout == (
        "created polywire.toml\nnext: polywire generate, and commit what it writes with polywire.toml\n"
    )
    said = tomllib.loads((empty / "polywire.toml").read_text(encoding="utf-8"))
    assert said == {
        "spec": "protocol",
        "dialect": "terse",
        "roots": ["Envelope"],
        "header": ['SPDX-License-Identifier: "MIT" \\'],
        "targets": {"python": {"out": "src/wire", "module": "wire"}, "jsonschema": {"out": "generated/jsonschema"}},
    }
    assert run("generate").exit_code == 0
    assert run("check").exit_code == 0
    assert (empty / "src/wire/wire/_table.py").is_file()


def test_without_flags_it_is_everything_of_the_spec_that_is_there(empty: Path, run: Run) -> None:
    assert run("init").exit_code == 0
    said = tomllib.loads((empty / "polywire.toml").read_text(encoding="utf-8"))
    assert said["spec"] == "bundled"
    assert said["targets"] == {name: {"out": f"generated/{name}"} for name in registry()}
    (empty / "protocol").rename(empty / "spec")
    assert run("init", "--force", "--target", "go").exit_code == 0
    assert tomllib.loads((empty / "polywire.toml").read_text(encoding="utf-8")) == {
        "spec": "spec",
        "targets": {"go": {"out": "generated/go"}},
    }


def test_a_file_that_is_there_is_kept_unless_force_is_used(repository: Path, run: Run) -> None:
    before = (repository / "polywire.toml").read_bytes()
    done = run("init", "--target", "go")
    assert done.exit_code == 2
    assert "polywire.toml is there already; edit it, or overwrite it with --force" in done.stderr
    assert (repository / "polywire.toml").read_bytes() == before
    assert run("init", "--target", "go", "--force").exit_code == 0
    assert b"[targets.go]" in (repository / "polywire.toml").read_bytes()


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        (["--spec", "nowhere"], "error[missing-spec] `nowhere` has no protocol.yaml"),
        (["--spec", "protocol", "--root", "Envelop"], "hint: did you mean `Envelope`?"),
        (["--spec", "protocol", "--dialect", "ters"], "hint: did you mean 'terse'?"),
        (["--spec", "protocol", "--target", "go=.."], "error[bad-path] `..` has an empty part, or one of dots"),
        (["--target", "goo"], "no target 'goo'; did you mean 'go'?"),
        (["--target", "go", "--target", "go=x"], "go is named twice"),
        (["--target", "go", "--package", "go=x"], "'go=x' is not like python.module=wire"),
        (["--target", "go", "--package", "python.module=x"], "'python' is not generated"),
        (["--target", "go", "--package", "go.modul=x"], "packages of go have no 'modul'; did you mean 'module'?"),
        (["--spec", "protocol", "--templates", "ours"], "`ours` is no folder"),
    ],
)
def test_what_could_not_be_obeyed_is_not_written(empty: Path, run: Run, flags: list[str], told: str) -> None:
    done = run("init", *flags)
    assert done.exit_code == 2, done.output
    assert told in done.stderr
    assert not (empty / "polywire.toml").exists()


def test_every_key_stands_in_it_with_a_word_about_it() -> None:
    text = text_of("bundled", {name: f"x/{name}" for name in registry()}, {})
    flat = " ".join(text.replace("\n# ", " ").split())
    for name, key in KEYS.items():
        assert name == "targets" or " ".join(key.doc.split()) in flat
    for target in registry().values():
        for name, key in target_keys(target).items():
            assert f"{name} = " in text
            assert key.doc in text


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


@given(TEXTS, st.lists(TEXTS), TEXTS)
def test_any_text_survives_being_written(spec: str, header: list[str], module: str) -> None:
    said = tomllib.loads(text_of(spec, {"go": "x"}, {"go": {"module": module}}, None, (), header))
    assert (said["spec"], said.get("header", []), said["targets"]["go"]["module"]) == (spec, header, module)


def test_a_spec_is_imported_first_if_a_source_is_named(empty: Path, run: Run) -> None:
    schema = empty / "chat.json"
    schema.write_text('{"$defs": {"Note": {"type": "object", "properties": {"text": {"type": "string"}}}}}')
    done = run("init", "--from", "chat.json", "--root", "Note", "--spec", "chat", "--target", "python")
    assert done.exit_code == 0, done.output
    assert "wrote protocol.yaml, types.yaml, import.json" in done.stdout
    assert tomllib.loads((empty / "polywire.toml").read_text(encoding="utf-8"))["spec"] == "chat"
    assert run("generate").exit_code == 0
    assert run("check").exit_code == 0


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("chat.txt", "", "its name does not say what it is"),
        ("chat.json", "{", "a JSON Schema is a JSON document"),
    ],
)
def test_a_source_that_cannot_be_imported_is_wrong_use(
    empty: Path, run: Run, name: str, text: str, message: str
) -> None:
    (empty / name).write_text(text)
    done = run("init", "--from", name, "--root", "Note", "--spec", "chat")
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
    assert not (empty / "chat").exists()
    assert not (empty / "polywire.toml").exists()
