"""Samples of many inputs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

import sampling
from toolchain import ROOT


def test_a_sample_has_its_size_and_the_order_of_the_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "NIGHTLY", False)
    chosen = sampling.sample(range(1000), 20)
    assert len(chosen) == 20
    assert chosen == sorted(set(chosen))
    assert sampling.sample([3, 1, 2], 3) == [3, 1, 2]


def test_the_seed_decides_what_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "NIGHTLY", False)
    chosen = {}
    for seed in (1, 2):
        monkeypatch.setattr(sampling, "SEED", seed)
        chosen[seed] = sampling.sample(range(1000), 20)
        assert sampling.sample(range(1000), 20) == chosen[seed]
    assert chosen[1] != chosen[2]


def test_samples_of_different_names_are_independent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "NIGHTLY", False)
    assert sampling.sample(range(1000), 20, "a") == sampling.sample(range(1000), 20, "a")
    assert sampling.sample(range(1000), 20, "a") != sampling.sample(range(1000), 20, "b")


def test_a_sample_of_each_family_has_some_of_each_and_all_of_small_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "NIGHTLY", False)
    chosen = sampling.sample_each([*range(100), 1001, 1003], 5, lambda n: (n > 100, n % 2))
    assert chosen == sorted(set(chosen))
    assert Counter((n > 100, n % 2) for n in chosen) == {(False, 0): 5, (False, 1): 5, (True, 1): 2}


def test_the_nightly_run_takes_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "NIGHTLY", True)
    assert sampling.sample("abc", 1) == ["a", "b", "c"]
    assert sampling.sample_each("abc", 1, str.islower) == ["a", "b", "c"]
    assert sampling.number(1, 100) == 100


@pytest.mark.parametrize(("mark", "names"), [(sampling.turn, sampling.TURNS), (sampling.third, sampling.FREQUENT)])
def test_every_check_has_its_turn(
    mark: Callable[[str], pytest.MarkDecorator], names: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sampling, "NIGHTLY", False)
    monkeypatch.setattr(sampling, "ALL_TURNS", False)
    made: Counter[str] = Counter()
    for seed in range(200):
        monkeypatch.setattr(sampling, "SEED", seed)
        now = [name for name in names if mark(name).name == "full"]
        assert 0 < len(now) < len(names)
        made.update(now)
    assert made.keys() == set(names)
    monkeypatch.setattr(sampling, "ALL_TURNS", True)
    assert {mark(name).name for name in names} == {"full"}


def test_every_name_of_a_check_marks_one() -> None:
    files = (path for path in (ROOT / "tests").rglob("*.py") if path.name != "sampling.py")
    marked = "".join(path.read_text("utf-8") for path in files)
    named = [name for name in (*sampling.TURNS, *sampling.FREQUENT) if f'("{name}")' in marked]
    assert {*sampling.TURNS, *sampling.FREQUENT} - {*named} == {name for name in sampling.TURNS if name[:4] == "SDK "}
