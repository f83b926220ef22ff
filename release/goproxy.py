"""The files of a Go module → the files of its version as module proxies serve them, below the module's path.

A proxy is a web server, or a folder that `GOPROXY=file://…` names, with `list`, `VERSION.info`, `VERSION.mod` and
`VERSION.zip` of each module: https://go.dev/ref/mod#goproxy-protocol. The zip obeys the rules of
https://go.dev/ref/mod#zip-files, and depends on nothing but the files.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping
from datetime import datetime, timezone

_MODULE = re.compile(r"^module (\S+)$", re.MULTILINE)
_PATH = re.compile(r"[A-Za-z0-9_~!#$%&()+,.@^{}=\[\] -]+(/[A-Za-z0-9_~!#$%&()+,.@^{}=\[\] -]+)*")
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # a zip has to say a time for each file; nobody looks at it


class ModuleError(Exception):
    """The files are no module that can have that version; the message says why."""


def proxied(files: Mapping[str, bytes], version: str, epoch: int) -> dict[str, bytes]:
    """What a proxy has of one version (without its `v`), by path. `epoch` is when it was made, in seconds. Raises."""
    module = path_of(files["go.mod"].decode(), version)
    folder, tag = f"{escaped(module)}/@v", f"v{version}"
    made = datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {
        f"{folder}/list": f"{tag}\n".encode(),
        f"{folder}/{tag}.info": json.dumps({"Version": tag, "Time": made}).encode(),
        f"{folder}/{tag}.mod": files["go.mod"],
        f"{folder}/{tag}.zip": _zip(files, f"{module}@{tag}"),
    }


def path_of(go_mod: str, version: str) -> str:
    """The module's path, which from the second major version on ends in it. Raises `ModuleError`."""
    found = _MODULE.search(go_mod)
    if found is None:
        raise ModuleError("go.mod names no module")
    major = int(version.split(".", maxsplit=1)[0])
    if major > 1 and not found[1].endswith(f"/v{major}"):
        raise ModuleError(f"the path of a module of version {version} ends in /v{major}, and {found[1]} does not")
    return found[1]


def escaped(module: str) -> str:
    """A module's path on file systems that ignore case: a capital is its small letter behind an exclamation mark."""
    return re.sub(r"[A-Z]", lambda capital: "!" + capital[0].lower(), module)


def _zip(files: Mapping[str, bytes], prefix: str) -> bytes:
    to = io.BytesIO()
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, contents in sorted(files.items()):
            if not _PATH.fullmatch(path):
                raise ModuleError(f"no file of a module can be called {path!r}")
            entry = zipfile.ZipInfo(f"{prefix}/{path}", _EARLIEST)
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o644 << 16, 3
            archive.writestr(entry, contents)
    return to.getvalue()
