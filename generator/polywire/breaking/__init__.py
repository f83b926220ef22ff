"""Two models → what a change from one to the other breaks: on the wire, in verdicts, in the code of users.

It is `polywire.diff` that says what differs. Here each difference is weighed: who writes it and who reads it, whether
it may be absent, whether the enum or union may grow.
"""

from polywire.breaking.compare import find
from polywire.breaking.records import CATEGORIES, Finding, Rule
from polywire.breaking.rules import RULES

__all__ = ["CATEGORIES", "RULES", "Finding", "Rule", "find"]
