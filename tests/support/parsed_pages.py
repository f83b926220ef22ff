"""Parses the pages of a reference into ids, links, text and faults."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from polywire import checks
from polywire.model.nodes import Model
from polywire.plan import make_plan
from polywire.reading.docs.site import site
from polywire.reading.docs.source import SourceLinks
from polywire.targets import registry

VOID = frozenset({"meta", "link"})
ATTRIBUTES = frozenset(
    {"aria-label", "charset", "class", "content", "data-root", "defer", "href", "http-equiv", "id", "lang", "name"}
    | {"rel", "src", "data-since", "data-until"}
    | {"points", "role", "viewbox", "x", "x1", "x2", "y", "y1", "y2"}
)
"""The attributes that an element of a page may have, without event handlers and styles."""

ELEMENTS = frozenset(
    {"a", "body", "code", "dd", "details", "div", "dl", "dt", "figure", "h1", "h2", "h3", "head", "header", "html"}
    | {"li", "link", "main", "meta", "nav", "p", "pre", "script", "section", "small", "span", "summary", "table"}
    | {"tbody", "td", "th", "thead", "title", "tr", "ul"}
    | {"g", "line", "polygon", "svg", "text"}
)
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


class Page(HTMLParser):
    """A page, parsed strictly: every element must be closed, in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.faults: list[str] = []
        self.comments: list[str] = []
        self.texts: list[str] = []
        self.policy = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        if self._open:
            self.faults.append(f"left open: {self._open}")

    @property
    def text(self) -> str:
        """The whole text of the page, with one space between parts."""
        return " ".join(" ".join(self.texts).split())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag not in ELEMENTS or not given.keys() <= ATTRIBUTES or len(given) < len(attrs):
            self.faults.append(f"<{tag} {attrs}>")
        self.ids += [value or "" for key, value in attrs if key == "id"]
        if tag == "a":
            self.links.append(given.get("href") or "nowhere")
        if tag in {"script", "link"}:
            self.loads.append(given.get("src") or given.get("href") or "inline")
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"] or ""
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.faults.append(f"</{tag}>")

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_pi(self, data: str) -> None:
        self.faults.append(f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        self.faults.append(f"<!{data}>")


@dataclass(frozen=True)
class Site:
    """The model of a reference, and all its files."""

    model: Model
    files: Mapping[str, bytes]

    @cached_property
    def pages(self) -> dict[str, Page]:
        """Every page, by its path."""
        return {path: Page(data.decode()) for path, data in self.files.items() if path.endswith(".html")}

    @cached_property
    def index(self) -> list[Any]:
        """The rows of the search index."""
        text = self.files["index.js"].decode("ascii")
        found: list[Any] = json.loads(text[text.index("[\n") : text.rindex(";")])
        return found

    @cached_property
    def releases(self) -> list[str]:
        """The releases that a reader can choose from."""
        text = self.files["index.js"].decode("ascii")
        found: list[str] = json.loads(text[text.index("RELEASES = ") + 11 : text.index(";\n\nconst INDEX")])
        return found

    def found(self) -> Iterator[tuple[str, str]]:
        """Yield the names in the search index, each with its address."""
        for _, name, address, _, members in self.index:
            yield name, address
            for member in members:
                key, anchor = (member, f"m-{member}") if isinstance(member, str) else member
                yield f"{name}.{key}", f"{address}#{anchor}"

    def faults(self) -> Iterator[str]:
        """Yield the faults of the files: wrong names, markup or policy, and broken links."""
        names = [path.casefold() for path in self.files]
        yield from (f"two files {name}" for name in names if names.count(name) > 1)
        for path in self.files:
            if not re.fullmatch(r"(?:(?:types|areas)/)?[A-Za-z0-9_-]+\.(?:html|js|css)", path):
                yield f"file {path}"
            if RESERVED.fullmatch(posixpath.basename(path)):
                yield f"reserved {path}"
        for path, page in self.pages.items():
            yield from (f"{path}: {fault}" for fault in page.faults)
            yield from (f"{path}: id {each} twice" for each in set(page.ids) if page.ids.count(each) > 1)
            if page.policy.split("; ")[:3] != ["default-src 'none'", "script-src 'self'", "style-src 'self'"]:
                yield f"{path}: policy {page.policy}"
            if any(not comment.strip().startswith("Code generated by polywire") for comment in page.comments):
                yield f"{path}: comments {page.comments}"
            for link in (*page.links, *page.loads):
                yield from (f"{path}: {link} {fault}" for fault in self._nowhere(path, link))
        for name, address in self.found():
            yield from (f"search: {name}: {address} {fault}" for fault in self._nowhere("index.html", address))

    def _nowhere(self, path: str, link: str) -> Iterator[str]:
        """Yield the reason why a link is broken, if it is."""
        parts = urlsplit(link)
        if parts.scheme or parts.netloc or parts.query:
            yield "leaves the reference"
            return
        to = posixpath.normpath(posixpath.join(posixpath.dirname(path), parts.path)) if parts.path else path
        if to not in self.files:
            yield "is no file"
        elif parts.fragment and parts.fragment not in self.pages[to].ids:
            yield "is no anchor"


def site_of(model: Model, targets: Iterable[str] = (), source: SourceLinks | None = None) -> Site:
    """Render the reference of a model, for all targets or some."""
    plan = make_plan(model)
    return Site(model, site(plan, [(registry()[name], plan) for name in targets or registry()], source))


def spec_site(folder: Path, dialect: str | None = None, targets: tuple[str, ...] = ()) -> Site:
    """Render the reference of a spec, which must have no errors."""
    report = checks.check(folder, dialect, targets=targets or None)
    assert report.model is not None, report.render()
    assert not report.failed, report.render()
    return site_of(report.model, targets)
