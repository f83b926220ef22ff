"""Rows of what the packages weigh: start-up, bundles, programs, compile times, lines of code."""

from __future__ import annotations

from functools import partial

import peers
import weigh
from measure import Figure, whole_runs
from rows import RUST, row

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
    """As above, with the modules compiled on import, those with pydantic's models as well."""
    ours, peer = (partial(run, compiled=False) for run in (weigh.python_start, weigh.pydantic_start))
    return Figure(whole_runs(partial(ours, peers.GENERATED), peer, rounds=3).values, weigh.captured_session().name)


def bundles() -> dict[str, int]:
    """The bytes of the bundles of the package."""
    sizes: dict[str, int] = peers.once("bundles", lambda: weigh.bundles(peers.GENERATED))
    return sizes


def bundle(name: str, peer: str) -> Figure:
    """The size of a bundle, as a multiple of another."""
    sizes = bundles()
    return Figure([sizes[name] / sizes[peer]], f"{sizes[name]:,} and {sizes[peer]:,} bytes")


def kilobytes(name: str) -> Figure:
    """The size of a bundle."""
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

for _target, _waits in {"python": "", "typescript": "", "go": "", "rust": RUST}.items():
    row(
        f"{_target}: generated code lines for each property",
        "",
        must=10,
        aim=7,
        unit="lines",
        waits_for=_waits,
        name=f"{_target}_lines",
    )(lambda target=_target: Figure([weigh.lines_per_property(peers.GENERATED, target)]))


@row("Go: a stripped program that reads a stream", "the listing", must=1.0, aim=0.6, unit="MB more")
def go_program() -> Figure:
    """The difference of two programs that do the same."""
    ours, peer = weigh.go_program("reader"), weigh.go_program("listingreader")
    return Figure([ours - peer], f"{ours:.2f} and {peer:.2f} MB")


@row("Go: CPU to compile the package", "go build std", must=0.12, aim=0.06)
def go_compile() -> Figure:
    """Once each, as it takes a minute."""
    ours, peer = weigh.own(weigh.go_compile), weigh.go_std()
    return Figure([ours / peer], f"{ours:.1f} and {peer:.1f} s")


@row(
    "Rust: CPU of a release build of the crate alone",
    "serde derive on the same types",
    must=1.0,
    aim=0.5,
)
def rust_compile() -> Figure:
    """Once each, as it takes a minute."""
    ours, peer = weigh.own(weigh.rust_compile), weigh.serde_compile()
    return Figure([ours / peer], f"{ours:.1f} and {peer:.1f} s")
