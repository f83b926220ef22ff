"""Many files of lines → their rows, as a cluster of Ray reads them: read_in_ray.py FOLDER OUT SESSIONS.

One of its two workers is killed while the files of FOLDER are read. OUT has a Parquet file of each table. Last, the
example answers its questions about SESSIONS.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import ray  # type: ignore[import-not-found]
import ray_sessions  # type: ignore[import-not-found]
from ray.cluster_utils import Cluster  # type: ignore[import-not-found]

TASKS = 16
"""How many tasks read the files."""

NODE = {"include_dashboard": False, "object_store_memory": 100 << 20}


def main(folder: Path, out: Path, sessions: Path) -> None:
    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "num_cpus": 0})  # the head cannot be lost
    try:
        for _ in range(2):
            cluster.add_node(**NODE, num_cpus=1)
        ray.init(address=cluster.address)
        files = sorted(folder.iterdir())
        tasks = [ray.remote(killed).remote(at, files[at::TASKS], out) for at in range(TASKS)]
        found: dict[str, list[Any]] = {}
        for name, batch in (each for task in tasks for each in ray.get(task)):
            found.setdefault(name, []).append(batch)
        for name, batches in found.items():
            pq.write_table(pa.Table.from_batches(batches), out / f"{name}.parquet")
        ray.shutdown()
        command = [sys.executable, ray_sessions.__file__, str(sessions)]
        subprocess.run(command, env={**os.environ, "RAY_ADDRESS": cluster.address}, check=True)
    finally:
        cluster.shutdown()


def killed(number: int, files: list[Path], out: Path) -> list[tuple[str, Any]]:
    """Read files as the example does; in the middle of the job, kill the worker once, after a half of the files."""
    half = len(files) // 2
    found = ray_sessions.read(files[:half])
    if number == TASKS // 2:
        kill_worker_once(out / "killed")
    return [*found, *ray_sessions.read(files[half:])]


def kill_worker_once(record: Path) -> None:
    """Kill this process and its parent, the raylet, which stores the results of other tasks."""
    try:
        record.touch(exist_ok=False)
    except FileExistsError:
        record.with_name("read again").touch()
        return
    raylet = os.getppid()
    assert b"raylet" in Path(f"/proc/{raylet}/cmdline").read_bytes().split(b"\0")[0]
    os.kill(raylet, signal.SIGKILL)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
