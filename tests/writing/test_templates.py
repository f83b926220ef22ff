"""Templates insert text and compute nothing: a short list of Jinja constructs; runtimes contain no templates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import jinja2
import pytest
from jinja2 import nodes

from polywire.writing.render import template_root

ENVIRONMENT = jinja2.Environment(autoescape=False, extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"])  # noqa: S701 - parsed only

PLACING = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.Const, nodes.Name, nodes.Keyword),
    *(nodes.If, nodes.For, nodes.CondExpr, nodes.Compare, nodes.Operand, nodes.And, nodes.Or, nodes.Not, nodes.Test),
    *(
        nodes.Extends,
        nodes.Block,
        nodes.Include,
        nodes.Import,
        nodes.FromImport,
        nodes.Macro,
        nodes.Concat,
        nodes.Getattr,
        nodes.Tuple,
    ),
)
"""Nodes that are allowed everywhere."""

TESTS = frozenset({"none", "defined"})
FILTERS = frozenset({"join", "json"})
COMPUTING = frozenset({"namespace", "caller", "dict", "range", "cycler"})


def faults(tree: nodes.Node) -> Iterator[str]:
    """Yield every construct of a template that does more than insert text, with its line."""
    for child in tree.iter_child_nodes():
        what = fault(child)
        if what is not None:
            yield f"line {child.lineno}: {what}"
        yield from faults(child)


def fault(node: nodes.Node) -> str | None:
    """Return the fault of one node itself, without the nodes inside it."""
    match node:
        case nodes.Test(name=name):
            return None if name in TESTS else f"the test `{name}`"
        case nodes.Filter(name=name):
            return None if name in FILTERS else f"the filter `{name}`"
        case nodes.Getitem(arg=arg):
            return None if isinstance(arg, PLAIN) else "a slice or a computed index"
        case nodes.Assign(node=value):
            return None if isinstance(value, PLAIN) else "an assignment of something computed"
        case nodes.Call():
            return fault_of_call(node.node)
        case _:
            return None if isinstance(node, PLACING) else f"`{type(node).__name__}`"


def fault_of_call(callee: nodes.Node) -> str | None:
    """Allow calls of a view's functions and of macros; the only method allowed is `items`, which returns pairs."""
    match callee:
        case nodes.Name(name=name):
            return f"`{name}()`" if name in COMPUTING else None
        case nodes.Getattr(attr="items"):
            return None
        case nodes.Getattr(attr=attr, node=nodes.Name(name=owner)):
            return None if owner in IMPORTED else f"a call of `.{attr}()`"
        case _:
            return "a call of something computed"


PLAIN = (nodes.Name, nodes.Getattr, nodes.Getitem, nodes.Const)
"""Expressions that a template may assign to a name."""

IMPORTED = frozenset({"m"})
"""The name under which templates import macros."""


TEMPLATES = sorted(path.relative_to(template_root()).as_posix() for path in template_root().rglob("*.j2"))


@pytest.mark.parametrize("path", TEMPLATES)
def test_a_template_places_text_and_computes_nothing(path: str) -> None:
    text = (template_root() / path).read_text(encoding="utf-8")
    assert list(faults(ENVIRONMENT.parse(text))) == []


@pytest.mark.parametrize(
    ("template", "construct"),
    [
        ("{{ text.split() }}", "a call of `.split()`"),
        ("{{ lines | sort }}", "the filter `sort`"),
        ("{% set ns = namespace(a=1) %}", "an assignment of something computed"),
        ("{% set text %}{{ a }}{% endset %}", "`AssignBlock`"),
        ("{% do lines.append(a) %}", "`ExprStmt`"),
        ("{{ a + 1 }}", "`Add`"),
        ("{{ a % 1 }}", "`Mod`"),
        ("{{ a[1:] }}", "a slice or a computed index"),
        ("{% call f() %}x{% endcall %}", "`CallBlock`"),
        ("{% filter upper %}x{% endfilter %}", "`FilterBlock`"),
        ("{{ [a] }}", "`List`"),
        ("{{ {1: a} }}", "`Dict`"),
        ("{% if a is odd %}{% endif %}", "the test `odd`"),
        ("{% for x in range(3) %}{% endfor %}", "`range()`"),
        ("{% for x in a if x %}{% break %}{% endfor %}", "`Break`"),
    ],
)
def test_what_computes_is_found(template: str, construct: str) -> None:
    assert construct in [found.partition(": ")[2] for found in faults(ENVIRONMENT.parse(template))]


@pytest.mark.parametrize(
    "template",
    [
        "{% for name, value in a.items() %}{{ quoted(name) }}: {{ value | json }}{{ ',' if loop.last }}{% endfor %}",
        "{% import 'm.j2' as m with context %}{{ m.row(a, 'x') }}{% set b = a.b %}{{ b ~ ' ' }}",
        "{% if a.kind in ('x', 'y') and a.b is not none %}{% include b %}{% elif a == 1 %}{{ b | join }}{% endif %}",
    ],
)
def test_what_places_text_is_let_through(template: str) -> None:
    assert list(faults(ENVIRONMENT.parse(template))) == []


def test_no_runtime_has_template_syntax(root: Path) -> None:
    sources = [path for path in (root / "runtimes").rglob("*") if path.is_file() and path.suffix in SOURCES]
    assert sources
    assert [str(path) for path in sources if "{%" in path.read_text(encoding="utf-8")] == []


SOURCES = frozenset({".py", ".go", ".rs", ".js", ".mjs", ".ts", ".toml", ".json", ".mod", ".md"})
