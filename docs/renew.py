"""Generate the pages of `docs/` that are derived from the repository. Tests fail if a page is out of date.

    renew.py [PAGE]…

The rules of the checker become `rules.md`, those about changes of a spec the tables of `breaking.md`, and the tables of
reserved names `names.md`. The dialects of the spec, compared with it, become `dialects.md`. A run of the cases on ports
by others becomes `ports.md`; their packages must be installed (`make ports`). A run on the flavours of the Python
package becomes the part of `flavours.md` below its handwritten text. The captured lines and the snapshots of upstream's
declarations become the counts of `releases.md`.
"""

from __future__ import annotations

import base64
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from polywire import source
from polywire.checks import RULES, Rule
from polywire.conformance.case import Case, Expect, load
from polywire.conformance.derived import derived
from polywire.conformance.difference import difference, tame
from polywire.conformance.documents import admitted
from polywire.conformance.judge import Verdict
from polywire.conformance.process import CannotRunError
from polywire.conformance.protocols import Protocol, Protocols
from polywire.conformance.runner import Result, in_order, run_all
from polywire.conformance.testee import Workshop, declared
from polywire.evolve.breaking import CATEGORIES
from polywire.evolve.breaking import RULES as BREAKS
from polywire.evolve.breaking.records import Category
from polywire.evolve.diff import RULES as DIFFERENCES
from polywire.evolve.diff import compare
from polywire.evolve.diff.report import Comparison, Spec
from polywire.ground.words import counted
from polywire.model.build import build
from polywire.model.nodes import Model
from polywire.model.releases import WHOLE, Span
from polywire.oracle import reference
from polywire.source import Source
from polywire.source.tree import Text
from polywire.targets import registry
from polywire.targets.common.base import Target
from polywire_upstream.run import compare as compare_at
from polywire_upstream.run import configuration, kept

ROOT = Path(__file__).resolve().parent.parent
COMMAND = ".venv/bin/python docs/renew.py"

# --- rules.md --------------------------------------------------------------------------------------------------

STEPS = {
    "reading": "Files",
    "resolving": "Names",
    "overlay": "Dialects",
    "history": "Releases",
    "types": "Types",
    "naming": "Names in targets",
    "values": "Examples, defaults and other values",
    "controls": "Requests and responses",
    "docs": "Documentation",
}
"""Headings, by category of rules, in the order in which rules are applied."""

RULES_HEAD = f"""\
# The rules of the checker

Look up a finding of `polywire lint` here. `polywire generate` checks the same rules before it writes anything, and
stops on an error. With `--strict`, some warnings are errors. Each rule links to minimal specs that break it.

This page is generated from the rules: `{COMMAND} rules.md`

## Example

Misspell the name of a peer, and `polywire lint` reports the rule with the place and a fix:

```console
$ polywire init --starter tagged --target python
…
$ sed -i.bak 's/from: server/from: sever/' spec/protocol.yaml && rm spec/*.bak
$ polywire lint
spec/protocol.yaml:60:11: error[unknown-name] `sever` is not a peer of the protocol
        from: sever
              ^
    hint: did you mean `server`?
1 error
```
"""


def rules_page() -> str:
    """The rules of the checker."""
    ordered = sorted(RULES.values(), key=lambda rule: [*STEPS].index(rule.category))
    sections = groupby(ordered, key=lambda rule: rule.category)
    return RULES_HEAD + "".join(_section(step, [*rules]) for step, rules in sections)


def _section(step: str, rules: list[Rule]) -> str:
    rows = "".join(
        f"| [`{rule.id}`](../tests/checks/fixtures/{rule.id}) | {_severity(rule)} | {rule.purpose} |\n"
        for rule in rules
    )
    return f"\n## {STEPS[step]}\n\n| rule | severity | requirement |\n|---|---|---|\n{rows}"


def _severity(rule: Rule) -> str:
    return f"{rule.severity}; {rule.strict} with `--strict`" if rule.strict else rule.severity


# --- names.md --------------------------------------------------------------------------------------------------

NAMES_HEAD = f"""\
# Names that are reserved

Look up why a name of the spec has a suffix in some language. Names of the spec become names in the case of each
language: `due_date` on the wire is `DueDate` in Go. If such a name is reserved by the language, its standard library or
the API of the package, it gets a suffix:

- The name in the case of the language is compared with the reserved names of its kind, below.
- If it is reserved, it gets the suffix of that kind: a type `Option` is `OptionType` in Go and in Rust.
- The wire and the schemas do not change, and neither do languages in which the name is free.
- Nothing else affects a name: a new declaration, or the first tool of a spec, never renames another declaration.

A name without any character that an identifier can have is spelled by code points: the enum value `*/` is `U2aU2f` in
Go.

If two declarations have the same name in a language, also after a suffix, `polywire lint` reports
[`name-collision`](rules.md), for the targets of the `polywire.toml` only. Choose another name with `name`, or for one
language with `targets: {{LANGUAGE: {{name: …}}}}`. They are not renamed automatically, because the name of one would
then depend on the other: a new value or declaration would rename one that code already uses. There are two kinds:

- Names that differ in case, or in characters that identifiers cannot have: the fields `x-y` and `X-Y`, the values `red`
  and `RED`.
- Names that a package derives from another name: the open enum `Mood` and a type `KnownMood` in TypeScript, the union
  `Line` and a type `UnknownLine`, a constructor `UnmarshalLine` in Go, the type `PartRequired` beside `Part` in Rust.

`polywire breaking` compares the names in packages, so it also reports names that a new version of polywire reserves.

## Example

```console
$ polywire init --starter tagged --target go
…
$ sed -i.bak 's/Person/Option/g' spec/protocol.yaml && rm spec/*.bak
$ polywire generate
…
… files of 1 target: … created
$ grep -rh "^type OptionType" generated/go
type OptionType struct {{
```

This page is generated from the tables of the targets: `{COMMAND} names.md`
"""

TITLES = {"go": "Go", "python": "Python", "rust": "Rust", "typescript": "TypeScript"}


def names_page() -> str:
    """The reserved names of each target, by kind."""
    targets = [target for target in registry().values() if target.reserved]
    return NAMES_HEAD + "".join(map(_names_of, targets))


def _names_of(target: Target) -> str:
    """A section of one target; kinds with the same reserved names are listed together."""
    alike: dict[frozenset[str], list[str]] = {}
    for reserved in target.reserved:
        alike.setdefault(reserved.names, []).append(f"{reserved.what} get `{reserved.suffix}`")
    kinds = "".join(f"\n**{_sentence(', '.join(of))}:**\n{_wrapped(sorted(names))}\n" for names, of in alike.items())
    return f"\n## {TITLES[target.name]}\n{kinds}"


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _wrapped(names: list[str]) -> str:
    return textwrap.fill(", ".join(f"`{name}`" for name in names), 128, break_long_words=False, break_on_hyphens=False)


# --- breaking.md -----------------------------------------------------------------------------------------------

BREAKING_TABLE = re.compile(r"(?<=\n<!-- rules -->\n).*(?=\n<!-- end of rules -->\n)", re.DOTALL)
"""The generated part of the page; the rest is handwritten."""


def breaking_page() -> str:
    """The page about changes of a spec, with the tables of its rules."""
    page = (ROOT / "docs" / "breaking.md").read_text(encoding="utf-8")
    tables = "".join(map(_category, CATEGORIES))
    return BREAKING_TABLE.sub(lambda _: tables, page)


def _category(category: Category) -> str:
    rows = "".join(
        f"| [`{rule.id}`](../tests/breaking/fixtures/{rule.id}) | {rule.severity} | {rule.purpose} | {rule.advice} |\n"
        for rule in BREAKS.values()
        if rule.category == category
    )
    head = "| rule | severity | what is found | what to do |\n|---|---|---|---|\n"
    return f"\n### {category}\n\n{CATEGORIES[category]}\n\n{head}{rows}"


# --- dialects.md -----------------------------------------------------------------------------------------------

DIALECTS_HEAD = """\
# Dialects

Look up how other systems that speak this protocol differ from it, and generate packages for them. Each system has a
file in [`spec/dialects`](../spec/dialects) with its differences, and below a table of their effect on the wire.
[The spec language by example](spec-language.md#dialects) explains how to write such a file.

| dialect | by | differences |
|---|---|---|
"""

DIALECTS_USE = f"""
Every command that reads the spec takes `--dialect NAME`:

| command | result |
|---|---|
| `polywire generate --dialect NAME --target python` | writes the package for it, to `generated/dialects/NAME` |
| `polywire lint --dialect NAME` | checks the dialect; without `--dialect`, the spec and all dialects |
| `polywire conformance --dialect NAME --testee python` | tests a binding with cases derived from it |
| `polywire explain --dialect NAME FILE` | identifies captured traffic in the dialect |
| `polywire show --dialect NAME TYPE` | shows a declaration of the dialect |
| `polywire diff NAME` | prints the table below, with the lines of the spec |

`make dist` builds the JSON Schemas of all dialects into `dist/jsonschema/`. No packages of dialects are published: to
generate one into your own project, write its `polywire.toml` with `polywire init --protocol agentlines --dialect NAME`.

This page is generated from the spec and its dialects: `{COMMAND} dialects.md`

## Example

Compare two dialects:

```console
$ polywire diff rusty_claw rusty_claw-code
…
rusty_claw → rusty_claw-code: … differences
```

## How to read the tables

Members, types and values are written as in the spec language: `name?: T` is optional, `T | null` can be null. `-` means
that the side has none. A difference in a member that several types include is listed once, for the mixin, with these
types. Only some of the declarations that are no longer reachable are listed. Names in the languages, documentation
and constructors are not compared.
"""

JSON_FORM = """
## Differences for programs

`polywire diff` compares any two: two dialects (`polywire diff A B`), two folders (`polywire diff old/spec spec`), or
one of them with the spec (`polywire diff A`). `polywire diff git:REVISION` compares the spec with the spec at that
revision. The command exits with 0 if nothing differs on the wire, and with 1 otherwise.
With `--format markdown` it prints a table as above, with `--format json` one object:

- `before` and `after` describe the two specs: `spec` (the folder), `dialect` (or null), `protocol` and `version` as in
  the spec, and `hash` (SHA-256 of the spec's files, in hex).
- `differences` is a list. Each difference has `rule`, one of the ids below, and the two sides, `before` and `after`. If
  a member differs in several ways, there is a difference for each.
- A side has the `name` of the declaration, control or tool (`""` if the side has none, and for the protocol itself),
  the `key` of the member, value or variant, and `text`, as written in the spec language, or null if the side has none.
  `types` are the types that include the member from the mixin `name`. `file`, `line` and `column` are the place of the
  text, or of the declaration that lacks it; they are absent if there is neither.

Each rule is a condition, and reports a difference if it is not met.

| rule | condition |
|---|---|
"""


def dialects_page() -> str:
    """The dialects of the spec and their differences."""
    proper = source.load(ROOT / "spec")
    overlaid = {name: source.in_dialect(proper, name) for name in source.dialects(proper.folder)}
    specs = {name: _spec(name, each) for name, each in overlaid.items()}
    specs |= {at: _spec("the spec", proper, Span.read(at)) for at in {_at(each) for each in overlaid.values()}}
    compared = {name: _compared(each, specs) for name, each in overlaid.items()}
    listed = "".join(
        f"| [{name}](#{name}) | {_said(each, 'source')} | {_counted(each, compared[name])} |\n"
        for name, each in overlaid.items()
    )
    sections = (_dialect(each, compared[name]) for name, each in overlaid.items())
    rules = "".join(f"| `{name}` | {rule.purpose} |\n" for name, rule in DIFFERENCES.items())
    return DIALECTS_HEAD + listed + DIALECTS_USE + "".join(sections) + JSON_FORM + rules


def _spec(label: str, read: Source, span: Span = WHOLE) -> Spec:
    model = build(read, span).model
    if model is None:
        raise CannotRunError(f"{label} has errors; polywire lint shows them")
    return Spec(label, read.folder, model)


def _at(read: Source) -> str:
    """The release that the dialect is based on, as a span; all releases in a spec of a single one."""
    release = next((said.text for each in read.overlays if isinstance(said := each.root.get("at"), Text)), "")
    return f"{release}..{release}"


def _compared(read: Source, specs: dict[str, Spec]) -> Comparison:
    """A dialect, compared with its base: another dialect, or the spec at a release."""
    beside, mine = specs[_said(read, "over") or _at(read)], specs[str(read.dialect)]
    return Comparison(beside, mine, compare(beside.model, mine.model))


def _counted(read: Source, compared: Comparison) -> str:
    """The number of differences, and what they are to."""
    over = _said(read, "over")
    return f"{len(compared.differences)}{f' to {over}' if over else ''}"


def _dialect(read: Source, compared: Comparison) -> str:
    """The section of one dialect."""
    name, over = str(read.dialect), _said(read, "over")
    table = compared.render("markdown")
    told = f"its differences from [{over}](#{over})" if over else "its differences"
    facts = f"Source: {_said(read, 'source')}. [`{name}.yaml`](../spec/dialects/{name}.yaml) describes {told}:"
    return f"\n## {name}\n\n{_said(read, 'doc')}\n\n{facts}\n\n{table}"


def _said(read: Source, key: str) -> str:
    """The value of a key in the dialect's file, or ""."""
    found = read.overlays[-1].root.get(key)
    return found.text if isinstance(found, Text) else ""


# --- ports.md --------------------------------------------------------------------------------------------------

FOREIGN = "tests/conformance/foreign/testees.toml"
CASES = ("tests/fixtures", "tests/captures")

PORTS_HEAD = f"""\
# Ports by others

This page shows how packages that read this protocol, but are not generated from this spec, behave in its
[cases](conformance.md): the written cases, with a folder for each group of rules, and lines of real traffic of two
versions of the CLI.

A port gets only the cases that its own documentation and types claim to support, and only the answers that it claims
are compared; everything else is *not supported*, which is not a fault. The [testee](../tests/conformance/foreign) of a
port states what it claims, with the source. *Failed* means that the port differs from the case. The difference may be a
lost message, or a number in a spelling that the CLI never uses; see the examples below.

This page is generated by `make ports` from the output of this command:

```sh
polywire conformance --testees {FOREIGN} {" ".join(f"--cases {path}" for path in CASES)}
```
"""

LONGEST = 240
"""The maximum characters of an input or of a line of a difference; the rest is counted."""

MOST_LINES = 6


def ports_page() -> str:
    """The results of the cases on ports by others. Raises `CannotRunError` if one of them cannot run here."""
    protocols = Protocols(ROOT / "spec")
    cases = load([ROOT / path for path in CASES], protocols, root=ROOT)
    testees = declared(ROOT / FOREIGN)
    with Workshop(ROOT) as workshop:
        found = run_all(cases, testees, workshop, protocols.default, folder=ROOT, patience=60)
        results = in_order(found, testees)
    for result in results:
        if result.cannot_run is not None or result.problems:
            raise CannotRunError(f"{result.testee}: {result.cannot_run or '; '.join(result.problems)}")
    counts = "\nPassed / failed / not supported:\n" + _table(cases, results)
    return PORTS_HEAD + _claims(results) + counts + "".join(_findings(cases, r, _kind) for r in results)


def _claims(results: Iterable[Result]) -> str:
    told = [(result.testee, result.abilities) for result in results if result.abilities is not None]
    rows = "".join(
        f"| {name} | {said.language} | {said.version.split()[-1]} | {', '.join(said.unclaimed)} |\n"
        for name, said in told
    )
    return f"\n| port | language | version | does not claim |\n|---|---|---|---|\n{rows}"


def _table(cases: list[Case], results: list[Result]) -> str:
    """Passed / failed / not supported, by group and testee."""
    groups = dict.fromkeys(case.group for case in cases)
    head = "".join(f" {result.testee} |" for result in results)
    rows = "".join(f"| {_linked(group)} |{''.join(_cell(cases, r, group) for r in results)}\n" for group in groups)
    total = "".join(_cell(cases, result, None) for result in results)
    return f"\n| group |{head}\n|---|{'---|' * len(results)}\n{rows}| all |{total}\n"


def _linked(group: str) -> str:
    """A group's name, with a link if it is a folder."""
    return f"[{group.removeprefix('tests/')}](../{group})" if (ROOT / group).is_dir() else group


def _cell(cases: list[Case], result: Result, group: str | None) -> str:
    outcomes = Counter(
        verdict.outcome for case, verdict in zip(cases, result.verdicts, strict=True) if group in (None, case.group)
    )
    return f" {outcomes['passed']} / {outcomes['failed']} / {outcomes['skipped']} |"


def _findings(cases: list[Case], result: Result, kind: Callable[[Case, Verdict], str]) -> str:
    """An example of each kind of failure in a group."""
    found: dict[tuple[str, str], list[tuple[Case, Verdict]]] = {}
    for case, verdict in zip(cases, result.verdicts, strict=True):
        if verdict.outcome == "failed":
            found.setdefault((case.group, kind(case, verdict)), []).append((case, verdict))
    entries = "".join(_finding(alike, result) for alike in found.values())
    return (
        f"\n## Differences of {result.testee}\n\n"
        "One example of each kind: the input, then the expected result (`-`) and the actual result (`+`).\n" + entries
    )


def _kind(case: Case, verdict: Verdict) -> str:
    """The common property of failed cases: why they were refused, or else the rule."""
    reply = verdict.reply if isinstance(verdict.reply, dict) else {}
    return re.sub(r"\d+", "", str(reply["message"])) if reply.get("ok") is False else _rule(case)


def _rule(case: Case) -> str:
    """The file of a written case; the folder of a captured line."""
    return case.name.partition("#")[0] if case.kind == "written" else case.group


def _finding(alike: list[tuple[Case, Verdict]], result: Result) -> str:
    case, verdict = alike[0]
    rules = [*dict.fromkeys(_rule(each).removeprefix("tests/") for each, _ in alike)]
    names = ", ".join([rules[0], *(rule.rpartition("/")[2] for rule in rules[1:])])
    lines = list(_lines(verdict, result))
    more = [f"… {len(lines) - MOST_LINES} more"] if len(lines) > MOST_LINES else []
    shown = "\n".join([*lines[:MOST_LINES], *more])
    doc = case.doc or f"A captured line is returned unchanged, such as `{case.name}`."
    return f"\n**{names}** ({counted(len(alike), 'case')}): {doc}\n\n```diff\n  {_cut(case.shown)}\n{shown}\n```\n"


def _lines(verdict: Verdict, result: Result) -> Iterator[str]:
    """The differences, line by line; if only one side accepts, without the JSON that it prints."""
    if verdict.wanted is None or verdict.reply is None or result.abilities is None:
        return
    lines = difference(verdict.wanted, verdict.reply, result.abilities.answers)
    decided = any(line.mark == "+" and line.text.startswith('"ok"') for line in lines)
    dull = ('"typed"', '"json"') if decided else ('"typed"',)
    for line in lines:
        if line.mark in "-+" and not line.text.startswith(dull):
            yield f"{line.mark} {_cut(line.text)}"


def _cut(text: str) -> str:
    seen = tame(text)
    return seen if len(seen) <= LONGEST else f"{seen[:LONGEST]} … ({len(seen)} characters)"


# --- flavours.md -----------------------------------------------------------------------------------------------

FLAVOURS = "tests/flavours/testees.toml"
SAMPLE = 25
"""One in this many derived cases is run; there are some for every member of every type."""

MADE = "<!-- Generated by docs/renew.py from here on. -->\n"

BY_GROUP = f"""
## By group

Both flavours run all written cases and captures, and one in {SAMPLE} derived cases. A closed flavour runs the cases of
lenient mode in strict mode, with the outcome that the reference gives there. Passed / failed / not supported, with
"""

BY_RULE = """
## By rule

A rule is a file of cases. *Keeps*: all cases that apply to the flavour pass. *Loses*: some fail. Rules that are not
listed do not apply: they are about text, which typed dicts do not read, about streams, or about the other mode.
"""


def flavours_page() -> str:
    """The handwritten part, and the results of the cases on the flavours. Raises `CannotRunError` without pydantic."""
    prose, _, _ = (ROOT / "docs" / "flavours.md").read_text(encoding="utf-8").partition(MADE)
    spec, cases = flavours_cases()
    runs: list[tuple[list[Case], Result]] = []
    with Workshop(ROOT) as workshop:
        for testee in declared(ROOT / FLAVOURS):
            strict = spec.model.packages["python"][testee.name] == "strict"
            own = [strictly(case) for case in cases] if strict else cases
            runs += [(own, each) for each in run_all(own, [testee], workshop, spec, folder=ROOT, patience=60)]
    for _, result in runs:
        if result.cannot_run is not None or result.problems:
            raise CannotRunError(f"{result.testee}: {result.cannot_run or '; '.join(result.problems)}")
    results = [result for _, result in runs]
    rules = "".join(_by_rule(own, result) for own, result in runs)
    examples = "".join(_examples(*run) for run in runs)
    (library,) = {result.abilities.version for result in results if result.abilities is not None}
    return prose + MADE + BY_GROUP + f"{library}:\n" + _table(cases, results) + BY_RULE + rules + examples


def flavours_cases() -> tuple[Protocol, list[Case]]:
    """The protocol of the flavours, and the cases that are put to them."""
    protocols = Protocols(ROOT / "spec")
    spec = protocols.default
    cases = [case for case in load([ROOT / path for path in CASES], protocols, root=ROOT) if case.protocol == spec]
    return spec, cases + [case for case in derived(spec, seed=0, random=0) if case.mode == "lenient"][::SAMPLE]


def strictly(case: Case) -> Case:
    """The case in strict mode, with the outcomes that the reference admits there."""
    if case.mode == "strict" or not case.is_document:
        return case
    data = case.json if case.json is not None else base64.b64decode(case.data or "")
    found = reference.outcomes(case.protocol.model, case.type, data, strict=True)
    return replace(case, mode="strict", expect=Expect(admitted(found)) if found.faults else case.expect)


def _by_rule(cases: list[Case], result: Result) -> str:
    """The rules of each group that the flavour meets, and those that it does not."""
    groups: dict[str, dict[str, Counter[str]]] = {}
    for case, verdict in zip(cases, result.verdicts, strict=True):
        rule = _rule(case).rpartition("/")[2] if case.kind == "written" else ""
        groups.setdefault(case.group, {}).setdefault(rule, Counter())[verdict.outcome] += 1
    rows = ""
    for group, rules in groups.items():
        kept = [rule or "all" for rule, of in rules.items() if of["passed"] and not of["failed"]]
        lost = [_part(rule, of) for rule, of in rules.items() if of["failed"]]
        if kept or lost:
            rows += f"| {_linked(group)} | {', '.join(kept)} | {', '.join(lost)} |\n"
    return f"\n### {result.testee}\n\n| group | keeps | loses |\n|---|---|---|\n{rows}"


def _part(rule: str, of: Counter[str]) -> str:
    count = f"{of['failed']} of {of['failed'] + of['passed']}"
    return f"{rule} ({count})" if rule and of["passed"] else rule or count


def _examples(cases: list[Case], result: Result) -> str:
    """One failed case of each kind, written or captured; failures of derived cases are of the same kinds."""
    kept = [pair for pair in zip(cases, result.verdicts, strict=True) if pair[0].kind != "derived"]
    some = replace(result, verdicts=tuple(verdict for _, verdict in kept))
    return _findings([case for case, _ in kept], some, _wrong_way)


def _wrong_way(_: Case, verdict: Verdict) -> str:
    """Why it was refused, if it was."""
    reply = verdict.reply if isinstance(verdict.reply, dict) else {}
    return re.sub(r"\\d+", "", str(reply.get("message")))


# --- releases.md -----------------------------------------------------------------------------------------------

RELEASES_HEAD = f"""\
# Which releases are covered

The packages of this repository read every release of Claude Code's command line from {{oldest}} to {{newest}}.
This page shows how well: how captured lines are read, and how the spec compares with the declarations of each
release of the official SDK.

This page is generated with: `{COMMAND} releases.md`

## Example

Read a captured session of an older release with the declarations of that release:

```console
$ polywire explain --at 0.2.37 tests/captures/0.2.37/api_fallback_model.out.ndjson
line 1: AssistantMessage
…
$ polywire compare --at 0.2.37 | cut -d ";" -f 1
0.2.37: … pairs of declarations compared, 0 differences, 0 unneeded entries
```

## Captured lines

All lines of [`tests/captures`](../tests/captures), read by the package of all releases. A line is fully typed if strict
mode accepts it: all of its members and values are declared.

| release | lines | fully typed | with undeclared parts | unknown | errors |
|---|---|---|---|---|---|
"""

STORED_HEAD = """
## Stored sessions

Lines of the files in which each release stores its sessions
([`tests/captures/sessions`](../tests/captures/sessions)), read by the package of that release alone. Of the releases
with few lines, one line of each shape is kept. [Transcripts](transcripts.md) describes the files.

| release | lines | fully typed | with undeclared parts | unknown | errors |
|---|---|---|---|---|---|
"""

DECLARATIONS_HEAD = """
## Declarations

`polywire compare --at RELEASE` compares the spec with the [snapshot](../spec/releases) of a release's declarations, in
both directions. Intended differences are listed with reasons in
[`differences.toml`](../spec/releases/differences.toml): enums that are open, numbers that are integers, and facts
from traffic.

| release | declarations compared | differences | intended |
|---|---|---|---|
"""


def releases_page() -> str:
    spec = ROOT / "spec"
    model = _model_at(spec, None)
    known = configuration(spec)
    captures = ROOT / "tests" / "captures"
    captured = [release for release in known.releases if (captures / release).is_dir()]
    read = "".join(_read_by(model, model.protocol.roots[0], captures / release) for release in captured)
    sessions = [release for release in known.releases if (captures / "sessions" / release).is_dir()]
    stored = "".join(
        _read_by(_model_at(spec, release), "TranscriptEntry", captures / "sessions" / release) for release in sessions
    )
    compared = "".join(_declared(spec, release) for release in known.releases)
    ends = {"oldest": model.protocol.oldest, "newest": model.protocol.version}
    return RELEASES_HEAD.format(**ends) + read + STORED_HEAD + stored + DECLARATIONS_HEAD + compared


def _model_at(spec: Path, release: str | None) -> Model:
    """The model of one release, or of all."""
    model = build(source.load(spec), WHOLE if release is None else Span.at(release)).model
    if model is None:
        raise CannotRunError("the spec has errors")
    return model


def _read_by(model: Model, root: str, folder: Path) -> str:
    """The row of a release's captured lines."""
    fates: Counter[str] = Counter()
    for line in (line for path in folder.glob("*.ndjson") for line in path.read_bytes().split(b"\n") if line.strip()):
        try:
            decoded = reference.decode(model, root, line)
        except reference.Fault:
            fates["errors"] += 1
            continue
        whole = bool(reference.outcomes(model, root, line, strict=True).accepted)
        unknown = decoded.variant == "Unknown"
        fates["unknown" if unknown else "full" if whole else "partly"] += 1
    row = (fates.total(), fates["full"], fates["partly"], fates["unknown"], fates["errors"])
    return f"| {folder.name} | {' | '.join(map(str, row))} |\n"


def _declared(spec: Path, release: str) -> str:
    """The row of a release's declarations."""
    compared = compare_at(spec, release, kept(spec, release))
    return f"| {release} | {compared.pairs} | {len(compared.left)} | {len(compared.found) - len(compared.left)} |\n"


# --- the command line ------------------------------------------------------------------------------------------

PAGES: dict[str, Callable[[], str]] = {
    "breaking.md": breaking_page,
    "rules.md": rules_page,
    "names.md": names_page,
    "dialects.md": dialects_page,
    "ports.md": ports_page,
    "flavours.md": flavours_page,
    "releases.md": releases_page,
}
"""Page name → the function that generates it."""


def main(*names: str) -> None:
    for name in names or PAGES:
        if name not in PAGES:
            sys.exit(f"no page {name!r}; there are {', '.join(PAGES)}")
        try:
            page = PAGES[name]()
        except CannotRunError as error:
            sys.exit(f"{name} cannot be generated here: {error}")
        (ROOT / "docs" / name).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
