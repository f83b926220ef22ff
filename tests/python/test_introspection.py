"""Every class answers the tools of strangers before a program has used it: each route in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from python.test_versions import beside, minor
from sampling import SEED, number, sample, third

PACKAGE = Path(__file__).resolve().parents[2] / "generated" / "python"

HEAD = """\
import dataclasses, inspect, pydoc, sys, typing
import agentlines as al

def classes():
    for name in al.__all__:
        each = getattr(al, name)
        if isinstance(each, type) and issubclass(each, (al.Record, al.Unknown)):
            yield each

count = 0
for each in [*classes()][START::STEP]:
    count += 1
"""

STEPS = {"help": number(10, 1)}
"""Route → n, where every n-th class is looked at; `help` takes ten times as long as the others."""

ROUTES = {
    "signature": "    assert all(p.kind is p.KEYWORD_ONLY for p in inspect.signature(each).parameters.values())",
    "evaluated signature": "    assert inspect.signature(each, eval_str=True).return_annotation is None",
    "hints": "    assert not any(isinstance(hint, str) for hint in typing.get_type_hints(each).values())",
    "hints of the constructor": "    assert typing.get_type_hints(each.__init__).pop('return') is type(None)",
    "fields": "    assert [field.name for field in dataclasses.fields(each)][-1] in {'extra', 'raw'}",
    "help": "    assert each.__name__ in pydoc.render_doc(each)",
}

VALIDATED = """\
import pydantic
for each in [*classes()][::40]:
    adapter = pydantic.TypeAdapter(each)
    assert type(adapter.core_schema) is dict, each
assert pydantic.TypeAdapter(al.TextDelta).validate_python({"text": "a"}) == al.TextDelta(text="a")
"""


def run(python: Path, code: str) -> str:
    """Run code in a new process that has imported nothing else of the package."""
    done = subprocess.run(
        [python, "-c", code], env={"PYTHONPATH": str(PACKAGE)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def newest(pythons: list[Path]) -> list[Path]:
    """The interpreter of the newest version, where `inspect` and `typing` change first."""
    return sorted(pythons, key=minor)[-1:]


@third("introspection of Python")  # looks at every class, in processes of several versions
@pytest.mark.parametrize("route", ROUTES)
def test_every_untouched_class_can_be_looked_at(route: str) -> None:
    step = STEPS.get(route, 1)
    code = HEAD.replace("START", str(SEED % step)).replace("STEP", str(step)) + ROUTES[route] + "\nprint(count)"
    for python in (Path(sys.executable), *sample(beside(), 1), *newest(beside())):
        assert int(run(python, code)) > 500 / step, python


def test_pydantic_validates_an_untouched_class() -> None:
    run(Path(sys.executable), HEAD.replace("[START::STEP]", "") + VALIDATED)


def test_an_object_is_made_without_the_areas_that_its_annotations_name() -> None:
    """A program pays for the types that it uses, not for those that their annotations name."""
    code = "import sys, agentlines as al\nal.PermissionResultDeny(message='a')\nprint(*sys.modules)"
    loaded = run(Path(sys.executable), code).split()
    assert "agentlines.permissions" in loaded
    assert not {"agentlines.control", "agentlines.enums"} & {*loaded}
