"""Building the model from declarations: fields, mixins, tags, controls, and references that cannot be resolved."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.model.nodes import About, Callback, Carrier, Control, Envelope, Leaf, Parameter, Struct, Switch, Tool
from polywire.source.types import Array, Choice, Ref, Scalar, Type
from written import CONTROL, built, found, model

STRING, INTEGER, JSON = Scalar("string"), Scalar("integer"), Scalar("json")


def fields(struct: Struct) -> list[tuple[str, Type, bool, bool]]:
    return [(f.name, f.type, f.required, f.nullable) for f in struct.fields]


def test_presence_and_null_are_two_things(tmp_path: Path) -> None:
    body = "types: {A: {doc: A., fields: {a: string, b: string | null, c?: string, d?: string | null}}}"
    assert fields(model(tmp_path, body).struct("A")) == [
        ("a", STRING, True, False),
        ("b", STRING, True, True),
        ("c", STRING, False, False),
        ("d", STRING, False, True),
    ]


def test_null_is_a_legal_value_where_the_type_itself_admits_it(tmp_path: Path) -> None:
    body = """\
        aliases:
          Text: {doc: A text., type: string}
          Maybe: {doc: A text or null., type: Text | null}
          Again: {doc: The same., type: "Maybe"}
        types:
          A: {doc: A., fields: {a?: json, b?: Again, c?: Text, d?: "Maybe[]", e: "A | integer | null"}}
        """
    assert fields(model(tmp_path, body).struct("A")) == [
        ("a", JSON, False, True),
        ("b", Ref("Again"), False, True),
        ("c", Ref("Text"), False, False),
        ("d", Array(Ref("Maybe")), False, False),
        ("e", Choice((Ref("A"), INTEGER)), True, True),
    ]


def test_the_long_form_of_a_field_says_more(tmp_path: Path) -> None:
    body = """\
        types:
          A:
            doc: A.
            fields:
              a?:
                type: integer
                doc: The a.
                construct: required
                default: 0
                formerly: old
                targets: {go: {name: TheA}}
        """
    (field,) = model(tmp_path, body).struct("A").fields
    assert (field.construct_required, field.has_default, field.default) == (True, True, 0)
    assert (field.about.doc, field.about.formerly) == ("The a.", "old")
    assert field.about.targets["go"]["name"] == "TheA"
    assert str(field.place) == "protocol.yaml:7:7"


def test_enums_have_texts_or_named_integers(tmp_path: Path) -> None:
    body = """\
        enums:
          A: {doc: A., open: true, values: {no: Not., x y: {doc: Odd., name: odd, deprecated: "Use no."}}}
          B: {doc: B., open: false, base: integer, values: {parse_error: {value: -32700, doc: Bad.}}}
        """
    made = model(tmp_path, body)
    assert [(v.name, v.wire, v.about.doc, v.about.name) for v in made.enum("A").values] == [
        ("no", "no", "Not.", None),
        ("x y", "x y", "Odd.", "odd"),
    ]
    assert [(v.name, v.wire) for v in made.enum("B").values] == [("parse_error", -32700)]
    assert (made.enum("A").open, made.enum("B").open) == (True, False)


MIXINS = """\
    types:
      Base: {doc: B., const: {v: 1}, fields: {id: string, at?: string}}
      Middle: {doc: M., include: [Base], fields: {m: string, id: integer}}
      Other: {doc: O., include: [Base], extra: string, fields: {o: string}}
      Top: {doc: T., include: [Middle, Other], tag: {m: top}, fields: {at: integer, own: string, id: boolean}}
    """


def test_included_fields_come_first_and_are_replaced_in_place(tmp_path: Path) -> None:
    top = model(tmp_path, MIXINS).struct("Top")
    assert [(f.name, f.type, f.required, f.origin) for f in top.fields] == [
        ("id", Scalar("boolean"), True, None),
        ("at", INTEGER, True, None),
        ("o", STRING, True, "Other"),
        ("own", STRING, True, None),
    ]
    assert [(c.key, c.value) for c in top.consts] == [("v", 1)]
    assert top.include == ("Middle", "Other")
    assert top.extra is None


def test_two_mixins_may_not_say_different_things_of_a_field(tmp_path: Path) -> None:
    made = built(tmp_path, MIXINS.replace(", id: boolean", ""))
    assert [(str(f.place), f.message) for f in made.findings] == [
        ("protocol.yaml:7:36", "Middle and Other declare different `id`")
    ]


def test_a_mixin_that_is_reached_twice_counts_once(tmp_path: Path) -> None:
    body = """\
        types:
          Base: {doc: B., fields: {id: string}}
          One: {doc: O., include: [Base], fields: {one: string}}
          Two: {doc: T., include: [Base], fields: {two: string}}
          Both: {doc: B., include: [One, Two]}
        """
    both = model(tmp_path, body).struct("Both")
    assert [(f.name, f.origin) for f in both.fields] == [("id", "One"), ("one", "One"), ("two", "Two")]


def test_a_mixin_cycle_is_told_once_and_the_rest_is_built(tmp_path: Path) -> None:
    body = """\
        types:
          A: {doc: A., include: [B], fields: {a: string}}
          B: {doc: B., include: [C], fields: {b: string}}
          C: {doc: C., include: [A], fields: {c: string}}
        """
    made = built(tmp_path, body)
    assert [(f.rule, f.message) for f in made.findings] == [("mixin-cycle", "`A` includes itself: A → B → C → A")]
    assert made.model is not None
    assert [f.name for f in made.model.struct("A").fields] == ["c", "b", "a"]


def test_a_long_line_of_mixins_ends_before_the_stack_does(tmp_path: Path) -> None:
    lines = [f"  T{n}: {{doc: T., include: [T{n + 1}]}}" for n in range(3000)]
    body = "types:\n" + "\n".join(lines) + "\n  T3000: {doc: T.}\n"
    assert {line.split()[1] for line in found(tmp_path, body)} == {"bad-include"}


def test_tags_that_vary_are_the_first_fields(tmp_path: Path) -> None:
    body = """\
        enums: {E: {doc: E., open: true, values: {a: A., b: B.}}}
        types:
          A:
            doc: A.
            tag: {"type?": plain, flag: true, of: [x, y], e: E, quoted: "E"}
            others: "z_*"
            fields: {f: string}
        """
    struct = model(tmp_path, body).struct("A")
    assert [(t.key, t.constant, t.values, t.enum, t.others, t.optional) for t in struct.tags] == [
        ("type", "plain", (), None, None, True),
        ("flag", True, (), None, None, False),
        ("of", None, ("x", "y"), None, None, False),
        ("e", None, (), "E", "z_*", False),
        ("quoted", "E", (), None, None, False),
    ]
    assert [(f.name, f.type, f.tag is not None) for f in struct.fields] == [
        ("of", STRING, True),
        ("e", Ref("E"), True),
        ("f", STRING, False),
    ]


CONTROLS = """\
    messages:
      Ask: {doc: A., from: both, tag: {type: ask}, fields: {id: string, request: Inner}}
      Answer: {doc: A., from: both, tag: {type: answer}, fields: {response: Result}}
    types:
      Result: {doc: R., fields: {id: string, result?: object}}
      Plain: {doc: P., tag: {sub: plain}}
    unions: {Inner: {doc: I., open: true, by: sub, variants: [Plain]}}
    controls:
      can_use-tool: {doc: C., from: a, request: {x: string, y?: integer}, response: Result | none}
      stop: {doc: S., from: both, name: Halt, response: none}
    """


def test_each_control_joins_the_union_of_requests(tmp_path: Path) -> None:
    made = model(tmp_path, CONTROLS, header=CONTROL)
    assert [(c.key, c.request, c.response, c.response_optional) for c in made.controls] == [
        ("can_use-tool", "CanUseToolRequest", Ref("Result"), True),
        ("stop", "Halt", None, False),
    ]
    request = made.struct("CanUseToolRequest")
    assert (request.section, request.origin, request.about.doc) == ("controls", "a", "C.")
    assert [(t.key, t.constant) for t in request.tags] == [("sub", "can_use-tool")]
    assert fields(request) == [("x", STRING, True, False), ("y", INTEGER, False, False)]
    assert [v.name for v in made.union("Inner").variants] == ["Plain", "CanUseToolRequest", "Halt"]
    assert made.union("Inner").dispatch == Switch(
        "Inner",
        "sub",
        (("plain", Leaf("Plain")), ("can_use-tool", Leaf("CanUseToolRequest")), ("stop", Leaf("Halt"))),
    )
    assert made.protocol.control is not None
    assert made.protocol.control.request == Envelope("Ask", ("request",), ("id",), "sub")
    assert made.protocol.control.response == Envelope("Answer", ("response", "result"), ("response", "id"))
    assert list(made.declarations)[-2:] == ["CanUseToolRequest", "Halt"]
    assert isinstance(made.controls[0], Control)


def test_a_control_can_have_the_tag_of_another(tmp_path: Path) -> None:
    body = CONTROLS.replace("from: a, request", "from: a, tag: use, request")
    made = model(tmp_path, body, header=CONTROL)
    assert [(t.key, t.constant) for t in made.struct("CanUseToolRequest").tags] == [("sub", "use")]
    assert made.controls[0].key == "can_use-tool"
    twice = built(tmp_path, body.replace("tag: use", "tag: stop"), header=CONTROL)
    assert [each.rule for each in twice.findings] == ["ambiguous-union"]


def test_controls_need_something_to_carry_them(tmp_path: Path) -> None:
    assert found(tmp_path, CONTROLS) == ["protocol.yaml:9:3 bad-envelope"]


@pytest.mark.parametrize(("before", "after"), [("payload: /request", "payload: /id"), ("by: sub}", "by: kind}")])
def test_controls_need_a_union_to_join(tmp_path: Path, before: str, after: str) -> None:
    made = built(tmp_path, CONTROLS, header=CONTROL.replace(before, after))
    where = str(made.findings[0].place), made.findings[0].rule
    column = CONTROL.splitlines()[1].index(before) + before.index(" ") + 2
    assert where == (f"protocol.yaml:2:{column}", "bad-envelope")


def test_options_may_not_travel(tmp_path: Path) -> None:
    body = """\
        options:
          O:
            doc: O.
            fields:
              a?: {callback: {params: {x: string, y: "O[]"}, returns: integer}}
              b?: {callback: {}}
              c: {live: true}
              d: {type: string, carry: [{flag: --d, as: value}]}
        """
    options = model(tmp_path, body).struct("O")
    assert [(f.name, f.travels, f.callback) for f in options.fields] == [
        ("a", False, Callback((Parameter("x", STRING), Parameter("y", Array(Ref("O")))), INTEGER)),
        ("b", False, Callback((), None)),
        ("c", False, None),
        ("d", True, None),
    ]
    assert options.fields[3].carry == (Carrier("flag", "--d"),)
    assert [f.name for f in options.wire_fields] == ["d"]


def test_carriers_leave_out_items_and_members(tmp_path: Path) -> None:
    body = """\
        options:
          O:
            doc: O.
            fields:
              a?: {type: map<object>, carry: [{flag: --a, as: json, except: {"": [], /x: 1}, omit: [b, c]}]}
              d?: {callback: {list: true}, carry: [{as: ids, at: /ids, wrap: "d-*"}]}
        """
    first, second = model(tmp_path, body).struct("O").fields
    assert first.carry == (Carrier("flag", "--a", "json", exclude=(((), []), (("x",), 1)), omit=("b", "c")),)
    assert second.carry == (Carrier("none", "", "ids", at=("ids",), wrap="d-*"),)


def test_tools_are_known_by_pattern(tmp_path: Path) -> None:
    made = model(tmp_path, "tools: {Bash: {doc: B., input: object, output: 'string[]'}, 'mcp__*': {doc: M.}}")
    assert made.tools == (
        Tool("Bash", Scalar("object"), Array(STRING), About(doc="B.")),
        Tool("mcp__*", None, None, About(doc="M.")),
    )


def test_constructors_name_places_by_their_keys(tmp_path: Path) -> None:
    body = """\
        types:
          A:
            doc: A.
            fields: {a~b/c: string, d: boolean}
            construct: {NewA: {doc: N., params: [{x: /a~0b~1c}], set: {/d: false}}}
        """
    (made,) = model(tmp_path, body).struct("A").constructors
    assert [(p.name, p.pointer) for p in made.params] == [("x", ("a~b/c",))]
    assert made.set == ((("d",), False),)


def test_examples_are_compact_json(tmp_path: Path) -> None:
    body = """\
        types:
          A:
            doc: A.
            fields: {a: json}
            examples:
              - {a: 1.50}
              - {doc: Why., value: {a: "1"}}
              - {file: x.json, doc: There.}
        """
    examples = model(tmp_path, body, **{"x.json": '{ "a": [1, 2] }'}).struct("A").examples
    assert [(e.text, e.doc, str(e.place)) for e in examples] == [
        ('{"a":1.50}', None, "protocol.yaml:8:9"),
        ('{"a":"1"}', "Why.", "protocol.yaml:9:9"),
        ('{"a":[1,2]}', "There.", "x.json:1:1"),
    ]


@pytest.mark.parametrize(
    ("body", "findings"),
    [
        ("types: {A: {doc: A., fields: {a: 'map<A, Strin>'}}}", ["1:39 unknown-name", "1:42 unknown-name"]),
        ("types: {A: {doc: A.}, A: {doc: B.}}", ["1:23 duplicate-key"]),
        ("types: {A: {doc: A.}}\nenums: {A: {doc: A., open: true, values: {a: A.}}}", ["2:9 duplicate-name"]),
        ("types: {map: {doc: A.}}", ["1:9 bad-name"]),
        ("types: {A-B: {doc: A.}}", ["1:9 bad-name"]),
        ("types: {A: {doc: A., fields: {a: string, a?: string}}}", ["1:42 duplicate-key"]),
        ("types: {A: {doc: A., tag: {a: x}, const: {a: y}, fields: {a: string}}}",
         ["1:43 duplicate-name", "1:59 duplicate-name"]),
        ("types: {A: {doc: A., tag: {a: 1.5, b: null, c: [x, x], d: ''}}}",
         ["1:31 bad-tag", "1:48 bad-tag", "1:59 bad-tag"]),
        ("types: {A: {doc: A., tag: {a: ~, b: }}}", ["1:31 null-value", "1:37 null-value"]),
        ("types: {A: {doc: A., others: x}}", ["1:30 bad-tag"]),
        ("types: {A: {doc: A., include: [A, B, E]}}\nenums: {E: {doc: E., open: true, values: {a: A.}}}",
         ["1:32 mixin-cycle", "1:35 unknown-name", "1:38 unknown-name"]),
        ("types: {A: {doc: A., fields: {a: {doc: A.}}}}", ["1:34 missing-key"]),
        ("types: {A: {doc: A., fields: {a: }, dok: x}}", ["1:34 null-value", "1:37 unknown-key"]),
        ("messages: {A: {doc: A., from: c}}", ["1:31 unknown-name"]),
        ("messages: {A: {doc: A.}}", ["1:15 missing-key"]),
        ("enums: {A: {doc: A., values: {a: A. # b\n}}}", ["1:12 open-missing", "1:37 cut-prose"]),
        ("enums: {A: {doc: A., open: yes, values: {a: {value: 1}}}}", ["1:28 wrong-kind", "1:42 wrong-kind"]),
        ("enums: {A: {doc: A., open: true, base: integer, values: {a: A., b: {value: x}}}}",
         ["1:58 missing-key", "1:65 missing-key", "1:76 wrong-kind"]),
        ("enums: {A: {doc: A., open: true, base: integer, values: {a: {value: 1}}}}\ntypes: {B: {extra: 'map<A, B>'}}",
         ["2:25 bad-type"]),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)  # fmt: skip
def test_what_cannot_be_resolved_is_told_where_it_stands(tmp_path: Path, body: str, findings: list[str]) -> None:
    assert found(tmp_path, body) == [f"protocol.yaml:{line}" for line in findings]


def test_a_misspelt_name_gets_the_nearest_as_a_hint(tmp_path: Path) -> None:
    made = built(tmp_path, "types: {Message: {doc: M., fields: {a: Mesage, b: bool, c: strin, d: Zzz}}}")
    assert [f.hint for f in made.findings] == [
        "did you mean `Message`?",
        "did you mean `boolean`?",
        "did you mean `string`?",
        None,
    ]


def test_findings_leave_a_model_to_look_into(tmp_path: Path) -> None:
    made = built(tmp_path, "types: {A: {doc: A., fields: {a: 'Nothing | null', b: '(Nothing | A)[]'}}}")
    assert made.model is not None
    assert fields(made.model.struct("A")) == [
        ("a", JSON, True, True),
        ("b", Array(Choice((JSON, Ref("A")))), True, False),
    ]


def test_findings_come_in_file_order(tmp_path: Path) -> None:
    body = "parts: [z.yaml, a.yaml]\ntypes: {A: {doc: A., fields: {b: X, a: Y}}}"
    files = {"z.yaml": "types: {Z: {fields: {a: X}}, zz: }", "a.yaml": "typos: {}"}
    assert found(tmp_path, body, **files) == [
        "protocol.yaml:2:34 unknown-name",
        "protocol.yaml:2:40 unknown-name",
        "z.yaml:1:25 unknown-name",
        "z.yaml:1:34 null-value",
        "a.yaml:1:1 unknown-key",
    ]


FLAT = """\
    types:
      A: {{doc: A., {more}fields: {{a: string, in{mark}: {{type: {type}, flatten: true}}}}}}
      B: {{doc: B., fields: {{b: string}}}}
      C: {{doc: C., tag: {{a: x}}}}
    unions: {{U: {{doc: U., open: true, by: a, variants: [C]}}}}
    enums: {{E: {{doc: E., open: true, values: {{e: E.}}}}}}
    """


@pytest.mark.parametrize(
    ("type_", "more", "findings"),
    [
        ("B", "", 0),
        ("object", "", 0),
        ("C", "", 1),
        ("U", "", 1),
        ("E", "", 1),
        ("'B[]'", "", 1),
        ("B | null", "", 1),
        ("B", "extra: string, ", 1),
    ],
)
def test_a_flattened_field_is_told_from_what_is_around_it(tmp_path: Path, type_: str, more: str, findings: int) -> None:
    lines = found(tmp_path, FLAT.format(type=type_, more=more, mark=""))
    assert [line.split()[1] for line in lines] == ["bad-flatten"] * findings


@pytest.mark.parametrize("word", ["nothing", "void", "None"])
def test_a_response_of_nothing_is_told_what_it_is_called_here(tmp_path: Path, word: str) -> None:
    messages = [
        (f.message, f.hint) for f in built(tmp_path, f"controls: {{c: {{from: a, response: {word}}}}}").findings
    ]
    assert (f"`{word}` is not declared", "did you mean `none`?") in messages


def test_only_a_response_may_be_none_so_other_places_are_not_told_of_it(tmp_path: Path) -> None:
    findings = built(tmp_path, "aliases: {A: {doc: A., type: void}}").findings
    assert [(f.rule, f.hint) for f in findings] == [("unknown-name", None)]


def test_names_of_a_misspelt_section_are_not_unknown_as_well(tmp_path: Path) -> None:
    body = "aliases: {A: {doc: A., type: 'B | C'}}\ntyps: {B: {doc: B.}}"
    assert found(tmp_path, body) == ["protocol.yaml:1:35 unknown-name", "protocol.yaml:2:1 unknown-key"]


def test_names_of_a_misspelt_section_of_a_dialect_are_not_unknown_as_well(tmp_path: Path) -> None:
    dialect = "add: {typs: {B: {doc: B.}}, aliases: {A: {doc: A., type: B}}}"
    assert found(tmp_path, "", dialect) == ["dialects/d.yaml:1:7 unknown-key"]


def test_a_key_or_value_that_is_an_alias_has_one_finding(tmp_path: Path) -> None:
    body = "types:\n  A: {doc: A., fields: {a: &t string, b: *t}, const: {c: *t}}\n  *t : {doc: B.}"
    assert found(tmp_path, body) == [
        "protocol.yaml:2:28 forbidden-yaml",
        "protocol.yaml:2:42 forbidden-yaml",
        "protocol.yaml:2:58 forbidden-yaml",
        "protocol.yaml:3:3 forbidden-yaml",
    ]
