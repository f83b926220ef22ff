"""Fixtures: the packages that `make dist` builds, and a consumer of them in each language."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import toolchain
from consumers.installed import HERE, INSTALL, ROOT, TOOLCHAINS, Consumer, finished
from sampling import sample


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """A function that builds packages into a new folder; all of them if none is named."""

    def built(*names: str) -> Path:
        out = tmp_path_factory.mktemp("dist") / "dist"
        finished([sys.executable, str(ROOT / "release" / "dist.py"), "--out", str(out), *names])
        return out

    return built


@pytest.fixture(scope="session")
def dist(
    build: Callable[..., Path],
    node: toolchain.Toolchain,  # noqa: ARG001 (as said)
    rust: toolchain.Toolchain,  # noqa: ARG001
    tmp_path_factory: pytest.TempPathFactory,
) -> Path:
    """All packages; the fixtures `node` and `rust` skip the test if one of them cannot be built.

    The processes of one run build them once.
    """
    base = tmp_path_factory.getbasetemp()
    place = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "all-packages"
    with toolchain.alone_in(place):
        link = place / "dist"
        if not link.is_symlink():
            link.symlink_to(build())
    return link


@pytest.fixture(scope="session", params=sample(["python", "typescript", "go", "rust"], 2, "consumers"))
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
