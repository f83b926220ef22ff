"""`generate` and `check` with a `polywire.toml`: from any subfolder, all or nothing, with one rule for flags."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from sampling import third
from vendor.support import CONFIG, Run


def configure(repository: Path, text: str) -> None:
    (repository / "polywire.toml").write_text(text, encoding="utf-8")


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


OPEN = "parcel.schema.json"
SCHEMAS = ["parcel.asyncapi.json", OPEN, "parcel.strict.schema.json"]


def test_generate_and_check_obey_the_file_from_any_subfolder(repository: Path, run: Run) -> None:
    done = run("generate")
    assert done.stdout.splitlines()[-1] == "3 files of 1 target: 3 created"
    assert files(repository / "schemas") == SCHEMAS
    assert (repository / "polywire.manifest.json").is_file()
    below = repository / "src" / "deep"
    below.mkdir(parents=True)
    os.chdir(below)
    assert run("check").stdout == "3 files of 1 target: up to date\n"
    (repository / "schemas" / OPEN).unlink()
    checked = run("check")
    assert (checked.exit_code, checked.stdout.splitlines()[-2:]) == (
        1,
        ["1 file out of sync with ../../polywire.toml: 1 missing", "to fix: polywire generate"],
    )
    assert run("generate").stdout.splitlines()[0] == f"created ../../schemas/{OPEN}"
    assert not files(below)


def test_each_target_has_its_folder_its_names_and_the_part_that_is_asked_for(repository: Path, run: Run) -> None:
    configure(
        repository,
        """\
spec = "protocol"
roots = ["Envelope", "Weight"]
header = "SPDX-License-Identifier: MIT"

[targets.go]
out = "internal/wire"
module = "example.com/ours/wire"
package = "wire"

[targets.python]
out = "src"
module = "_wire"
distribution = "ours-wire"

[targets.typescript]
out = "web/wire"
package = "@ours/wire"
""",
    )
    done = run("generate")
    assert done.exit_code == 0, done.output
    go = (repository / "internal/wire/wire/types.go").read_text(encoding="utf-8")
    assert "\npackage wire\n" in go
    assert "// SPDX-License-Identifier: MIT\n" in go
    assert "module example.com/ours/wire\n" in (repository / "internal/wire/go.mod").read_text(encoding="utf-8")
    assert json.loads((repository / "web/wire/package.json").read_bytes())["name"] == "@ours/wire"
    assert 'name = "ours-wire"' in (repository / "src/pyproject.toml").read_text(encoding="utf-8")
    python = "".join(path.read_text(encoding="utf-8") for path in sorted((repository / "src/_wire").glob("*.py")))
    assert "class Envelope" in python
    assert "class Hello" not in python
    assert run("check").exit_code == 0


def test_names_and_prose_of_the_spec_stay_unless_names_are_given(repository: Path, run: Run) -> None:
    entry = repository / "protocol/protocol.yaml"
    said = "packages:\n  go: {module: example.org/parcel, package: parcels, readme: About parcels.}\n"
    entry.write_text(entry.read_text(encoding="utf-8").replace("packages:\n", said), encoding="utf-8")
    readme = repository / "wire/README.md"
    configure(repository, 'spec = "protocol"\n[targets.go]\nout = "wire"\n')
    assert run("generate").exit_code == 0
    assert "example.org/parcel" in readme.read_text(encoding="utf-8")
    assert "About parcels." in readme.read_text(encoding="utf-8")
    configure(repository, 'spec = "protocol"\n[targets.go]\nout = "wire"\npackage = "ours"\n')
    assert run("generate").exit_code == 0
    assert "example.org/parcel" in readme.read_text(encoding="utf-8")
    assert "About parcels." not in readme.read_text(encoding="utf-8")
    configure(repository, 'spec = "protocol"\n[targets.go]\nout = "wire"\nreadme = "Our own."\n')
    assert run("generate").exit_code == 0
    assert "Our own." in readme.read_text(encoding="utf-8")


def test_a_dialect_is_generated_in_the_place_of_the_spec(repository: Path, run: Run) -> None:
    configure(repository, f'dialect = "terse"\n{CONFIG}')
    assert run("generate").exit_code == 0
    schema = json.loads((repository / "schemas" / OPEN).read_bytes())
    assert "(terse)" in schema["$comment"]
    assert run("lint").exit_code == 0
    assert "hello_id" in run("show", "Hello").stdout


@third("the spec that comes with polywire")
def test_the_spec_that_comes_with_polywire_needs_no_checkout(repository: Path, run: Run) -> None:
    shutil.rmtree(repository / "protocol")
    configure(repository, CONFIG.replace("protocol", "bundled"))
    done = run("generate")
    assert done.exit_code == 0, done.output
    tables = [f"agentlines.{each}" for each in ("duckdb.sql", "spark.sql", "tables.json")]
    schemas = [each.replace("parcel", "agentlines") for each in SCHEMAS]
    assert files(repository / "schemas") == sorted([*schemas, *tables])
    assert run("lint").exit_code == 0
    assert run("generate", "--spec", "bundled", "--target", "jsonschema", "--out", "elsewhere").exit_code == 0
    assert (repository / "elsewhere/jsonschema/agentlines.schema.json").read_bytes() == (
        repository / "schemas/agentlines.schema.json"
    ).read_bytes()


# --- all or nothing --------------------------------------------------------------------------------------------

TWO = f'{CONFIG}\n[targets.typescript]\nout = "web/wire"\n'


def test_a_target_that_moves_or_goes_takes_its_files_with_it(repository: Path, run: Run) -> None:
    configure(repository, TWO)
    assert run("generate").exit_code == 0
    (repository / "web/own.txt").write_text("mine", encoding="utf-8")
    configure(repository, TWO.replace("web/wire", "client/wire").replace('"schemas"', '"web/schemas"'))
    checked = run("check")
    assert checked.exit_code == 1
    assert f"left over: schemas/{OPEN}" in checked.stdout
    assert run("generate").exit_code == 0
    assert not (repository / "schemas").exists()
    assert files(repository / "web") == ["own.txt", *(f"schemas/{name}" for name in SCHEMAS)]
    configure(repository, CONFIG)
    assert run("generate").exit_code == 0
    assert not (repository / "client").exists()
    assert run("check").exit_code == 0


def test_what_is_in_the_way_of_one_folder_keeps_all_from_being_written(repository: Path, run: Run) -> None:
    configure(repository, TWO)
    (repository / "web/wire").mkdir(parents=True)
    (repository / "web/wire/index.js").write_text("mine\n", encoding="utf-8")
    done = run("generate")
    assert done.exit_code == 2
    assert "index.js: polywire did not write this file; move it," in done.stderr
    assert files(repository / "web") == ["wire/index.js"]
    assert not (repository / "schemas").exists()
    assert not (repository / "polywire.manifest.json").exists()


def test_a_run_that_is_killed_between_two_folders_is_mended_by_the_next(
    repository: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(repository, TWO)
    replace, calls = os.replace, []

    def die(source: str, place: str) -> None:
        calls.append(place)
        if len(calls) == 4:
            raise KeyboardInterrupt
        replace(source, place)

    monkeypatch.setattr(os, "replace", die)
    assert run("generate").exit_code == 1
    monkeypatch.undo()
    os.chdir(repository)
    assert files(repository / "schemas")
    assert [path for path in files(repository / "web") if ".polywire-" in path]
    assert run("generate").exit_code == 0
    assert run("check").exit_code == 0
    assert not [path for path in files(repository) if ".polywire-" in path]


def test_a_link_in_the_place_of_a_folder_is_never_followed(repository: Path, run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (repository / "schemas").symlink_to(outside)
    done = run("generate")
    assert (done.exit_code, files(outside)) == (2, [])
    assert "is a symbolic link" in done.stderr


# --- flags and the config --------------------------------------------------------------------------------------


def test_target_chooses_among_those_of_the_file_and_leaves_the_others_alone(repository: Path, run: Run) -> None:
    configure(repository, TWO)
    assert run("generate", "--target", "jsonschema").exit_code == 0
    assert not (repository / "web").exists()
    assert run("check", "--target", "jsonschema").exit_code == 0
    assert run("check", "--target", "typescript").stdout.splitlines()[-1] == (
        "to fix: polywire generate --target typescript"
    )
    done = run("generate", "--target", "go")
    assert done.exit_code == 2
    assert "polywire.toml has no target 'go'; there is jsonschema, typescript" in done.stderr


@pytest.mark.parametrize(
    ("flags", "place"),
    [
        (["--spec", "protocol"], "generated/jsonschema"),
        (["--dialect", "terse"], "generated/dialects/terse/jsonschema"),
        (["--out", "trial"], "trial/jsonschema"),
    ],
)
def test_flags_that_say_what_the_file_says_leave_it_aside_and_that_is_said(
    repository: Path, run: Run, flags: list[str], place: str
) -> None:
    done = run("generate", *flags, "--target", "jsonschema")
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines()[-1] == "polywire.toml is not used: options on the command line override it"
    assert files(repository / place) == SCHEMAS
    assert not (repository / "schemas").exists()
    assert run("check", *flags, "--target", "jsonschema").exit_code == 0


def test_a_file_can_be_named(repository: Path, run: Run) -> None:
    inner = repository / "services/gateway"
    inner.mkdir(parents=True)
    shutil.move(repository / "polywire.toml", inner / "polywire.toml")
    shutil.move(repository / "protocol", inner / "protocol")
    assert run("generate", "--config", "services/gateway/polywire.toml").exit_code == 0
    (inner / "schemas" / OPEN).unlink()
    told = run("check", "--config", "services/gateway/polywire.toml").stdout
    assert told.endswith("to fix: polywire generate --config services/gateway/polywire.toml\n")
    done = run("generate", "--config", "services/gateway/polywire.toml", "--out", "x")
    assert done.exit_code == 2
    assert "polywire.toml and --out exclude each other" in done.stderr
    assert run("check", "--config", "nowhere.toml").exit_code == 2


@third("the spec that comes with polywire")
def test_commands_that_read_take_the_spec_of_the_file_unless_another_is_named(repository: Path, run: Run) -> None:
    (repository / "below").mkdir()
    os.chdir(repository / "below")
    assert run("lint").exit_code == 0
    assert "Hello" in run("show", "Hello").stdout
    assert run("explain", input=b'{"type": "note", "text": "t"}\n').exit_code == 0
    assert "parcel" not in run("lint", "--spec", "bundled").output
    done = run("lint", "--spec", "spec")
    assert (done.exit_code, "'spec' does not exist" in done.stderr) == (2, True)


# --- errors in the config --------------------------------------------------------------------------------------


def test_a_fault_of_the_file_is_shown_where_it_is_and_nothing_is_done(repository: Path, run: Run) -> None:
    configure(repository, f'roots = ["Hello", "Envelop"]\n{CONFIG}')
    (repository / "below").mkdir()
    os.chdir(repository / "below")
    for command in ("generate", "check"):
        done = run(command)
        assert (done.exit_code, done.stdout) == (2, "")
        assert done.stderr.splitlines() == [
            "../polywire.toml:1:19: error[unknown-root] the spec has no type `Envelop`",
            '    roots = ["Hello", "Envelop"]',
            "                      ^",
            "    hint: did you mean `Envelope`?",
            "1 error",
        ]
    configure(repository, f"header = 1\n{CONFIG}")
    for command in ("lint", "generate", "check"):
        done = run(command)
        assert done.exit_code == 2
        assert "../polywire.toml:1:1: error[wrong-kind] `header` is a number" in done.stderr
    assert files(repository / "schemas") == []


def test_templates_are_for_targets_that_are_generated(repository: Path, run: Run) -> None:
    configure(repository, f'templates = "ours"\n{CONFIG}')
    assert "polywire.toml:1:1: error[bad-path] `ours` is not a folder" in run("generate").stderr
    (repository / "ours/go").mkdir(parents=True)
    told = run("generate").stderr
    assert "error[unused-template] ours/go has no effect: no target of that name is generated" in told
    (repository / "ours/go").rmdir()
    (repository / "ours/jsonschema").mkdir()
    override = repository / "ours/jsonschema/schema.json.j2"
    override.write_text("{{ {'$comment': header.mark} | json }}\n", encoding="utf-8")
    assert run("generate").exit_code == 0
    assert "Code generated" in json.loads((repository / "schemas" / OPEN).read_bytes())["$comment"]
    override.rename(override.with_name("schemas.json.j2"))
    done = run("generate")
    assert done.exit_code == 2
    assert (
        "ours/jsonschema/schemas.json.j2: polywire has no template jsonschema/schemas.json.j2; did you" in done.stderr
    )


def test_generate_can_tell_by_its_exit_status_that_it_changed_something(repository: Path, run: Run) -> None:
    done = run("generate", "--exit-non-zero-on-change")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (1, "to fix: add what changed to the commit")
    assert run("generate", "--exit-non-zero-on-change").exit_code == 0
    assert files(repository / "schemas") == SCHEMAS
