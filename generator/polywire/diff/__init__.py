"""Two models → what differs on the wire between them, and that as text, JSON and Markdown.

What is compared is what the models mean, not how the specs are written: mixins are in, overlays are applied, controls
have joined their union. Prose, names in the targets, constructors and versions are no part of the wire.
"""

from polywire.diff.compare import compare
from polywire.diff.records import RULES, Difference, Side

__all__ = ["RULES", "Difference", "Side", "compare"]
