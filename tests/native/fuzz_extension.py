"""`make fuzz-native`: fuzzes the native extension of Python packages, guided by coverage.

fuzz_extension.py [SECONDS]      the duration, by default a minute

The extension is built with assertions, checks of arithmetic, and a counter for each edge of its code. A process changes
documents of the cases, and those that have reached new code. It compares what the extension makes of each with what the
package does without it: the value, down to the classes and the order of keys, the verdict, and the line. It counts
references before and after. A finding ends the run, and its document is kept.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import importlib.util
import json
import math
import mmap
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any, Final

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))

import toolchain  # noqa: E402  (importable only now)
from polywire.commands.conformance_options import BUNDLED_TESTEES  # noqa: E402
from polywire.conformance import tokens  # noqa: E402
from polywire.conformance.case import load  # noqa: E402
from polywire.conformance.documents import Corpus, Stream  # noqa: E402
from polywire.conformance.mutate import mutated, mutated_bytes  # noqa: E402
from polywire.conformance.protocols import Protocols  # noqa: E402
from toolchain import Toolchain  # noqa: E402

TARGET_DIR = toolchain.RUST_HOME / "fuzz-native"
FOUND = TARGET_DIR / "found"
"""The folder of documents on which the extension fails: the type, the mode and the document, each after a line end."""

INSTRUMENTED = (
    "-Cpasses=sancov-module",
    *(f"-Cllvm-args=-sanitizer-coverage-{each}" for each in ("level=3", "inline-8bit-counters")),
)

CHECKED = {
    "CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS": "true",
    "CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS": "true",
    "CARGO_PROFILE_RELEASE_LTO": "off",
    "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16",
}

SAMPLE_CASES = (toolchain.ROOT / "tests" / "fixtures", toolchain.ROOT / "tests" / "captures")

BATCH: Final = 500
"""The number of documents after which references are counted."""

TIMES: Final = 20
"""How often each of them is then read and written, so that a lost reference is not taken for other changes."""


class FoundError(Exception):
    """The extension and the package differ on a document, or the extension keeps references."""


# --- building --------------------------------------------------------------------------------------------------


def build(rust: Toolchain) -> tuple[Path, Path]:
    """Build the extension and the library that gives its counters; return both."""
    settings = {
        **rust.variables,
        **CHECKED,
        "CARGO_TARGET_DIR": str(TARGET_DIR),
        "PYO3_PYTHON": sys.executable,
        "RUSTFLAGS": " ".join(INSTRUMENTED),
    }
    host = next(line[6:] for line in rust.run("rustc", "-vV").stdout.splitlines() if line.startswith("host: "))
    flags = ("--release", "--offline", "--locked", "--quiet", "--target", host)
    done = replace(rust, variables=settings).run("cargo", "build", *flags, cwd=toolchain.NATIVE_CRATE)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    counters = TARGET_DIR / "libcoverage.so"
    done = rust.run("rustc", "--crate-type=cdylib", "-o", str(counters), str(HERE / "coverage.rs"), cwd=HERE)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return TARGET_DIR / host / "release" / "libpolywire_native.so", counters


def loaded(extension: Path) -> ModuleType:
    """Load the extension in place of an installed one."""
    spec = importlib.util.spec_from_file_location("polywire_native", extension)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules["polywire_native"] = module
    return module


class Coverage:
    """The edges that were passed since the start, each with the magnitude of how often in one document."""

    _MAGNITUDES = bytes(1 << min(7, max(0, count.bit_length() - 1)) if count else 0 for count in range(256))

    def __init__(self, library: Path) -> None:
        """Load the library, before the extension is."""
        self._library = ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
        for function in (self._library.counters_start, self._library.counters_stop):
            function.restype = ctypes.c_size_t
        self._seen = 0

    def counters(self) -> ctypes.Array[ctypes.c_uint8]:
        """The counters of the extension."""
        start, stop = self._library.counters_start(), self._library.counters_stop()
        return (ctypes.c_uint8 * (stop - start)).from_address(start)

    def has_grown(self) -> bool:
        """Whether the last document has passed an edge more often than those before; set the counters to 0."""
        counters = self.counters()
        found = int.from_bytes(bytes(counters).translate(self._MAGNITUDES), "little")
        ctypes.memset(counters, 0, len(counters))
        is_new = found & ~self._seen != 0
        self._seen |= found
        return is_new

    def __len__(self) -> int:
        """The number of edges that were passed."""
        counted = self._seen.to_bytes(len(self.counters()), "little")
        return len(counted) - counted.count(0)


# --- comparing -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Input:
    """A document, its type, and the mode."""

    type: str
    strict: bool
    data: bytes | str

    def kept(self) -> bytes:
        """Return what is written to a file."""
        data = self.data if isinstance(self.data, bytes) else self.data.encode("utf-8", "surrogatepass")
        return f"{self.type}\n{'strict' if self.strict else 'lenient'} {type(self.data).__name__}\n".encode() + data


class Comparison:
    """A package that uses the extension, beside itself without it."""

    def __init__(self, package: Any) -> None:
        self.package = package
        self.native = package._native.NATIVE
        assert self.native is not None
        testee = BUNDLED_TESTEES.parent / "testees" / "python.py"
        spec = importlib.util.spec_from_file_location("python_testee", testee)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        self._shape: Callable[[Any, Any], str] = module.shape
        self._odd = [
            *(None, package.UNSET, True, 0, -1, 2**53, 2**53 - 1, -(2**63), 2**63, 0.0, -0.0, 1.5, math.nan, math.inf),
            *("", "a", "é", "\ud800", "\U0010ffff", "a" * 40 + '\x7f"\\', b"", (), [], {}, [None], {"a": 1}, {1: 2}),
            *(object(), type("Text", (str,), {})("a"), [[[]]], {"type": "text", "text": ""}),
        ]

    @contextmanager
    def _in_python(self) -> Iterator[None]:
        """Switch the extension off."""
        wire = self.package._wire
        native, wire.NATIVE = wire.NATIVE, None
        try:
            yield
        finally:
            wire.NATIVE = native

    def number(self, type_: str) -> Any:
        """Return the number of a type."""
        return self.package._native.number_of(type_)

    def compare(self, given: Input, rng: Random) -> None:
        """Compare both on a document. Raises FoundError."""
        package = self.package
        made = self.native.decode(given.data, self.number(given.type), given.strict)
        value, error = self.attempt(given)
        with self._in_python():
            expected, refusal = self.attempt(given)
        told = [None if each is None else (each.code, each.path, each.message) for each in (error, refusal)]
        if told[0] != told[1]:
            raise FoundError(f"with the extension {told[0]}, without {told[1]}")
        if refusal is not None:
            if made is not NotImplemented:
                raise FoundError(f"the extension accepts {made!r}, Python refuses: {refusal}")
            return
        shape = self._shape(package, expected)
        if made is not NotImplemented and self._shape(package, made) != shape:
            raise FoundError(f"the extension gives {self._shape(package, made)}, Python {shape}")
        if self._shape(package, value) != shape:
            raise FoundError(f"decode gives {self._shape(package, value)}, without the extension {shape}")
        line = self.compare_lines(expected, given.type)
        if line is not None:
            again = self.native.decode(line, self.number(given.type), False)
            if again is not NotImplemented and again != expected:
                raise FoundError(f"the line {line!r} is read as {again!r}, not {expected!r}")
        self.spoil(expected, rng)
        self.compare_lines(expected, given.type)

    def attempt(self, given: Input) -> tuple[Any, Any]:
        """Return the value, or the error."""
        try:
            return self.package.decode(given.data, given.type, strict=given.strict), None
        except self.package.DecodeError as error:
            return None, error

    def compare_lines(self, value: Any, type_: str) -> bytes | None:
        """Write a value in both ways. Return the line, or None if there is none."""
        made = self.native.encode(value, self.number(type_))
        with self._in_python():
            try:
                line: bytes | None = self.package.encode(value, type_)
            except (self.package.EncodeError, TypeError, ValueError) as error:
                line, refusal = None, error
        if made is NotImplemented or made == line:
            return line
        raise FoundError(f"the extension writes {made!r}, Python {refusal if line is None else line!r}")

    def spoil(self, value: Any, rng: Random) -> None:
        """Replace one value somewhere within another, in most cases by one that does not fit."""
        while True:
            places = self.places(value)
            if not places:
                return
            put, below = rng.choice(places)
            if self.places(below) and rng.random() < 0.7:
                value = below
                continue
            put(rng.choice(self._odd))
            return

    def places(self, value: Any) -> list[tuple[Callable[[Any], None], Any]]:
        """Return for each value within another a function that replaces it, and the value."""
        package = self.package
        if isinstance(value, package.Record):
            slots = [*type(value).__polywire_fields__, "_extra"]
            return [(lambda new, name=name: setattr(value, name, new), getattr(value, name)) for name in slots]
        if isinstance(value, dict | list):
            keys = [*(value if isinstance(value, dict) else range(len(value)))]
            return [(lambda new, key=key: value.__setitem__(key, new), value[key]) for key in keys]
        return []

    # --- references ----------------------------------------------------------------------------------

    def count(self, batch: list[Input]) -> None:
        """Read and write documents again and again. Raises FoundError if that keeps an object or a reference."""
        classes = [each for each in vars(self.package).values() if isinstance(each, type)]
        watched = [None, True, False, self.package.UNSET, NotImplemented, *classes]
        problem = None
        for _ in range(12):  # caches fill in the first times; what is lost or kept is so each time
            gc.collect()
            before = [*map(sys.getrefcount, watched)]
            blocks = allocated()  # with the numbers above, which are objects too
            self.again(batch)
            grown, after = allocated() - blocks, [*map(sys.getrefcount, watched)]
            changes = {count - earlier: each for each, count, earlier in zip(watched, after, before, strict=True)}
            most = max(changes, key=abs)
            if grown < TIMES and abs(most) < TIMES:
                return
            problem = (
                f"{grown} objects are kept" if grown >= TIMES else f"{most} references to {changes[most]!r} are kept"
            )
        raise FoundError(problem)

    def again(self, batch: list[Input]) -> None:
        """Read and write documents, several times each."""
        for given in batch:
            number = self.number(given.type)
            for _ in range(TIMES):
                value = self.native.decode(given.data, number, given.strict)
            for _ in range(TIMES if value is not NotImplemented else 0):
                self.native.encode(value, number)


def allocated() -> int:
    """Return the number of blocks of memory that objects have."""
    gc.collect()
    return sys.getallocatedblocks()


# --- fuzzing ---------------------------------------------------------------------------------------------------


class Inputs:
    """Documents of the cases, and those that have reached new code, with changes."""

    def __init__(self, seed: int) -> None:
        protocols = Protocols(toolchain.ROOT / "spec")
        cases = load(SAMPLE_CASES, protocols, root=toolchain.ROOT)
        self._corpus = Corpus(protocols.default, cases, seed=seed)
        self._grown: list[Input] = []

    def keep(self, given: Input) -> None:
        """Keep a document, to change it further."""
        if len(given.data) < 1 << 14:
            self._grown.append(given)

    def __len__(self) -> int:
        """The number of documents that were kept."""
        return len(self._grown)

    def draw(self, number: int, rng: Random) -> Input | None:
        """Return the input with a number; None if that document is a stream."""
        if not self._grown or rng.random() < 0.5:
            document = self._corpus.document(number)
            if isinstance(document.content, Stream):
                return None
            return Input(document.type, document.mode == "strict", document.content)
        kept = rng.choice(self._grown)
        data = kept.data
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            data = self.changed(data, rng)
        return replace(kept, data=data, strict=rng.random() < 0.3)

    def changed(self, data: bytes | str, rng: Random) -> bytes | str:
        """Change the structure or the bytes of a document."""
        if isinstance(data, str) and rng.random() < 0.7:
            try:
                return tokens.text(mutated(tokens.parse(data), rng, self._corpus).tree)
            except tokens.TokenError:
                pass
        raw = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
        raw, _ = mutated_bytes(raw, rng, self._corpus)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            return raw


def fuzz(extension: Path, counters: Path, current: Path, seed: int, is_over: Callable[[int], bool]) -> None:
    """Fuzz until it is over, given the number of documents. Each is written to a file, which a crash leaves."""
    coverage = Coverage(counters)
    loaded(extension)
    sys.path.insert(0, str(toolchain.ROOT / "generated" / "python"))
    comparison, inputs = Comparison(importlib.import_module("agentlines")), Inputs(seed)
    start, number, batch = time.monotonic(), 0, list[Input]()
    gc.collect()
    gc.freeze()  # the cases need not be traversed each time that references are counted
    with current.open("w+b") as file:
        file.truncate(1 << 20)
        with mmap.mmap(file.fileno(), 0) as shown:

            def show(given: Input) -> None:
                kept = given.kept()[: len(shown) - 1]
                shown[: len(kept) + 1] = kept + b"\0"

            while not is_over(number):
                rng = Random(f"{seed}:{number}")  # noqa: S311 - cases, not secrets
                given = inputs.draw(number, rng)
                number += 1
                if given is None:
                    continue
                show(given)
                comparison.compare(given, rng)
                if coverage.has_grown():
                    inputs.keep(given)
                batch.append(given)
                if len(batch) == BATCH or is_over(number):
                    counted(comparison, batch, show)
                    batch.clear()
            seconds = time.monotonic() - start
            report = {"documents": number, "kept": len(inputs), "edges": len(coverage), "seconds": round(seconds, 1)}
            print(json.dumps(report))


def counted(comparison: Comparison, batch: list[Input], show: Callable[[Input], None]) -> None:
    """Count references. If some are lost or kept, find the document for which they are."""
    try:
        show(batch[0])
        comparison.count(batch)
    except FoundError:
        half = len(batch) // 2
        for part in (batch[:half], batch[half:]) if half else ():
            counted(comparison, part, show)
        raise


def run(extension: Path, counters: Path, *, seconds: float = 0, documents: int = 0, seed: int = 0) -> tuple[str, str]:
    """Fuzz in a process of its own. Return its report and its errors, both with the file of a finding."""
    FOUND.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        current = Path(folder) / "current"
        command = [sys.executable, "-X", "faulthandler", __file__, "--run", str(extension), str(counters), str(current)]
        command += [str(seconds), str(documents), str(seed)]
        settings = {**os.environ, "POLYWIRE_NATIVE": "1"}
        done = subprocess.run(
            command, env=settings, capture_output=True, encoding="utf-8", errors="replace", check=False
        )
        if done.returncode == 0:
            return done.stdout, ""
        found = FOUND / f"{seed}-{time.time_ns()}"
        if current.exists():
            found.write_bytes(current.read_bytes().partition(b"\0")[0])
        return done.stdout, f"{done.stderr.strip() or 'no output'}\nexit status {done.returncode}; document: {found}"


def run_here(extension: str, counters: str, current: str, seconds: str, documents: str, seed: str) -> None:
    """Fuzz in this process, for some seconds or a number of documents."""
    end, most = time.monotonic() + float(seconds), int(documents)
    is_over = (lambda number: number >= most) if most else (lambda _: time.monotonic() >= end)
    fuzz(Path(extension), Path(counters), Path(current), int(seed), is_over)


def main(seconds: str = "60", seed: str = "0") -> int:
    """Fuzz, and print the report."""
    rust = toolchain.if_prepared(toolchain.rust(), "rust")
    if rust is None:
        sys.exit("there is no Cargo")
    report, errors = run(*build(rust), seconds=float(seconds), seed=int(seed))
    print(report + errors)
    return 1 if errors else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"]:
        run_here(*sys.argv[2:])
    else:
        sys.exit(main(*sys.argv[1:3]))
