"""The crate of `tests/specs/forms`: literals, tuples, bounds, recursion, tags of all kinds and repairs."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.targets.rust import TARGET
from rendered import generate, model_of
from toolchain import Toolchain

HERE = Path(__file__).resolve().parent

pytestmark = pytest.mark.xdist_group("cargo")


@pytest.mark.full
def test_the_tests_of_a_user_pass(rust: Toolchain, tmp_path: Path) -> None:
    out = generate(TARGET, model_of(HERE.parent / "specs" / "forms"), tmp_path)
    (out / "tests" / "suite").mkdir(parents=True)
    (out / "tests" / "suite" / "counting.rs").write_bytes((HERE / "suite" / "counting.rs").read_bytes())
    (out / "tests" / "user.rs").write_bytes((HERE / "forms.rs").read_bytes())
    done = rust.run("cargo", "test", "--quiet", "--test", "user", cwd=out)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{(HERE / 'forms.rs').read_text('utf-8').count('#[test]')} passed" in done.stdout


def test_the_readme_tells_of_what_a_protocol_has(tmp_path: Path) -> None:
    """It describes literals, tuples, readable Unknowns and repairs only if the protocol has them."""
    told = ("A literal is", "is a tuple", "An Unknown can be read", "**Tolerance.**")
    for spec, expected in (("forms", True), ("notices", False)):
        out = generate(TARGET, model_of(HERE.parent / "specs" / spec), tmp_path / spec)
        readme = (out / "README.md").read_text("utf-8")
        assert [each in readme for each in told] == [expected] * len(told)
