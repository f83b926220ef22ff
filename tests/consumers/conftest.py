"""The packages as `make dist` builds them, and a consumer of them in every language."""

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
    """Builds packages into a new folder; all of them if none is named."""

    def built(*names: str) -> Path:
        out = tmp_path_factory.mktemp("dist") / "dist"
        finished([sys.executable, str(ROOT / "release" / "dist.py"), "--out", str(out), *names])
        return out

    return built


@pytest.fixture(scope="session")
def dist(build: Callable[..., Path], node: toolchain.Toolchain, rust: toolchain.Toolchain) -> Path:  # noqa: ARG001 (as said)
    """All packages; `node` and `rust` skip where one of them cannot be built."""
    return build()


@pytest.fixture(scope="session", params=["python", "typescript", "go", "rust"])
def consumer(dist: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Consumer:
    """The consumer in each of the languages."""
    language: str = request.param
    folder = tmp_path_factory.mktemp("installed") / language
    shutil.copytree(HERE / language, folder, ignore=shutil.ignore_patterns("__pycache__"))
    tools = None if language == "python" else request.getfixturevalue(TOOLCHAINS[language])
    return INSTALL[language](dist, folder, tools)


@pytest.fixture(scope="module")
def monkeypatch_module() -> Iterator[pytest.MonkeyPatch]:
    """What `monkeypatch` is, for fixtures of a module."""
    with pytest.MonkeyPatch.context() as patch:
        yield patch
