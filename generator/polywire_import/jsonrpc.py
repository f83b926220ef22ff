"""A catalog and the section `jsonrpc` of the overrides → requests, notifications and the envelopes of JSON-RPC 2.0.

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
the first match that leads to a declaration is used, exact names first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from polywire.ground.words import suggestion
from polywire_import.overrides import Overrides
from polywire_import.shapes import (
    Anything,
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
    Written,
    walk,
)

MESSAGE = "JSONRPCMessage"
_ENVELOPE = frozenset({"jsonrpc", "id", "method"})
_CODES = {"refused": -32603, "unknown": -32601}


def add_calls(catalog: Catalog, overrides: Overrides) -> None:
    """Add calls, envelopes and the `control` block to a catalog, if the overrides ask for JSON-RPC."""
    overridden = overrides.all("jsonrpc")
    if overridden:
        _Calls(catalog, overrides, overridden).run()


class _Calls:
    def __init__(self, catalog: Catalog, overrides: Overrides, overridden: Mapping[str, object]) -> None:
        self._catalog = catalog
        self._overridden = overridden
        self._mark = overrides.text("annotations", "method")
        self._results = self._mapping("results")
        named = [peer for key in ("requests", "notifications") for peer in self._mapping(key) if peer != "both"]
        said_peers = overrides.get("protocol", "peers")
        self._peers: list[str] = list(map(str, said_peers if isinstance(said_peers, list) else dict.fromkeys(named)))
        self._used: set[str] = set()
        self._ids: list[Shape] = []

    def run(self) -> None:
        calls: dict[str, Call] = {}
        for key, answered in (("requests", True), ("notifications", False)):
            for peer, name in self._mapping(key).items():
                if peer not in self._peers and peer != "both":
                    raise ImportingError(f"jsonrpc: {key}: {peer!r} is not a peer{suggestion(peer, self._peers)}")
                for call in self._calls(key, self._declared(key, name), peer, answered=answered):
                    known = calls.get(call.method)
                    calls[call.method] = call if known is None else self._both(known, call)
        unused = self._results.keys() - self._used
        if unused:
            raise ImportingError(f"jsonrpc: results: {', '.join(sorted(unused))} applies to no request; take it out")
        self._catalog.calls.extend(calls.values())
        error = self._overridden.get("error")
        detail = Ref(self._declared("error", str(error)).name) if error is not None else self._error()
        add_envelopes(self._catalog, self._peers, self._id(), detail, self._errors(), self._overridden.get("cancel"))

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

    def _calls(self, key: str, declared: Declared, peer: str, *, answered: bool) -> Iterator[Call]:
        found = False
        for member in self._members(Ref(declared.name)).values():
            if member.name == "params" and self._mark is not None:
                for name in self._names_in(member.shape):
                    method = self._catalog.declarations[name].marks.get(self._mark)
                    if method is None:
                        self._catalog.note("lost", declared.place, f"{name} has no method; it is kept untouched")
                        continue
                    found = True
                    params = OneOf((Ref(name), Null())) if _takes_null(member.shape) else Ref(name)
                    self._note_id(declared.name)
                    yield self._call(method, peer, name, (replace(member, shape=params),), answered=answered)
        for name in self._names_in(Ref(declared.name)):
            members = self._members(Ref(name))
            constant = self._behind(members["method"].shape) if "method" in members else None
            if isinstance(constant, Literal) and isinstance(constant.value, str):
                found = True
                self._note_id(name)
                rest = tuple(each for each in members.values() if each.name not in _ENVELOPE)
                yield self._call(constant.value, peer, name, rest, answered=answered)
        if not found:
            raise ImportingError(
                f"jsonrpc: {key}: {declared.name} is neither a union of objects with a constant `method` nor an object"
                " whose `params` are annotated with their methods (say `annotations: {method: KEYWORD}`)"
            )

    def _call(self, method: str, peer: str, name: str, members: tuple[Member, ...], *, answered: bool) -> Call:
        declared = self._catalog.declarations[name]
        result = self._result(name) if answered else None
        return Call(method, peer, members, answered, result, doc=declared.doc, place=declared.place, name=name)

    def _note_id(self, name: str) -> None:
        member = self._members(Ref(name)).get("id")
        if member is not None:
            self._ids.append(member.shape)

    def _both(self, first: Call, second: Call) -> Call:
        """Merge the two calls of a method that both peers use."""
        if first.members != second.members or first.result != second.result or first.answered != second.answered:
            raise ImportingError(f"jsonrpc: the two peers use {first.method!r} for different things; a method has one")
        return replace(first, sender=first.sender if first.sender == second.sender else "both")

    def _result(self, request: str) -> Shape | None:
        for pattern, wanted in sorted(self._results.items(), key=lambda each: "*" in each[0]):
            head, star, tail = pattern.partition("*")
            fits = request.startswith(head) and request.endswith(tail) and len(request) >= len(head) + len(tail)
            if not (fits if star else request == pattern):
                continue
            stem = request[len(head) : len(request) - len(tail)] if star else ""
            answer = wanted.replace("*", stem)
            if answer == "none" or answer in self._catalog.declarations:
                self._used.add(pattern)
                return None if answer == "none" else Ref(answer)
            if not star:
                raise ImportingError(f"jsonrpc: results: the source declares no {answer!r}")
        self._catalog.note("guessed", self._catalog.declarations[request].place, "no result is known; any is taken")
        return Anything()

    # --- inspecting shapes ---

    def _behind(self, shape: Shape) -> Shape:
        seen: set[str] = set()
        while isinstance(shape, Ref) and shape.name not in seen:
            seen.add(shape.name)
            shape = self._catalog.declarations[shape.name].shape
        return shape

    def _members(self, shape: Shape, depth: int = 0) -> dict[str, Member]:
        behind = self._behind(shape)
        found: dict[str, Member] = {}
        if isinstance(behind, Object) and depth < 40:
            for base in behind.bases:
                found |= self._members(base, depth + 1)
            found |= {member.name: member for member in behind.members}
        return found

    def _names_in(self, shape: Shape) -> Iterator[str]:
        """Yield the declarations among the alternatives of a shape, in order."""
        seen: set[str] = set()
        stack = [shape]
        while stack:
            each = stack.pop()
            if isinstance(each, OneOf):
                stack.extend(reversed(each.members))
            elif isinstance(each, Object) and len(each.bases) == 1 and not each.members:
                stack.append(each.bases[0])
            elif isinstance(each, Ref) and each.name not in seen:
                seen.add(each.name)
                behind = self._catalog.declarations[each.name].shape
                if isinstance(behind, (OneOf, Ref)):
                    stack.append(behind)
                else:
                    yield each.name

    # --- envelopes ---

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
        for declared in self._catalog.declarations.values():
            members = self._members(Ref(declared.name))
            if members.keys() >= _ENVELOPE:
                yield members["id"].shape

    def _error(self) -> Shape | None:
        """Return the type of `error` in responses to failed requests."""
        for declared in self._catalog.declarations.values():
            for shape in walk(declared.shape):
                error = self._members(shape).get("error") if isinstance(shape, Object) else None
                if error is not None and error.required and {"code", "message"} <= self._members(error.shape).keys():
                    return error.shape
        return None

    def _errors(self) -> dict[str, object]:
        """Return what the overrides declare about errors: their codes, and the types of their data."""
        stated = self._overridden.get("codes")
        codes = {**_CODES, **stated} if isinstance(stated, Mapping) else _CODES
        named = self._overridden.get("errors", [])
        if not isinstance(named, list):
            raise ImportingError("jsonrpc: `errors` is a list of names")
        types = dict(self._typed_error(str(name)) for name in named)
        return {"codes": codes, **({"types": types} if types else {})}

    def _typed_error(self, name: str) -> tuple[str, object]:
        """Return the code of an error and the type of its data."""
        declared = self._declared("errors", name)
        members = self._members(Ref(name))
        inner = self._members(members["error"].shape) if "error" in members else members
        code = self._behind(inner["code"].shape) if "code" in inner else None
        if not isinstance(code, Literal) or "data" not in inner:
            raise ImportingError(f"jsonrpc: errors: {declared.place}: {name} has no constant `code` next to `data`")
        data = inner["data"].shape
        if isinstance(data, Ref):
            return str(code.value), data
        label = f"{name.removesuffix('Error')}Data"
        self._catalog.declarations[label] = Declared(label, data, inner["data"].place or declared.place)
        return str(code.value), Ref(label)


def add_envelopes(
    catalog: Catalog,
    peers: Sequence[str],
    identifier: Shape | None = None,
    error: Shape | None = None,
    errors: Mapping[str, object] | None = None,
    cancel: object = None,
) -> None:
    """Add the envelopes of JSON-RPC 2.0 for a catalog's calls, and the `control` block that pairs them.

    `error` is the type of `error` in a response; `errors` has `codes` and `types` as in the block.
    """
    identifier = identifier or OneOf((Scalar("string"), Scalar("integer")))
    error = error or _plain_error(catalog)
    both = {"from": "both", "const": {"jsonrpc": "2.0"}}
    variants: list[object] = []
    control: dict[str, object] = {"ids": {"draw": "counter"}}
    if any(call.answered for call in catalog.calls):
        payload = _payload(catalog, "RequestPayload", "The method of a request with its parameters.")
        doc = "A request, which is answered under its id."
        _write(catalog, "JSONRPCRequest", "messages", doc, **both, fields={"id": identifier, "payload": payload})
        doc = "The answer to a request."
        _write(catalog, "JSONRPCResponse", "messages", doc, **both, fields={"id": identifier, "result": Anything()})
        fields = {"id?": OneOf((identifier, Null())), "error": error}
        _write(catalog, "JSONRPCFailure", "messages", "The answer to a request that failed.", **both, fields=fields)
        variants += [
            {"name": Ref("JSONRPCRequest"), "when": {"has": ["id", "method"]}},
            {"name": Ref("JSONRPCResponse"), "when": {"has": ["result"], "lacks": ["method"]}},
            {"name": Ref("JSONRPCFailure"), "when": {"has": ["error"], "lacks": ["method", "result"]}},
        ]
        places = {"message": "/error/message", "code": "/error/code", "data": "/error/data"}
        control["request"] = {"envelope": Ref("JSONRPCRequest"), "id": "/id", "payload": "", "by": "method"}
        control["response"] = {"envelope": Ref("JSONRPCResponse"), "id": "/id", "result": "/result", "none": {}}
        control["error"] = {
            "envelope": Ref("JSONRPCFailure"), "id": "/id", **places, "codes": _CODES, **(errors or {})
        }  # fmt: skip
    if any(not call.answered for call in catalog.calls):
        payload = _payload(catalog, "NotificationPayload", "The method of a notification with its parameters.")
        doc = "A message that is not answered."
        _write(catalog, "JSONRPCNotification", "messages", doc, **both, fields={"payload": payload})
        variants.insert(1, {"name": Ref("JSONRPCNotification"), "when": {"has": ["method"], "lacks": ["id"]}})
        control["notify"] = {"envelope": Ref("JSONRPCNotification"), "payload": "", "by": "method"}
    if cancel is not None:
        control["cancel"] = cancel
    _write(catalog, MESSAGE, "unions", "A line of the protocol.", open=True, by="keys", variants=variants)
    order = ("ids", "request", "notify", "response", "error", "cancel")
    catalog.header["control"] = {key: control[key] for key in order if key in control}
    catalog.header["peers"] = [*peers]
    catalog.roots[:] = [MESSAGE]


def _payload(catalog: Catalog, name: str, doc: str) -> dict[str, object]:
    """Add a union for calls, and return the field that has it as its type."""
    _write(catalog, name, "unions", doc, open=True, by="method", variants=[])
    return {"type": Ref(name), "flatten": True}


def _write(catalog: Catalog, name: str, section: str, doc: str, **body: object) -> None:
    if name in catalog.declarations:
        place = catalog.declarations[name].place
        catalog.note("guessed", place, f"{name} is replaced by the envelope of that name")
    catalog.declarations[name] = Declared(name, Written(name, section, body), "JSON-RPC 2.0", doc)


def _plain_error(catalog: Catalog) -> Shape:
    name = "JSONRPCFault"
    members = (
        Member("code", Scalar("integer")),
        Member("message", Scalar("string")),
        Member("data", Anything(), required=False),
    )
    catalog.declarations[name] = Declared(name, Object(members), "JSON-RPC 2.0", "Why a request failed.")
    return Ref(name)


def _takes_null(shape: Shape) -> bool:
    return isinstance(shape, OneOf) and any(each == Null() or _takes_null(each) for each in shape.members)
