"""Keep the messages of a session in records of this program's own, and compare what comes back.

python store.py SESSION STORE
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import agentlines as al


@dataclass(frozen=True)
class Record:
    """A message, and what this program knows about it."""

    number: int
    note: str
    message: al.SDKMessage

    def line(self) -> str:
        """The record as JSON."""
        return json.dumps({"number": self.number, "note": self.note, "message": al.to_dict(self.message)}) + "\n"

    @classmethod
    def of(cls, line: str) -> Record:
        """The record of a line."""
        held = json.loads(line)
        return cls(held["number"], held["note"], al.from_dict(held["message"], al.SDKMessage))


def records(session: Path) -> Iterator[Record]:
    """The messages of a session."""
    with session.open("rb") as file:
        for number, item in enumerate(al.Reader(file, al.SDKMessage)):
            if not isinstance(item, al.BadLine):
                yield Record(number, type(item).__name__, item)


def main(session: Path, store: Path) -> None:
    """Write the records, read them again, and print how many are equal to those that were written."""
    written = [*records(session)]
    store.write_text("".join(record.line() for record in written), encoding="utf-8")
    read = [Record.of(line) for line in store.read_text(encoding="utf-8").splitlines()]
    equal = sum(one == other for one, other in zip(written, read, strict=True))
    print(json.dumps({"stored": len(read), "equal": equal}))


main(*map(Path, sys.argv[1:3]))
