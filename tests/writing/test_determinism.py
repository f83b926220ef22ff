"""The same spec gives the same bytes, regardless of place, time and user."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PARCEL = Path(__file__).parents[1] / "specs" / "parcel"


def digests(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def generated(spec: Path, out: Path, cwd: Path, **environment: str) -> dict[str, str]:
    words = [sys.executable, "-m", "polywire", "generate", "--spec", str(spec), "--out", str(out)]
    done = subprocess.run(words, cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return digests(cwd / out)


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("reference")
    return generated(PARCEL, folder / "out", folder, PYTHONHASHSEED="0", LC_ALL="C.UTF-8", TZ="UTC")


def test_there_is_output_to_compare(reference: dict[str, str]) -> None:
    assert {"manifest.json", "jsonschema/parcel.schema.json"} < reference.keys()


@pytest.mark.full
@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONHASHSEED": "1"},
        {"PYTHONHASHSEED": "4294967295", "TZ": "Asia/Kathmandu"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        {"LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "SOURCE_DATE_EPOCH": "1", "USER": "somebody", "HOME": "/none"},
        {"PYTHONOPTIMIZE": "2", "PYTHONDONTWRITEBYTECODE": "1"},
    ],
    ids=" ".join,
)
def test_neither_hash_seed_nor_locale_nor_time_zone_nor_user_shows(
    reference: dict[str, str], environment: dict[str, str], tmp_path: Path
) -> None:
    assert generated(PARCEL, tmp_path / "out", tmp_path, **environment) == reference


def test_neither_the_working_folder_nor_the_path_nor_the_order_of_files_shows(
    reference: dict[str, str], tmp_path: Path
) -> None:
    spec = tmp_path / "deep" / "another name"
    for file in sorted((path for path in PARCEL.rglob("*") if path.is_file()), reverse=True):
        copy = spec / file.relative_to(PARCEL)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, copy)
        os.utime(copy, (0, 0))
    assert generated(Path("another name"), Path("out"), spec.parent, PYTHONHASHSEED="7") == reference


@pytest.mark.full
def test_one_target_at_a_time_in_any_order_gives_the_same_tree(reference: dict[str, str], tmp_path: Path) -> None:
    targets = sorted({path.split("/")[0] for path in reference if "/" in path}, reverse=True)
    for target in targets:
        words = [sys.executable, "-m", "polywire", "generate", "--spec", str(PARCEL), "--target", target]
        subprocess.run(words, cwd=tmp_path, capture_output=True, check=True)
    assert digests(tmp_path / "generated") == reference
