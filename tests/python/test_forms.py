"""The package of a protocol with every form of type, tag and tolerance, as users see it."""

from __future__ import annotations

import copy
import importlib
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "tests" / "specs" / "forms"


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the package."""
    out = tmp_path_factory.mktemp("forms")
    words = ["-m", "polywire", "generate", "--spec", SPEC, "--out", out, "--target", "python"]
    subprocess.run([sys.executable, *map(str, words)], check=True, capture_output=True)
    return out / "python"


@pytest.fixture(scope="module")
def forms(package: Path) -> Iterator[Any]:
    sys.path.insert(0, str(package))
    yield importlib.import_module("forms")
    sys.path.remove(str(package))


def refusal(forms: Any, value: Any, type_: str | None = None) -> tuple[str, str]:
    with pytest.raises(forms.EncodeError) as caught:
        forms.encode(value, type_)
    return caught.value.code, caught.value.path


def test_tuples_are_tuples_and_lists_are_taken_for_them(forms: Any) -> None:
    found = forms.decode('{"kind":"tuples","range":[1.0,2],"single":["x"]}')
    assert found.range == (1, 2)
    assert found == copy.deepcopy(found) == pickle.loads(pickle.dumps(found))  # noqa: S301 - created here
    assert forms.encode(forms.Tuples(range=[1, 2], single=("x",))) == b'{"kind":"tuples","range":[1,2],"single":["x"]}'
    assert refusal(forms, forms.Tuples(range=(1, 2, 3), single=("x",))) == ("out_of_bounds", "/range")
    assert refusal(forms, forms.Tuples(range=(1, "2"), single=("x",))) == ("wrong_type", "/range/1")


def test_literals_are_checked_when_written_and_bounds_are_not(forms: Any) -> None:
    of = {"number": 0, "fraction": True, "truth": True, "many": None}
    assert refusal(forms, forms.Literals(either="some", **of)) == ("wrong_constant", "/either")
    assert refusal(forms, forms.Literals(either=[], **{**of, "number": False})) == ("wrong_type", "/number")
    assert b'"count":-7' in forms.encode(forms.Bounds(count=-7, below=99, key="much too long"))


def test_integer_tags_are_integers_however_they_are_spelt(forms: Any) -> None:
    assert isinstance(forms.decode('{"n":1.0}', "Numbered"), forms.First)
    several = forms.decode('{"n":2e0}', forms.Several)
    assert (several.n, type(several.n)) == (2, int)
    assert forms.encode(forms.Several(n=3), "Numbered") == b'{"n":3}'
    assert refusal(forms, forms.Several(n=4), "Numbered") == ("unknown_value", "/n")
    assert refusal(forms, forms.Several(n=True)) == ("wrong_type", "/n")
    assert refusal(forms, forms.Failure(code=1.5, reason="")) == ("out_of_range", "/code")
    assert forms.encode(forms.Failure(code=999, reason="")) == b'{"code":999,"reason":""}'


def test_a_prefix_is_a_field_that_is_checked(forms: Any) -> None:
    assert forms.encode(forms.Private(name="_mine", data=1)) == b'{"name":"_mine","data":1}'
    assert refusal(forms, forms.Private(name="mine", data=1)) == ("unknown_value", "/name")
    assert refusal(forms, forms.Bare(bare="", u="bee")) == ("wrong_constant", "/u")


def test_an_unknown_offers_the_fields_that_are_there_and_fit(forms: Any) -> None:
    line = (
        '{"kind":"new","id":"x","count":1.0,"size":null,"point":{"x":1,"y":2},"texts":["a",1],"range":[1],"pace":"odd"}'
    )
    found = forms.decode(line)
    assert (found.id, found.count, found.pace, found.point) == ("x", 1, "odd", forms.Point(x=1.0, y=2.0))
    assert (found.size, found.texts, found.range, found.at) == (None, None, None, None)
    assert forms.encode(found) == line.encode()
    with pytest.raises(AttributeError):
        found.count = 2
    assert found != forms.decode(line.replace("1.0", "2"))


TOLERANT = (
    '{"kind":"tolerance","flag":%s,"size":null,"word":"w","point":{"x":1,"y":2},"points":[],"texts":[],"many":[],'
    '"level":1%s}'
)


def test_what_is_repaired_to_be_absent_is_kept_until_the_field_is_set(forms: Any) -> None:
    found = forms.decode(TOLERANT % ("true", ',"text":[1.0],"new":2'))
    assert found.text is None
    assert found.extra == {"text": [1.0], "new": 2}
    assert forms.encode(found).endswith(b',"text":[1.0],"new":2}')
    found.text = "set"
    assert b'"text":"set"' in forms.encode(found)
    assert b"[1.0]" not in forms.encode(found)


def test_a_value_that_takes_the_place_is_made_anew_each_time(forms: Any) -> None:
    one, other = (forms.decode((TOLERANT % ("7", "")).replace('"points":[]', '"points":{}')) for _ in range(2))
    assert (one.flag, one.points) == (False, [])
    one.points.append(forms.Point(x=0, y=0))
    assert other.points == []


def test_values_of_a_program_are_repaired_alike(forms: Any) -> None:
    class Text(str):
        __slots__ = ()

    value = {"kind": "tolerance", "flag": 3, "size": 1, "word": Text("w"), "point": {"x": 1, "y": 2}, "points": ()}
    value |= {"texts": [Text("a"), 1, "b"], "many": [], "level": 1, "text": Text("kept")}
    found = forms.from_dict(value)
    assert (found.flag, found.word, found.texts, found.text) == (False, "w", ["a", "b"], "kept")
    with pytest.raises(forms.DecodeError) as caught:
        forms.from_dict(value | {"flag": float("inf")})
    assert (caught.value.code, caught.value.path) == ("wrong_type", "/flag")
    with pytest.raises(forms.DecodeError):
        forms.from_dict(value, strict=True)


def test_a_protocol_without_controls_has_no_sessions(forms: Any, package: Path) -> None:
    assert not hasattr(forms, "Session")
    assert not list(package.rglob("_session.py"))
