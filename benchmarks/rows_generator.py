"""Rows about the generator: how long it takes, and how its output grows with the spec."""

from __future__ import annotations

import gc
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import yaml

import peers
import weigh
from measure import COMPILED, Figure, cpu_seconds, seconds, whole_runs
from polywire.model.nodes import Model
from polywire.source.types import Ref
from rows import row

TIMES = 5
"""Size of the larger spec as a multiple of the original."""

SPEC = peers.ROOT / "spec"


@row("generate, all targets", "datamodel-code-generator, one flavour", must=0.6, aim=0.3)
def generate() -> Figure:
    """CPU time of whole processes, from a cold start to files on disk."""
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch)

        def ours() -> float:
            shutil.rmtree(out / "generated", ignore_errors=True)
            return cpu_seconds(generating(SPEC, out / "generated"), env=COMPILED)

        def peer() -> float:
            return cpu_seconds(peers.codegen(out / "models.py"), env=COMPILED)

        return whole_runs(ours, peer, rounds=3)


def generating(spec: Path, out: Path) -> list[str]:
    """Return the command that generates every target, without the flavours, which the peer itself generates."""
    command = [sys.executable, "-m", "polywire", "generate", "--spec", str(spec)]
    return [*command, "--out", str(out), "--no-add-ons"]


@row("generate: a spec five times as large", "itself", must=5.5, aim=5)
def fivefold_generate() -> Figure:
    """Read, check and render all targets in one process, so that the start-up time does not improve the ratio."""
    from polywire.checks import check
    from polywire.plan import make_plan
    from polywire.targets import registry
    from polywire.writing.render import render

    def pipeline(folder: Path) -> Callable[[], None]:
        def run() -> None:
            report = check(folder)
            if report.model is None or report.failed:
                raise SystemExit(f"{folder} has findings: {report.findings[:3]}")
            plan = make_plan(report.model)
            for target in registry().values():
                render(target, plan)

        return run

    gc.disable()  # as the command line does
    with tempfile.TemporaryDirectory() as scratch:
        big = Path(scratch) / "spec"
        multiply(SPEC, big, TIMES)
        return whole_runs(partial(seconds, pipeline(big)), partial(seconds, pipeline(SPEC)), rounds=3)


@cache
def fivefold() -> Path:
    """Return the packages generated from the larger spec, once per run."""
    folder = peers.scratch() / "fivefold"
    if not folder.exists():
        half = peers.scratch() / "half_made"
        shutil.rmtree(half, ignore_errors=True)  # left by a row that failed
        multiply(SPEC, half / "spec", TIMES)
        subprocess.run(
            generating(half / "spec", half / "generated"), check=True, stdout=subprocess.DEVNULL, env=COMPILED
        )
        half.rename(folder)
    return folder / "generated"


def heavier(weight: Callable[[Path], float]) -> Figure:
    """Return the weight of a larger package as a multiple of our own."""
    own = weigh.own(weight)
    return Figure([weight(fivefold()) / own])


WEIGHTS: dict[str, tuple[str, Callable[[Path], float]]] = {
    "python_start": ("CPU of import and of decoding a session in Python", weigh.python_start),
    "javascript_bundle": ("JavaScript, everything, minified and gzipped", weigh.javascript_bundle),
    "go_compile": ("CPU to compile the Go package", weigh.go_compile),
    "rust_compile": ("CPU of a release build of the Rust crate", weigh.rust_compile),
}
"""By row: the weight of a package."""

for _name, (_what, _weight) in WEIGHTS.items():
    row(
        f"{_what}: a spec five times as large",
        "itself",
        must=5.5,
        aim=5,
        name=f"fivefold_{_name}",
    )(partial(heavier, _weight))


def multiply(spec: Path, out: Path, times: int) -> None:
    """Write a spec with every declaration of `spec` and `times - 1` renamed copies of each, all reachable."""
    from polywire.model.build import build
    from polywire.source import load

    model = build(load(spec)).model
    if model is None:
        raise SystemExit(f"{spec} has findings; run polywire lint")
    shutil.copytree(spec, out, ignore=shutil.ignore_patterns("dialects"))
    entry = yaml.safe_load((spec / "protocol.yaml").read_text(encoding="utf-8"))
    parts, roots = entry["parts"], entry["protocol"]["roots"]
    payload = payload_union(model)
    made = {maker.name for struct in model.structs for maker in struct.constructors}
    sources = ((spec / part).read_text(encoding="utf-8") for part in parts)
    declared = (re.split(r"\n(?:controls|tables|tools):\n", text)[0] for text in sources)
    written = {name for text in declared for name in re.findall(r"^  (\w+):", text, re.MULTILINE)}
    named = {*written, *(union.unknown for union in model.unions), *made} - {payload}
    names = "|".join(sorted(named, key=len, reverse=True))
    requests = "|".join(re.escape(control.key) for control in model.controls)
    for copy in range(1, times):
        for part in list(parts[: len(parts) // copy]):
            text = (spec / part).read_text(encoding="utf-8")
            text = re.sub(rf"\b({names})\b", rf"\g<1>Copy{copy}", text)
            # the functions of a copy answer its requests
            text = re.sub(rf"\b(answers: )({requests})\b", rf"\g<1>\g<2>_copy{copy}", text)
            # only one record starts the process
            text = re.sub(r"^    launch:\n(?: {6,}.*\n)*", "", text, flags=re.MULTILINE)
            if "\ncontrols:\n" in text:
                # every request is in the one payload union, where each needs its own tag
                text = re.sub(rf"^  {payload}:\n(?:(?: {{3,}}.*)?\n)*", "", text, flags=re.MULTILINE)
                text = re.sub(rf"^  ({requests}):", rf"  \g<1>_copy{copy}:", text, flags=re.MULTILINE)
                text = re.sub(r"^(    name: \w+)$", rf"\g<1>Copy{copy}", text, flags=re.MULTILINE)
                text = re.sub(r"^    examples:\n(?:(?: {5,}.*)?\n)*", "", text, flags=re.MULTILINE)
            (out / f"copy{copy}_{part}").write_text(
                renamed_overrides(renamed_tables(renamed_tools(text, copy), copy), copy), encoding="utf-8"
            )
            parts.append(f"copy{copy}_{part}")
        roots += [f"{root}Copy{copy}" for root in roots[: len(roots) // copy]]
    (out / "protocol.yaml").write_text(yaml.safe_dump(entry, sort_keys=False), encoding="utf-8")


def payload_union(model: Model) -> str:
    """Return the name of the union that has all requests as variants."""
    if model.protocol.control is None:
        raise SystemExit("the spec has no requests any more; the row can do without this then")
    envelope = model.protocol.control.request
    (field,) = (f for f in model.struct(envelope.struct).fields if f.name == envelope.payload[0])
    if not isinstance(field.type, Ref):
        raise SystemExit(f"{envelope.struct} no longer names its payload's type")
    return field.type.name


def renamed_overrides(text: str, copy: int) -> str:
    """Rename the names that the spec gives to things in individual targets; lower-case words are choices, not names."""

    def renamed(entry: re.Match[str]) -> str:
        return re.sub(r": (\w*[A-Z]\w*)\b(?<!Copy\d)", rf": \g<1>No{copy}", entry[0])

    return re.sub(r"\btargets: \{(?:[^{}]|\{[^{}]*\})*\}", renamed, text)


def renamed_tools(text: str, copy: int) -> str:
    """Rename the keys of the `tools` section, which are not distinguishable from other words of the text."""
    head, section, rest = text.partition("\ntools:\n")
    key = re.compile(r"^  (\"?)(\w[\w*]*)(\"?):", re.MULTILINE)
    return head + section + key.sub(rf"  \g<1>copy{copy}_\g<2>\g<3>:", rest)


def renamed_tables(text: str, copy: int) -> str:
    """Rename the keys of the `tables` section, which are words of the text as well."""
    head, section, rest = text.partition("\ntables:\n")
    return head + section + re.sub(r"^  (\w+):", rf"  \g<1>_copy{copy}:", rest, flags=re.MULTILINE)
