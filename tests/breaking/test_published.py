"""The report that is published with a release: findings grouped by what breaks, by rule, and by declaration."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from polywire.commands.cli import cli
from polywire.evolve.breaking.published import published

ROOT = Path(__file__).resolve().parents[2]
HEAD = """\
polywire: 1
protocol:
  {name: post, title: Post, doc: Mail., versions: ["1", "2"], framing: ndjson, peers: [office, carrier], roots: [Line]}
packages: {python: {distribution: post, module: post}, go: {module: example.com/post}}
unions:
  Line: {doc: A line., open: true, by: type, variants: [Parcel, {name: Bill, since: "2"}]}
enums:
  Size: {doc: A size., open: true, values: {s: {doc: Small., until: "1"}, m: Middle., l: {doc: Large., since: "2"}}}
messages:
  Bill: {doc: What is owed., from: office, tag: {type: bill}, fields: {sum: number}}
  Parcel:
    doc: News of a parcel.
    from: carrier
    tag: {type: parcel}
    fields:
      track: {type: "string | integer", was: [{until: "1", type: string}]}
      size: Size
      weight?: {type: number, was: [{until: "1", presence: required}]}
      height?: {type: number, was: [{until: "1", presence: required}]}
      content: {type: object, was: [{until: "1", type: json}]}
      note?: {type: string, since: "2"}
      stamp?: {type: string, since: "2"}
"""


def report(folder: Path, *words: str) -> str:
    (folder / "protocol.yaml").write_text(HEAD, encoding="utf-8")
    done = CliRunner().invoke(cli, ["breaking", "--spec", str(folder), "--at", "1", "2", *words])
    assert done.exit_code == 1
    return done.output


REPORT = """\
# post: 1 → 2

4 breaks, and 4 changes that break nothing.

## Breaks peers on other versions (4)

Peers on different versions misread each other.

### A type accepts fewer or other values: readers refuse values that their version does not accept

- An old office refuses what a new carrier writes:
  - `Parcel`: `track` (`track: string` → `track: string | integer`)
- A new office refuses what an old carrier writes:
  - `Parcel`: `content` (`content: json` → `content: object`)

### A required member became optional: older readers require it

- An old office refuses what a new carrier writes:
  - `Parcel`: `weight` (`weight: number` → `weight?: number`), `height` (`height: number` → `height?: number`)

## Breaks nothing (4)

### A new variant of an open union, or a new control; older readers keep it as unknown

- `Line`: `Bill`

### An open enum, or a tag, has a new value; older readers keep it as unknown

- `Size`: `l`

### A new member; older readers keep it as unknown

- `Parcel`: `note`, `stamp`
"""


def test_what_one_rule_finds_of_one_declaration_is_one_row(tmp_path: Path) -> None:
    assert report(tmp_path, "--category", "wire") == REPORT


def test_what_breaks_code_says_of_which_languages(tmp_path: Path) -> None:
    told = report(tmp_path, "--category", "source", "--target", "python", "--target", "go")
    assert "## Breaks code that uses the packages" in told
    assert "### A name was removed from a package\n\n- go, python: `Size`: `s`\n" in told


def test_a_report_without_findings_says_so() -> None:
    assert published("1 → 2", []) == "# 1 → 2\n\nNothing breaks.\n"


def test_the_report_of_all_releases_of_the_spec_is_short_enough_to_read() -> None:
    done = CliRunner().invoke(cli, ["breaking", "--spec", str(ROOT / "spec"), "--at", "0.2.33", "0.3.332"])
    assert done.exit_code == 1
    rows = [line for line in done.output.splitlines() if line.lstrip().startswith("- ")]
    told = [line for line in rows if not line.endswith(":")]
    assert len(told) == len(set(told))
    assert len(rows) < 250
    assert "  - `InitializeRequest`: `systemPrompt` (`systemPrompt?: string` → `systemPrompt?: string[]`)" in rows
    assert done.output.count("`ServerToolUseBlock`: `input` (") == 1


def test_of_many_types_with_a_mixin_only_the_first_ones_are_named(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(
        """\
polywire: 1
protocol: {name: post, title: Post, versions: ["1", "2"], framing: ndjson, peers: [office, carrier], roots: [Line]}
packages: {python: {distribution: post, module: post}}
unions:
  Line: {doc: A line., open: true, by: type, variants: [A, B, C, D, E]}
types:
  Sent: {doc: Common., fields: {by: string, to?: {type: string, since: "2"}}}
messages:
"""
        + "".join(f"  {name}: {{doc: M., from: both, tag: {{type: {name}}}, include: [Sent]}}\n" for name in "ABCDE"),
        encoding="utf-8",
    )
    done = CliRunner().invoke(cli, ["breaking", "--spec", str(tmp_path), "--at", "1", "2"])
    assert "- `Sent` (`A`, `B`, `C` and 2 more): `to`\n" in done.output


def test_the_changelog_of_two_releases_groups_what_is_new(tmp_path: Path) -> None:
    (tmp_path / "protocol.yaml").write_text(HEAD, encoding="utf-8")
    words = ["changelog", "--spec", str(tmp_path), "--at", "1", "2", "--target", "python"]
    done = CliRunner().invoke(cli, words)
    assert done.output.startswith("## 1 → 2\n")
    assert done.output.partition("### Added\n\n")[2] == (
        "- `Size`: value `l`.\n- `Parcel`: members `note?: string`, `stamp?: string`.\n- Type: `Bill`.\n"
    )


def test_the_changelog_shortens_long_signatures(tmp_path: Path) -> None:
    many = ", ".join(f"quite_a_long_name_{number}: string" for number in range(9))
    text = HEAD.replace(
        "{sum: number}", f'{{{many}, sum: {{type: number | null, was: [{{until: "1", type: number}}]}}}}'
    )
    text = text.replace('{name: Bill, since: "2"}', "Bill").replace(
        "module: post}}", "module: post}, rust: {crate: post}}"
    )
    (tmp_path / "protocol.yaml").write_text(text, encoding="utf-8")
    words = ["changelog", "--spec", str(tmp_path), "--at", "1", "2", "--target", "rust"]
    done = CliRunner().invoke(cli, words)
    assert (
        "- `new` of `Bill` takes other arguments (rust: `…, sum: f64 })` → `…, sum: Option<f64> })`).\n" in done.output
    )
