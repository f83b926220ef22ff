"""A spec folder, a release and the location of its declarations → the differences, after applying the allowlist."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polywire.evolve.diff.compare import travelling
from polywire.ground.errors import WrongUseError
from polywire.ground.parsing import ParseError, json_value
from polywire.ground.words import suggestion
from polywire.model.build import Builder
from polywire.model.nodes import Model
from polywire.model.releases import Span, UnknownReleaseError
from polywire.source.load import load as load_spec
from polywire_import.shapes import ImportingError
from polywire_upstream import allowlist, between, config, declarations, record
from polywire_upstream import follow as following
from polywire_upstream.between import Neighbours
from polywire_upstream.compare import Comparison, Difference
from polywire_upstream.config import Config
from polywire_upstream.declarations import parts
from polywire_upstream.draft import Question
from polywire_upstream.facts import facts, upstream_names
from polywire_upstream.follow import Followed, Step
from polywire_upstream.observe import Seen, observe, read
from polywire_upstream.record import Snapshot
from polywire_upstream.schemas import SchemaFindings, compare_schemas
from polywire_upstream.schemas import read as read_program
from polywire_upstream.yamledit import EditError


@dataclass(frozen=True, slots=True)
class Compared:
    """The result of a comparison: differences without an entry in the allowlist, and entries that are not needed."""

    release: str
    found: tuple[Difference, ...]
    left: tuple[Difference, ...]
    idle: tuple[allowlist.Entry, ...]
    pairs: int

    @property
    def failed(self) -> bool:
        """Whether anything has to be done."""
        return bool(self.left or self.idle)


def configuration(spec: Path) -> Config:
    """Return the contents of the spec's `releases.toml`."""
    return config.load(spec / config.NAME)


def check_listed(known: Config, release: str) -> None:
    """Raise `WrongUseError` for a release that is not listed."""
    if release not in known.releases:
        raise WrongUseError(f"{release} is not listed in {config.NAME}{suggestion(release, list(known.releases))}")


def snapshots(spec: Path) -> Path:
    """Return the folder with the spec's snapshots."""
    return spec / config.FOLDER


def kept(spec: Path, release: str) -> Snapshot:
    """Return the stored snapshot of a release."""
    path = snapshots(spec) / f"{release}.json"
    if not path.is_file():
        known = sorted(each.stem for each in snapshots(spec).glob("*.json"))
        raise WrongUseError(f"no snapshot of {release} in {snapshots(spec)}{suggestion(release, known)}")
    return record.load(path)


def take(folder: Path, release: str, known: Config, compiler: Path | None = None) -> Snapshot:
    """Return the snapshot of a release whose package is installed in a folder, or is that folder.

    A missing file is an error: a source that cannot be read must not look like one without differences.
    """
    installed = folder / "node_modules"
    package = installed / known.package if (installed / known.package).is_dir() else folder
    for file in (package / name for name in known.files):
        if not file.is_file():
            raise WrongUseError(
                f"{known.package} {release} has no {file.name} in {package}; see `files` in {config.NAME}"
            )
    version = _package_value(package, "version")
    if version not in ("", release):
        raise WrongUseError(f"{package} has {known.package} {version}, not {release}")
    try:
        read = declarations.read(package, known.files, known.roots, expand=known.expand, compiler=compiler)
    except ImportingError as error:
        raise WrongUseError(str(error)) from error
    if not read:
        raise WrongUseError(f"{', '.join(known.files)} of {known.package} {release} declare no type")
    for name in known.roots:
        if name not in read:
            raise WrongUseError(
                f"{known.package} {release} declares no {name}, a root by {config.NAME}{suggestion(name, list(read))}"
            )
    places = {name: (package / "node_modules" / name, installed / name) for name in known.others}
    found = {name: next((each for each in each_of if each.is_dir()), None) for name, each_of in places.items()}
    versions = {name: _package_value(each, "version") for name, each in found.items() if each is not None}
    packages = {known.package: release, **versions}
    return Snapshot(release, packages, read, _announced(package, known))


def _announced(package: Path, known: Config) -> str | None:
    if known.announced is None:
        return None
    number = _package_value(package, known.announced)
    if not number:
        raise WrongUseError(f"package.json of {known.package} has no {known.announced}, which {config.NAME} names")
    return number


def _package_value(package: Path, key: str) -> str:
    """Return the value of a key in package.json; an empty text if there is none."""
    try:
        return str(json_value((package / "package.json").read_bytes()).get(key, ""))
    except (OSError, ParseError, AttributeError):
        return ""


def model_at(spec: Path, release: str | None) -> Model:
    """Return the spec's model at a release, by default the newest."""
    builder = Builder(load_spec(spec))
    try:
        built = builder.build(Span.at(release or builder.releases.names[-1]))
    except UnknownReleaseError as error:
        raise WrongUseError(str(error)) from error
    if built.model is None:
        raise WrongUseError(f"{spec} has errors; run `polywire lint`")
    return built.model


def differences(model: Model, snapshot: Snapshot, known: Config) -> tuple[list[Difference], list[tuple[str, str]]]:
    """Return the differences between a model and a snapshot, and the pairs of declarations that were compared."""
    spec = facts(model)
    upstream = {name: each.type for name, each in snapshot.declarations.items()}
    comparison = Comparison(upstream, spec, known.scalars)
    expected = [name for name in travelling(model) if name in spec]
    names = counterparts(model, snapshot, known)
    sent = [(name, names.get(name, name)) for name in (*known.roots, *_also(snapshot, known, names))]
    own = [(name, names[name]) for name in names if snapshot.declarations[name].is_in(known.files)]
    return comparison.run(sent, expected, own), comparison.pairs


def counterparts(model: Model, snapshot: Snapshot, known: Config) -> dict[str, str]:
    """Return upstream's declarations with their names in the spec, as far as the names show this."""
    spec = facts(model)
    names = {**upstream_names(model), **known.roots, **known.same}
    return {name: names[name] for name in snapshot.declarations if names.get(name) in spec}


def matched(model: Model, snapshot: Snapshot, known: Config, compared: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the same, with those whose names do not show it but that were compared at some place."""
    spec = facts(model)
    return {up: name for up, name in compared if name in spec} | counterparts(model, snapshot, known)


def _also(snapshot: Snapshot, known: Config, names: Mapping[str, str]) -> Iterator[str]:
    for name in (each for form in known.also for each in fnmatch.filter(snapshot.declarations, form)):
        variants = [part[1:] for part in parts(snapshot.declarations[name].type) if str(part).startswith("#")]
        yield from variants if variants and name not in names else [name]


def compare(spec: Path, release: str, snapshot: Snapshot) -> Compared:
    """Compare a spec at a release with the release's snapshot, applying the spec's allowlist."""
    known = configuration(spec)
    found, compared = differences(model_at(spec, release), snapshot, known)
    entries = allowlist.at(allowlist.load(snapshots(spec) / allowlist.NAME), release, list(known.releases))
    left, idle = allowlist.judge(found, entries)
    return Compared(release, tuple(found), tuple(left), tuple(idle), len(compared))


def neighbours(spec: Path, known: Config, release: str) -> tuple[str, str | None]:
    """Return the described releases before and after a new one; None if it is the newest.

    Raises `WrongUseError` if it cannot be followed.
    """
    config.check_version(release)
    described = Builder(load_spec(spec)).releases.names
    if release in described:
        raise WrongUseError(f"the spec describes {release} already; run `polywire compare --at {release}`")
    before = config.preceding(release, described)
    if before is None:
        raise WrongUseError(f"{release} is older than {described[0]}, the oldest that the spec describes")
    if before not in known.releases:
        raise WrongUseError(f"{before}, which the spec describes, is not listed in {config.NAME}")
    return before, next(iter(described[described.index(before) + 1 :]), None)


def follow(
    spec: Path, snapshot: Snapshot, known: Config, captures: Sequence[Path] = ()
) -> tuple[Followed, Seen | None]:
    """Return what a new release requires of a spec, and what captured lines of it show."""
    before, later = neighbours(spec, known, snapshot.release)
    followed = (
        _between(spec, snapshot, known, Neighbours(before, snapshot.release, later))
        if later is not None
        else _newest(spec, snapshot, known, before)
    )
    followed.patch += config.listing(spec / config.NAME, snapshot.release, snapshot.packages, known, before)
    seen = None
    if captures and not (known.lines or known.stored):
        raise WrongUseError(f"{config.NAME} does not say what captured lines are; name declarations in `lines`")
    if captures:
        seen = Seen()
        table = {name: each.type for name, each in snapshot.declarations.items()}
        observe(seen, read(captures, stored=False), table, known.lines, known.scalars)
        if known.stored:
            spec_table = facts(model_at(spec, before), observed=True)
            observe(seen, read(captures, stored=True), spec_table, known.stored, known.scalars)
        if seen.lines == 0:
            raise WrongUseError(f"no line in {', '.join(map(str, captures))}")
    return followed, seen


def _newest(spec: Path, snapshot: Snapshot, known: Config, before: str) -> Followed:
    """Return what a release newer than all described ones requires of a spec."""
    model, earlier = model_at(spec, None), kept(spec, before)
    found, compared = differences(model, snapshot, known)
    entries = allowlist.at(allowlist.load(snapshots(spec) / allowlist.NAME), before, list(known.releases))
    old = set(differences(model, earlier, known)[0])
    left = [each for each in allowlist.judge(found, entries)[0] if each not in old]
    step = Step(before, snapshot.release)
    names = matched(model, snapshot, known, compared)
    followed = following.follow(spec, model, names, known.scalars, left, snapshot, step)
    followed.changes = _changes(earlier, snapshot, known, names)
    return followed


def _between(spec: Path, snapshot: Snapshot, known: Config, at: Neighbours) -> Followed:
    """Return what a release between two described ones requires of a spec."""
    entries = allowlist.load(snapshots(spec) / allowlist.NAME)
    listed = list(known.releases)
    listed.insert(listed.index(at.before) + 1, at.release)
    here = allowlist.at(entries, at.release, listed)
    sides = [(model_at(spec, each), kept(spec, each)) for each in (at.before, at.after)]
    old = {each for model, one in sides for each in differences(model, one, known)[0]}
    places = {(each.rule, each.place) for one in (at.before, at.after) for each in allowlist.at(entries, one, listed)}
    names = {up: name for model, one in reversed(sides) for up, name in _all_names(model, one, known).items()}

    def left(model: Model) -> tuple[list[Difference], Mapping[str, str]]:
        found, compared = differences(model, snapshot, known)
        known_names = {**names, **matched(model, snapshot, known, compared)}
        judged, idle[:] = allowlist.judge(found, here)
        like_neighbour = [each for each in judged if each in old or (each.rule, each.place) in places]
        intended.update(dict.fromkeys(like_neighbour))
        return [each for each in judged if each not in like_neighbour], known_names

    intended: dict[Difference, None] = {}
    idle: list[allowlist.Entry] = []
    try:
        followed = between.follow(spec, at, snapshot.announced, left)
    except EditError as error:
        raise WrongUseError(f"{at.release} cannot be put between {at.before} and {at.after}: {error}") from error
    followed.questions += [
        Question("listed", each.place, f"{each.rule}, listed for a neighbour", (f"widen its entry to {at.release}",))
        for each in intended
    ]
    followed.questions += [
        Question("listed", each.place, f"{each.rule}, matches no difference of {at.release}", ("limit its entry",))
        for each in idle
    ]
    earlier_names = counterparts(*sides[0], known)
    followed.changes = _changes(sides[0][1], snapshot, known, earlier_names)
    return followed


def _changes(before: Snapshot, after: Snapshot, known: Config, names: Mapping[str, str]) -> list[Difference]:
    also = dict.fromkeys(name for each in (before, after) for name in _also(each, known, names))
    return following.changes(before, after, known, names, also)


def _all_names(model: Model, snapshot: Snapshot, known: Config) -> dict[str, str]:
    return matched(model, snapshot, known, differences(model, snapshot, known)[1])


def schemas(spec: Path, release: str, program: Path) -> SchemaFindings:
    """Return what the schemas in a program say beyond the stored declarations of its release."""
    return schemas_of(kept(spec, release), configuration(spec), program)


def schemas_of(snapshot: Snapshot, known: Config, program: Path) -> SchemaFindings:
    """Return the same for a snapshot. Only declarations of the package itself are searched for."""
    table = {name: each.type for name, each in snapshot.declarations.items()}
    own = [name for name, each in snapshot.declarations.items() if each.is_in(known.files)]
    return compare_schemas(read_program(program), table, own, known.scalars, known.lines)
