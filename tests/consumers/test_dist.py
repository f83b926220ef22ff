"""The output of `make dist`: complete, without foreign files, and reproducible."""

from __future__ import annotations

import email
import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from email.message import Message
from pathlib import Path
from types import ModuleType

import pytest

import handmade
from consumers.installed import ROOT, finished, only, virtual_environment
from polywire import __version__, source
from polywire.model.build import build
from polywire.source import bundled
from polywire.writing.render import compile_templates
from sampling import third, turn

pytestmark = [third("distributions"), pytest.mark.xdist_group("dist")]

PROGRAM = [sys.executable, str(ROOT / "release" / "dist.py")]


@pytest.fixture(scope="module")
def release(monkeypatch_module: pytest.MonkeyPatch) -> Callable[[str], ModuleType]:
    """A function that loads a module of `release/`."""
    monkeypatch_module.syspath_prepend(str(ROOT / "release"))

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(name, ROOT / "release" / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch_module.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="module")
def version() -> str:
    """The version of all the protocol's packages."""
    model = build(source.load(ROOT / "spec")).model
    assert model is not None
    return model.protocol.package_version


def generated(target: str) -> dict[str, bytes]:
    """Return every file that the manifest lists for a target or an add-on, by path below its folder."""
    manifest = json.loads((ROOT / "generated" / "manifest.json").read_text(encoding="utf-8"))
    paths = manifest["targets"][target]["files"]
    return {path.removeprefix(f"{target}/"): (ROOT / "generated" / path).read_bytes() for path in paths}


def unzipped(file: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(file) as archive:
        return {entry.filename: archive.read(entry) for entry in archive.infolist() if not entry.is_dir()}


def untarred(file: Path) -> dict[str, bytes]:
    """Return the files of a tarball, by path below its only top-level folder."""
    with tarfile.open(file) as archive:
        members = {each.name: archive.extractfile(each) for each in archive if each.isfile()}
        assert len({name.split("/")[0] for name in members}) == 1
        return {name.partition("/")[2]: found.read() for name, found in members.items() if found is not None}


def metadata(files: dict[str, bytes]) -> Message:
    """Return the metadata of a wheel."""
    (name,) = (name for name in files if name.endswith(".dist-info/METADATA"))
    return email.message_from_bytes(files[name])


def checked_out(folder: str) -> dict[str, bytes]:
    """Return every file below a folder of the checkout, except those that git ignores."""
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", folder]
    done = subprocess.run(listing, cwd=ROOT, check=True, capture_output=True, text=True)
    files = [path for name in filter(None, done.stdout.split("\0")) if (path := ROOT / name).is_file()]
    return {path.relative_to(ROOT / folder).as_posix(): path.read_bytes() for path in files}


# --- polywire --------------------------------------------------------------------------------------------------


def test_the_wheel_of_polywire_has_templates_runtimes_and_spec_and_nothing_else_besides_the_code(
    dist: Path, tmp_path: Path
) -> None:
    found = unzipped(only(dist, "polywire-*.whl"))
    about = {name for name in found if name.startswith(f"polywire-{__version__}.dist-info/")}
    parts = {
        "polywire": "generator/polywire",
        "polywire_import": "generator/polywire_import",
        "polywire_upstream": "generator/polywire_upstream",
        "polywire/_templates": "templates",
        "polywire/_runtimes": "runtimes",
        "polywire/_spec": "spec",
    }
    everything = {f"{to}/{path}": data for to, folder in parts.items() for path, data in checked_out(folder).items()}
    # Snapshots of releases are only needed to follow upstream, which is done in the checkout.
    wanted = {path: data for path, data in everything.items() if not path.startswith("polywire/_spec/releases/")}
    wanted["polywire/conformance/testees/rust/Cargo.lock"] = (ROOT / "tests" / "rust" / "Cargo.lock").read_bytes()
    compile_templates(tmp_path)
    compiled = [path for path in tmp_path.rglob("*") if path.is_file()]
    wanted |= {f"polywire/_compiled/{path.relative_to(tmp_path).as_posix()}": path.read_bytes() for path in compiled}
    assert sorted(found.keys() - about) == sorted(wanted)
    assert [name for name in wanted if found[name] != wanted[name]] == []
    assert f"polywire-{__version__}.dist-info/licenses/LICENSE" in about
    runtimes = {".py", ".toml", ".js", ".mjs", ".ts", ".json", ".go", ".mod", ".sum", ".rs", ".lock", ".md", ".txt"}
    ours = {".py", ".j2", ".yaml", ".json", ".css", ".html", ".js", ""}  # the last is the suffix of the licence
    assert {Path(name).suffix for name in wanted} == ours | runtimes


def test_the_page_of_polywire_is_its_readme_with_the_changelog(dist: Path) -> None:
    told = metadata(unzipped(only(dist, "polywire-*.whl")))
    page = told.get_payload(decode=True).decode()
    readme = (ROOT / "generator" / "README.md").read_text(encoding="utf-8")
    assert (told["Version"], told["License-Expression"]) == (__version__, "Apache-2.0")
    assert page.startswith(readme)
    newest = re.search(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None
    assert page[len(readme) :].startswith(f"\n## Changes\n\n### {newest[1]}\n")


def test_the_sdist_of_polywire_has_what_its_wheel_is_built_from(dist: Path) -> None:
    """The wheel was built from the sdist alone."""
    files = untarred(only(dist, "polywire-*.tar.gz"))
    tops = {name.split("/")[0] for name in files}
    assert tops - {".gitignore"} == {
        *("generator", "templates", "runtimes", "spec", "release", "tests"),
        *("pyproject.toml", "LICENSE", "CHANGELOG.md", "PKG-INFO"),
    }
    assert [name for name in files if name.startswith("tests/")] == ["tests/rust/Cargo.lock"]


def test_the_spec_that_comes_with_polywire_is_that_of_the_checkout() -> None:
    assert bundled() == ROOT / "spec"


# --- the protocol's packages -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "module", "requires"),
    [
        (
            *("python", "agentlines"),
            [
                *("pyarrow>=14; extra == 'arrow'", "orjson>=3.9; extra == 'fast'"),
                "polywire-native>=0.1; extra == 'native'",
            ],
        ),
        ("python-pydantic", "agentlines_pydantic", ["pydantic>=2.11", "typing-extensions>=4.7"]),
        ("python-typed-dicts", "agentlines_typed_dicts", ["typing-extensions>=4.7; python_version < '3.11'"]),
    ],
)
def test_the_wheel_is_what_was_generated(
    target: str, module: str, requires: list[str], dist: Path, version: str
) -> None:
    found = unzipped(only(dist, f"{module}-*.whl"))
    modules = {path: data for path, data in generated(target).items() if path.startswith(f"{module}/")}
    about = f"{module}-{version}.dist-info"
    assert {name: data for name, data in found.items() if not name.startswith(about)} == modules
    assert found[f"{about}/licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    assert metadata(found)["Version"] == version
    assert metadata(found).get_all("Requires-Dist") == requires
    assert metadata(found).get_payload(decode=True) == generated(target)["README.md"]


def test_a_flavour_is_installed_without_the_package(dist: Path, tmp_path: Path) -> None:
    python = virtual_environment(tmp_path / "venv")
    wheel = only(dist, "agentlines_typed_dicts-*.whl")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", str(wheel)]
    finished(pip, tmp_path)
    program = "import agentlines_typed_dicts as td; print(td.KeepAliveMessage(type='keep_alive'))"
    assert finished([str(python), "-I", "-c", program], tmp_path) == "{'type': 'keep_alive'}\n"


@pytest.mark.parametrize(
    ("target", "pattern", "own"),
    [
        ("python", "agentlines-*.tar.gz", {"PKG-INFO"}),
        ("python-pydantic", "agentlines_pydantic-*.tar.gz", {"PKG-INFO"}),
        ("python-typed-dicts", "agentlines_typed_dicts-*.tar.gz", {"PKG-INFO"}),
        ("typescript", "agentlines-*.tgz", set()),
        ("rust", "agentlines-*.crate", {"Cargo.toml", "Cargo.toml.orig"}),
    ],
)
def test_the_tarball_is_what_was_generated(target: str, pattern: str, own: set[str], dist: Path, version: str) -> None:
    file = only(dist, pattern)
    found, wanted = untarred(file), generated(target)
    assert file.name.startswith(f"{pattern.partition('*')[0]}{version}.")
    assert found.keys() == wanted.keys() | own
    assert {name for name in wanted if found[name] != wanted[name]} <= own
    assert "LICENSE" in found


def test_the_schemas_of_the_spec_and_of_every_dialect_are_there(dist: Path, tmp_path: Path) -> None:
    folder = dist / "jsonschema"
    made = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    own = generated("jsonschema")
    assert {path: made.get(path) for path in own} == own
    names = source.dialects(ROOT / "spec")
    assert made.keys() == own.keys() | {f"{dialect}/{path}" for dialect in names for path in own}
    (dialect, *_) = names
    polywire = [sys.executable, "-m", "polywire", "generate", "--target", "jsonschema"]
    finished([*polywire, "--dialect", dialect, "--out", str(tmp_path)], ROOT, dict(os.environ))
    generate = tmp_path / "jsonschema"
    assert {path: (generate / path).read_bytes() for path in own} == {path: made[f"{dialect}/{path}"] for path in own}


def test_manifests_of_the_other_languages_have_the_version_too(dist: Path, version: str) -> None:
    crate = untarred(only(dist, "agentlines-*.crate"))
    assert re.findall(rb'^version = "(.+)"$', crate["Cargo.toml"], re.MULTILINE)[0].decode() == version
    assert json.loads(untarred(only(dist, "agentlines-*.tgz"))["package.json"])["version"] == version


def test_the_module_is_laid_out_as_a_proxy_serves_it(dist: Path, version: str) -> None:
    folder = dist / "go" / "example.com" / "agentlines" / "@v"
    assert sorted(path.name for path in folder.iterdir()) == [
        "list",
        f"v{version}.info",
        f"v{version}.mod",
        f"v{version}.zip",
    ]
    prefix = f"example.com/agentlines@v{version}/"
    files = unzipped(folder / f"v{version}.zip")
    assert {name.removeprefix(prefix): data for name, data in files.items()} == generated("go")
    assert (folder / "list").read_text() == f"v{version}\n"
    assert (folder / f"v{version}.mod").read_bytes() == generated("go")["go.mod"]
    assert json.loads((folder / f"v{version}.info").read_text()) == {
        "Version": f"v{version}",
        "Time": "2020-02-02T00:00:00Z",
    }


@pytest.mark.parametrize("target", ["python", "typescript", "go", "rust"])
def test_every_package_has_the_hash_of_the_spec_in_its_code(target: str) -> None:
    digest = source.load(ROOT / "spec").spec_hash.encode()
    code = [data for path, data in generated(target).items() if not path.endswith((".md", ".toml", ".json", ".mod"))]
    assert any(re.search(rb"(?i)spec_?hash[^\n]*[\"']" + digest, data) for data in code)


# --- the folder ------------------------------------------------------------------------------------------------


@turn("packages twice")
def test_the_same_checkout_gives_the_same_bytes(dist: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    elsewhere = {**os.environ, "TZ": "Asia/Kolkata", "PYTHONHASHSEED": "7"}
    finished([*PROGRAM, "--out", str(again)], tmp_path, elsewhere)
    assert (again / "SHA256SUMS").read_text() == (dist / "SHA256SUMS").read_text()


def test_the_sums_are_those_of_all_files(dist: Path) -> None:
    told = dict(reversed(line.split("  ")) for line in (dist / "SHA256SUMS").read_text().splitlines())
    files = [path for path in dist.rglob("*") if path.is_file() and path.name != "SHA256SUMS"]
    assert told == {path.relative_to(dist).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def run(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    settings = {**os.environ, **environment}
    return subprocess.run(
        [*PROGRAM, *arguments], cwd=folder, env=settings, capture_output=True, encoding="utf-8", check=False
    )


def test_a_time_of_one_s_own_is_taken(tmp_path: Path) -> None:
    assert run("go", folder=tmp_path, SOURCE_DATE_EPOCH="1000000000").returncode == 0
    assert '"Time": "2001-09-09T01:46:40Z"' in only(tmp_path, "*.info").read_text()


def test_where_a_tool_is_missing_the_rest_is_built_and_what_to_do_is_said(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    told = run("rust", "go", folder=tmp_path, PATH=str(tmp_path / "empty"))
    assert told.returncode == 1
    assert told.stderr == "NOT BUILT rust: there is no Cargo ≥ 1.87 on PATH: https://rustup.rs brings it\n"
    assert only(tmp_path / "dist", "*.zip").is_file()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pyton"], "no package 'pyton'; there are polywire, jsonschema, python"),
        (["--out", "precious"], "is not a folder of packages"),
    ],
)
def test_what_makes_no_sense_changes_nothing(arguments: list[str], said: str, tmp_path: Path) -> None:
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").touch()
    told = run(*arguments, folder=tmp_path)
    assert told.returncode != 0
    assert said in told.stderr
    assert [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")] == ["precious", "precious/file"]


@pytest.mark.parametrize(
    ("spec", "digest", "said"),
    [("0" * 64, "wrong", "x/a is not what was generated"), ("1" * 64, "", "generated/x is made from another spec")],
)
def test_nothing_stale_and_nothing_edited_is_packed(
    spec: str,
    digest: str,
    said: str,
    release: Callable[[str], ModuleType],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    release("goproxy")
    dist = release("dist")
    monkeypatch.setattr(dist, "ROOT", tmp_path)
    (tmp_path / "generated" / "x").mkdir(parents=True)
    (tmp_path / "generated" / "x" / "a").write_text("text")
    manifest = {"targets": {"x": {"spec": spec, "files": {"x/a": digest}}}}
    (tmp_path / "generated" / "manifest.json").write_text(json.dumps(manifest))
    between = dist.Build(tmp_path, tmp_path, 0)
    between.__dict__["model"] = handmade.model()
    with pytest.raises(dist.DistError, match=said):
        between.files("x")


def test_the_page_of_packages_names_every_file(dist: Path, version: str) -> None:
    page = (ROOT / "docs" / "packages.md").read_text(encoding="utf-8")
    names = {path.relative_to(dist).as_posix() for path in dist.rglob("*") if path.is_file()}
    dialects = tuple(f"jsonschema/{name}/" for name in source.dialects(ROOT / "spec"))
    listed = {
        re.sub(r"^(polywire_native)-[\d.]+-cp\w+-cp\w+-\w+(?=\.whl$)", r"\1-NATIVE-PLATFORM", name)
        for name in names
        if not name.startswith(dialects)
    }
    general = {
        name.replace(__version__, "GENERATOR") if name.startswith("polywire-") else name.replace(version, "VERSION")
        for name in listed
    }
    beside = {f"go/example.com/agentlines/@v/{name}" for name in ("list", "vVERSION.info", "vVERSION.mod")}
    assert {name for name in general - beside if f"`{name}`" not in page} == set()
    assert beside < general


# --- Go's rules ------------------------------------------------------------------------------------------------


def test_a_module_of_a_second_major_version_says_so_in_its_path(release: Callable[[str], ModuleType]) -> None:
    goproxy = release("goproxy")
    assert goproxy.path_of("module example.org/m\n", "1.9.0") == "example.org/m"
    assert goproxy.path_of("module example.org/m/v2\n", "2.0.100") == "example.org/m/v2"
    with pytest.raises(goproxy.ModuleError, match=r"ends in /v2, and example\.org/m does not"):
        goproxy.path_of("module example.org/m\n", "2.0.100")


def test_capitals_of_a_path_are_told_apart_where_files_do_not(release: Callable[[str], ModuleType]) -> None:
    goproxy = release("goproxy")
    files = {"go.mod": b"module github.com/Azure/SDK\n", "LICENSE": b""}
    made = goproxy.proxied(files, "0.1.0", 0)
    assert {path.rpartition("/@v/")[0] for path in made} == {"github.com/!azure/!s!d!k"}
    with pytest.raises(goproxy.ModuleError, match="no file of a module can be called"):
        goproxy.proxied({**files, "a:b": b""}, "0.1.0", 0)
