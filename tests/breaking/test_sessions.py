"""Changes of `control` and `peers` that break code with sessions, in each language."""

from __future__ import annotations

from pathlib import Path

import pytest

from polywire.evolve.breaking import Finding, find
from polywire.evolve.breaking.code import _Counterparts, _Package
from polywire.evolve.diff.matching import Matching
from polywire.ground.location import SourceLocation
from polywire.model.nodes import Model
from polywire.targets.common.api_surface import SESSION, ApiItem
from rendered import model_of

SPEC = (Path(__file__).resolve().parents[1] / "specs" / "jsonrpc" / "protocol.yaml").read_text(encoding="utf-8")

ALL = ("go", "python", "rust", "typescript")

OPTIONS = """
options:
  Settings:
    doc: How the program is started.
    launch: {arguments: []}
    fields:
      program?: {type: string, doc: The program., carry: [{process: program}]}
      ask?: {doc: Is asked., callback: {params: {name: string}, returns: string}, carry: [{flag: --ask, value: stdio}]}
"""


def model(folder: Path, *changes: tuple[str, str]) -> Model:
    text = SPEC + OPTIONS
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    folder.mkdir()
    (folder / "protocol.yaml").write_text(text, encoding="utf-8")
    return model_of(folder)


def broken(tmp_path: Path, *changes: tuple[str, str]) -> list[Finding]:
    """The findings about user code for a change of the spec."""
    old, new = model(tmp_path / "old"), model(tmp_path / "new", *changes)
    return [each for each in find(old, new) if each.rule.category == "SOURCE"]


CANCEL = "    cancel: {notify: notifications/cancelled, id: /params/requestId, answered: false}\n"
DATA = ("      data: /error/data\n", ""), ("      types: {-32002: MissingBook}\n", "")
PEER = (("peers: [client, server]", "peers: [caller, server]"), ("from: client", "from: caller"))
PLAIN = (
    ("type: string | integer}", "type: string}"),
    ("id: string | integer", "id: string"),
    ("draw: counter", "draw: uuid"),
)
FUNCTION = (OPTIONS.splitlines(keepends=True)[-1], "")


@pytest.mark.parametrize(
    ("changes", "rule", "said", "languages", "line"),
    [
        ([(CANCEL, "")], "code-name-removed", "`cancel` of `Session` is gone", ALL, 10),
        (
            DATA,
            "code-signature-changed",
            "`refuse` of `Session` takes other arguments",
            ("python", "rust", "typescript"),
            10,
        ),
        (PEER, "code-name-changed", "the peer `caller` of `Session` is renamed", ALL, 8),
        (
            [("from: both, name: PingCall", "from: client, name: PingCall")],
            *("code-name-removed", "`PingCall` from `server` is gone", ("python", "typescript"), 125),
        ),
    ],
    ids=["cancel", "refuse", "peer", "direction"],
)
def test_what_a_session_no_longer_has_is_found_where_it_was_declared(
    tmp_path: Path, changes: list[tuple[str, str]], rule: str, said: str, languages: tuple[str, ...], line: int
) -> None:
    found = [each for each in broken(tmp_path, *changes) if each.message.startswith(said)]
    assert [(each.rule.id, each.languages, each.place.line) for each in found] == [(rule, languages, line)]


def test_ids_of_another_type_are_found_in_every_language(tmp_path: Path) -> None:
    found = broken(tmp_path, *PLAIN)
    assert {language for each in found for language in each.languages} == {*ALL}


def test_a_renamed_peer_sends_what_it_sent(tmp_path: Path) -> None:
    assert [each.rule.id for each in broken(tmp_path, *PEER)] == ["code-name-changed"]


def test_a_session_that_is_gone_is_one_finding(tmp_path: Path) -> None:
    whole = model(tmp_path / "spec")
    before = [ApiItem(SESSION, "Session"), ApiItem((*SESSION, "cancel"), "cancel"), ApiItem(("", "package"), "shelf")]
    counterparts = _Counterparts(Matching(whole, whole), SourceLocation("protocol.yaml", 1, 1))
    (found,) = _Package(before, before[2:], counterparts).changes()
    assert (found.rule, counterparts.subject(found)) == ("code-name-removed", "`Session`")


def test_functions_that_options_no_longer_have_are_found(tmp_path: Path) -> None:
    found = broken(tmp_path, FUNCTION)
    assert [each.languages for each in found if "functions" in each.message] == [("rust",)]
