"""The model as tables: the row of each declaration, made of literals in a fixed order."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import pytest

from notation import rule, table
from polywire.ground import engine
from polywire.model import nodes
from polywire.model.nodes import Field, Leaf, Struct, Tag
from polywire.oracle.reference import Rules
from polywire.plan.rows import ChoiceRule, kinds, rows, rule_of
from polywire.source.types import Array, Choice, Map, Ref, Scalar, Type

STRING, INTEGER, NULL = Scalar("string"), Scalar("integer"), Scalar("null")

DECLARATIONS: tuple[nodes.Declaration, ...] = (
    nodes.Enum("Mode", "string", open=True, values=(nodes.EnumValue("on", "on"), nodes.EnumValue("off", "off"))),
    nodes.Enum("Code", "integer", open=False, values=(nodes.EnumValue("bad", -1),)),
    nodes.Alias("Name", Ref("Mode")),
    nodes.Alias("Wide", Choice((Ref("Code"), Ref("Msg")))),
    nodes.Alias("Maybe", Choice((STRING, NULL))),
    Struct(
        "Msg",
        "messages",
        tags=(Tag("type", "msg"), Tag("mode", enum="Mode", others="o*"), Tag("list", values=("x", "y"), optional=True)),
        consts=(nodes.Const("role", "r"),),
        fields=(
            Field("mode", Ref("Mode"), tag=Tag("mode", enum="Mode", others="o*")),
            Field("list", STRING, required=False, tag=Tag("list", values=("x", "y"), optional=True)),
            Field("a", Array(STRING, 1, 2)),
            Field("b", Map(Ref("Msg"), "Mode"), required=False),
            Field("c", INTEGER, required=False, nullable=True),
            Field("on", Scalar("boolean"), required=False, claimed=(True,)),
            Field("call", STRING, callback=nodes.Callback((), None)),
            Field("handle", STRING, live=True),
            Field("rest", Ref("Union"), flatten=True),
        ),
    ),
    Struct(
        "Other", "types", fields=(Field("j", Scalar("json")), Field("m", Ref("Maybe"), required=False)), extra=INTEGER
    ),
    nodes.Union(
        "Union",
        open=True,
        by="type",
        variants=(nodes.Variant("Msg"), nodes.Variant("Keyed")),
        unknown="UnknownThing",
        dispatch=nodes.Switch(
            "Union",
            "type",
            cases=(
                ("msg", Leaf("Msg")),
                (True, nodes.Switch("Inner", "sub", (), others=(("e*", "Msg"),), absent=Leaf("Other"))),
                ("k", nodes.Keys("Keyed", ((nodes.Variant("Msg", has=("a",), lacks=("b",)), Leaf("Msg")),))),
            ),
        ),
    ),
)


@pytest.fixture
def model() -> nodes.Model:
    return nodes.Model(
        protocol=nodes.Protocol("p", "P", "1", "ndjson", ("a", "b"), ("Union",)),
        packages={},
        declarations=MappingProxyType({each.name: each for each in DECLARATIONS}),
        controls=(),
        tools=(),
        spec_hash="",
    )


def test_each_declaration_is_a_row_in_the_order_of_the_model(model: nodes.Model) -> None:
    tables = rows(model)
    assert list(tables) == [each.name for each in DECLARATIONS]
    assert tables == table(
        {
            "Mode": ("enum", "string", True, ("on", "off")),
            "Code": ("enum", "integer", False, (-1,)),
            "Name": ("alias", "Mode"),
            "Wide": ("alias", ("|", {"number": "Code", "object": "Msg"})),
            "Maybe": ("alias", ("|", {"string": "string", "null": "null"})),
            "Msg": (
                "struct",
                (
                    ("type", False, "msg"),
                    ("mode", False, None, "Mode", "o*"),
                    ("list", True, None, ("x", "y"), None),
                ),
                (("role", "r"),),
                (
                    ("a", ("[]", "string", 1, 2), engine.REQUIRED),
                    ("b", ("{}", "Msg", "Mode"), 0),
                    ("c", "integer", engine.NULLABLE),
                    ("on", "boolean", 0, (True,)),
                    ("rest", "Union", engine.REQUIRED | engine.FLATTEN),
                ),
                None,
            ),
            "Other": (
                "struct",
                (),
                (),
                (("j", "json", engine.REQUIRED | engine.NULLABLE), ("m", "Maybe", engine.NULLABLE)),
                "integer",
            ),
            "Union": (
                "union",
                True,
                "UnknownThing",
                (
                    "switch",
                    "Union",
                    "type",
                    {
                        "msg": "Msg",
                        True: ("switch", "Inner", "sub", {}, (("e*", "Msg"),), "Other"),
                        "k": ("keys", "Keyed", ((("a",), ("b",), "Msg"),)),
                    },
                    (),
                    None,
                ),
            ),
        }
    )


def test_equal_models_give_equal_tables_that_print_the_same(model: nodes.Model) -> None:
    assert rows(model) == rows(replace(model))
    assert repr(rows(model)) == repr(rows(replace(model)))
    assert len({hash(row) for row in rows(model).values()}) == len(DECLARATIONS)


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        (Scalar("uuid"), {"string"}),
        (Scalar("json"), set(engine.KINDS)),
        (Ref("Name"), {"string"}),
        (Ref("Wide"), {"number", "object"}),
        (Choice((Ref("Wide"), Ref("Maybe"), Array(STRING))), {"number", "object", "string", "null", "array"}),
        (Ref("Union"), {"object"}),
        (Map(STRING), {"object"}),
    ],
)
def test_the_kinds_of_a_type_see_through_its_names(model: nodes.Model, type_: Type, expected: set[str]) -> None:
    assert set(kinds(model, type_)) == expected


def test_an_alias_of_several_kinds_stands_under_each_of_them_in_a_choice(model: nodes.Model) -> None:
    choice = rule_of(model, Choice((Ref("Wide"), NULL)))
    assert isinstance(choice, ChoiceRule)
    assert choice.kinds == (("number", rule("Wide")), ("object", rule("Wide")), ("null", rule("null")))
    assert Rules(rows(model)).decode(choice, -1, strict=True).value == -1
