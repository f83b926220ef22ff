"""All rules in one table: the faults of reading and resolving, then the rules over a built model."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType

from polywire.checks.rule import Rule
from polywire.checks.rules import controls, docs, functions, naming, options, tables, trees, types, values
from polywire.source.report import FAULTS

_FAULTS = tuple(Rule(name, fault.purpose, fault.severity, fault.step) for name, fault in FAULTS.items())

OVER_MODELS: tuple[Rule, ...] = tuple(
    chain(
        types.RULES,
        naming.RULES,
        values.RULES,
        options.RULES,
        functions.RULES,
        controls.RULES,
        trees.RULES,
        tables.RULES,
        docs.RULES,
    )
)
"""The rules over a built model."""

RULES: Mapping[str, Rule] = MappingProxyType({rule.id: rule for rule in (*_FAULTS, *OVER_MODELS)})
"""All rules by id."""
