"""The releases that a spec describes, the release on which a dialect is based, and checks of the history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from polywire.ground.location import SourceLocation
from polywire.model.declared import KINDS, Item, entries, listed, pointer, text, texts
from polywire.model.names import Names
from polywire.model.nodes import Announced, Struct
from polywire.model.parts import Parts
from polywire.model.releases import Releases, ends
from polywire.source import Document
from polywire.source.report import Faults
from polywire.source.tree import Entry, Listing, Node, Table, Text


def releases_of(header: Table, faults: Faults) -> Releases:
    """The releases in `versions`, or the single one in `version`."""
    single, several = header.get("version"), header.entries.get("versions")
    names = list(texts(header, "versions"))
    if isinstance(single, Text) and several is not None:
        message = "`versions` already lists every release"
        faults.add("wrong-kind", header.entries["version"].key.place, message, "drop `version`")
    if isinstance(single, Text) and not names:
        return Releases((single.text,))
    if not names:
        place = several.key.place if several is not None else header.place
        faults.add(
            "missing-key", place, "the protocol is missing `versions`", "list the releases that the spec describes"
        )
        return Releases(("0",))
    seen: dict[str, Text] = {}
    for name in names:
        if seen.setdefault(name.text, name) is not name:
            faults.add("duplicate-name", name.place, f"`{name.text}` is already listed")
    return Releases(tuple(seen))


def release_of(overlays: Sequence[Document], releases: Releases, faults: Faults) -> str:
    """The release on which a dialect is based: the one named by its first overlay."""
    asked: Text | None = None
    for overlay in overlays:
        at = overlay.root.get("at")
        if isinstance(at, Text):
            _listed(at, releases, faults)
            if asked is not None and at.text != asked.text:
                message = f"the base of this dialect is at {asked.text}"
                faults.add("bad-release", at.place, message, "remove `at`, or use the same release")
            asked = asked or at
    if asked is not None and asked.text in releases.names:
        return asked.text
    if asked is None and len(releases.names) > 1:
        place = overlays[0].root.place
        faults.add("missing-key", place, "the dialect is missing `at`", "add the release that the dialect is based on")
    return releases.names[-1]


def closed(views: Sequence[tuple[str, Parts, frozenset[str]]], releases: Releases, faults: Faults) -> list[Parts]:
    """The declarations of each release, with `json` in place of missing ones, which are reported.

    `views` has the declarations of each release, and the names that only other releases have.
    """
    found: dict[tuple[str, SourceLocation, str], int] = {}
    made: list[Parts] = []
    for release, parts, elsewhere in views:
        missing = [use for use in parts.uses() if use[0] in elsewhere] if elsewhere else []
        for use in missing:
            found[use] = found.get(use, 0) | 1 << (releases.index(release) or 0)
        made.append(parts.without(elsewhere) if missing else parts)
    for (name, place, what), mask in found.items():
        message = f"there is no `{name}` at {releases.spelled(mask)}, where {what} uses it"
        faults.add(
            "missing-at-release", place, message, "add `since`, `until` or `was` to the declaration that uses it"
        )
    return made


def announced(header: Table, chosen: Sequence[str], names: Names, structs: Mapping[str, Struct]) -> Announced | None:
    """Where a peer announces its release, if the chosen releases have the message."""
    body = header.get("announced")
    message = body.get("message") if isinstance(body, Table) else None
    if not isinstance(body, Table) or not isinstance(message, Text):
        return None
    if (
        not names.is_a(message, ("type",), "the member that announces the release")
        or names.called(message.text) not in structs
    ):
        return None
    versions = {e.key.text: e.value.text for e in entries(body, "versions") if isinstance(e.value, Text)}
    return Announced(
        message=names.called(message.text),
        at=pointer(text(body, "at") or ""),
        versions=tuple((release, versions.get(release, release)) for release in chosen),
    )


# --- checks of intervals ---------------------------------------------------------------------------------------


def check_history(items: Sequence[Item], header: Table, releases: Releases, faults: Faults) -> None:
    """Check that every named release is listed, and that every interval contains a release."""
    there = {item.name: releases.of(item.body) for item in items if item.section in KINDS}
    check = _Check(releases, there, faults)
    for item in items:
        check.declaration(item)
    check.names(header.get("roots"), releases.all, "root")
    check.distinct(Entry(item.key, item.body) for item in items if item.section == "controls")
    announced = header.get("announced")
    for entry in entries(announced, "versions") if isinstance(announced, Table) else ():
        _listed(entry.key, releases, faults)


def _listed(name: Text, releases: Releases, faults: Faults) -> bool:
    if name.text in releases.names:
        return True
    hint = faults.near(name.text, releases.names) or f"`versions` has {', '.join(releases.names)}"
    faults.add("unlisted-version", name.place, f"`{name.text}` is not one of `versions`", hint)
    return False


class _Check:
    def __init__(self, releases: Releases, there: Mapping[str, int], faults: Faults) -> None:
        self._releases = releases
        self._there = there
        self._faults = faults

    def declaration(self, item: Item) -> None:
        own = self._interval(item.body, self._releases.all)
        self._formerly(item.body, own, item.name)
        self._was(item.body, own, item.key)
        for key in ("fields", "request", "notify", "values"):
            for entry in entries(item.body, key):
                self._member(entry, own)
            self.distinct(entries(item.body, key))
        self.names(item.body.get("variants"), own, "variant")
        self.names(item.body.get("include"), own, "included type")
        self.entries(item.body.get("conflicts"), own)
        for key in ("response", "input", "output"):
            node = item.body.get(key)
            if isinstance(node, Table):
                self._was(node, own, item.body.entries[key].key)

    def _member(self, entry: Entry, around: int) -> None:
        if not isinstance(entry.value, Table):
            return
        own = self._interval(entry.value, around)
        self._formerly(entry.value, own, entry.key.text.removesuffix("?"))
        self._was(entry.value, own, entry.key)
        self.entries(entry.value.get("carry"), own)

    def names(self, node: Node | None, around: int, what: str) -> None:
        """Check lists of declarations: an entry and the declaration that it names must share a release."""
        for item in node.items if isinstance(node, Listing) else ():
            own = self._interval(item, around) if isinstance(item, Table) else around
            name = item.get("name") if isinstance(item, Table) else item
            there = self._there.get(name.text, own) if isinstance(name, Text) else own
            if isinstance(name, Text) and there and not own & there:
                message = f"no release has this {what}: `{name.text}` exists at {self._releases.spelled(there)}"
                hint = f"the entry exists at {self._releases.spelled(own)}"
                self._faults.add("unused-history", name.place, message, hint)

    def entries(self, node: Node | None, around: int) -> None:
        """Check the intervals of the items of a list."""
        for item in node.items if isinstance(node, Listing) else ():
            if isinstance(item, Table):
                self._interval(item, around)

    def distinct(self, members: Iterable[Entry]) -> None:
        """Check that no release has two members with the same name, including former names."""
        found: dict[str, list[tuple[int, Text]]] = {}
        for entry in members:
            body = entry.value if isinstance(entry.value, Table) else Table({})
            formerly = body.get("formerly")
            own = self._releases.of(body)
            old = formerly.get("name") if isinstance(formerly, Table) else None
            if isinstance(formerly, Table) and isinstance(old, Text):
                before = self._releases.between(None, text(formerly, "until"))
                found.setdefault(old.text, []).append((own & before, old))
                own &= ~before
            found.setdefault(entry.key.text.removesuffix("?"), []).append((own, entry.key))
        for name, each in found.items():
            for at, (mask, place) in enumerate(each):
                both = next((mask & other for other, _ in each[:at] if mask & other), 0)
                if both:
                    message = f"there is another `{name}` at {self._releases.spelled(both)}"
                    self._faults.add("duplicate-name", place.place, message)

    # --- intervals ---

    def _interval(self, body: Table, around: int) -> int:
        """The releases that have an entry, out of those that have its parent."""
        if "in" in body.entries:
            for key in ("since", "until"):
                if key in body.entries:
                    place = body.entries[key].key.place
                    self._faults.add("bad-release", place, f"`in` and `{key}` exclude each other", f"remove `{key}`")
        sound = True
        for bound in self._bounds(body):
            if not _listed(bound, self._releases, self._faults):
                sound = False
            elif not self._releases.between(bound.text, bound.text) & around:
                sound = False
                message = f"the enclosing declaration does not exist at {bound.text}"
                hint = f"the enclosing declaration exists at {self._releases.spelled(around)}"
                self._faults.add("outside-release", bound.place, message, hint)
        deprecated = body.get("deprecated")
        since = deprecated.get("since") if isinstance(deprecated, Table) else None
        if isinstance(since, Text):
            _listed(since, self._releases, self._faults)
        own = self._releases.of(body) & around
        if sound and not own:
            entry = next(body.entries[key] for key in ("until", "in", "since") if key in body.entries)
            self._faults.add("empty-interval", entry.key.place, "this interval contains no release", "swap its ends")
        self._pieces(body)
        return own or around

    def _bounds(self, body: Table) -> Iterator[Text]:
        for key in ("since", "until"):
            node = body.get(key)
            if isinstance(node, Text):
                yield node
        for item in texts(body, "in"):
            first, last = ends(item.text)
            yield Text(first, place=item.place)
            if last is not None:
                yield Text(last, place=item.at(len(first) + 2))

    def _pieces(self, body: Table) -> None:
        """Check that each interval of `in` contains a release and follows the one before."""
        before = 0
        for item in texts(body, "in"):
            first, last = ends(item.text)
            if not {first, last} - {None} <= {*self._releases.names}:
                continue
            own = self._releases.between(first, last)
            if not own:
                self._faults.add("empty-interval", item.place, f"{item.text} contains no release", "swap its ends")
            elif before and own & -own <= before:
                hint = "list intervals from the oldest to the newest, without overlaps"
                self._faults.add("bad-release", item.place, f"{item.text} overlaps the interval before it", hint)
            before |= own

    # --- was and formerly ---

    def _formerly(self, body: Table, own: int, name: str) -> None:
        formerly = body.get("formerly")
        if not isinstance(formerly, Table):
            return
        until = formerly.get("until")
        if text(formerly, "name") == name:
            place = body.entries["formerly"].key.place
            self._faults.add("unused-history", place, f"`{name}` is already its name", "drop `formerly`")
        if isinstance(until, Text) and _listed(until, self._releases, self._faults):
            self._used(until, own, self._releases.between(None, until.text), "name")

    def _was(self, body: Table, own: int, key: Text) -> None:
        """Check that each entry applies to some release, and differs from the entry or declaration after it."""
        before = 0
        items = [item for item in listed(body, "was") if isinstance(item, Table)]
        for n, item in enumerate(items):
            until = item.get("until")
            if not isinstance(until, Text) or not _listed(until, self._releases, self._faults):
                continue
            holds = self._releases.between(None, until.text)
            self._used(until, own, holds & ~before, "type")
            before |= holds
            after = items[n + 1] if n + 1 < len(items) else None
            if _type_and_presence(item, body, key) == _type_and_presence(after, body, key):
                message = f"this entry, up to {until.text}, is the same as the one after it"
                self._faults.add("unused-history", item.place, message, "remove the entry")

    def _used(self, until: Text, own: int, holds: int, what: str) -> None:
        if not own & holds:
            message = f"no release has this {what}, which ends at {until.text}"
            hint = f"its declaration exists at {self._releases.spelled(own)}; list entries from the oldest"
            self._faults.add("unused-history", until.place, message, hint)


def _type_and_presence(was: Table | None, body: Table, key: Text) -> tuple[str | None, str]:
    """The type and presence according to an entry of `was`, or according to the declaration if `was` is None."""
    now = "optional" if key.text.endswith("?") else "required"
    type_ = text(body, "type")
    if was is None:
        return type_, now
    return text(was, "type") or type_, text(was, "presence") or now
