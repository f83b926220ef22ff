"""Testees declared in `testees.toml` → the commands that run them for a given spec."""

from __future__ import annotations

import shlex
import sys
import tempfile
import threading
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, cast

from polywire.conformance.protocols import Protocol
from polywire.ground.parsing import ParseError, toml_table
from polywire.ground.words import suggestion
from polywire.model.releases import WHOLE

if TYPE_CHECKING:
    from polywire.vendor.config import Config

_PER_SPEC = ("{generated}", "{spec}", "{dialect}")


class TesteeError(Exception):
    """A declaration of testees that cannot be used."""


@dataclass(frozen=True, slots=True)
class Testee:
    """A program that answers cases.

    Its command may have the placeholders `{python}` (the interpreter that runs polywire), `{here}` (the folder of the
    declaration), `{spec}` and `{dialect}` (those of the cases) and `{generated}` (the output of its target for them).
    """

    __test__: ClassVar = False
    """Tells pytest that this class is not a test."""

    name: str
    command: tuple[str, ...]
    here: Path
    target: str | None = None
    """The generator's target whose output replaces `{generated}`."""
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)
    startup: float = 0.0
    """Seconds that it may take to start, for example to be built, if more than the run's timeout."""
    every: int = 1
    """Fuzzing only sends every n-th document to it: a slow testee would delay the others."""

    @property
    def any_spec(self) -> bool:
        """Whether it can be started for a spec other than the one it was built for."""
        return any(mark in word for word in self.command for mark in _PER_SPEC)


def declared(file: Path) -> list[Testee]:
    """Return the testees that a TOML file declares, one table each. Raises `TesteeError`."""
    try:
        tables = toml_table(file.read_bytes())
    except FileNotFoundError as error:
        raise TesteeError(f"{file}: no such file; name it with --testees, or give a testee with --command") from error
    except ParseError as error:
        raise TesteeError(f"{file}: {error}") from error
    return [_testee(file, name, table) for name, table in tables.items()]


def from_command(text: str, taken: Iterable[str]) -> Testee:
    """Return a testee for a command line, named after its script or program, with a number if that name is taken."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise TesteeError(f"--command {text!r}: {error}") from error
    if not words:
        raise TesteeError("--command is empty")
    script = next((word for word in words[1:] if Path(word).is_file()), words[0])
    stem, used = Path(script).stem, set(taken)
    names = [stem, *(f"{stem}-{n}" for n in range(2, len(used) + 3))]
    return Testee(next(name for name in names if name not in used), tuple(words), Path.cwd())


def choose(names: Sequence[str], commands: Sequence[str], file: Path) -> list[Testee]:
    """Return the testees selected by name or command; all declared ones if neither is given.

    Raises `TesteeError`.
    """
    chosen: list[Testee] = []
    if names or not commands:
        known = {testee.name: testee for testee in declared(file)}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise TesteeError(f"no testee {unknown[0]!r} in {file}{suggestion(unknown[0], known)}")
        chosen += [known[name] for name in dict.fromkeys(names or known)]
    for text in commands:
        chosen.append(from_command(text, [testee.name for testee in chosen]))
    if not chosen:
        raise TesteeError(f"{file} declares no testee")
    return chosen


def of_targets(testees: Sequence[Testee], generated: Collection[str]) -> tuple[list[Testee], list[Testee]]:
    """Split testees into those to run and the others, whose target is not in `generated`."""
    others = [testee for testee in testees if testee.target is not None and testee.target not in generated]
    return [testee for testee in testees if testee not in others], others


def _testee(file: Path, name: str, table: object) -> Testee:
    known = {"command", "target", "environment", "startup", "every"}
    if not isinstance(table, dict) or not table.keys() <= known or "command" not in table:
        raise TesteeError(
            f"{file}: [{name}] must be a table with command, and may have target, environment, startup and every"
        )
    command, target, environment = table["command"], table.get("target"), table.get("environment", {})
    startup, every = table.get("startup", 0), table.get("every", 1)
    if not isinstance(command, list) or not command or not all(isinstance(word, str) for word in command):
        raise TesteeError(f"{file}: command of [{name}] must be a list of words")
    if not isinstance(target, str | None):
        raise TesteeError(f"{file}: target of [{name}] must be text")
    if not isinstance(environment, dict) or not all(isinstance(value, str) for value in environment.values()):
        raise TesteeError(f"{file}: environment of [{name}] must be a table of text")
    if type(startup) not in {int, float} or startup < 0:
        raise TesteeError(f"{file}: startup of [{name}] must be a number of seconds")
    if type(every) is not int or every < 1:
        raise TesteeError(f"{file}: every of [{name}] must be a whole number, 1 or more")
    here = file.resolve().parent
    return Testee(name, tuple(command), here, target, cast("dict[str, str]", environment), float(startup), every)


class Workshop:
    """Provides testees with the packages they test: the generated ones for the default spec, or rendered ones."""

    def __init__(self, root: Path, config: Config | None = None) -> None:
        """`config` says what is generated and where; without it, that is `spec` and `generated` in `root`."""
        self._root = root.resolve()
        self._config = config
        self._folder = tempfile.TemporaryDirectory(prefix="polywire-conformance-")
        self._made: dict[tuple[str, Protocol], Path] = {}
        self._making = threading.Lock()

    def __enter__(self) -> Workshop:  # noqa: PYI034 - Self needs Python 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def serves(self, testee: Testee, protocol: Protocol, default: Protocol) -> bool:
        """Return whether the testee can answer cases of the protocol."""
        return testee.any_spec or protocol == default

    def command(self, testee: Testee, protocol: Protocol) -> list[str]:
        """Return the command to run. Raises `TesteeError` if a required package cannot be generated."""
        places = {
            "{python}": sys.executable,
            "{here}": str(testee.here),
            "{spec}": str(protocol.folder),
            "{dialect}": protocol.dialect or "",
        }
        if any("{generated}" in word for word in testee.command):
            places["{generated}"] = str(self._generated(testee, protocol))
        return [_filled(word, places) for word in testee.command]

    def _generated(self, testee: Testee, protocol: Protocol) -> Path:
        if testee.target is None:
            raise TesteeError(f"testee {testee.name} asks for {{generated}} but names no target")
        written = self._written(testee.target, protocol)
        if written is not None:
            return written
        key = (testee.target, protocol)
        with self._making:
            if key not in self._made:
                self._made[key] = self._rendered(testee.target, protocol)
            return self._made[key]

    def _written(self, target: str, protocol: Protocol) -> Path | None:
        """Return the folder that `polywire generate` wrote for the protocol, if there is one."""
        config = self._config
        if config is None:
            spec, dialect, folder = self._root / "spec", None, self._root / "generated" / target
        else:
            below = next((each.folder for each in config.outputs if each.target == target), None)
            if below is None or config.span != WHOLE:
                return None
            spec, dialect, folder = config.spec.resolve(), config.dialect, (config.folder / below).resolve()
        of = (protocol.folder, protocol.dialect, protocol.release)
        return folder if of == (spec, dialect, None) and folder.is_dir() else None

    def _rendered(self, target: str, protocol: Protocol) -> Path:
        from polywire.ground.errors import RenderError
        from polywire.plan import make_plan
        from polywire.targets import registry
        from polywire.writing.render import render

        targets = registry()
        if target not in targets:
            raise TesteeError(f"no target {target!r}; there are {', '.join(sorted(targets))}")
        folder = Path(self._folder.name) / f"{target}-{len(self._made)}"
        try:
            files = render(targets[target], make_plan(protocol.model))
        except RenderError as error:
            raise TesteeError(f"target {target} cannot be generated: {error}") from error
        for path, contents in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(contents)
        return folder


def _filled(word: str, places: Mapping[str, str]) -> str:
    for mark, place in places.items():
        word = word.replace(mark, place)
    return word
