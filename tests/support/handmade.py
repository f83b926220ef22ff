"""Models written by hand, for tests of the stages after reading specs."""

from __future__ import annotations

from polywire.model.nodes import Declaration, Model, Protocol


def model(*declarations: Declaration, **protocol: object) -> Model:
    """Return a model of these declarations; the first is the root."""
    about: dict[str, object] = {
        "name": "parcel",
        "title": "Parcel protocol",
        "version": "1.2.0",
        "framing": "ndjson",
        "peers": ("one", "other"),
        "roots": (declarations[0].name,) if declarations else (),
    }
    return Model(
        protocol=Protocol(**{**about, **protocol}),  # type: ignore[arg-type]  # checked when it is used
        packages={},
        declarations={each.name: each for each in declarations},
        controls=(),
        tools=(),
        spec_hash="0" * 64,
    )
