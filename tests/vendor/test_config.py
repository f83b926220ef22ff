"""`polywire.toml`: its settings are applied, and errors in it are reported with line, key and next step."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polywire.ground.find import find
from polywire.ground.parsing import toml_table
from polywire.source import bundled
from polywire.vendor import config
from polywire.vendor.config import FAULTS, KEYS, ConfigError

FINE = 'spec = "protocol"\n[targets.jsonschema]\nout = "schemas"\n'


def faults(text: str | bytes) -> list[str]:
    """`line:column rule: message (hint)` of every finding."""
    try:
        config.parse(Path("polywire.toml"), text.encode() if isinstance(text, str) else text)
    except ConfigError as error:
        found = error.report.findings
        return [f"{f.place.line}:{f.place.column} {f.rule}: {f.message} ({f.hint})" for f in found]
    return []


@pytest.mark.usefixtures("repository")
def test_everything_that_may_be_said_is_read() -> None:
    text = """\
spec = "./protocol/"
dialect = "terse"
roots = ["Line", "Settings"]
header = ["SPDX-License-Identifier: MIT  ", "", "Ours."]
templates = "../templates of ours"

[targets.python]
out = "./src/_wire/"
module = "wire"

[targets]
go = {out = "internal/wire", module = "example.com/wire", package = "wire", readme = "# Any\\nMarkdown"}
"""
    said = config.parse(Path("polywire.toml"), text.encode())
    assert (said.spec, said.dialect, said.roots) == (Path("protocol"), "terse", ("Line", "Settings"))
    assert said.header == ("SPDX-License-Identifier: MIT", "", "Ours.")
    assert said.templates == Path("../templates of ours")
    assert [(each.target, each.folder, dict(each.packages)) for each in said.outputs] == [
        ("python", "src/_wire", {"module": "wire"}),
        ("go", "internal/wire", {"module": "example.com/wire", "package": "wire", "readme": "# Any\nMarkdown"}),
    ]


@pytest.mark.usefixtures("repository")
def test_bundled_is_the_spec_that_comes_with_polywire_unless_a_folder_is_meant(repository: Path, root: Path) -> None:
    said = config.parse(Path("polywire.toml"), FINE.replace('"protocol"', '"bundled"').encode())
    assert said.spec.resolve() == bundled().resolve() == root / "spec"
    (repository / "protocol").rename(repository / "bundled")
    said = config.parse(Path("polywire.toml"), FINE.replace('"protocol"', '"./bundled"').encode())
    assert said.spec.resolve() == repository / "bundled"


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b'spec = "\xff"\n', "1:1 toml-syntax: invalid TOML: byte 8 is not UTF-8 (None)"),
        (b"a = " + b"[" * 100_000, "1:1 toml-syntax: invalid TOML: values are nested too deeply (None)"),
        (b"a = " + b"9" * 5_000, "1:1 toml-syntax: invalid TOML: an integer has too many digits (None)"),
        ("#" * 1_048_577, "1:1 toml-syntax: has more than 1048576 bytes (None)"),
        (f"spek = 1\n{FINE}", "1:1 unknown-key: polywire.toml has no `spek` (did you mean `spec`?)"),
        (
            f"version = 1\n{FINE}",
            (
                "1:1 unknown-key: polywire.toml has no `version` (its keys are `spec`, `dialect`, `at`, `span`,"
                " `roots`,"
                " `header`, `templates`, `targets`, `lint`, `breaking`)"
            ),
        ),
        (
            f'{FINE}outt = "x"\n',
            "4:1 unknown-key: `targets.jsonschema` has no `outt` (did you mean `out`?)",
        ),
        (
            f'{FINE}module = "x"\n',
            "4:1 unknown-key: `targets.jsonschema` has no `module` (its keys are `out`, `name`)",
        ),
        (
            '[targets.jsonschema]\nout = "schemas"\n',
            '1:1 missing-key: polywire.toml has no `spec`, which is required (for example: spec = "bundled")',
        ),
        (
            'spec = "protocol"\n',
            (
                "1:1 missing-key: polywire.toml has no `targets`, which is required (for example: [targets.python]\n"
                'out = "generated/python")'
            ),
        ),
        (
            'spec = "protocol"\n[targets]\n',
            (
                "2:1 missing-key: `targets` is empty, so nothing would be generated (for example: [targets.python]\n"
                'out = "generated/python")'
            ),
        ),
        (
            'spec = "protocol"\n[targets.jsonschema]\n',
            '2:1 missing-key: `targets.jsonschema` has no `out`, which is required (for example: out = "vendor/wire")',
        ),
        (
            f"roots = 'Line'\n{FINE}",
            (
                "1:1 wrong-kind: `roots` is a string, expected a list of strings (write it like this: roots ="
                ' ["SomeMessage", "SomeTool"])'
            ),
        ),
        (
            f"header = ['x', 1]\n{FINE}",
            (
                "1:1 wrong-kind: `header` is a list of other values than strings, expected a string, or a list of"
                ' strings (write it like this: header = "SPDX-License-Identifier: MIT")'
            ),
        ),
        (
            f"dialect = 1979-05-27\n{FINE}",
            (
                "1:1 wrong-kind: `dialect` is a date or a time, expected a string (write it like this: dialect ="
                ' "their-server")'
            ),
        ),
        (
            'spec = "protocol"\ntargets = {python = "src"}\n',
            (
                "2:1 wrong-kind: `targets` is a table of values, expected a table of tables (write it like this:"
                ' [targets.python]\nout = "generated/python")'
            ),
        ),
        (
            f"roots = []\n{FINE}",
            (
                "1:1 wrong-kind: `roots` is empty, so nothing would be generated (add a name, or remove the key to keep"
                " everything)"
            ),
        ),
        (f'roots = ["A",\n "A"]\n{FINE}', "2:2 unknown-root: `A` is named twice (remove one of them)"),
        (
            FINE.replace("protocol", "nowhere"),
            (
                "1:1 missing-spec: `nowhere` has no protocol.yaml (a spec is a folder with a protocol.yaml; the one"
                " that comes with polywire is `bundled`)"
            ),
        ),
        (
            FINE.replace("protocol", "/protocol"),
            "1:1 bad-path: `/protocol` is not a relative path (it starts from the folder of polywire.toml)",
        ),
        (
            FINE.replace("protocol", "C:\\\\protocol"),
            "1:1 bad-path: `C:\\protocol` is not a relative path (it starts from the folder of polywire.toml)",
        ),
        (f'dialect = "ters"\n{FINE}', "1:1 unknown-dialect: the spec has no dialect `ters` (did you mean 'terse'?)"),
        (
            f'{FINE}[targets.jsonshema]\nout = "x"\n',
            "4:1 unknown-target: there is no target `jsonshema` (did you mean 'jsonschema'?)",
        ),
        (
            f'{FINE}name = "../x"\n',
            (
                "4:1 bad-package: `../x` cannot be the name of a package: expected one word, or words separated by `/`,"
                " none of them a device on Windows such as `nul` (None)"
            ),
        ),
        (
            f'header = """\nfine\nbell \\u0007"""\n{FINE}',
            (
                "1:1 bad-header: line 2 of the header has U+0007, an invisible character (remove it; a line break"
                " starts a new line of the comment)"
            ),
        ),
        (
            f'header = ["a", "b\\u2028c"]\n{FINE}',
            (
                "1:16 bad-header: line 2 of the header has U+2028, an invisible character (remove it; a line break"
                " starts a new line of the comment)"
            ),
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_the_next_step(text: str | bytes, told: str) -> None:
    assert told in faults(text)


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("target", "key", "name"),
    [
        ("python", "module", "my-module"),
        ("python", "module", "class"),
        ("go", "package", "Wire"),
        ("go", "package", "type"),
        ("go", "package", "main"),
        ("rust", "crate", "7wires"),
        ("rust", "crate", "std"),
        ("typescript", "package", "events"),
    ],
)
def test_a_package_is_called_what_its_language_lets_it_be_called(target: str, key: str, name: str) -> None:
    (told,) = faults(f'spec = "protocol"\n[targets.{target}]\nout = "x"\n{key} = "{name}"\n')
    assert told == f"4:1 bad-package: `{name}` cannot be the {key} of a package in {target} (None)"


@pytest.mark.parametrize(
    ("text", "place"),
    [("spec = \n", "1:8"), ('spec = "x"\nspec = "y"\n', "2:11"), ('# fine\nspec = """\nno end\n', "3:1")],
)
def test_text_that_is_no_toml_is_refused_at_its_place_in_the_words_of_the_parser(text: str, place: str) -> None:
    (told,) = faults(text)
    assert told.startswith(f"{place} toml-syntax: invalid TOML: ")


OUT = "choose a folder below that of polywire.toml, for polywire only, with / as the separator"


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("folder", "fault"),
    [
        ("", "is empty"),
        (".", "has an empty part, or one of dots"),
        ("..", "has an empty part, or one of dots"),
        ("../beside", "has an empty part, or one of dots"),
        ("a/../../b", "has an empty part, or one of dots"),
        ("/etc", "is absolute"),
        ("a\\b", "has a character that not every system can have in a name"),
        ("C:/a", "has a character that not every system can have in a name"),
        ("a\tb", "has a character that not every system can have in a name"),
    ],
)
def test_output_stays_below_the_file(folder: str, fault: str) -> None:
    written = folder.replace("\\", "\\\\").replace("\t", "\\t")
    assert faults(FINE.replace("schemas", written)) == [f"3:1 bad-path: `{folder}` {fault} ({OUT})"]


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("folder", "whose"),
    [
        ("schemas", "jsonschema"),
        ("./SCHEMAS/", "jsonschema"),
        ("schemas/inner", "jsonschema"),
        ("protocol", "`spec`"),
        ("protocol/generated", "`spec`"),
        ("own/templates/python", "`templates`"),
        ("own", "`templates`"),
        ("polywire.toml", "`polywire.toml`"),
        ("polywire.manifest.json", "`polywire.manifest.json`"),
    ],
)
def test_a_folder_that_is_written_to_is_shared_with_nobody(folder: str, whose: str) -> None:
    text = f'templates = "own/templates"\n{FINE}[targets.go]\nout = "{folder}"\n'
    assert faults(text) == [
        (
            f"6:1 shared-folder: the folders of go and {whose} overlap (use"
            " separate folders: polywire reports every other file in its folders)"
        )
    ]


@pytest.mark.usefixtures("repository")
def test_a_flavour_has_a_folder_that_no_other_target_shares() -> None:
    text = f'{FINE}[targets.python]\nout = "wire"\npydantic = "open"\n[targets.go]\nout = "wire-pydantic"\n'
    (told,) = faults(text)
    assert "the folders of go and pydantic of python overlap" in told
    assert faults(text.replace('out = "wire-pydantic"', 'out = "wire-go"')) == []


@pytest.mark.usefixtures("repository")
def test_a_link_does_not_hide_that_a_folder_is_shared(repository: Path) -> None:
    (repository / "link").symlink_to("protocol")
    (told,) = faults(FINE.replace('"schemas"', '"link/schemas"'))
    assert "the folders of jsonschema and `spec` overlap" in told


@pytest.mark.usefixtures("repository")
def test_one_run_tells_everything_in_the_order_of_the_file() -> None:
    told = faults('spek = "x"\nroots = 1\n[targets.python]\n[targets.pyton]\nout = ""\n')
    assert [line.split(":")[0] + line.split(" ")[1] for line in told] == [
        "1unknown-key:",
        "1missing-key:",
        "2wrong-kind:",
        "3missing-key:",
        "4unknown-target:",
    ]


def test_every_fault_has_a_purpose_and_every_key_an_example_that_is_toml() -> None:
    assert all(FAULTS.values())
    for name, key in KEYS.items():
        assert name in toml_table(key.example.encode())


@pytest.mark.usefixtures("repository")
def test_a_deep_file_ends_in_words() -> None:
    assert any("toml-syntax" in told or "unknown-key" in told for told in faults("a = " + "[" * 100_000))


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_any_text_is_read_or_refused(text: str) -> None:
    assert all(told.split(" ")[1].rstrip(":") in FAULTS for told in faults(text))


# --- where it is found -----------------------------------------------------------------------------------------


def test_the_nearest_file_counts_and_nothing_above_the_repository(repository: Path) -> None:
    inner = repository / "services" / "gateway"
    inner.mkdir(parents=True)
    assert find() == Path("polywire.toml")
    os.chdir(inner)
    assert find() == Path("../../polywire.toml")
    (inner / "polywire.toml").write_text(FINE, encoding="utf-8")
    assert find() == Path("polywire.toml")
    (inner / "polywire.toml").unlink()
    (inner / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")  # as in a worktree
    assert find() is None
