"""`polywire.toml` → a `Config`, or findings with the line, the key and the next step.

Paths in the file are relative to its folder. References to the spec (such as names of roots) are checked by
`polywire.vendor.run`, which has read the spec.
"""

from __future__ import annotations

import datetime as dt
import os
import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from polywire import source
from polywire.checks.policy import Grade, Ignore, Policy
from polywire.checks.report import Report
from polywire.checks.rules.naming import package_fault, package_forms
from polywire.checks.text import acts
from polywire.ground.errors import WrongUseError
from polywire.ground.find import BUNDLED, NAME, bundled_spec
from polywire.ground.finding import Finding
from polywire.ground.location import SourceLocation
from polywire.ground.parsing import ParseError, toml_table
from polywire.ground.paths import control_folder, path_fault
from polywire.ground.words import nearest, suggestion
from polywire.model.releases import WHOLE, Span, releases_asked
from polywire.targets import registry
from polywire.targets.common.base import Target, add_on_suffix
from polywire.vendor import places

MANIFEST = "polywire.manifest.json"
"""The file next to `polywire.toml` that lists everything generated from it, wherever that is."""

CATEGORIES = ("wire", "behaviour", "source")
"""The categories of `polywire breaking`."""

_MAX_BYTES = 1024 * 1024

# --- the keys --------------------------------------------------------------------------------------------------

Kind: TypeAlias = Literal["text", "texts", "lines", "flag", "table", "entries", "tables"]

_KINDS: Mapping[Kind, str] = {
    "flag": "true or false",
    "table": "a table",
    "entries": "a list of tables",
    "text": "a string",
    "texts": "a list of strings",
    "lines": "a string, or a list of strings",
    "tables": "a table of tables",
}


@dataclass(frozen=True, slots=True)
class Key:
    """A key of `polywire.toml`: the kind of its value, its purpose, and an example."""

    kind: Kind
    doc: str
    example: str
    required: bool = False
    forms: tuple[str, ...] = ()
    """Patterns that must all match the whole text."""
    words: tuple[str, ...] = ()
    """The allowed texts; empty if any text is allowed."""


_RELATIVE = r"(?![A-Za-z]:|[/\\])[^\x00]+"
"""A path relative to the folder of the file, on every system."""

_SPAN = r".*\.\..*"
"""A range of releases."""

KEYS: Mapping[str, Key] = {
    "spec": Key(
        "text",
        "The folder of the spec, relative to this file; `bundled` is the spec that comes with polywire.",
        'spec = "bundled"',
        required=True,
        forms=(_RELATIVE,),
    ),
    "dialect": Key("text", "The dialect of the spec to generate.", 'dialect = "their-server"'),
    "at": Key("text", "The release of the spec to generate; by default all.", 'at = "1.4.0"'),
    "span": Key(
        "text",
        "The releases of the spec to cover, both ends included; either may be omitted.",
        'span = "1.2.0..1.4.0"',
        forms=(_SPAN,),
    ),
    "roots": Key(
        "texts",
        "Types to keep, with everything they refer to; the first is the default for decoding. The name of a tool"
        " keeps its types. By default, everything is kept.",
        'roots = ["SomeMessage", "SomeTool"]',
    ),
    "header": Key(
        "lines",
        "Lines to add as a comment to every generated file, below polywire's own.",
        'header = "SPDX-License-Identifier: MIT"',
    ),
    "templates": Key(
        "text",
        "A folder of templates that replace polywire's templates of the same name, such as `python/mark.j2`.",
        'templates = "polywire-templates"',
        forms=(_RELATIVE,),
    ),
    "targets": Key(
        "tables", "What to generate: a table per target.", '[targets.python]\nout = "generated/python"', True
    ),
    "lint": Key("table", "Settings of `polywire lint`.", "[lint]\nstrict = true"),
    "breaking": Key(
        "table", "Settings of `polywire breaking`.", '[breaking]\ncategories = ["wire"]\nallow_major = true'
    ),
}
"""The top-level keys."""

_POLICY_KEYS: Mapping[str, Key] = {
    "severity": Key("table", "The severity of a rule, instead of its default.", 'severity = {some-rule = "off"}'),
    "ignore": Key(
        "entries",
        "Findings to ignore. An entry that matches no finding is reported.",
        'ignore = [{rule = "some-rule", at = "types.Hello", reason = "why"}]',
    ),
    "baseline": Key(
        "text",
        "A file of findings to ignore; `--write-baseline` writes it.",
        'baseline = "polywire-baseline.json"',
        forms=(_RELATIVE,),
    ),
}
POLICIES: Mapping[str, Mapping[str, Key]] = {
    "lint": {"strict": Key("flag", "Treat missing docs as errors.", "strict = true"), **_POLICY_KEYS},
    "breaking": {
        "sides": Key("texts", "The peers that you implement, like `--side`.", 'sides = ["client"]'),
        "categories": Key("texts", "Only these categories.", 'categories = ["wire"]', words=CATEGORIES),
        "allow_major": Key("flag", "Like `--allow-major`.", "allow_major = true"),
        **_POLICY_KEYS,
    },
}
"""The keys in the tables about findings."""

IGNORE_KEYS: Mapping[str, Key] = {
    "rule": Key("text", "The id of the rule.", 'rule = "some-rule"', required=True),
    "at": Key(
        "text",
        "The place: for lint a file of the spec, or a path of keys separated by dots; for breaking the subject of"
        " the finding. Everything below it is included.",
        'at = "types.Hello"',
        required=True,
        forms=(r"[\s\S]+",),
    ),
    "reason": Key("text", "Why, for readers.", 'reason = "why"', required=True, forms=(r"[\s\S]+",)),
    "until": Key(
        "text",
        "The last day on which the entry applies.",
        'until = "2030-12-31"',
        forms=(r"[0-9]{4}-[0-9]{2}-[0-9]{2}",),
    ),
}
"""The keys of an entry of `ignore`."""


def grades(table: str, rule: str) -> tuple[Grade, ...]:
    """Return the allowed severities of a rule: only one for lint errors, since these prevent generation."""
    if table == "breaking":
        return ("off", "note", "error")
    return ("error",) if rules(table)[rule] == "error" else ("off", "note", "warning", "error")


def is_firm(table: str, rule: str) -> bool:
    """Return whether the findings of a rule count regardless of `polywire.toml`."""
    return grades(table, rule) == ("error",)


def rules(table: str) -> Mapping[str, str]:
    """Return the rules that a table applies to, each with its severity."""
    if table == "lint":
        from polywire.checks.rules import RULES

        return {name: rule.severity for name, rule in RULES.items()}
    from polywire.evolve.breaking.rules import RULES as WEIGHED

    return {name: rule.severity for name, rule in WEIGHED.items()}


OUT = Key(
    "text",
    "The folder of the target, relative to this file. Only polywire writes to it.",
    'out = "vendor/wire"',
    required=True,
    forms=(_RELATIVE,),
)


def target_keys(target: Target) -> dict[str, Key]:
    """Return the keys of a target's table."""
    return {"out": OUT, **{name: _package_key(target, name) for name in sorted(target.package_keys)}}


def _package_key(target: Target, name: str) -> Key:
    words = target.add_on_keys.get(name)
    if words is not None:
        schema = " or ".join(words)
        doc = (
            f"Generate this flavour from the {schema} schema, with a separate tool, into the folder"
            f" `OUT{add_on_suffix(name)}`; by default it is not generated."
        )
        return Key("text", doc, f'{name} = "{words[0]}"', words=words)
    if name in target.package_prose:
        return Key("text", f"Markdown for the {name} of the package, instead of the one in the spec.", f'{name} = ""')
    if name in target.package_flags:
        doc = "Whether the registry of the language has the package under its name, instead of what the spec states."
        return Key("flag", doc, f"{name} = true")
    doc = f"The `{name}` of the package, instead of the one in the spec."
    return Key("text", doc, f'{name} = "wire"', forms=package_forms(target, name))


FAULTS: Mapping[str, str] = {
    "toml-syntax": "The file is valid TOML in UTF-8, at most 1 MiB long.",
    "unknown-key": "A key is supported in this position.",
    "missing-key": "A required key is present.",
    "wrong-kind": "A value has the kind that its key requires.",
    "bad-path": "A path is relative, and an output path stays below the folder of the file.",
    "shared-folder": "An output folder belongs to a single target, and does not contain the spec or templates.",
    "missing-spec": "The spec exists.",
    "bad-release": "Releases are set by one of `at` and `span`, and the spec describes them.",
    "unknown-dialect": "The spec has the dialect.",
    "unknown-target": "polywire has the target.",
    "unknown-root": "A root is a name in the spec, listed once.",
    "bad-package": "The name of a package is valid in its language.",
    "bad-header": "The header contains no invisible characters.",
    "unused-template": "A template in the extra folder is used.",
    "untrusted-template": "With `--no-templates`, no checked target has templates in the extra folder.",
    "unknown-rule": "A rule belongs to the command of the table.",
    "bad-severity": "A severity exists, and does not downgrade an error of `polywire lint`.",
    "bad-date": "A date is valid, written like 2030-12-31.",
    "empty-text": "A place and a reason are not empty.",
    "unused-ignore": "An entry of `ignore` matches a finding.",
    "expired-ignore": "An entry of `ignore` has not expired.",
}
"""The possible errors in the file, by id."""


# --- the settings ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Output:
    """One target: its folder (below the file's folder), and the names of its packages."""

    target: str
    folder: str
    packages: Mapping[str, str]

    @property
    def folders(self) -> dict[str, str]:
        """The folders of the target and its add-ons, by what they belong to."""
        keys = registry()[self.target].add_on_keys.keys() & self.packages.keys()
        add_ons = {f"{key} of {self.target}": f"{self.folder}{add_on_suffix(key)}" for key in sorted(keys)}
        return {self.target: self.folder, **add_ons}


@dataclass(frozen=True, slots=True)
class Text:
    """The file: its path, its contents, and the position of each value."""

    file: Path
    text: str = ""
    spots: Mapping[places.Path, places.Spot] = field(default_factory=dict, repr=False)

    def finding(self, rule: str, path: places.Path, message: str, hint: str | None = None) -> Finding:
        """Return a finding about the value at `path`, or about what lacks that value."""
        while path and path not in self.spots:
            path = path[:-1]
        line, column = self.spots.get(path, (1, 1))
        return Finding(rule, "error", SourceLocation(self.file.name, line, column), message, hint)

    def report(self, *findings: Finding) -> Report:
        """Return findings in file order, with the file's text."""
        ordered = sorted(findings, key=lambda each: (each.place.line, each.place.column))
        return Report(self.file.parent, tuple(ordered), None, {self.file.name: self.text})


@dataclass(frozen=True, slots=True)
class Lint:
    """The settings in `[lint]`."""

    strict: bool
    policy: Policy


@dataclass(frozen=True, slots=True)
class Breaking:
    """The settings in `[breaking]`."""

    sides: tuple[str, ...]
    categories: tuple[str, ...]
    allow_major: bool
    policy: Policy


@dataclass(frozen=True, slots=True)
class Config:
    """The settings in a `polywire.toml`."""

    text: Text
    spec: Path
    dialect: str | None
    span: Span
    roots: tuple[str, ...]
    header: tuple[str, ...]
    templates: Path | None
    outputs: tuple[Output, ...]
    lint: Lint
    breaking: Breaking

    @property
    def folder(self) -> Path:
        """The folder that all paths are relative to."""
        return self.text.file.parent


class ConfigError(Exception):
    """A `polywire.toml` with errors, which the report lists."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"{report.folder / NAME} cannot be used")
        self.report = report


def load(file: Path) -> Config:
    """Load the settings of a file. Raises `ConfigError`."""
    try:
        contents = file.read_bytes()
    except OSError as error:
        text = Text(file)
        problem = f"cannot be read: {(error.strerror or str(error)).lower()}"
        raise ConfigError(text.report(text.finding("toml-syntax", (), problem))) from error
    return parse(file, contents)


def parse(file: Path, contents: bytes) -> Config:
    """Return the settings that the file would have with these contents. Raises `ConfigError`."""
    reader = _Reader(file, *_read(file, contents))
    config = reader.config()
    if config is None or reader.findings:
        raise ConfigError(reader.text.report(*reader.findings))
    return config


def _read(file: Path, contents: bytes) -> tuple[Text, dict[str, Any]]:
    text = Text(file, contents[:_MAX_BYTES].decode("utf-8-sig", "replace").replace("\r\n", "\n"))
    if len(contents) > _MAX_BYTES:
        raise ConfigError(text.report(text.finding("toml-syntax", (), f"has more than {_MAX_BYTES} bytes")))
    try:
        document = toml_table(contents)
    except ParseError as error:
        raise ConfigError(text.report(_syntax_fault(text, str(error)))) from error
    return Text(file, text.text, places.places(text.text)), document


def _syntax_fault(text: Text, problem: str) -> Finding:
    """Return a syntax error at the place named in the parser's message, which may be the end of the file."""
    place = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", problem, re.DOTALL)
    message, line, column = place.groups() if place else (problem, 1, 1)
    end = text.text.rstrip("\n").count("\n") + 1
    return Finding(
        "toml-syntax",
        "error",
        SourceLocation(text.file.name, int(line or end), int(column or 1)),
        f"invalid TOML: {message}",
    )


# --- reading ---------------------------------------------------------------------------------------------------


class _Reader:
    """Reads the whole file before it fails, so that one run reports all errors."""

    def __init__(self, file: Path, text: Text, document: Mapping[str, Any]) -> None:
        self.text = text
        self.findings: list[Finding] = []
        self._folder = file.parent
        self._document = document

    def config(self) -> Config | None:
        """Return the settings, as far as they are valid."""
        settings = self._table(self._document, KEYS, (), f"{NAME} has")
        spec = self._spec(settings.get("spec"))
        templates = self._below(settings["templates"], ("templates",)) if "templates" in settings else None
        outputs = tuple(self._outputs(settings.get("targets", {})))
        self._refuse_shared(outputs, {"spec": spec, "templates": templates})
        lint, breaking = (
            self._table(settings.get(each, {}), POLICIES[each], (each,), f"`{each}` has") for each in POLICIES
        )
        self._refuse_unknown_categories(breaking.get("categories", []))
        if spec is None:
            return None
        self._refuse_unknown_dialect(spec, settings.get("dialect"))
        return Config(
            text=self.text,
            spec=spec,
            dialect=settings.get("dialect"),
            span=self._span(settings),
            roots=tuple(self._roots(settings.get("roots", []))),
            header=tuple(self._header(settings.get("header", []))),
            templates=templates,
            outputs=outputs,
            lint=Lint(lint.get("strict", False), self._policy("lint", lint)),
            breaking=Breaking(
                tuple(breaking.get("sides", ())),
                tuple(breaking.get("categories", ())),
                breaking.get("allow_major", False),
                self._policy("breaking", breaking),
            ),
        )

    def _add(self, rule: str, path: places.Path, message: str, hint: str | None = None) -> None:
        self.findings.append(self.text.finding(rule, path, message, hint))

    def _table(
        self, table: Mapping[str, Any], keys: Mapping[str, Key], path: places.Path, where: str
    ) -> dict[str, Any]:
        """Return the valid entries of a table: known keys with values of the right kind."""
        settings = {}
        for name, value in table.items():
            key = keys.get(name)
            if key is None:
                near = nearest(name, keys)
                hint = (
                    f"did you mean `{near[0]}`?" if near else f"its keys are {', '.join(f'`{each}`' for each in keys)}"
                )
                self._add("unknown-key", (*path, name), f"{where} no `{name}`", hint)
            elif not _fits(value, key.kind):
                message = f"`{name}` is {_described(value)}, expected {_KINDS[key.kind]}"
                self._add("wrong-kind", (*path, name), message, f"write it like this: {key.example}")
            else:
                settings[name] = value
        for name, key in keys.items():
            if key.required and name not in table:
                self._add("missing-key", path, f"{where} no `{name}`, which is required", f"for example: {key.example}")
        return settings

    def _spec(self, given: str | None) -> Path | None:
        if given is None:
            return None
        if given == BUNDLED:
            return bundled_spec()
        folder = self._below(given, ("spec",))
        if folder is not None and not (folder / source.ENTRY).is_file():
            hint = f"a spec is a folder with a {source.ENTRY}; the one that comes with polywire is `{BUNDLED}`"
            self._add("missing-spec", ("spec",), f"`{given}` has no {source.ENTRY}", hint)
            return None
        return folder

    def _below(self, given: str, path: places.Path) -> Path | None:
        """Return a folder to read from: any relative path, so that it works on other machines."""
        if not re.fullmatch(_RELATIVE, given):
            self._add("bad-path", path, f"`{given}` is not a relative path", f"it starts from the folder of {NAME}")
            return None
        return self._folder / given

    def _span(self, settings: Mapping[str, Any]) -> Span:
        """Return the requested releases; whether they exist is checked with the spec."""
        if "dialect" in settings:
            for key in ("at", "span"):
                if key in settings:
                    self._add("bad-release", (key,), f"a dialect is based on one release, so `{key}` has no effect")
        try:
            return releases_asked(settings.get("at"), settings.get("span"))
        except WrongUseError as error:
            self._add("bad-release", ("span",), str(error))
            return WHOLE

    def _refuse_unknown_dialect(self, spec: Path, dialect: str | None) -> None:
        known = source.dialects(spec)
        if dialect is not None and dialect not in known:
            hint = suggestion(dialect, known).removeprefix("; ")
            self._add("unknown-dialect", ("dialect",), f"the spec has no dialect `{dialect}`", hint)

    def _roots(self, given: list[str]) -> Iterator[str]:
        for index, name in enumerate(given):
            if name in given[:index]:
                self._add("unknown-root", ("roots", index), f"`{name}` is named twice", "remove one of them")
            yield name
        if not given and "roots" in self._document:
            self._add(
                "wrong-kind",
                ("roots",),
                "`roots` is empty, so nothing would be generated",
                "add a name, or remove the key to keep everything",
            )

    def _header(self, given: str | list[str]) -> Iterator[str]:
        lines = given.rstrip("\n").split("\n") if isinstance(given, str) else given
        for index, line in enumerate(lines):
            path: places.Path = ("header",) if isinstance(given, str) else ("header", index)
            bad = next((char for char in line if acts(char)), None)
            if bad is not None:
                what = f"line {index + 1} of the header has U+{ord(bad):04X}, an invisible character"
                self._add("bad-header", path, what, "remove it; a line break starts a new line of the comment")
            yield line.rstrip()

    # --- findings ---

    def _policy(self, table: str, settings: Mapping[str, Any]) -> Policy:
        given = settings.get("severity", {})
        return Policy(
            severity={rule: grade for rule, grade in given.items() if self._grade(table, rule, grade)},
            ignore=tuple(self._ignores(table, settings.get("ignore", []))),
            baseline=self._baseline(settings["baseline"], (table, "baseline")) if "baseline" in settings else None,
        )

    def _baseline(self, given: str, path: places.Path) -> Path | None:
        """Return the path of the baseline, which is written to and must be below the folder of `polywire.toml`."""
        file = self._out(given, path)
        return None if file is None else self._folder / file

    def _grade(self, table: str, rule: str, grade: object) -> bool:
        path = (table, "severity", rule)
        if not self._knows(table, rule, path):
            return False
        if grade in grades(table, rule):
            return True
        if is_firm(table, rule):
            self._refuse_firm(rule, path)
        else:
            self._add("bad-severity", path, f"no severity {grade!r}", f"there are {', '.join(grades(table, rule))}")
        return False

    def _refuse_firm(self, rule: str, path: places.Path) -> None:
        hint = "nothing is generated from a spec with this error; change the spec"
        self._add("bad-severity", path, f"`{rule}` is an error, and its severity cannot be changed", hint)

    def _knows(self, table: str, rule: str, path: places.Path) -> bool:
        known = rules(table)
        if rule not in known:
            self._add("unknown-rule", path, f"`polywire {table}` has no rule `{rule}`", suggestion(rule, known)[2:])
        return rule in known

    def _ignores(self, table: str, given: list[dict[str, Any]]) -> Iterator[Ignore]:
        for index, entry in enumerate(given):
            path = (table, "ignore", index)
            settings = self._table(entry, IGNORE_KEYS, path, "an entry of `ignore` has")
            for name in ("at", "reason"):
                if settings.get(name) == "":
                    self._add(
                        "empty-text", (*path, name), f"`{name}` is empty", f"for example: {IGNORE_KEYS[name].example}"
                    )
            if "rule" in settings and self._knows(table, settings["rule"], (*path, "rule")):
                if is_firm(table, settings["rule"]):
                    self._refuse_firm(settings["rule"], (*path, "rule"))
                else:
                    until = self._day(settings.get("until"), (*path, "until"))
                    yield Ignore(settings["rule"], settings.get("at", ""), settings.get("reason", ""), until, index)

    def _day(self, given: str | None, path: places.Path) -> dt.date | None:
        if given is None:
            return None
        try:
            if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", given):
                return dt.date.fromisoformat(given)
        except ValueError:
            pass
        self._add("bad-date", path, f"`{given}` is not a date", f"for example: {IGNORE_KEYS['until'].example}")
        return None

    def _refuse_unknown_categories(self, given: list[str]) -> None:
        for index, name in enumerate(given):
            if name not in CATEGORIES:
                hint = suggestion(name, CATEGORIES).removeprefix("; ")
                self._add("unknown-key", ("breaking", "categories", index), f"there is no category `{name}`", hint)

    # --- targets ---

    def _outputs(self, tables: Mapping[str, Any]) -> Iterator[Output]:
        if not tables and "targets" in self._document:
            hint = f"for example: {KEYS['targets'].example}"
            self._add("missing-key", ("targets",), "`targets` is empty, so nothing would be generated", hint)
        for name, table in tables.items():
            target = registry().get(name)
            if target is None:
                hint = suggestion(name, registry()).removeprefix("; ")
                self._add("unknown-target", ("targets", name), f"there is no target `{name}`", hint)
                continue
            settings = self._table(table, target_keys(target), ("targets", name), f"`targets.{name}` has")
            flags = {key: str(settings[key]).lower() for key in settings.keys() & target.package_flags}
            packages = {key: value for key, value in settings.items() if key != "out"} | flags
            self._refuse_bad_packages(target, packages)
            folder = self._out(settings["out"], ("targets", name, "out")) if "out" in settings else None
            if folder is not None:
                yield Output(name, folder, packages)

    def _refuse_bad_packages(self, target: Target, packages: Mapping[str, str]) -> None:
        for key, value in packages.items():
            fault = package_fault(target, key, value)
            if fault:
                self._add("bad-package", ("targets", target.name, key), fault)

    def _out(self, given: str, path: places.Path) -> str | None:
        folder = posixpath.normpath(given) if given else ""
        fault = path_fault(folder) or control_folder(folder)
        if fault:
            hint = f"choose a folder below that of {NAME}, for polywire only, with / as the separator"
            self._add("bad-path", path, f"`{given}` {'is empty' if not given else fault}", hint)
            return None
        return folder

    def _refuse_shared(self, outputs: tuple[Output, ...], read: Mapping[str, Path | None]) -> None:
        """Refuse folders that are equal or nested, also if they differ only in case."""
        taken = [(f"`{key}`", _folded(folder)) for key, folder in read.items() if folder is not None]
        taken.append((f"`{NAME}`", _folded(self.text.file)))
        taken.append((f"`{MANIFEST}`", _folded(self._folder / MANIFEST)))
        for output in outputs:
            for own, below in output.folders.items():
                folder = _folded(self._folder / below)
                for whose, other in taken:
                    if folder == other or folder.is_relative_to(other) or other.is_relative_to(folder):
                        message = f"the folders of {own} and {whose} overlap"
                        hint = "use separate folders: polywire reports every other file in its folders"
                        self._add("shared-folder", ("targets", output.target, "out"), message, hint)
                taken.append((own, folder))


def _folded(path: Path) -> Path:
    return Path(os.path.realpath(path).casefold())


def _fits(value: object, kind: Kind) -> bool:
    match kind:
        case "flag":
            return isinstance(value, bool)
        case "table":
            return isinstance(value, dict)
        case "entries":
            return isinstance(value, list) and all(isinstance(item, dict) for item in value)
        case "text":
            return isinstance(value, str)
        case "texts":
            return isinstance(value, list) and all(isinstance(item, str) for item in value)
        case "lines":
            return isinstance(value, str) or _fits(value, "texts")
        case "tables":
            return isinstance(value, dict) and all(isinstance(item, dict) for item in value.values())


def _described(value: object) -> str:
    """Describe a value in TOML's words."""
    match value:
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list():
            return "a list" if all(isinstance(item, str) for item in value) else "a list of other values than strings"
        case dict():
            return "a table" if all(isinstance(item, dict) for item in value.values()) else "a table of values"
    return "a date or a time"
