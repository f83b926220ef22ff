"""A folder of YAML → declarations with file, line and column. No other part of polywire reads the files of a spec."""

from polywire.ground.find import ENTRY, bundled
from polywire.source.files import Files
from polywire.source.load import Document, Sample, Source, dialects, in_dialect, load

__all__ = ["ENTRY", "Document", "Files", "Sample", "Source", "bundled", "dialects", "in_dialect", "load"]
