"""A request from the command line or `polywire.toml` → everything that a run would write, in memory.

A `Run` says what to generate and where; `make` generates it; `polywire.writing` then writes it, or compares it
with the files on disk. This module does not depend on which of the two follows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from polywire import checks
from polywire.checks.report import Report
from polywire.ground.errors import WrongUseError
from polywire.ground.find import WITHOUT_SPEC, find
from polywire.ground.words import nearest, suggestion
from polywire.model.nodes import Model
from polywire.model.projection import UnknownRootError, known_roots, project
from polywire.model.releases import WHOLE, Span, UnknownReleaseError, releases_asked
from polywire.plan import Plan, make_plan
from polywire.targets import registry
from polywire.targets.common.base import Target, add_on_suffix
from polywire.targets.common.header import Header
from polywire.targets.common.header import header as make_header
from polywire.vendor import config as configs
from polywire.vendor.config import Config, ConfigError
from polywire.writing import render
from polywire.writing.manifest import MANIFEST
from polywire.writing.results import AddOns, Runtime, Trees

Result = TypeVar("Result")


class SpecError(Exception):
    """The spec has errors; the report lists them."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"{report.folder} has errors")
        self.report = report


@dataclass(frozen=True, slots=True)
class Run:
    """What to generate, and where."""

    spec: Path
    dialect: str | None
    targets: tuple[Target, ...]
    whole: bool
    """Whether these are all targets that should exist, so that output of others is left over."""
    out: Path
    """The folder that contains all output."""
    folders: Mapping[str, str]
    """The folder of each target, below `out`."""
    manifest: str
    command: tuple[str, ...]
    """The command that generates and writes the same output."""
    span: Span = WHOLE
    """The releases to cover."""
    config: Config | None = None
    custom: render.Custom = field(default_factory=render.Custom)
    aside: Path | None = None
    """A `polywire.toml` that was overridden by flags."""
    add_ons: bool = True
    """Whether the targets' add-ons are included; if not, existing ones stay as they are."""
    all_add_ons: bool = True
    """Whether all add-ons are required; if not, one that was never generated may be left out."""


@dataclass(frozen=True, slots=True)
class Made:
    """Everything that a run would write, in memory."""

    run: Run
    trees: Trees
    header: Header
    runtime: Runtime
    add_ons: AddOns | None
    warnings: int
    """The number of warnings about the spec."""

    def put(self, step: Callable[..., Result]) -> Result:
        """Call `write` or `compare` with this output: both take the same arguments."""
        return step(
            self.run.out,
            self.trees,
            self.header,
            whole=self.run.whole,
            manifest=self.run.manifest,
            add_ons=self.add_ons,
            all_add_ons=self.run.all_add_ons,
            runtime=self.runtime,
        )


# --- the request -----------------------------------------------------------------------------------------------


def asked(
    spec: Path | None,
    dialect: str | None,
    out: Path | None,
    targets: tuple[str, ...],
    config: Path | None,
    *,
    at: str | None = None,
    span: str | None = None,
    add_ons: bool | None = None,
    templates: bool = True,
) -> Run:
    """Return what to generate: the settings of a `polywire.toml`, unless flags are given.

    Without `templates`, targets that have templates in the repository are refused. They are not skipped: a branch could
    add a template to hide what was edited by hand.

    Raises `ConfigError`, `WrongUseError`.
    """
    run = _asked(spec, dialect, out, targets, config, at, span)
    if not templates:
        _refuse_templates(run)
    if add_ons is None:
        return run
    flag = "--add-ons" if add_ons else "--no-add-ons"
    return replace(run, add_ons=add_ons, all_add_ons=True, command=(*run.command, flag))


def _refuse_templates(run: Run) -> None:
    """Raise `ConfigError` if a requested target has templates in the repository."""
    folder = run.custom.templates
    if run.config is None or folder is None:
        return
    theirs = [target.name for target in run.targets if (folder / target.name).is_dir()]
    if theirs:
        text = run.config.text
        message = f"{folder} has templates of {', '.join(theirs)}, and --no-templates renders none"
        hint = "if you trust the branch, check it without --no-templates; to check other targets only, use --target"
        raise ConfigError(text.report(text.finding("untrusted-template", ("templates",), message, hint)))


def _asked(
    spec: Path | None,
    dialect: str | None,
    out: Path | None,
    targets: tuple[str, ...],
    config: Path | None,
    at: str | None,
    span: str | None,
) -> Run:
    flags = {"--spec": spec, "--dialect": dialect, "--out": out, "--at": at, "--span": span}
    given = [flag for flag, value in flags.items() if value is not None]
    if config is not None and given:
        raise WrongUseError(f"--config {config} and {given[0]} exclude each other")
    file = config or find()
    if file is not None and not given:
        return by_config(configs.load(file), targets, named=config is not None)
    return replace(by_flags(spec or _default_spec(file), dialect, out, targets, at, span), aside=file)


def _default_spec(file: Path | None) -> Path:
    spec = Path("spec") if file is None else configs.load(file).spec
    if not spec.is_dir():
        raise WrongUseError(f"{str(spec)!r} does not exist. {WITHOUT_SPEC}")
    return spec


def by_flags(
    spec: Path,
    dialect: str | None,
    out: Path | None,
    names: tuple[str, ...],
    at: str | None = None,
    span: str | None = None,
) -> Run:
    """Return the run that the command line asks for. Add-ons are for the spec proper: no dialect, no releases."""
    releases = releases_asked(at, span)
    if dialect and releases != WHOLE:
        raise WrongUseError("a dialect has a fixed release; remove --at and --span")
    words = ["polywire", "generate"]
    words += ["--spec", str(spec)] if spec != Path("spec") else []
    words += ["--dialect", dialect] if dialect else []
    words += ["--at", at] if at else []
    words += ["--span", span] if span else []
    words += ["--out", str(out)] if out else []
    targets = _chosen(registry(), names)
    return Run(
        spec=spec,
        dialect=dialect,
        targets=targets,
        whole=not names,
        out=out or _default_out(dialect, at or span),
        folders={target.name: target.name for target in targets},
        manifest=MANIFEST,
        command=(*words, *_target_words(names)),
        span=releases,
        add_ons=dialect is None and releases == WHOLE,
        all_add_ons=False,
    )


def _default_out(dialect: str | None, releases: str | None) -> Path:
    if dialect:
        return Path("generated", "dialects", dialect)
    return Path("generated", "releases", releases) if releases else Path("generated")


def by_config(config: Config, names: tuple[str, ...] = (), *, named: bool = False) -> Run:
    """Return the run for all or some targets of a `polywire.toml`. Raises `ConfigError`, `WrongUseError`.

    `named` says that the file was given explicitly rather than found.
    """
    file = config.text.file
    folders = {each.target: each.folder for each in config.outputs}
    for name in names:
        if name not in folders:
            raise WrongUseError(f"{file} has no target {name!r}{suggestion(name, folders)}")
    words = ["polywire", "generate", *(["--config", str(file)] if named else [])]
    _refuse_templates_of_others(config)
    return Run(
        spec=config.spec,
        dialect=config.dialect,
        targets=_chosen({name: registry()[name] for name in sorted(folders)}, names),
        whole=not names,
        out=config.folder,
        folders=folders,
        manifest=configs.MANIFEST,
        command=(*words, *_target_words(names)),
        span=config.span,
        config=config,
        custom=render.Custom(config.header, config.templates),
    )


def _chosen(known: Mapping[str, Target], names: tuple[str, ...]) -> tuple[Target, ...]:
    return tuple(target for name, target in known.items() if not names or name in names)


def _target_words(names: Iterable[str]) -> list[str]:
    return [word for name in names for word in ("--target", name)]


def _refuse_templates_of_others(config: Config) -> None:
    """Refuse templates of targets that are not generated; those of generated targets are checked on rendering."""
    if config.templates is None:
        return
    text = config.text
    if not config.templates.is_dir():
        message = f"`{config.templates}` is not a folder"
        hint = "create it, with a folder per target, or remove the key"
        raise ConfigError(text.report(text.finding("bad-path", ("templates",), message, hint)))
    targets = {each.target for each in config.outputs}
    for path in sorted(config.templates.iterdir()):
        if not path.name.startswith(".") and path.name not in targets:
            message = f"{path} has no effect: no target of that name is generated"
            hint = suggestion(path.name, targets).removeprefix("; ")
            raise ConfigError(text.report(text.finding("unused-template", ("templates",), message, hint)))


# --- generating ------------------------------------------------------------------------------------------------


def make(run: Run) -> Made:
    """Generate all files, in memory. Raises `SpecError`, `ConfigError`, `RenderError`."""
    report = _checked(run)
    model = report.model
    if report.failed or model is None:
        raise SpecError(report)
    whole = make_plan(model)
    parts = {target.name: part(run.config, whole, target) for target in run.targets}
    trees, runtime = _rendered(run, parts)
    header = make_header(model, run.custom.header)
    return Made(
        run=run,
        trees=trees,
        header=header,
        runtime=runtime,
        add_ons=_add_ons(run, parts, header) if run.add_ons else None,
        warnings=len(report.findings),
    )


def _checked(run: Run) -> Report:
    """Check the spec. Raises `UnknownReleaseError`, `ConfigError`."""
    try:
        return checks.check(run.spec, run.dialect, run.span, targets=[target.name for target in run.targets])
    except UnknownReleaseError as error:
        if run.config is None:
            raise
        text = run.config.text
        key = "at" if run.span.first == run.span.last else "span"
        raise ConfigError(text.report(text.finding("bad-release", (key,), str(error)))) from error


def _rendered(run: Run, parts: Mapping[str, Plan]) -> tuple[Trees, Runtime]:
    """Render the packages, and find those of their files that are copies of a runtime."""
    trees: dict[str, Mapping[str, bytes]] = {}
    runtime: defaultdict[str, set[str]] = defaultdict(set)
    for target in run.targets:
        plan, folder = parts[target.name], run.folders[target.name]
        packages = render.render_packages(target, plan, run.custom)
        trees |= {_folder(folder, key): files for key, files in packages.items() if run.add_ons or not key}
        for file in target.runtime(plan):
            runtime[_folder(folder, file.add_on)].add(file.path)
    return trees, {folder: frozenset(paths) for folder, paths in runtime.items()}


def _folder(folder: str, add_on: str) -> str:
    """Return the folder of a target's add-on, or of its own package."""
    return f"{folder}{add_on_suffix(add_on)}" if add_on else folder


def _add_ons(run: Run, parts: Mapping[str, Plan], header: Header) -> AddOns:
    return {
        _folder(run.folders[target.name], add_on.key): add_on
        for target in run.targets
        for add_on in target.add_ons(parts[target.name], header)
    }


def part(config: Config | None, plan: Plan, target: Target) -> Plan:
    """Return the plan of a target: the whole plan or the requested part of it, with the packages' names."""
    model = plan.model
    if config is None:
        return plan.called({**model.packages, target.name: _stated(target, model)})
    given = next(each.packages for each in config.outputs if each.target == target.name)
    packages = {target.name: _packages(target, model, given)}
    if not config.roots:
        return plan.called(packages)
    try:
        return make_plan(project(replace(model, packages=packages), config.roots, target.name, target.reference_keys))
    except UnknownRootError as error:
        near = nearest(error.name, known_roots(model))
        hint = f"did you mean `{near[0]}`?" if near else "`polywire show NAME` shows a declaration"
        path = ("roots", config.roots.index(error.name))
        message = f"the spec has no type `{error.name}`"
        raise ConfigError(config.text.report(config.text.finding("unknown-root", path, message, hint))) from error


def _stated(target: Target, model: Model) -> Mapping[str, str]:
    """Return the spec's settings for a target's packages; some are about the spec proper, not about a dialect."""
    stated = model.packages.get(target.name, {})
    proper = target.package_prose | target.package_flags
    return {key: value for key, value in stated.items() if model.dialect is None or key not in proper}


def _packages(target: Target, model: Model, given: Mapping[str, str]) -> Mapping[str, str]:
    """Return a user's package settings; what the spec states about its own names is dropped if they change."""
    proper = target.package_prose | target.package_flags
    names = target.package_keys - proper - target.add_on_keys.keys()
    stated = _stated(target, model)
    kept = names if names & given.keys() else names | proper
    return {key: value for key, value in stated.items() if key in kept} | dict(given)
