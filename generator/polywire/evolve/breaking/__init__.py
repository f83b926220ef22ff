"""Two models → what a change from one to the other breaks: on the wire, in validation, in user code.

`polywire.evolve.diff` finds the differences. This package weighs each of them: who writes it and who reads it, whether
it may be absent, whether the enum or union is open.
"""

from polywire.evolve.breaking.compare import find
from polywire.evolve.breaking.records import CATEGORIES, Finding, Rule
from polywire.evolve.breaking.rules import RULES

__all__ = ["CATEGORIES", "RULES", "Finding", "Rule", "find"]
