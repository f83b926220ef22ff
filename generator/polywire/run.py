"""What was asked for, on the command line or in `polywire.toml` → everything that a run would write, in memory.

A `Run` says what to make and where to; `make` makes it; `polywire.output` then writes it, or compares it with what is
on disk. Nothing here knows which of the two it will be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

from polywire import checks, output, render
from polywire.checks.report import Report
from polywire.errors import WrongUseError
from polywire.header import Header
from polywire.header import header as make_header
from polywire.model.nodes import Model
from polywire.model.projection import UnknownRootError, known_roots, project
from polywire.model.releases import WHOLE, Span, UnknownReleaseError, releases_asked
from polywire.output import AddOns, Runtime, Trees
from polywire.plan import Plan, make_plan
from polywire.targets import registry
from polywire.targets.base import Target
from polywire.vendor import config as configs
from polywire.vendor.config import Config, ConfigError
from polywire.vendor.find import WITHOUT_SPEC, find
from polywire.words import nearest, suggestion

Result = TypeVar("Result")


class SpecError(Exception):
    """A spec with errors, with the report that says which."""

    def __init__(self, report: Report) -> None:
        super().__init__(f"{report.folder} has errors")
        self.report = report


@dataclass(frozen=True, slots=True)
class Run:
    """What to make, and where to."""

    spec: Path
    dialect: str | None
    targets: tuple[Target, ...]
    whole: bool
    """Whether these are all targets that there should be, so that output of others is left over."""
    out: Path
    """The folder that all output is below."""
    folders: Mapping[str, str]
    """The folder of each target, below `out`."""
    manifest: str
    command: tuple[str, ...]
    """What does the same again and writes it."""
    span: Span = WHOLE
    """The releases that are covered."""
    config: Config | None = None
    custom: render.Custom = field(default_factory=render.Custom)
    skipped: tuple[str, ...] = ()
    """Targets that are left out, as templates of the repository make them."""
    aside: Path | None = None
    """A `polywire.toml` that would have said all this, had flags not."""
    add_ons: bool = True
    """Whether it has the targets' add-ons as well; else those that there are stay as they are."""
    all_add_ons: bool = True
    """Whether all of them have to be there; else one that never was may be left out."""


@dataclass(frozen=True, slots=True)
class Made:
    """Everything that a run would write, in memory."""

    run: Run
    trees: Trees
    header: Header
    runtime: Runtime
    add_ons: AddOns | None
    warnings: int
    """How many warnings there are about the spec."""

    def put(self, step: Callable[..., Result]) -> Result:
        """What `output.write` makes of it, or `output.compare` finds: both take the same."""
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


# --- what is asked for -----------------------------------------------------------------------------------------


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
    """What to make: what a `polywire.toml` says, unless flags say it.

    Without `templates`, the targets that have templates of the repository are left out.

    Raises `ConfigError`, `WrongUseError`.
    """
    run = _asked(spec, dialect, out, targets, config, at, span)
    if not templates:
        run = _without_templates(run)
    if add_ons is None:
        return run
    flag = "--add-ons" if add_ons else "--no-add-ons"
    return replace(run, add_ons=add_ons, all_add_ons=True, command=(*run.command, flag))


def _without_templates(run: Run) -> Run:
    folder = run.custom.templates
    theirs = {target.name for target in run.targets if folder is not None and (folder / target.name).is_dir()}
    kept = tuple(target for target in run.targets if target.name not in theirs)
    custom = replace(run.custom, templates=None)
    return replace(run, targets=kept, whole=run.whole and not theirs, custom=custom, skipped=tuple(sorted(theirs)))


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
    """What the command line says. Add-ons are for the spec proper, as the spec asks for them."""
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
        manifest=output.MANIFEST,
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
    """What a `polywire.toml` says, of all targets in it or of some. Raises `ConfigError`, `WrongUseError`.

    `named` says that the file was named, and did not have to be found.
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
    """Templates of what is not generated have no effect; those of what is are looked at when it is rendered."""
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


# --- making it -------------------------------------------------------------------------------------------------


def make(run: Run) -> Made:
    """All files, in memory. Raises `SpecError`, `ConfigError`, `RenderError`."""
    report = _checked(run)
    model = report.model
    if report.failed or model is None:
        raise SpecError(report)
    whole = make_plan(model)
    parts = {target.name: part(run.config, whole, target) for target in run.targets}
    rendered = {target.name: render.render(target, parts[target.name], run.custom) for target in run.targets}
    header = make_header(model, run.custom.header)
    return Made(
        run=run,
        trees={run.folders[name]: files for name, files in rendered.items()},
        header=header,
        runtime={
            run.folders[target.name]: frozenset(file.path for file in target.runtime(parts[target.name]))
            for target in run.targets
        },
        add_ons=_add_ons(run, parts, header) if run.add_ons else None,
        warnings=len(report.findings),
    )


def _checked(run: Run) -> Report:
    """What a check of the spec finds. Raises `UnknownReleaseError`, `ConfigError`."""
    try:
        return checks.check(run.spec, run.dialect, run.span, targets=[target.name for target in run.targets])
    except UnknownReleaseError as error:
        if run.config is None:
            raise
        text = run.config.text
        key = "at" if run.span.first == run.span.last else "span"
        raise ConfigError(text.report(text.finding("bad-release", (key,), str(error)))) from error


def _add_ons(run: Run, parts: Mapping[str, Plan], header: Header) -> AddOns:
    return {
        f"{run.folders[target.name]}/{add_on.folder}": add_on
        for target in run.targets
        for add_on in target.add_ons(parts[target.name], header)
    }


def part(config: Config | None, plan: Plan, target: Target) -> Plan:
    """What a target is made of: the whole plan, or that of the part that was asked for, with the packages' names."""
    model = plan.model
    if config is None:
        return plan.called({**model.packages, target.name: _said(target, model)})
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


def _said(target: Target, model: Model) -> Mapping[str, str]:
    """What the spec says of a target's packages; its prose is about the spec proper, and not about a dialect."""
    said = model.packages.get(target.name, {})
    return {key: value for key, value in said.items() if model.dialect is None or key not in target.package_prose}


def _packages(target: Target, model: Model, given: Mapping[str, str]) -> Mapping[str, str]:
    """What a consumer's packages are called; prose that speaks of the spec's own names goes where they change."""
    names = target.package_keys - target.package_prose - target.add_on_keys.keys()
    said = _said(target, model)
    kept = names if names & given.keys() else names | target.package_prose
    return {key: value for key, value in said.items() if key in kept} | dict(given)
