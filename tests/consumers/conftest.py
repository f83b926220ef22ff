"""Fixtures: the packages that `make dist` builds, and a consumer of them in each language."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import toolchain
from consumers.installed import HERE, INSTALL, ROOT, TOOLCHAINS, Consumer, finished


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """A function that builds packages into a new folder; all of them if none is named."""

    def built(*names: str) -> Path:
        out = tmp_path_factory.mktemp("dist") / "dist"
        finished([sys.executable, str(ROOT / "release" / "dist.py"), "--out", str(out), *names])
        return out

    return built


@pytest.fixture(scope="session")
def dist(build: Callable[..., Path], node: toolchain.Toolchain, rust: toolchain.Toolchain) -> Path:  # noqa: ARG001 (as said)
    """All packages; the fixtures `node` and `rust` skip the test if one of them cannot be built."""
    return build()


@pytest.fixture(scope="session", params=["python", "typescript", "go", "rust"])
def consumer(dist: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Consumer:
    """The consumer, in each language."""
    language: str = request.param
    folder = tmp_path_factory.mktemp("installed") / language
    shutil.copytree(HERE / language, folder, ignore=shutil.ignore_patterns("__pycache__"))
    tools = None if language == "python" else request.getfixturevalue(TOOLCHAINS[language])
    return INSTALL[language](dist, folder, tools)


@pytest.fixture(scope="module")
def monkeypatch_module() -> Iterator[pytest.MonkeyPatch]:
    """`monkeypatch`, for module-scoped fixtures."""
    with pytest.MonkeyPatch.context() as patch:
        yield patch
