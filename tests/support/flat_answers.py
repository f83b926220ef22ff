"""A small protocol with flat responses: their members are in the envelope, next to the id of the request."""

from __future__ import annotations

from typing import Any

CONTROL = {
    "request": {"envelope": "Ask", "id": "/id", "payload": "", "by": "what"},
    "response": {"envelope": "Answer", "id": "/id", "result": "", "when": {"/how": "good"}},
    "error": {"envelope": "Answer", "id": "/id", "message": "/why", "when": {"/how": "bad"}},
}

PARTS: dict[str, Any] = {
    "types": {
        "Place": {"doc": "Where something is.", "fields": {"x": "integer"}},
        "Look": {"doc": "What can be seen, which may be nothing.", "fields": {"far?": "boolean"}},
        "Good": {
            "doc": "It could be answered.",
            "tag": {"how": "good"},
            "fields": {"id": "string", "answer?": {"type": "object", "flatten": True}},
        },
        "Bad": {"doc": "It could not be answered.", "tag": {"how": "bad"}, "fields": {"id": "string", "why": "string"}},
    },
    "messages": {
        "Ask": {
            "doc": "A request.",
            "from": "a",
            "tag": {"kind": "ask"},
            "fields": {"id": "string", "ask": {"type": "Asks", "flatten": True}},
        },
        "Answer": {
            "doc": "An answer.",
            "from": "b",
            "tag": {"kind": "answer"},
            "fields": {"how": {"type": "Answers", "flatten": True}},
        },
    },
    "unions": {
        "Exchange": {"doc": "A line.", "open": True, "by": "kind", "variants": ["Ask", "Answer"]},
        "Asks": {"doc": "What is asked.", "open": True, "by": "what"},
        "Answers": {"doc": "How it went.", "open": True, "by": "how", "variants": ["Good", "Bad"]},
    },
    "controls": {
        "where": {"doc": "Where it is.", "from": "a", "request": {"of": "string"}, "response": "Place"},
        "near": {"doc": "Where it may be.", "from": "a", "request": {}, "response": "Place | none"},
        "look": {"doc": "What there is.", "from": "a", "request": {}, "response": "Look"},
        "stop": {"doc": "No more.", "from": "a", "request": {}, "response": "none"},
    },
}


def with_them(part: dict[str, Any]) -> dict[str, Any]:
    """Add the declarations above to a part; `Exchange` is the union of their envelopes."""
    return {section: {**part.get(section, {}), **PARTS.get(section, {})} for section in {**part, **PARTS}}
