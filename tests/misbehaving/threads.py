"""A client with threads that runs misbehaving programs, and prints what it sees of each."""

from __future__ import annotations

import json
import sys
import time

import agentlines as al
from seen import LIMIT, LONG, Seen, launch


def rest(process: al.Process, seen: Seen, *, closed: bool) -> None:
    """Take events to the end, or until the program is to be closed."""
    try:
        for event in process:
            if seen.event(event) and not closed:
                return
    except al.ProcessError as error:
        seen.told["end"] = str(error)


def run(kind: str, program: str, *, first: str, size: int, grace: float, patience: float) -> None:
    seen = Seen(kind)
    try:
        process = al.Process("sdk", launch(size), program=program, limit=LIMIT).start()
    except OSError as error:
        seen.unstarted(error)
    else:
        if first == "answer":
            seen.request(process.started["initialize"].exception())
        rest(process, seen, closed=False)
        status = process.close(grace=grace, patience=patience)
        rest(process, seen, closed=True)
        if first == "events":
            seen.request(process.started["initialize"].exception())
        seen.end(process, status)
        del process
    deadline = time.monotonic() + LONG
    while not seen.is_quiet() and time.monotonic() < deadline:
        time.sleep(0.005)
    seen.show()


for each in json.loads(sys.argv[1]):
    run(**each)
