"""Two models → the differences on the wire between them, as text, JSON and Markdown.

The comparison is about what the models mean, not how the specs are written: mixins are included, overlays are applied,
and controls have joined their union. Prose, names in the targets, constructors and versions are not part of the wire.
"""

from polywire.evolve.diff.compare import compare
from polywire.evolve.diff.records import RULES, Difference, Side

__all__ = ["RULES", "Difference", "Side", "compare"]
