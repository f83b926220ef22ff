"""Files and folders on disk: read without following links, written durably, locked while a run works on them."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from polywire.writing.results import OutputError

LOCK_SECONDS = 60.0


# --- reading ---------------------------------------------------------------------------------------------------


def resolved(out: Path) -> Path:
    """Resolve the folder; `out` itself may be a symbolic link, but nothing below it may be one."""
    try:
        root = out.resolve()
        mode = root.stat().st_mode if root.exists() else stat.S_IFDIR
    except (OSError, RuntimeError) as error:
        raise OutputError(f"{out}: {reason(error)}") from error
    if not stat.S_ISDIR(mode):
        raise OutputError(f"{out}: expected a folder, found a file; choose another folder with --out")
    return root


def _mode(root: Path, path: str) -> int | None:
    """Return the mode of a file or folder, or None if it does not exist. Raises `OutputError` if a link leads to it."""
    here, mode = root, stat.S_IFDIR
    for part in path.split("/"):
        if not stat.S_ISDIR(mode):
            return None
        here /= part
        try:
            mode = here.lstat().st_mode
        except FileNotFoundError:
            return None
        except OSError as error:
            raise OutputError(f"{here}: {reason(error)}") from error
        if stat.S_ISLNK(mode):
            raise OutputError(f"{here}: is a symbolic link, and polywire does not write through links; remove it")
    return mode


def read(root: Path, path: str) -> bytes | None:
    mode = _mode(root, path)
    if mode is None or stat.S_ISDIR(mode):
        return (
            None  # a file where a folder should be, or the reverse, is refused before anything is written (`output.py`)
        )
    if not stat.S_ISREG(mode):
        raise OutputError(f"{root / path}: is not a regular file, and polywire does not replace it; remove it")
    try:
        return (root / path).read_bytes()
    except OSError as error:
        raise OutputError(f"{root / path}: {reason(error)}") from error


def peek(root: Path, path: str) -> bytes | None:
    """Like `read`, for files that will not be written: anything but a plain file is ignored."""
    try:
        return read(root, path)
    except OutputError:
        return None


def walk(root: Path, folder: str) -> Iterator[tuple[str, list[str], list[str]]]:
    """Walk through a folder, if there is one. Raises `OutputError` if a link leads to it: `os.walk` would follow it."""
    _mode(root, folder)
    return os.walk(root / folder)


def reason(error: BaseException) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()


# --- writing ---------------------------------------------------------------------------------------------------


def store(path: Path, contents: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    with open(descriptor, "wb") as file:  # noqa: PTH123  (a descriptor has no Path)
        file.write(contents)
        file.flush()
        os.fsync(file.fileno())


def remove(root: Path, path: str) -> None:
    """Remove a file, and the folders that become empty."""
    place = root / path
    place.unlink(missing_ok=True)
    for parent in place.parents:
        if parent == root:
            return
        try:
            parent.rmdir()
        except OSError:
            return  # not empty


@contextlib.contextmanager
def new_folders() -> Iterator[list[Path]]:
    """A list of new folders, outermost first; if the block fails, those that are empty are removed."""
    new: list[Path] = []
    try:
        yield new
    except BaseException:
        remove_empty(new)
        raise


def remove_empty(folders: list[Path]) -> None:
    for folder in reversed(folders):
        with contextlib.suppress(OSError):  # it is not empty, or gone
            folder.rmdir()


def make_folders(folder: Path, new: list[Path]) -> None:
    """Create a folder and its parents, and add the new ones to `new`."""
    try:
        folder.mkdir()
    except FileExistsError:
        if not folder.is_dir():
            raise
    except FileNotFoundError:
        make_folders(folder.parent, new)
        make_folders(folder, new)
    else:
        new.append(folder)


def sync_folder(path: Path) -> None:
    """Make renames in a folder durable; some systems cannot do this and do not need it."""
    with contextlib.suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


# --- locking ---------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def locked(root: Path, *, shared: bool = False) -> Iterator[None]:
    """Keep other runs out of the folder. The lock is on the folder: it leaves no file and ends with the process."""
    if sys.platform == "win32" or not root.exists():  # there, only atomic renames keep files whole
        yield
        return
    try:
        descriptor = os.open(root, os.O_RDONLY)
    except OSError as error:
        raise OutputError(f"{root}: {reason(error)}") from error
    try:
        _wait_for_lock(descriptor, root, shared=shared)
        yield
    finally:
        os.close(descriptor)


def _wait_for_lock(descriptor: int, root: Path, *, shared: bool) -> None:
    give_up = time.monotonic() + LOCK_SECONDS
    while not _try_lock(descriptor, shared=shared):
        if time.monotonic() > give_up:
            raise OutputError(f"{root}: locked by another polywire process for more than {LOCK_SECONDS:.0f} s")
        time.sleep(0.02)


def _try_lock(descriptor: int, *, shared: bool) -> bool:
    import fcntl

    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks; the renames are still atomic
    return True
