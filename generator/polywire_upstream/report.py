"""The result of a comparison → text for people, or JSON."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict

from polywire.ground.words import counted
from polywire_upstream.compare import RULES, Difference, cut
from polywire_upstream.run import Compared


def text(compared: Compared) -> str:
    """Return a line for each difference without an entry, and for each unneeded entry; then the counts."""
    lines = [line(each) for each in compared.left]
    lines += [
        f"unneeded-entry {entry}: nothing fits it at {compared.release}; remove it, or limit it with since or until"
        for entry in compared.idle
    ]
    allowed = Counter(each.rule for each in compared.found) - Counter(each.rule for each in compared.left)
    shown = ", ".join(f"{allowed[rule]} {rule}" for rule in RULES if allowed[rule])
    lines.append(
        f"{compared.release}: {counted(compared.pairs, 'pair')} of declarations compared, "
        f"{counted(len(compared.left), 'difference')}, {len(compared.idle)} unneeded entries"
        f"{f'; allowed: {shown}' if shown else ''}"
    )
    return "\n".join(lines) + "\n"


def line(each: Difference) -> str:
    """Describe a difference in one line."""
    return f"{each.rule} {each.place}: upstream {cut(each.upstream)}, spec {cut(each.spec)}"


def as_json(compared: Compared) -> str:
    """Return the same as JSON."""
    document = {
        "release": compared.release,
        "pairs": compared.pairs,
        "differences": [asdict(each) for each in compared.left],
        "unneeded": [asdict(each) for each in compared.idle],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"
