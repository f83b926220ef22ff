"""polywire installed alone: without a checkout or a toolchain, and with the bundled spec."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

import toolchain
from consumers.installed import ROOT, example, finished, only, virtual_environment
from polywire import __version__, source
from sampling import third

pytestmark = [pytest.mark.xdist_group("dist"), third("wheel of polywire")]


@pytest.fixture(scope="module")
def python(dist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment with the wheel and its declared dependencies."""
    found = virtual_environment(tmp_path_factory.mktemp("polywire") / "venv")
    install = [sys.executable, "-m", "uv", "pip", "install", "--system-certs", "--quiet", "--python", str(found)]
    # the cache from which `make` installed them
    environment = {**os.environ, "UV_CACHE_DIR": str(toolchain.VENV / "uv")}
    finished(
        [*install, "--require-hashes", "--requirement", str(ROOT / "requirements" / "run.lock")], ROOT, environment
    )
    finished([*install, "--no-index", str(only(dist, "polywire-*.whl"))], ROOT, environment)
    return found


def polywire(python: Path, *arguments: str, folder: Path) -> str:
    """Run the installed command, with only its folder on PATH."""
    return finished([str(python.with_name("polywire")), *arguments], folder, {"PATH": str(python.parent)})


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_it_generates_the_bindings_from_the_spec_that_came_with_it(python: Path, tmp_path: Path) -> None:
    polywire(python, "generate", "--spec", "bundled", "--out", "bindings", folder=tmp_path)
    made = files(tmp_path / "bindings")
    assert made.pop("manifest.json")
    assert made == {path: (ROOT / "generated" / path).read_bytes() for path in made}
    assert {path.split("/")[0] for path in made} == {"go", "jsonschema", "python", "rust", "typescript"}
    assert len(made) > 60


def test_it_finds_nothing_of_the_checkout(python: Path, tmp_path: Path) -> None:
    program = "import polywire, polywire.source, sys; print(polywire.__file__, polywire.source.bundled(), *sys.path)"
    told = finished([str(python), "-I", "-c", program], tmp_path, {"PATH": os.defpath})
    assert str(ROOT) not in told
    assert f"{os.sep}_spec" in told


def test_no_template_has_to_be_compiled(python: Path, tmp_path: Path) -> None:
    program = (
        "import sys, jinja2; jinja2.Environment.compile = None; sys.argv[1:] = ['generate', '--spec', 'bundled']\n"
        "from polywire.commands.cli import main; main()"
    )
    bare = {"PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1"}
    assert "to fix" not in finished([str(python), "-I", "-c", program], tmp_path, bare)
    assert len(files(tmp_path / "generated")) > 60


def test_the_page_of_packages_shows_how_to_get_the_hash_of_its_spec(python: Path, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "packages.md").read_text(encoding="utf-8")
    told = finished([str(python), "-I", "-c", example(page, "python")], tmp_path, {"PATH": os.defpath})
    assert told.strip() == source.load(ROOT / "spec").spec_hash


def test_what_the_readme_of_polywire_shows_works(python: Path, tmp_path: Path) -> None:
    readme = (ROOT / "generator" / "README.md").read_text(encoding="utf-8")
    install, generate = re.findall(r"^```sh\n(.*)\n```$", readme, re.MULTILINE)
    assert install == f"pip install ./dist/polywire-{__version__}-py3-none-any.whl"
    spec = example(readme, "yaml")
    file = tmp_path / re.findall(r"^# (\S+)$", spec, re.MULTILINE)[0]
    file.parent.mkdir()
    file.write_text(spec, encoding="utf-8")
    assert polywire(python, "lint", "--strict", folder=tmp_path) == ""
    polywire(python, *generate.split()[1:], folder=tmp_path)
    program = [str(python), "-c", example(readme, "python")]
    told = finished(program, tmp_path, {"PATH": os.defpath, "PYTHONPATH": str(tmp_path / "generated" / "python")})
    assert told.splitlines() == [
        "Said(by='Ada', text='Hello!')",
        "UnknownLine(raw={'type': 'waved', 'by': 'Ada'})",
    ]
    assert len(spec.splitlines()) <= 10
