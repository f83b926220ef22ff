"""Lines for readers of tables: captured, drawn and spoilt ones of the two specs that have tables."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from polywire.conformance.case import Case, load
from polywire.conformance.documents import Corpus, Stream
from polywire.conformance.protocols import Protocol, Protocols
from polywire.plan.tables import tables_plan
from sampling import SEED
from toolchain import ROOT

CAPTURES = ROOT / "tests" / "captures"
SPECS = {name: Protocols(ROOT / folder) for name, folder in (("agentlines", "spec"), ("ledger", "tests/specs/ledger"))}
PROTOCOLS = {name: each.default for name, each in SPECS.items()}
ROOTS = [(name, root) for name, protocol in PROTOCOLS.items() for root in tables_plan(protocol.model).roots]
"""Each root that has tables, with the name of its spec."""


@cache
def captured() -> list[Case]:
    """Some captured lines, of both roots."""
    return load([CAPTURES / "sessions" / "0.3.332", CAPTURES / "0.3.330"], SPECS["agentlines"])


def lines(protocol: Protocol, root: str, count: int) -> Iterable[bytes]:
    """Draw lines: instances of a root, captured lines and the mutants of both, with and without faults."""
    plans = [plan for plan in tables_plan(protocol.model).tables if plan.root == root]
    types = {root, *(struct for plan in plans for struct in plan.structs)}
    for each in Corpus(
        protocol, captured() if protocol == PROTOCOLS["agentlines"] else (), seed=SEED, types=types
    ).documents():
        match each.content:
            case Stream(chunks=chunks):
                content = b"".join(chunks)
            case str() as text:
                content = text.encode("utf-8", "surrogatepass")
            case bytes() as content:
                pass
        yield content.replace(b"\n", b" ")
        count -= 1
        if count == 0:
            return
