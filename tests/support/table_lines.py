"""Lines for readers of tables: captured, drawn and spoilt ones of the two specs that have tables."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from corpora import CAPTURES, PROTOCOLS
from polywire.conformance.case import Case, load
from polywire.conformance.documents import Corpus, Stream
from polywire.conformance.protocols import Protocol, Protocols
from polywire.plan.tables import tables_plan
from sampling import SEED
from toolchain import ROOT

SPECS = {"agentlines": PROTOCOLS, "ledger": Protocols(ROOT / "tests" / "specs" / "ledger")}
ROOTS = [("agentlines", "TranscriptEntry"), ("agentlines", "WireMessage"), ("ledger", "Entry"), ("ledger", "Closing")]
"""Each root that has tables, with the name of its spec."""


@cache
def captured() -> list[Case]:
    """Some captured lines, of both roots."""
    return load([CAPTURES / "sessions" / "0.3.332", CAPTURES / "0.3.330"], PROTOCOLS)


def lines(protocol: Protocol, root: str, count: int) -> Iterable[bytes]:
    """Draw lines: instances of a root, captured lines and the mutants of both, with and without faults."""
    plans = [plan for plan in tables_plan(protocol.model).tables if plan.root == root]
    types = {root, *(struct for plan in plans for struct in plan.structs)}
    for each in Corpus(
        protocol, captured() if protocol == PROTOCOLS.default else (), seed=SEED, types=types
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


VALUES = [
    *("0", "-0", "1", "123456789012345678901234567890", "1.0", "-0.0", "1e2", "1E+2", "0.1", "123456.789"),
    *("1e15", "1e16", "1.5e16", "9999999999999998.0", "1e-4", "0.0001", "1e-5", "5e-324", "1e-400", "1e400", "[1e400]"),
    *("9007199254740991", "9007199254740992", "9007199254740991.0", "-9007199254740992", "1" * 4300, "1" * 4301),
    *(r'"\ud800"', r'"\uDC00\ud800x"', r'"\ud83d\ude00"', r'"\ud83d\ud83d\ude00"', r'"\ufffd"', r'"\\ud800"'),
    *(r'"\u0000\u001f\b\f\n\r\t\/\"\\ \u007f\u2028<&>"', '"é\u2028\U0001f600"', '"\x7f"', '"\xff"'),
    *('{"b":1,"a":2,"b":{"a":[]}}', r'{"\ud800":1,"\ud801":2,"\ufffd":3}', '{ "a" : [ 1 , { } , [ ] ] }', "[1,,2]"),
    *("[" * 126 + "]" * 126, "[" * 127 + "]" * 127, "[" * 128 + "]" * 128, '"\x00"', "nan", "true", "null", '""'),
    *('"2026-11-29T01:02:03Z"', '"2026-11-29T01:02:03.1234567+05:30"', '"1969-12-31T23:59:59.9999999Z"'),
    *('"0000-02-29T00:00:00Z"', '"9999-12-31T23:59:59-23:59"', '"2026-02-29T00:00:00Z"', '"2026-11-29T24:00:00Z"'),
    *('"2026-11-29T01:02:60Z"', '"2026-11-29t01:02:03z"', '"2026-11-29T01:02:03"', '"2026-11-29T01:02:03,5Z"'),
    *('"2026-11-29T01:02:03+24:00"', '"2026-11-29T01:02:03+00:60"', '"2026-11-29T01:02:03Z\\n"'),
]
"""JSON values, at the limits of what a column holds and where languages spell the same value differently."""

LINES = [
    *(b" ", b"\t\r", b"\r", b"", b' {"type":"booking"} \r', b'{"type":"booking","more":\r1}\r\r', b"{}", b"[]", b"1"),
    *(
        b'{"type":"booking","more":"\xff"}',
        b'{"type":"booking","more":"\xed\xa0\x80"}',
        b'\xef\xbb\xbf{"type":"booking"}',
    ),
    *(
        b'{"type":"note"}{}',
        b'{"type":"no","type":"note"}',
        b'{"type":null}',
        b'{"\\u0074ype":"note"}',
        b'{"type":"book',
    ),
]

MEMBERS = ("more", "sum", "count", "at", "id", "flag", "labels", "counts", "firm")

EDGES = [f'{{"type":"booking","{member}":{value}}}'.encode() for value in VALUES for member in MEMBERS] + LINES
"""Lines of the spec `ledger` with each value in each of some members, and lines without rows."""
