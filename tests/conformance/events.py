"""A wait for testees that ends on events instead of timeouts, so that no test depends on the speed of the machine."""

from __future__ import annotations

import contextlib
import os
import queue
from pathlib import Path

from polywire.conformance.process import End


class Watch:
    """A `process.Wait` for `fake.py`: a wait times out when the testee reports that it hangs.

    A wait of `enough` seconds or more does not time out. The testee is resumed instead, as if it were only slow.
    """

    def __init__(self, folder: Path, *, enough: float = float("inf")) -> None:
        self.folder = folder
        self.over: list[float] = []
        """The lengths of the waits that timed out."""
        self._enough = enough
        self._hanging = False
        for name in ("hangs", "go"):
            os.mkfifo(folder / name)
        self._hangs = os.open(folder / "hangs", os.O_RDONLY | os.O_NONBLOCK)

    def __call__(self, output: queue.Queue[bytes | End], seconds: float) -> bytes | End | None:
        while True:
            try:
                return output.get(timeout=0.01)
            except queue.Empty:
                if not self._hanging and not self.reported():
                    continue
            # what the testee wrote before its report may still be on its way through the thread that reads it
            self._hanging = True
            with contextlib.suppress(queue.Empty):
                return output.get(timeout=0.25)
            self._hanging = False
            if seconds < self._enough:
                self.over.append(seconds)
                return None
            (self.folder / "go").write_bytes(b"")

    def reported(self) -> bool:
        """Return true once for each report of a testee that it hangs."""
        try:
            return bool(os.read(self._hangs, 1))
        except BlockingIOError:
            return False

    def close(self) -> None:
        os.close(self._hangs)
