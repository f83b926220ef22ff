"""Reading validation schemas in a program's code, regardless of the names that a bundler gives them."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.ground.errors import WrongUseError
from polywire_upstream.schemas import Object, SchemaFindings, compare_schemas, objects, read

TABLE = {
    "Line": {"any of": ["#Hello", "#Bye"]},
    "Hello": {
        "fields": {
            "type": {"is": "hello"},
            "name": "string",
            "count": "number",
            "cost": "number",
            "on": "boolean",
            "part": {"fields": {"x": "string"}},
        }
    },
    "Bye": {"fields": {"type": {"is": "bye"}, "why?": "string"}},
}

PLAIN = """
var A=z.object({type:z.literal("hello"),name:z.string(),count:z.number().int(),cost:z.number(),
on:z.boolean().optional(),part:z.object({x:z.string()}).describe("a, (b)"+' {c}'),
more:z.string().optional().describe("@internal Why."),odd:L0}),
B=z.object({type:z.literal("bye"),why:z.string().nullish()});
"""

SHORT = """
import{c as q}from"x";var A=p(()=>c({type:E("hello"),name:n(),count:v().int().positive(),cost:v(),
on:P().optional(),part:c({x:n()}).describe("a"),more:n().optional().describe("@internal Why."),odd:L0})),
B=p(()=>c({type:E("bye"),why:n().nullish()})),C=p(()=>c({type:E("news"),text:n()}));
function f(e){return e.type==="x"&&g({type:h("x")})}
"""


def findings(folder: Path, code: str | bytes) -> SchemaFindings:
    path = folder / "program"
    path.write_bytes(code if isinstance(code, bytes) else code.encode())
    return compare_schemas(read(path), TABLE, list(TABLE), {}, ["Line"])


@pytest.mark.parametrize("code", [PLAIN, SHORT, b"\x7fELF\x00\xff" + SHORT.encode() + b"\x00\x80"])
def test_members_presence_and_whole_numbers_are_read_under_any_names(tmp_path: Path, code: str | bytes) -> None:
    found = findings(tmp_path, code)
    assert found.matched == 2
    assert found.undeclared == {"Hello/more": "optional string internal", "Hello/odd": ""}
    assert found.presence == {"Hello/on": "optional"}
    assert found.whole == {"Hello/count": True, "Hello/cost": False}


def test_a_name_that_stands_for_an_optional_schema_says_nothing_of_presence(tmp_path: Path) -> None:
    code = SHORT.replace("why:n().nullish()", "why:W()")
    assert findings(tmp_path, code).presence == {"Hello/on": "optional"}


def test_objects_with_the_discriminator_of_lines_that_nothing_declares_are_told(tmp_path: Path) -> None:
    assert findings(tmp_path, SHORT).undeclared_objects == ["type=news", "type=x"]
    assert findings(tmp_path, PLAIN).undeclared_objects == []


def test_a_program_without_the_declared_lines_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WrongUseError, match="no schema of the program has an object that lines are declared to be"):
        findings(tmp_path, 'var a=z.object({kind:z.literal("other"),b:z.string()});')


@pytest.mark.parametrize(
    "code",
    [
        'o({type:l("a"),n:s(',
        'o({type:l("a"),n:if})' + "(" * 5000,
        'o({type:l("a"),n:' + "[" * 5000,
        'o({type:l("a"),n:`${x}`})',
        'o({type:l("a"),n:a?b:c})',
    ],
)
def test_what_is_no_such_expression_is_passed_over(code: str) -> None:
    assert [each for each in objects(code) if "n" in each.fields and each.fields["n"].required] == []


def test_objects_inside_others_are_read_as_well() -> None:
    found = list(objects('o({type:l("a"),of:u([o({kind:l("b")}),o({kind:l("c"),...x})])})'))
    assert [sorted(each.constants) for each in found] == [[("type", "a")], [("kind", "b")], [("kind", "c")]]
    assert all(isinstance(each, Object) for each in found)
    assert sorted(found[2].fields) == ["kind"]


def test_an_object_with_many_undeclared_members_is_found_and_another_with_its_constant_is_not(tmp_path: Path) -> None:
    many = [f"m{n}" for n in range(30)]
    code = SHORT.replace('E("hello"),', f'E("hello"),{"".join(f"{name}:n()," for name in many)}')
    other = 'D=p(()=>c({type:E("hello"),name:n(),on:P(),stray:n()}));'
    undeclared = findings(tmp_path, code + other).undeclared.keys()
    assert undeclared == {f"Hello/{name}" for name in ("more", "odd", *many)}
