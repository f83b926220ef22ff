"""The address template of `--source` → the address of a line of the spec."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from polywire.ground.location import SourceLocation

_PLACEHOLDERS = frozenset({"{file}", "{line}"})


@dataclass(frozen=True, slots=True)
class SourceLinks:
    """A checked template: `https://example.org/repo/blob/main/spec/{file}#L{line}`."""

    template: str

    def of(self, place: SourceLocation) -> str:
        """Return the address of a place."""
        return self.template.replace("{line}", str(place.line)).replace("{file}", quote(place.file))


def source_links(template: str) -> SourceLinks:
    """Check a template. Raises `ValueError` with what is wrong with it."""
    try:
        parts = urlsplit(template)
        host = parts.hostname
    except ValueError as error:
        raise ValueError(f"it is not an address: {error}") from error
    if parts.scheme != "https" or not host:
        raise ValueError("it must begin with https:// and a host")
    if not re.fullmatch(r"[!-~]+", template) or re.search(r"[\"<>\\^`|]", template):
        raise ValueError("it may only have characters that addresses have; write others as %20")
    if re.search(r"[{}@]", parts.netloc):
        raise ValueError("its host must be written out, without a user")
    found = re.findall(r"\{[^{}]*\}", template)
    if unknown := next((each for each in found if each not in _PLACEHOLDERS), None):
        raise ValueError(f"{unknown} is no placeholder; there are {{file}} and {{line}}")
    if sorted(found) != sorted(_PLACEHOLDERS) or re.search(r"[{}]", re.sub(r"\{(?:file|line)\}", "", template)):
        raise ValueError("it must have the placeholders {file} and {line} once each")
    return SourceLinks(template)
