"""A folder of YAML → declarations that know file, line and column. Nothing else in polywire reads a spec's files."""

from polywire.source.load import ENTRY, Document, Sample, Source, bundled, dialects, in_dialect, load

__all__ = ["ENTRY", "Document", "Sample", "Source", "bundled", "dialects", "in_dialect", "load"]
