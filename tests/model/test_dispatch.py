"""The decisions of unions, and the proof that no object matches two variants."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polywire.ground.location import SourceLocation
from polywire.model.dispatch import Dispatcher, WrittenUnion, overlap
from polywire.model.nodes import About, Dispatch, Enum, Keys, Leaf, Struct, Switch, Tag, Variant
from polywire.source.report import Faults
from written import built, found, model

HERE = SourceLocation("f", 1, 1)


def tree(decision: Dispatch | None) -> object:
    """Return a decision as plain data, for comparison."""
    match decision:
        case Switch():
            cases: dict[object, object] = {value: tree(inner) for value, inner in decision.cases}
            cases |= {f"like {glob}": struct for glob, struct in decision.others}
            return decision.key, cases | ({"absent": tree(decision.absent)} if decision.absent else {})
        case Keys():
            return "keys", [(v.has, v.lacks, tree(inner)) for v, inner in decision.cases]
        case Leaf():
            return decision.struct
    return None


TYPES = """\
    types:
      A: {doc: A., tag: {type: a}}
      B: {doc: B., tag: {type: b}}
      M1: {doc: M., tag: {type: m, sub: one}}
      M2: {doc: M., tag: {type: m, sub: [two, three]}}
      M3: {doc: M., tag: {type: m, sub: E}, others: "e_*"}
      U: {doc: U., tag: {type: u, again: null}, fields: {text: string}}
      R: {doc: R., tag: {type: u, again: true}}
      Any: {doc: A., tag: {type: null}, fields: {x: string}}
    enums: {E: {doc: E., open: true, values: {e_1: One., e_2: Two.}}}
    unions:
      M: {doc: M., open: true, by: sub, variants: [M1, M2, M3]}
      Us: {doc: U., open: true, by: again, variants: [U, R]}
"""
M = ("sub", {"one": "M1", "two": "M2", "three": "M2", "e_1": "M3", "e_2": "M3", "like e_*": "M3"})
US = ("again", {True: "R", "absent": "U"})


@pytest.mark.parametrize(
    ("unions", "decision"),
    [
        ("W: {doc: W., open: true, by: type, variants: [A, B]}", ("type", {"a": "A", "b": "B"})),
        ("W: {doc: W., open: true, by: type, variants: [A, Any]}", ("type", {"a": "A", "absent": "Any"})),
        ("W: {doc: W., open: true, by: type, variants: [M, A, Us]}", ("type", {"m": M, "a": "A", "u": US})),
        (
            """\
W: {doc: W., open: true, by: type, variants: [V, X]}
V: {doc: V., open: true, by: type, variants: [A, M]}
X: {doc: X., open: true, by: type, variants: [B, A, M]}""",
            ("type", {"a": "A", "m": M, "b": "B"}),
        ),
        (
            """\
W: {doc: W., open: true, by: type, variants: [V, X]}
V: {doc: V., open: true, by: type, variants: [M1, U]}
X: {doc: X., open: true, by: type, variants: [M, Us]}""",
            ("type", {"m": M, "u": US}),
        ),
    ],
    ids=["flat", "absent", "nested", "merged", "absorbed"],
)  # fmt: skip
def test_a_union_goes_from_each_value_to_what_answers_to_it(tmp_path: Path, unions: str, decision: object) -> None:
    lines = "".join(f"      {line}\n" for line in unions.splitlines())
    assert tree(model(tmp_path, TYPES + lines).union("W").dispatch) == decision


def test_the_nested_decision_is_the_union_s_own_where_nothing_is_cut(tmp_path: Path) -> None:
    made = model(tmp_path, TYPES + "      W: {doc: W., open: true, by: type, variants: [M, A]}\n")
    dispatch = made.union("W").dispatch
    assert isinstance(dispatch, Switch)
    assert dispatch.case("m") is made.union("M").dispatch


def test_a_nested_union_of_several_types_is_cut_to_each(tmp_path: Path) -> None:
    body = """\
        types:
          A: {doc: A., tag: {type: a, sub: x}}
          B: {doc: B., tag: {type: b, sub: y}}
          C: {doc: C., tag: {type: [a, b], sub: z}}
        unions:
          In: {doc: I., open: true, by: sub, variants: [A, B, C]}
          Out: {doc: O., open: true, by: type, variants: [In]}
        """
    assert tree(model(tmp_path, body).union("Out").dispatch) == (
        "type",
        {"a": ("sub", {"x": "A", "z": "C"}), "b": ("sub", {"y": "B", "z": "C"})},
    )


def test_an_optional_tag_answers_to_absence_too(tmp_path: Path) -> None:
    body = """\
        types:
          A: {doc: A., tag: {"type?": a}}
          B: {doc: B., tag: {type: b}}
        unions: {W: {doc: W., open: true, by: type, variants: [A, B]}}
        """
    made = model(tmp_path, body)
    assert tree(made.union("W").dispatch) == ("type", {"a": "A", "b": "B", "absent": "A"})
    assert made.struct("A").fields == ()


def test_the_variant_without_the_discriminator_has_it_as_an_optional_field(tmp_path: Path) -> None:
    body = """\
        types:
          Plain: {doc: P., tag: {type: u, of: [x, y], again: null}, fields: {text: string}}
          Response:
            doc: T.
            tag: {type: u, again: null}
            fields: {text: string, again?: {type: boolean, doc: Once more.}}
          Again: {doc: A., tag: {type: u, again: true}, include: [Plain]}
          Kind: {doc: K., tag: {kind: [a, b]}}
          NoKind: {doc: N., tag: {kind: null}}
        unions:
          One: {doc: O., open: true, by: again, variants: [Plain, Again]}
          Two: {doc: T., open: true, by: again, variants: [Response, Again]}
          Three: {doc: T., open: true, by: kind, variants: [Kind, NoKind]}
        """
    made = model(tmp_path, body)

    def shown(name: str) -> list[tuple[str, str, bool, tuple[str | bool, ...], str | None]]:
        fields = made.struct(name).fields
        return [(f.name, getattr(f.type, "kind", ""), f.required, f.claimed, f.about.doc) for f in fields]

    assert shown("Plain") == [
        ("of", "string", True, (), None),
        ("again", "boolean", False, (True,), None),
        ("text", "string", True, (), None),
    ]
    assert shown("Response") == [("again", "boolean", False, (True,), "Once more."), ("text", "string", True, (), None)]
    assert shown("Again") == [("text", "string", True, (), None)]
    assert shown("NoKind") == [("kind", "string", False, ("a", "b"), None)]


def test_tags_stand_in_the_order_in_which_they_decide(tmp_path: Path) -> None:
    body = """\
        types:
          A: {doc: A., tag: {other: o, sub: x, type: a}}
          B: {doc: B., tag: {sub: y, type: a}}
        unions:
          In: {doc: I., open: true, by: sub, variants: [A, B]}
          Out: {doc: O., open: true, by: type, variants: [In]}
        """
    made = model(tmp_path, body)
    assert [t.key for t in made.struct("A").tags] == ["type", "sub", "other"]
    assert [t.key for t in made.struct("B").tags] == ["type", "sub"]


def test_by_keys_every_condition_excludes_every_other(tmp_path: Path) -> None:
    body = """\
        types:
          Call: {doc: C., fields: {id: string, method: string}}
          Done: {doc: D., fields: {id: string, result: json}}
          Failed: {doc: F., fields: {id: string, error: json}}
        unions:
          Reply:
            doc: R.
            open: true
            by: keys
            variants:
              - {name: Done, when: {has: [result], lacks: [error, method]}}
              - {name: Failed, when: {has: [error], lacks: [method]}}
          Any:
            doc: A.
            open: true
            by: keys
            variants: [{name: Call, when: {has: [id, method]}}, Reply]
        """
    made = model(tmp_path, body)
    done = (("result",), ("error", "method"), "Done"), (("error",), ("method",), "Failed")
    assert tree(made.union("Any").dispatch) == ("keys", [(("id", "method"), (), "Call"), *done])


@pytest.mark.parametrize(
    ("variants", "rules"),
    [
        ("{name: A, when: {has: [a]}}, {name: B, when: {has: [b]}}", ["ambiguous-union"]),
        ("{name: A, when: {has: [a], lacks: [b]}}, {name: B, when: {has: [b]}}", []),
        ("{name: A, when: {has: [a]}}, B", ["ambiguous-union"]),
        ("{name: A, when: {has: [a], lacks: [a, b]}}, {name: B, when: {has: [b]}}", ["ambiguous-union"]),
        ("{name: A, when: {has: [x], lacks: [b]}}, {name: B, when: {has: [b]}}", ["unknown-name"]),
        ("{name: A, when: {has: [a], lacks: [b, bb]}}, {name: B, when: {has: [b]}}", ["unknown-name"]),
    ],
)
def test_conditions_are_proved(tmp_path: Path, variants: str, rules: list[str]) -> None:
    body = f"""\
        types: {{A: {{doc: A., fields: {{a: string}}}}, B: {{doc: B., fields: {{b: string}}}}}}
        unions: {{W: {{doc: W., open: true, by: keys, variants: [{variants}]}}}}
        """
    assert [line.split()[1] for line in found(tmp_path, body)] == rules


@pytest.mark.parametrize(
    ("types", "messages"),
    [
        ("A: {doc: A., tag: {type: x}}\nB: {doc: B., tag: {type: [x, y, z]}}",
         ["in W, A and B both match `type` = `x`"]),
        ("A: {doc: A., tag: {type: null}}\nB: {doc: B., tag: {'type?': b}}",
         ["in W, A and B both match `type` = absent"]),
        ("A: {doc: A., tag: {type: E}, others: 'x_*'}\nB: {doc: B., tag: {type: F}, others: '*_y'}",
         ["in W, unknown values can match both `x_*` of A and `*_y` of B"]),
        ("A: {doc: A., tag: {type: E}, others: 'x_*'}\nB: {doc: B., tag: {type: F}, others: 'y_*'}", []),
        ("A: {doc: A., tag: {type: true}}\nB: {doc: B., tag: {type: b}}",
         ["`type` is a boolean in some variants of W and a text in others"]),
        ("A: {doc: A., const: {type: a}}\nB: {doc: B., tag: {type: b}}",
         ["`type` is the discriminator of W, and a constant of A"]),
        ("A: {doc: A., tag: {type: null}, fields: {type: string}}\nB: {doc: B., tag: {type: b}}",
         ["`type` is required in A, which W selects for objects without `type`"]),
        ("A: {doc: A., tag: {type: null}, fields: {'type?': string}}\nB: {doc: B., tag: {type: b}}", []),
        ("A: {doc: A., tag: {kind: null, tipe: a}}\nB: {doc: B., tag: {type: b}}",
         ["A is a variant of a union by `type`, and states nothing about `type`"]),
        ("A: {doc: A.}\nB: {doc: B., tag: {type: b}}",
         ["A is a variant of a union by `type`, and states nothing about `type`"]),
    ],
)  # fmt: skip
def test_what_can_not_be_told_apart_is_told(tmp_path: Path, types: str, messages: list[str]) -> None:
    lines = "".join(f"  {line}\n" for line in types.splitlines())
    enums = "{doc: E., open: true, values: {%s: E.}}"
    body = (
        f"types:\n{lines}enums: {{E: {enums % 'e'}, F: {enums % 'f'}}}\n"
        "unions: {W: {doc: W., open: true, by: type, variants: [A, B]}}\n"
    )
    assert [f.message for f in built(tmp_path, body).findings] == messages


def test_a_fault_of_a_merged_union_is_told_once_and_in_it(tmp_path: Path) -> None:
    body = """\
        types: {A: {doc: A., tag: {t: x}}, B: {doc: B., tag: {t: x}}, C: {doc: C., tag: {t: c}}}
        unions:
          Outer: {doc: O., open: true, by: t, variants: [Inner, C]}
          Inner: {doc: I., open: true, by: t, variants: [A, B]}
        """
    assert found(tmp_path, body) == ["protocol.yaml:4:53 ambiguous-union"]


@pytest.mark.parametrize(
    ("variants", "findings"),
    [
        ("[A, Z]", ["2:56 unknown-name"]),
        ("[A, E]", ["2:56 unknown-name"]),
        ("[A, A]", ["2:56 duplicate-name"]),
        ("[A, W]", ["2:56 union-cycle"]),
        ("[{name: A, when: {has: [x]}}]", ["2:63 wrong-kind"]),
        ("[{name: A, wen: {}}]", ["2:63 unknown-key"]),
    ],
)
def test_variants_are_types_or_unions_named_once(tmp_path: Path, variants: str, findings: list[str]) -> None:
    body = "types: {A: {doc: A., tag: {t: a}}}\n"
    body += f"unions: {{W: {{doc: W., open: true, by: t, variants: {variants}}}}}\n"
    body += "enums: {E: {doc: E., open: true, values: {a: A.}}}\n"
    assert found(tmp_path, body) == [f"protocol.yaml:{line}" for line in findings]


def test_unions_that_hold_each_other_are_told_once(tmp_path: Path) -> None:
    body = """\
        types: {A: {doc: A., tag: {t: a}}}
        unions:
          X: {doc: X., open: true, by: t, variants: [Y, A]}
          Y: {doc: Y., open: true, by: t, variants: [Z]}
          Z: {doc: Z., open: true, by: t, variants: [X]}
        """
    made = built(tmp_path, body)
    assert [f.message for f in made.findings] == ["`X` is a variant of itself: X → Y → Z → X"]
    assert made.model is not None
    assert tree(made.model.union("X").dispatch) == ("t", {"a": "A"})


# --- against a model of the rules ------------------------------------------------------------------------------

VALUES = ("a", "b", "c")
tags = st.fixed_dictionaries(
    {},
    optional={
        "t": st.sampled_from(VALUES),
        "s": st.lists(st.sampled_from(VALUES), min_size=1, max_size=2, unique=True),
    },
)


@st.composite
def unions(draw: st.DrawFn) -> tuple[dict[str, Struct], dict[str, WrittenUnion]]:
    structs = {}
    for n in range(draw(st.integers(1, 5))):
        made = draw(tags)
        of_t = (Tag("t", constant=made["t"]),) if "t" in made else ()
        of_s = (Tag("s", values=tuple(made["s"])),) if "s" in made else ()
        structs[f"S{n}"] = Struct(f"S{n}", "types", tags=(*of_t, *of_s))
    written: dict[str, WrittenUnion] = {}
    for n in range(draw(st.integers(1, 3))):
        names = draw(st.lists(st.sampled_from([*structs, *written]), min_size=1, max_size=4, unique=True))
        variants = tuple(Variant(name) for name in names)
        written[f"U{n}"] = WrittenUnion(f"U{n}", True, draw(st.sampled_from("ts")), variants, "X", About(), HERE)
    return structs, written


def objects() -> Iterator[dict[str, str]]:
    for t in (None, *VALUES):
        for s in (None, *VALUES):
            yield {key: value for key, value in (("t", t), ("s", s)) if value is not None}


def decided(decision: Dispatch, value: dict[str, str]) -> str | None:
    match decision:
        case Leaf():
            return decision.struct
        case Switch():
            inner = decision.case(value[decision.key]) if decision.key in value else decision.absent
            return None if inner is None else decided(inner, value)
    raise AssertionError(decision)


def fits(struct: Struct, value: dict[str, str]) -> bool:
    """Return whether a struct has a tag for both keys, and an object has values that these tags allow."""
    return len(struct.tags) == len("ts") and all(value.get(t.key) in (t.values or (t.constant,)) for t in struct.tags)


def leaves(name: str, unions: dict[str, WrittenUnion]) -> set[str]:
    return {leaf for v in unions[name].variants for leaf in leaves(v.name, unions)} if name in unions else {name}


@given(unions())
@settings(max_examples=300)
def test_an_object_with_all_the_tags_of_a_variant_is_decided_to_be_it(
    drawn: tuple[dict[str, Struct], dict[str, WrittenUnion]],
) -> None:
    structs, written = drawn
    faults = Faults()
    enums: dict[str, Enum] = {}
    decisions = Dispatcher(written, structs, enums, faults).all()
    if faults.found:
        return
    for name, decision in decisions.items():
        for value in objects():
            fitting = [struct for struct in leaves(name, written) if fits(structs[struct], value)]
            answer = decided(decision, value)
            assert [answer] == fitting or not fitting
            assert answer is None or answer in leaves(name, written)


globs = st.text(alphabet="ab*", max_size=5)


@given(globs, globs)
def test_patterns_overlap_when_some_text_is_like_both(first: str, second: str) -> None:
    texts = [""]
    for _ in range(6):
        texts += [t + c for t in texts for c in "ab" if len(t) == len(texts[-1])]
    both = any(fnmatchcase(t, first) and fnmatchcase(t, second) for t in dict.fromkeys(texts))
    assert overlap(first, second) >= both
    assert overlap(first, second) == overlap(second, first)
    if overlap(first, second) and len(first.replace("*", "")) + len(second.replace("*", "")) <= 6:
        assert both


def test_a_variant_that_states_nothing_about_the_tag_names_both_remedies(tmp_path: Path) -> None:
    body = """\
        types: {A: {doc: A., fields: {x: string}}, B: {doc: B., tag: {type: b}}}
        unions:
          W: {doc: W., open: true, by: type, variants: [A, B]}
          V: {doc: V., open: true, by: type, variants: [A, B]}
        """
    hints = [each.hint for each in built(tmp_path, body).findings]
    assert hints == ["write `tag: {type: VALUE}`, or `tag: {type: null}` if it matches objects without `type`"]
