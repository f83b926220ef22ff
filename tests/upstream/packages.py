"""Fictitious npm packages, and a fictitious spec that describes one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

PACKAGE = "@acme/agent"

SPEC = """\
polywire: 1
protocol:
  name: acme
  title: Acme
  doc: What the agent of Acme writes.
  version: 1.0.0
  framing: ndjson
  peers: [agent, client]
  roots: [Line, Options]
packages: {python: {distribution: acme, module: acme}}
messages:
  Hello:
    doc: The first line.
    source: agent.d.ts 1.0.0, AcmeHello
    targets: {typescript: {name: AcmeHello}}
    from: agent
    tag: {type: hello}
    fields:
      mode: {type: Mode, doc: How it runs.}
      count: {type: integer, doc: How many.}
      old?: {type: string, doc: Of no use any more.}
      label:
        type: string
        doc: For people.
  Bye:
    doc: The last line.
    source: agent.d.ts 1.0.0, AcmeBye
    targets: {typescript: {name: AcmeBye}}
    from: agent
    tag: {type: bye}
    fields:
      at?:
        type: string
        doc: When.
enums:
  Mode:
    doc: How it runs.
    open: true
    values:
      fast: With little care, and quickly.
      slow: With care.
unions:
  Line:
    doc: What stands on a line.
    targets: {typescript: {name: AcmeLine}}
    open: true
    by: type
    variants: [Hello, Bye]
types:
  Limits:
    doc: How far it may go.
    fields:
      most:
        type: number
        doc: In seconds.
options:
  Options:
    doc: How it starts.
    fields:
      limits?:
        type: Limits
        doc: How far it may go.
"""

RELEASES = f"""\
package = "{PACKAGE}"
files = ["agent.d.ts"]
expand = ["acme-api"]
lines = ["AcmeLine"]

[roots]
AcmeLine = "Line"
Options = "Options"

[releases]
"1.0.0" = {{acme-api = "0.1.0"}}
"""

DIFFERENCES = """\
[[difference]]
rule = "integer"
place = "AcmeHello/count"
reason = "It counts."

[[difference]]
rule = "open"
place = "*"
reason = "Lists grow."
"""

API = "export interface Limits { most: number }\n"

OLD = """\
import type { Limits } from "acme-api";
export type AcmeLine = AcmeHello | AcmeBye;
type Mode = "fast" | "slow";
export interface AcmeHello { type: "hello"; mode: Mode; count: number; old?: string; label: string }
export type AcmeBye = { type: "bye"; at?: string };
export type Options = { limits?: Limits };
"""

NEW = """\
import type { Limits } from "acme-api";
export type AcmeLine = AcmeHello | AcmeBye | AcmeNews | AcmeSecret;
type Mode = "fast" | "slow" | "idle";
export interface AcmeHello { type: "hello"; mode: Mode; count: number; label: string | null; size: number }
export type AcmeBye = { type: "bye"; at: string };
/** @internal */
export type AcmeNews = { type: "news"; topics: { name: string; rank?: number }[]; kind: "a" | "b" };
export type Options = { limits?: Limits; onDone?: () => void; theme?: "dark" | "light" };
"""


def package(folder: Path, release: str, declarations: str, *, api: str | None = API) -> Path:
    """Install a release in a folder, with the package that it imports from; return the folder."""
    installed = folder / "node_modules" / PACKAGE
    installed.mkdir(parents=True)
    (installed / "agent.d.ts").write_text(declarations, encoding="utf-8")
    (installed / "package.json").write_text(json.dumps({"name": PACKAGE, "version": release}), encoding="utf-8")
    if api is not None:
        other = folder / "node_modules" / "acme-api"
        other.mkdir()
        (other / "index.d.ts").write_text(api, encoding="utf-8")
        said = {"name": "acme-api", "version": "0.1.0", "types": "index.d.ts"}
        (other / "package.json").write_text(json.dumps(said), encoding="utf-8")
    return folder


def spec(folder: Path, files: Mapping[str, str] | None = None) -> Path:
    """Write the spec into a folder, with the configuration of `polywire upstream`; return the folder."""
    folder.mkdir()
    (folder / "releases").mkdir()
    said = {"protocol.yaml": SPEC, "releases.toml": RELEASES, "releases/differences.toml": DIFFERENCES}
    for name, text in {**said, **(files or {})}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def patched(folder: Path, patch: str) -> None:
    """Apply a unified diff to the files of a folder; fail if its context does not match."""
    for part in re.split(r"(?m)^--- a/", patch)[1:]:
        name, rest = part.split("\n", 1)
        path = folder / name
        lines = path.read_text(encoding="utf-8").split("\n")
        done: list[str] = []
        at = 0
        for hunk in re.split(r"(?m)^@@ ", rest)[1:]:
            header, body = hunk.split("\n", 1)
            start = int(re.match(r"-(\d+)", header).group(1)) - 1  # type: ignore[union-attr]
            done += lines[at:start]
            at = start
            for row in body.split("\n"):
                if row[:1] in ("-", " "):
                    assert lines[at] == row[1:], (name, at)
                    at += 1
                if row[:1] in ("+", " "):
                    done.append(row[1:])
        path.write_text("\n".join([*done, *lines[at:]]), encoding="utf-8")
