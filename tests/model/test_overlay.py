"""Dialects: overlays that declare only differences. An entry without an effect is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.model.build import Built, build
from polywire.model.nodes import Field, Model
from polywire.source import load
from polywire.source.types import Ref, Scalar
from written import CONTROL, HEADER, built, found, model

BASE = """\
    enums:
      E: {doc: E., open: true, values: {a: A., b: {doc: B., source: Us}}}
    aliases:
      Id: {doc: I., type: string}
    types:
      Base: {doc: B., fields: {id: Id, note?: {type: string, doc: A note., default: x}}}
      Inner: {doc: I., tag: {kind: inner}, fields: {n: integer}}
      Other: {doc: O., tag: {kind: other}}
      Third: {doc: T., tag: {kind: third}}
    messages:
      M:
        doc: M.
        from: a
        tag: {type: m}
        const: {v: 1}
        include: [Base]
        fields: {inner: Inner, e?: E}
        examples: [{type: m, v: 1, id: x, inner: {kind: inner, n: 1}}]
        construct: {NewM: {doc: N., params: [{id: /id}, {n: /inner/n}], set: {/note: hello}}}
      N: {doc: N., from: b, tag: {type: n}, examples: [{type: n}]}
    unions:
      U: {doc: U., open: true, by: kind, variants: [Inner, Other]}
      W: {doc: W., open: true, by: type, variants: [M, N]}
    tools:
      t: {doc: T., input: U}
    options:
      O: {doc: O., fields: {o: string}}
"""
ROOTED = HEADER.replace("roots: []", "roots: [W]")


def base(tmp_path: Path, dialect: str) -> Model:
    return model(tmp_path, BASE, dialect, header=ROOTED)


def field(made: Model, struct: str, name: str) -> Field:
    return next(f for f in made.struct(struct).fields if f.name == name)


def faults(tmp_path: Path, dialect: str) -> list[str]:
    """Return the findings, as `LINE:COLUMN RULE` in the dialect."""
    lines = found(tmp_path, BASE, dialect, header=ROOTED)
    assert all(line.startswith("dialects/d.yaml:") for line in lines), lines
    return [line.removeprefix("dialects/d.yaml:") for line in lines]


def test_a_change_of_a_mixin_reaches_all_who_include_it(tmp_path: Path) -> None:
    made = base(tmp_path, "change: {types: {Base: {fields: {id: {rename: ID}, added?: integer}}}}")
    assert [(f.name, f.origin) for f in made.struct("M").fields][:3] == [
        ("ID", "Base"),
        ("note", "Base"),
        ("added", "Base"),
    ]
    assert str(field(made, "M", "ID").place) == "dialects/d.yaml:2:34"
    assert made.dialect == "d"


@pytest.mark.parametrize(
    ("patch", "type_", "required", "doc"),
    [
        ("note: integer", "integer", True, "A note."),
        ("note?: integer", "integer", False, "A note."),
        ("note: string", "string", True, "A note."),
        ("note: {doc: New.}", "string", False, "New."),
        ("note: {type: string}", "string", True, "A note."),
        ("note?: {type: uuid, doc: remove}", "uuid", False, None),
    ],
)
def test_a_field_is_known_without_its_mark_and_merges_key_by_key(
    tmp_path: Path, patch: str, type_: str, required: bool, doc: str | None
) -> None:
    made = base(tmp_path, f"change: {{types: {{Base: {{fields: {{{patch}}}}}}}}}")
    note = field(made, "M", "note")
    assert (note.type, note.required, note.about.doc, note.default) == (Scalar(type_), required, doc, "x")  # type: ignore[arg-type]  # a scalar of the table


def test_a_change_with_a_mark_alone_makes_a_field_optional(tmp_path: Path) -> None:
    made = base(tmp_path, "change: {messages: {M: {fields: {inner?: {doc: Inside.}}}}}")
    inner = field(made, "M", "inner")
    assert (inner.type, inner.required, inner.about.doc) == (Ref("Inner"), False, "Inside.")


def test_fields_and_values_are_added_and_removed(tmp_path: Path) -> None:
    made = base(
        tmp_path,
        """\
        roots: [W, E, O]
        change:
          types: {M: {fields: {e: remove, x: string}}}
          enums: {E: {values: {a: remove, b: {doc: Other.}, c: New.}}}
          options: {O: {fields: {o: remove, f?: {live: true}}}}
        """,
    )
    assert [f.name for f in made.struct("M").fields] == ["id", "note", "inner", "x"]
    assert [(v.wire, v.about.doc, v.about.source) for v in made.enum("E").values] == [
        ("b", "Other.", "Us"),
        ("c", "New.", None),
    ]
    assert [f.name for f in made.struct("O").fields] == ["f"]


def test_a_tag_replaces_the_tag_and_a_union_gains_and_loses_variants(tmp_path: Path) -> None:
    made = base(
        tmp_path,
        """\
        change:
          types: {Inner: {tag: {kind: [in, inner], more: x}, const: {z: true}}}
          unions: {U: {open: false, add: [Third], remove: [Other]}}
          aliases: {Id: {type: uuid}}
          tools: {t: {output: string}}
        """,
    )
    assert [(t.key, t.constant, t.values) for t in made.struct("Inner").tags] == [
        ("kind", None, ("in", "inner")),
        ("more", "x", ()),
    ]
    union = made.union("U")
    assert [v.name for v in union.variants] == ["Inner", "Third"]
    assert not union.open
    assert made.aliases[0].type == Scalar("uuid")
    assert made.tools[0].output == Scalar("string")
    assert made.tools[0].input == Ref("U")


def test_what_is_replaced_keeps_its_doc_and_its_sender_unless_it_says_others(tmp_path: Path) -> None:
    made = base(
        tmp_path, "replace: {types: {M: {tag: {type: m}, fields: {x: Other}}, Other: {doc: New., tag: {kind: o}}}}"
    )
    message = made.struct("M")
    assert (message.section, message.origin, message.about.doc, message.include) == ("messages", "a", "M.", ())
    assert made.struct("Other").about.doc == "New."
    assert list(made.declarations) == ["Inner", "Other", "M", "N", "U", "W"]


def test_what_is_removed_leaves_the_unions(tmp_path: Path) -> None:
    made = base(tmp_path, "remove: [N, t, Other]\nadd: {types: {New: {doc: N.}}}\nroots: [W, New]")
    assert [v.name for v in made.union("W").variants] == ["M"]
    assert made.tools == ()
    assert list(made.declarations)[-1] == "New"
    assert made.protocol.roots == ("W", "New")


def test_constructors_follow_what_becomes_of_fields(tmp_path: Path) -> None:
    made = base(
        tmp_path,
        """\
        change:
          types: {Base: {fields: {id: {rename: ID}, note: {rename: Note}}}, Inner: {fields: {n: {rename: N}}}}
          messages: {M: {fields: {inner: {flatten: true}}}}
        """,
    )
    (made_by,) = made.struct("M").constructors
    assert [p.pointer for p in made_by.params] == [("ID",), ("N",)]
    assert made_by.set == ((("Note",), "hello"),)


def test_a_field_that_a_constructor_needs_is_removed_with_it_or_not_at_all(tmp_path: Path) -> None:
    assert faults(tmp_path, "change: {types: {Base: {fields: {id: remove}}}}") == ["1:34 removed-in-use"]
    both = "change: {types: {Base: {fields: {id: remove}}, M: {construct: {NewM: remove}}}}"
    assert faults(tmp_path, both) == []


def test_examples_of_what_has_changed_are_left_out(tmp_path: Path) -> None:
    made = base(tmp_path, "change: {types: {Inner: {fields: {n: string}}}}")
    assert made.struct("M").examples == ()
    assert [e.text for e in made.struct("N").examples] == ['{"type":"n"}']
    own = base(tmp_path, "change: {types: {M: {examples: [{type: m, v: 1, id: y, inner: {kind: inner, n: 2}}]}}}")
    assert [str(e.place) for e in own.struct("M").examples] == ["dialects/d.yaml:2:33"]


CONTROLS = """\
    messages:
      Ask: {doc: A., from: both, tag: {type: ask}, fields: {id: string, request: Inner}}
      Answer: {doc: A., from: both, tag: {type: answer}, fields: {response: Result}}
    types: {Result: {doc: R., fields: {id: string, result?: object}}}
    unions: {Inner: {doc: I., open: true, by: sub}}
    controls:
      ask: {doc: C., from: a, request: {x: string}, response: Result | none}
      stop: {doc: S., from: both, response: none}
"""


def test_controls_are_changed_added_and_removed(tmp_path: Path) -> None:
    dialect = """\
        change:
          controls: {ask: {name: Question, request: {x: remove, y?: integer}, response: none}}
          messages: {Ask: {fields: {request: {flatten: true}, id: {rename: ID}}}}
        add: {controls: {go: {doc: G., from: b, response: none}}}
        remove: [stop]
        """
    made = model(tmp_path, CONTROLS, dialect, header=CONTROL)
    assert [(c.key, c.request, c.response) for c in made.controls] == [
        ("ask", "Question", None),
        ("go", "GoRequest", None),
    ]
    assert [f.name for f in made.struct("Question").fields] == ["y"]
    assert [v.name for v in made.union("Inner").variants] == ["Question", "GoRequest"]
    assert made.protocol.control is not None
    assert (made.protocol.control.request.id, made.protocol.control.request.payload) == (("ID",), ())


def test_the_payload_of_requests_may_be_renamed(tmp_path: Path) -> None:
    made = model(tmp_path, CONTROLS, "change: {messages: {Ask: {fields: {request: {rename: req}}}}}", header=CONTROL)
    assert made.protocol.control is not None
    assert made.protocol.control.request.payload == ("req",)
    assert [v.name for v in made.union("Inner").variants] == ["AskRequest", "StopRequest"]


@pytest.mark.parametrize(
    ("dialect", "findings"),
    [
        ("change: {types: {Nothing: {doc: N.}}}", ["1:18 unused-overlay"]),
        ("change: {types: {E: {doc: N.}}}", ["1:18 unused-overlay"]),
        ("change: {types: {M: {doc: M.}}}", ["1:22 unused-overlay"]),
        ("change: {types: {M: {doc: 'M.'}}}", ["1:22 unused-overlay"]),
        ("change: {types: {M: {}}}", ["1:18 unused-overlay"]),
        ("change: {types: {M: {fields: {}}}}", ["1:22 unused-overlay"]),
        ("change: {types: {}}", ["1:10 unused-overlay"]),
        ("change: {}", ["1:1 unused-overlay"]),
        ("remove: []", ["1:1 unused-overlay"]),
        ("change: {types: {M: {extra: remove}}}", ["1:22 unused-overlay"]),
        ("change: {types: {M: {tag: {type: m}}}}", ["1:22 unused-overlay"]),
        ("change: {types: {N: {from: b}}}", ["1:22 unknown-key"]),
        ("change: {messages: {N: {from: b}}}", ["1:25 unused-overlay"]),
        ("change: {messages: {Base: {from: b}}}", ["1:28 unused-overlay"]),
        ("change: {types: {Base: {fields: {id: Id}}}}", ["1:34 unused-overlay"]),
        ("change: {types: {Base: {fields: {id: {}}}}}", ["1:34 unused-overlay"]),
        ("change: {types: {Base: {fields: {id: {rename: id}}}}}", ["1:39 unused-overlay"]),
        ("change: {types: {Base: {fields: {id: {rename: note}}}}}", ["1:34 duplicate-name"]),
        ("change: {types: {Base: {fields: {ida: remove}}}}", ["1:34 unused-overlay"]),
        ("change: {types: {Base: {fields: {ida: {doc: x}}}}}", ["1:34 unused-overlay"]),
        ("change: {types: {M: {fields: {id: {doc: x}}}}}", ["1:31 unused-overlay"]),
        ("change: {types: {Base: {fields: {note: {default: x}}}}}", ["1:41 unused-overlay"]),
        ("change: {enums: {E: {values: {a: A.}}}}", ["1:31 unused-overlay"]),
        ("change: {enums: {E: {values: {b: {source: Us}}}}}", ["1:35 unused-overlay"]),
        ("change: {enums: {E: {values: {c: remove}}}}", ["1:31 unused-overlay"]),
        ("change: {unions: {U: {add: [Inner]}}}", ["1:29 unused-overlay"]),
        ("change: {unions: {U: {remove: [Third]}}}", ["1:32 unused-overlay"]),
        ("change: {unions: {U: {variants: [Inner, Other]}}}", ["1:23 unused-overlay"]),
        ("change: {types: {Third: {doc: x}}}", ["1:18 unused-overlay"]),
        ("change: {options: {O: {fields: {o: integer}}}}", ["1:20 unused-overlay"]),
        ("over: nowhere\nremove: [N]", ["1:7 missing-file"]),
        ("change: {messages: {M: {construct: {New: remove}}}}", ["1:37 unused-overlay"]),
        ("replace: {types: {Nothing: {doc: N.}}}", ["1:19 unused-overlay"]),
        ("replace: {types: {Other: {tag: {kind: other}}}}", ["1:19 unused-overlay"]),
        ("add: {types: {M: {doc: M.}}}", ["1:15 duplicate-name"]),
        ("add: {types: {null: {doc: M.}}}", ["1:15 bad-name"]),
        ("remove: [Nothing]", ["1:10 unused-overlay"]),
        ("remove: [N, N]", ["1:13 unused-overlay"]),
        ("remove: [N]\nchange: {types: {N: {doc: x}}}", ["1:10 unused-overlay"]),
        ("remove: [Inner]", ["1:10 removed-in-use"]),
        ("remove: [E]", ["1:10 removed-in-use"]),
        ("remove: [Base]", ["1:10 removed-in-use"]),
        ("remove: [W]", ["1:10 removed-in-use"]),
        ("remove: [N]\nchange: {unions: {U: {add: [N]}}}", ["1:10 removed-in-use"]),
        ("change: {types: {M: {fields: {inner: 'Inner | Nothing'}}}}", ["1:47 unknown-name"]),
        ("change: {types: {M: {fields: {inner: 'Inner |'}}}}", ["1:46 bad-type"]),
        ("roots: [Nothing]", ["1:9 unknown-name"]),
    ],
)
def test_an_entry_that_names_or_changes_nothing_is_an_error_at_its_place(
    tmp_path: Path, dialect: str, findings: list[str]
) -> None:
    assert faults(tmp_path, dialect) == findings


def test_an_enum_that_a_tag_names_is_not_removed_unnoticed(tmp_path: Path) -> None:
    body = """\
        enums: {E: {doc: E., open: true, values: {a: A.}}}
        types: {T: {doc: T., tag: {t: E}}}
        """
    assert found(tmp_path, body, "remove: [E]") == ["dialects/d.yaml:1:10 removed-in-use"]


def test_a_list_of_variants_takes_the_place_of_the_list(tmp_path: Path) -> None:
    made = base(tmp_path, "change: {unions: {U: {variants: [Third, Inner]}}}")
    assert [v.name for v in made.union("U").variants] == ["Third", "Inner"]


def test_what_nothing_leads_to_any_more_is_no_part_of_the_dialect(tmp_path: Path) -> None:
    made = base(tmp_path, "change: {types: {M: {fields: {e: remove}}}}\nremove: [t]")
    assert list(made.declarations) == ["Id", "Base", "Inner", "M", "N", "W"]
    assert list(base(tmp_path, "roots: [U]\nremove: [t]").declarations) == ["Inner", "Other", "U"]


def test_what_is_no_part_of_the_dialect_cannot_be_wrong_in_it(tmp_path: Path) -> None:
    tags = "change: {types: {Other: {tag: {kind: inner}}}}\nroots: [Inner, Other]\nremove: [t]"
    assert list(base(tmp_path, tags).declarations) == ["Inner", "Other"]


def test_controls_go_with_the_envelope_of_their_requests(tmp_path: Path) -> None:
    made = model(tmp_path, CONTROLS, "roots: [Answer]", header=CONTROL)
    assert (made.controls, made.protocol.control) == ((), None)
    assert list(made.declarations) == ["Answer", "Result"]


def test_a_value_that_a_constructor_sets_goes_with_its_field(tmp_path: Path) -> None:
    made = base(tmp_path, "change: {types: {Base: {fields: {note: remove}}}}")
    (made_by,) = made.struct("M").constructors
    assert ([p.name for p in made_by.params], made_by.set) == (["id", "n"], ())


def test_what_is_replaced_keeps_its_names_in_targets(tmp_path: Path) -> None:
    named = "types: {A: {doc: A., name: B, targets: {go: {name: C}}, fields: {a: string}}}"
    header = HEADER.replace("roots: []", "roots: [A]")
    kept = model(tmp_path, named, "replace: {types: {A: {fields: {b: string}}}}", header=header).struct("A")
    assert (kept.about.name, kept.about.targets["go"]) == ("B", {"name": "C"})
    anew = "replace: {types: {A: {name: D, targets: {}, fields: {b: string}}}}"
    other = model(tmp_path, named, anew, header=header).struct("A")
    assert (other.about.name, dict(other.about.targets)) == ("D", {})


# --- a dialect over another --------------------------------------------------------------------------------------


def layered(tmp_path: Path, lower: str, upper: str) -> Built:
    """Build the second of two overlays, which extends the first."""
    built(tmp_path, BASE, lower, header=ROOTED)
    (tmp_path / "dialects" / "e.yaml").write_text(f"dialect: e\nover: d\n{upper}", encoding="utf-8")
    return build(load(tmp_path, "e"))


def test_a_dialect_may_differ_from_another(tmp_path: Path) -> None:
    lower = "change: {types: {Base: {fields: {id: {rename: ID}}}}, unions: {W: {add: [Third]}}}\n"
    lower += "replace: {types: {Third: {doc: T., tag: {type: third}}}}"
    made = layered(tmp_path, lower, "change: {types: {Base: {fields: {ID: {rename: Id}}}}}\nremove: [N]").model
    assert made is not None
    assert made.dialect == "e"
    assert [f.name for f in made.struct("M").fields][:2] == ["Id", "note"]
    assert [v.name for v in made.union("W").variants] == ["M", "Third"]
    (made_by,) = made.struct("M").constructors
    assert [p.pointer for p in made_by.params] == [("Id",), ("inner", "n")]


def test_findings_name_the_overlay_that_is_at_fault(tmp_path: Path) -> None:
    lower = "remove: [N]"
    findings = layered(tmp_path, lower, "change: {types: {M: {fields: {e?: N}}}}\nremove: [W]").findings
    assert sorted(f"{f.place} {f.rule}" for f in findings) == [
        "dialects/d.yaml:2:10 removed-in-use",
        "dialects/e.yaml:4:10 removed-in-use",
    ]


def test_examples_last_until_the_next_overlay_that_changes_what_they_are_of(tmp_path: Path) -> None:
    lower = "change: {types: {M: {examples: [{type: m, v: 1, id: y, inner: {kind: inner, n: 2}}]}}}"
    kept = layered(tmp_path, lower, "change: {types: {N: {doc: Other.}}}").model
    assert kept is not None
    assert [str(e.place) for e in kept.struct("M").examples] == ["dialects/d.yaml:2:33"]
    gone = layered(tmp_path, lower, "change: {types: {Inner: {fields: {n: string}}}}").model
    assert gone is not None
    assert gone.struct("M").examples == ()


def test_the_hash_of_a_dialect_is_of_every_overlay_under_it(tmp_path: Path) -> None:
    first = layered(tmp_path, "remove: [t]", "change: {types: {N: {doc: x}}}").model
    second = layered(tmp_path, "remove: [Third]", "change: {types: {N: {doc: x}}}").model
    assert first is not None
    assert second is not None
    assert first.spec_hash != second.spec_hash


def test_the_nearest_name_is_the_hint(tmp_path: Path) -> None:
    findings = built(tmp_path, BASE, "remove: [Thrid]\nchange: {types: {Base: {fields: {nite: remove}}}}").findings
    assert [f.hint for f in findings] == ["did you mean `Third`?", "did you mean `note`?"]


def test_every_operation_leaves_a_model_without_findings(root: Path) -> None:
    from polywire.model.build import build
    from polywire.source import load

    made = build(load(root / "tests/specs/parcel", "courier"))
    assert made.findings == ()
    assert made.model is not None
    assert {"Oval", "RingRequest"} <= made.model.declarations.keys()
    assert not {"NoteAgain", "Circle"} & made.model.declarations.keys()
