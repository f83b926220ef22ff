"""Rows about the weight of the packages: start-up, bundles, programs, compile times, lines of code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from functools import partial

import peers
import weigh
from measure import Cost, Figure, whole_runs
from rows import row

PYDANTIC = "the same with pydantic models"
AJV = "ajv standalone of the root"
KILOBYTE = 1_000


@row("Python: CPU of import and of decoding a session, .pyc present", PYDANTIC, must=0.12, aim=0.07)
def python_start() -> Figure:
    """The longest captured session of at most 50 lines."""
    figure = whole_runs(partial(weigh.python_start, peers.GENERATED), weigh.pydantic_start, rounds=3)
    return Figure(figure.values, weigh.captured_session().name)


@row("Python: CPU of import and of decoding a session, .pyc absent", PYDANTIC, must=0.25, aim=0.15)
def python_start_uncompiled() -> Figure:
    """As above, with the modules compiled on import, including those with pydantic's models."""
    ours, peer = (partial(run, compiled=False) for run in (weigh.python_start, weigh.pydantic_start))
    return Figure(whole_runs(partial(ours, peers.GENERATED), peer, rounds=3).values, weigh.captured_session().name)


def bundles() -> dict[str, int]:
    """Return the sizes in bytes of the package's bundles."""
    sizes: dict[str, int] = peers.once("bundles", lambda: weigh.bundles(peers.GENERATED))
    return sizes


def bundle(name: str, peer: str) -> Figure:
    """Return the size of a bundle as a multiple of another."""
    sizes = bundles()
    return Figure([sizes[name] / sizes[peer]], f"{sizes[name]:,} and {sizes[peer]:,} bytes")


def kilobytes(name: str) -> Figure:
    """Return the size of a bundle."""
    return Figure([bundles()[name] / KILOBYTE])


row(
    "JavaScript, minified and gzipped: `decode` of the root",
    AJV,
    must=0.33,
    aim=0.23,
    name="javascript_bundle_root",
)(partial(bundle, "root", "ajv"))
row(
    "JavaScript, minified and gzipped: everything",
    AJV,
    must=0.45,
    aim=0.35,
    name="javascript_bundle_all",
)(partial(bundle, "all", "ajv"))
row(
    "JavaScript, minified and gzipped: one enum constant",
    "",
    must=0.5,
    unit="KB",
    name="javascript_bundle_constant",
)(partial(kilobytes, "constant"))
row(
    "JavaScript, minified and gzipped: one leaf guard",
    "",
    must=4,
    unit="KB",
    name="javascript_bundle_guard",
)(partial(kilobytes, "guard"))

for _target in ("python", "typescript", "go", "rust"):
    row(
        f"{_target}: generated code lines for each property",
        "",
        must=10,
        aim=7,
        unit="lines",
        name=f"{_target}_lines",
    )(lambda target=_target: Figure([weigh.lines_per_property(peers.GENERATED, target)]))


@row("Go: a stripped program that reads a stream", "the listing", must=1.0, aim=0.6, unit="MB more")
def go_program() -> Figure:
    """Compare two programs that do the same."""
    ours, peer = weigh.go_program("reader"), weigh.go_program("listingreader")
    return Figure([ours - peer], f"{ours:.2f} and {peer:.2f} MB")


@row("Go: CPU to compile the package", "go build std", must=0.12, aim=0.06)
def go_compile() -> Figure:
    """The standard library is built once, since it takes a minute."""
    ours, peer = weigh.own(weigh.go_compile), weigh.go_std()
    return Figure([ours / peer], f"{ours:.1f} and {peer:.1f} s")


def rust_builds() -> tuple[Cost, Cost]:
    """Measure release builds of the crate alone and of the peer, once each per run, since each takes a minute."""
    return built("rust_build", partial(weigh.rust_build, peers.GENERATED)), built("serde_build", weigh.serde_build)


def built(name: str, build: Callable[[], Cost]) -> Cost:
    """Return the cost of a build, which several rows of a run need."""
    return Cost(**peers.once(name, lambda: asdict(build())))


@row("Rust: CPU of a release build of the crate alone", "serde derive on the same types", must=1.0, aim=0.5)
def rust_compile() -> Figure:
    """The peer's build contains only its types."""
    ours, peer = rust_builds()
    return Figure([ours.seconds / peer.seconds], f"{ours.seconds:.1f} and {peer.seconds:.1f} s")


@row("Rust: memory of a release build of the crate alone", "serde derive on the same types", must=1.5, aim=1.0)
def rust_compile_memory() -> Figure:
    """The peak memory of the compiler."""
    ours, peer = rust_builds()
    return Figure([ours.megabytes / peer.megabytes], f"{ours.megabytes:.0f} and {peer.megabytes:.0f} MB")


@row("Rust: CPU of a release build of a program", "the same with serde derive", must=0.5, aim=0.25)
def rust_program() -> Figure:
    """Both programs read messages from a stream and write them."""
    ours, peer = weigh.rust_program("ours"), weigh.rust_program("peers")
    return Figure([ours / peer], f"{ours:.1f} and {peer:.1f} s")
