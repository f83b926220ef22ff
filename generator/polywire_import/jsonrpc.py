"""A catalog, and the section `jsonrpc` of the overrides → requests, notifications and the envelopes of JSON-RPC 2.0.

    jsonrpc:
      requests: {client: ClientRequest, server: ServerRequest}   # by the peer that sends them
      notifications: {client: ClientNotification}
      results: {PingRequest: none, "*Request": "*Result", "*": EmptyResult}
      id: RequestId                      # default: the type of `id` in the requests, else text or integer
      error: Error                       # the type of `error` in a response; default: that of the first object of the
                                         # source that has an `error` with `code` and `message`, else these and `data`
      errors: [QuotaExceededError]       # types with a constant `code`, or with such an `error`: their data by code
      cancel: {notify: notifications/cancelled, id: /params/requestId, answered: false}
      codes: {refused: -32603, unknown: -32601}

A declaration under `requests` or `notifications` is a union of objects that have their `method` as a constant, or an
object whose `params` are one of several declarations, each annotated with its method (`annotations: {method: …}`). A
place in the source refers to the object there. The keys of `results` are names of requests, or patterns with one `*`;
the first match that leads to a declaration is used, exact names first. What the section does not state is looked up in
the source: `recognition` finds requests and notifications, `results` their results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from polywire.ground.words import counted, suggestion
from polywire_import.envelopes import CODES, add_envelopes
from polywire_import.lookup import Lookup
from polywire_import.overrides import Overrides
from polywire_import.recognition import BOTH, USUAL_PEERS, Group, is_call, recognise, says_answered
from polywire_import.results import Results
from polywire_import.shapes import (
    AnyObject,
    Anything,
    Array,
    Call,
    Catalog,
    Declared,
    ImportingError,
    Literal,
    Member,
    Null,
    Object,
    OneOf,
    Ref,
    Scalar,
    Shape,
    walk,
)

_ENVELOPE = frozenset({"jsonrpc", "id", "method"})
_IDS = frozenset({"id", "requestId", "request_id"})
"""Members of the message that cancels a request, which have its id."""


def add_calls(catalog: Catalog, overrides: Overrides, *, unaided: bool = False) -> None:
    """Add calls, envelopes and the `control` block to a catalog, if the overrides ask for JSON-RPC.

    If `unaided`, also if the source describes JSON-RPC in one of the usual forms.
    """
    overridden = overrides.all("jsonrpc")
    if overridden or unaided:
        calls = _Calls(catalog, overrides, overridden)
        if overridden or calls.groups:
            calls.run(needed=bool(overridden))


class _Calls:
    def __init__(self, catalog: Catalog, overrides: Overrides, overridden: Mapping[str, object]) -> None:
        self._catalog = catalog
        self._look = Lookup(catalog)
        self._overridden = overridden
        self._mark = overrides.text("annotations", "method")
        self._unaided = not overridden.keys() & {"requests", "notifications"}
        if self._unaided:
            self.groups, self._mark = recognise(catalog, self._look, self._mark)
        else:
            self.groups = [*self._stated("requests"), *self._stated("notifications")]
        named = dict.fromkeys(group.peer for group in self.groups if group.peer != BOTH)
        if len(named) < 2 and self._unaided:
            named = dict.fromkeys(USUAL_PEERS)
        peers = overrides.get("protocol", "peers")
        self._peers = [str(each) for each in peers] if isinstance(peers, list) else [*named]
        self._results = Results(catalog, self._look, self._mapping("results"), self._mark, set(self._asked()))
        self._ids: list[Shape] = []

    def run(self, *, needed: bool) -> None:
        """Add everything to the catalog; if it is `needed`, a source without requests is an error."""
        calls: dict[tuple[str, bool], Call] = {}
        for group in self.groups:
            if group.peer not in {*self._peers, BOTH}:
                key = "requests" if group.answered else "notifications"
                raise ImportingError(
                    f"jsonrpc: {key}: {group.peer!r} is not a peer{suggestion(group.peer, self._peers)}"
                )
            for call in [*self._calls(group)]:
                known = calls.get((call.method, call.answered))
                if known is None or group.peer != BOTH or not self._unaided:
                    calls[call.method, call.answered] = call if known is None else self._joined(known, call)
        if not any(call.answered for call in calls.values()):
            if needed:
                raise ImportingError("jsonrpc: the source has no requests; name them under `requests`")
            return
        if self._results.unused:
            unused = ", ".join(sorted(self._results.unused))
            raise ImportingError(f"jsonrpc: results: {unused} applies to no request; take it out")
        self._catalog.calls.extend(calls.values())
        error = self._overridden.get("error")
        detail = Ref(self._declared("error", str(error)).name) if error is not None else self._error()
        cancel = self._overridden.get("cancel")
        if "cancel" not in self._overridden and self._unaided:
            cancel = self._cancellation()
        add_envelopes(self._catalog, self._peers, self._id(), detail, self._errors(), cancel)
        if self._unaided:
            self._report()

    def _report(self) -> None:
        answered = sum(call.answered for call in self._catalog.calls)
        both = sum(call.sender == BOTH for call in self._catalog.calls)
        self._catalog.note(
            "guessed", "", f"it is JSON-RPC 2.0, with {counted(answered, 'request')} and"
            f" {counted(len(self._catalog.calls) - answered, 'notification')} of {' and '.join(self._peers)} ({both} of"
            " both), as the names of the source say; `--root NAME` imports one declaration instead"
        )  # fmt: skip
        for declared in self._catalog.declarations.values():
            if isinstance(declared.shape, Array) and any(
                "jsonrpc" in self._look.members_of(leaf) for leaf in self._look.leaves(declared.shape.item)
            ):
                self._catalog.note("lost", "", f"batches of messages are not read: {declared.place}")

    # --- what the overrides state ---

    def _stated(self, key: str) -> Iterator[Group]:
        for peer, name in self._mapping(key).items():
            yield Group(self._declared(key, name).name, peer, key == "requests")

    def _mapping(self, key: str) -> dict[str, str]:
        own = self._overridden.get(key, {})
        if not isinstance(own, Mapping) or not all(isinstance(each, str) for each in own.values()):
            raise ImportingError(f"jsonrpc: `{key}` is a mapping of names")
        return {str(name): str(each) for name, each in own.items()}

    def _declared(self, key: str, name: str) -> Declared:
        found = self._catalog.declarations.get(name)
        if found is None and name.startswith("/"):
            found = self._at(name)
        if found is None:
            known = suggestion(name, self._catalog.declarations)
            raise ImportingError(f"jsonrpc: {key}: the source declares no {name!r}{known}")
        return found

    def _at(self, place: str) -> Declared | None:
        """Return a declaration for the object at a place of the source."""
        for declared in [*self._catalog.declarations.values()]:
            for shape in walk(declared.shape):
                if isinstance(shape, Object) and shape.place == place:
                    made = self._catalog.declarations[place] = Declared(place, shape, place)
                    return made
        return None

    # --- requests and notifications ---

    def _asked(self) -> Iterator[str]:
        """Yield the names of all calls, or of their parameters."""
        for group in self.groups:
            for leaf in (*self._look.leaves(Ref(group.name)), *self._annotated(group)):
                if isinstance(leaf, Ref):
                    yield leaf.name

    def _annotated(self, group: Group) -> Iterator[Ref | Object]:
        """Yield the alternatives for the parameters of an object that stands for several calls."""
        params = self._look.members_of(Ref(group.name)).get("params")
        if params is not None and self._mark is not None:
            yield from self._look.leaves(params.shape, self._mark)

    def _calls(self, group: Group) -> Iterator[Call]:
        around = self._look.members_of(Ref(group.name))
        found = False
        for leaf in self._annotated(group):
            declared = self._catalog.declarations[leaf.name] if isinstance(leaf, Ref) else None
            method = declared.marks.get(str(self._mark)) if declared else None
            if method is None:
                place, label = self._catalog.declarations[group.name].place, declared.name if declared else "an object"
                self._catalog.note("lost", place, f"{label} has no method; it is kept untouched")
                continue
            found = True
            params = around["params"]
            shape = OneOf((leaf, Null())) if _takes_null(params.shape) else leaf
            yield self._call(group, method, leaf, around, (replace(params, shape=shape),))
        for leaf in self._look.leaves(Ref(group.name)):
            if is_call(self._look, leaf):
                found = True
                members = self._look.members_of(leaf)
                constant = self._look.resolved(members["method"].shape)
                rest = tuple(each for each in members.values() if each.name not in _ENVELOPE)
                yield self._call(group, str(getattr(constant, "value", "")), leaf, members, rest)
        if not found:
            key = "requests" if group.answered else "notifications"
            raise ImportingError(
                f"jsonrpc: {key}: {group.name} is neither a union of objects with a constant `method` nor an object"
                " whose `params` are annotated with their methods (say `annotations: {method: KEYWORD}`)"
            )

    def _call(
        self, group: Group, method: str, leaf: Shape, around: Mapping[str, Member], members: tuple[Member, ...]
    ) -> Call:
        declared = self._catalog.declarations[leaf.name] if isinstance(leaf, Ref) else None
        if "id" in around:
            self._ids.append(around["id"].shape)
        name, place, doc = ("", getattr(leaf, "place", ""), getattr(leaf, "doc", None))
        if declared is not None:
            name, place, doc = declared.name, declared.place, declared.doc
        answered = group.answered
        if answered is None:
            answered = "id" in around or says_answered(name) or self._results.named(name) is not None
        result = self._results.of(name, method) if answered else None
        return Call(method, group.peer, members, answered, result, doc=doc, place=place, name=name or None)

    def _joined(self, first: Call, second: Call) -> Call:
        """Join the two calls of a method: both peers use it, or it has two meanings, each of which is accepted."""
        sender = first.sender if first.sender == second.sender else BOTH
        if (first.members, first.result) == (second.members, second.result):
            return replace(first, sender=sender)
        self._catalog.note("guessed", first.place, f"{first.method!r} has two meanings; it accepts what either does")
        own, other = ({each.name: each for each in call.members} for call in (first, second))
        members = tuple(
            replace(
                each,
                shape=_either(each.shape, other.get(name, each).shape),
                required=all(name in side and side[name].required for side in (own, other)),
            )
            for name, each in {**other, **own}.items()
        )
        result = _either(first.result, second.result) if first.result and second.result else None
        optional = (first.result is None) != (second.result is None)
        result = result or first.result or second.result
        return replace(first, sender=sender, members=members, result=result, optional_result=optional)

    # --- ids, errors, cancellation ---

    def _id(self) -> Shape:
        stated = self._overridden.get("id")
        default = OneOf((Scalar("string"), Scalar("integer")))
        shape = next(self._known_ids(), default) if stated is None else Ref(self._declared("id", str(stated)).name)
        name = ""
        while isinstance(shape, Ref) and shape.name != name:
            name = shape.name
            shape = self._catalog.declarations[name].shape
        kept = tuple(each for each in shape.members if each != Null()) if isinstance(shape, OneOf) else (shape,)
        without = OneOf(kept) if len(kept) > 1 else kept[0]
        if not name:
            return without
        if isinstance(shape, OneOf) and len(kept) < len(shape.members):
            declared = self._catalog.declarations[name]
            self._catalog.declarations[name] = replace(declared, shape=without)
            self._catalog.note("guessed", declared.place, "null is only an id in answers to unreadable requests")
        return Ref(name)

    def _known_ids(self) -> Iterator[Shape]:
        """Yield the types of ids in the source: those of the named requests, or of objects that look like requests."""
        yield from self._ids
        for name in self._catalog.declarations:
            members = self._look.members_of(Ref(name))
            if members.keys() >= _ENVELOPE:
                yield members["id"].shape

    def _cancellation(self) -> dict[str, object] | None:
        """Return the notification that cancels a request: it is named so, and a parameter is the id of a request."""
        ids = {each for each in self._known_ids() if isinstance(each, Ref)}
        for call in self._catalog.calls:
            params = [each.shape for each in call.members if each.name == "params"]
            if call.answered or not params or "cancel" not in call.method.lower():
                continue
            for leaf in self._look.leaves(params[0]):
                for key, member in self._look.members_of(leaf).items():
                    if key in _IDS or member.shape in ids:
                        message = f"{call.method!r} cancels the request `/params/{key}`, which is still answered"
                        self._catalog.note("guessed", call.place, message)
                        return {"notify": call.method, "id": f"/params/{key}", "answered": True}
        return None

    def _error(self) -> Shape | None:
        """Return the type of `error` in responses to failed requests, which can have any code."""
        for declared in self._catalog.declarations.values():
            for shape in walk(declared.shape):
                error = self._look.members_of(shape).get("error") if isinstance(shape, Object) else None
                inner = self._look.members_of(error.shape) if error and error.required else {}
                if error and {"code", "message"} <= inner.keys() and not self._look.constants(inner["code"].shape):
                    return error.shape
        return None

    def _errors(self) -> dict[str, object]:
        """Return what is declared about errors: their codes, and the types of their data."""
        stated = self._overridden.get("codes")
        codes = {**CODES, **stated} if isinstance(stated, Mapping) else CODES
        named = self._overridden.get("errors")
        if named is None:
            named = [name for name in self._catalog.declarations if self._has_typed_data(name)] if self._unaided else []
        if not isinstance(named, list):
            raise ImportingError("jsonrpc: `errors` is a list of names")
        types = dict(self._typed_error(str(name)) for name in named)
        return {"codes": codes, **({"types": types} if types else {})}

    def _detail(self, name: str) -> Mapping[str, Member]:
        """Return the members of an error, or of the one in a response."""
        members = self._look.members_of(Ref(name))
        return self._look.members_of(members["error"].shape) if "error" in members else members

    def _has_typed_data(self, name: str) -> bool:
        inner = self._detail(name)
        code = self._look.resolved(inner["code"].shape) if {"code", "message", "data"} <= inner.keys() else None
        plain = (Anything, AnyObject)
        return isinstance(code, Literal) and not isinstance(self._look.resolved(inner["data"].shape), plain)

    def _typed_error(self, name: str) -> tuple[str, object]:
        """Return the code of an error and the type of its data."""
        declared = self._declared("errors", name)
        inner = self._detail(name)
        code = self._look.resolved(inner["code"].shape) if "code" in inner else None
        if not isinstance(code, Literal) or "data" not in inner:
            raise ImportingError(f"jsonrpc: errors: {declared.place}: {name} has no constant `code` next to `data`")
        data = inner["data"].shape
        if isinstance(data, Ref):
            return str(code.value), data
        label = f"{name.removesuffix('Error')}Data"
        self._catalog.declarations[label] = Declared(label, data, inner["data"].place or declared.place)
        return str(code.value), Ref(label)


def _either(first: Shape, second: Shape) -> Shape:
    return first if first == second else OneOf((first, second))


def _takes_null(shape: Shape) -> bool:
    return isinstance(shape, OneOf) and any(each == Null() or _takes_null(each) for each in shape.members)
