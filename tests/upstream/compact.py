"""Drawn types of declarations, in the compact form of snapshots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

ODD = [
    "",
    "a b",
    "a\nb",
    'q"\\',
    "é",
    "#",
    "- x",
    "null",
    "{",
    ": ",
    "x, y",
    "\u2028",
    "\x7f",
    "\U0001f600",
    "a/b",
    "*",
    "x?:",
]
"""Texts that YAML reads otherwise unless they are quoted."""


def types(names: Sequence[str]) -> st.SearchStrategy[Any]:
    """Return compact types that refer to some names."""
    words = ["string", "number", "boolean", "null", "any", "object", "undefined", "function", "live:X", "module:m#N"]
    leaves = st.sampled_from([*words, *(f"#{name}" for name in names)])
    values = st.sampled_from(["x", "y", 1, 2, True, *ODD])
    texts = st.lists(st.sampled_from(["x", "y", "z", "X", *ODD]), min_size=2, unique=True)
    keys = st.sampled_from(["type", "kind", "a", "b?", "c?", *filter(None, ODD), *(f"{key}?" for key in ODD if key)])

    def around(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        some = st.lists(inner, min_size=1, max_size=3)
        fields = st.dictionaries(keys, inner, max_size=3)
        return (
            st.builds(lambda item: [item], inner)
            | st.builds(lambda of: {"any of": of}, some)
            | st.builds(lambda of: {"all of": of}, some)
            | st.builds(lambda of: {"tuple": of}, some)
            | st.builds(lambda of: {"map": of}, inner)
            | st.builds(lambda value: {"is": value}, values)
            | st.builds(lambda each: {"enum": each}, texts)
            | st.builds(lambda each, bases, rest: {"fields": each, **bases, **rest}, fields,
                        st.builds(lambda each: {"bases": each} if each else {}, st.lists(inner, max_size=2)),
                        st.builds(lambda each: {} if each is None else {"rest": each}, st.none() | inner))
        )  # fmt: skip

    return st.recursive(leaves, around, max_leaves=8)
