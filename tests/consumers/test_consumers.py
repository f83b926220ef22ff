"""A small client in every language, which uses nothing from the checkout except the built package."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from consumers.installed import Consumer
from polywire import source
from polywire.model.build import build
from sampling import third

pytestmark = [pytest.mark.xdist_group("dist"), third("clients that install packages")]

ROOT = Path(__file__).resolve().parents[2]
CAPTURES = ROOT / "tests" / "captures"

TOLD = """\
session with claude-sonnet-4-5-20250929 and 2 tools
call of Bash
Bash: deny
assistant: Made.
done: Made.
line 8: invalid_json at the top
newer than this client: telepathy
newer than this client: weather_report
session with claude-opus-5-5 and 36 tools
call of Bash
Bash: deny
done: Done.
call of Read
Read: allow
"""

ANSWERS = [
    ("ec674a5b-68d6-406e-a01c-9805a73257f8", {"behavior": "deny", "message": "No commands here: mkdir -p x"}),
    (
        "562c1ffe-e980-4420-bd16-fcd418afd709",
        {
            "behavior": "deny",
            "message": "No commands here: for i in $(seq 1 33); do echo $i; sleep 1; done; mkdir -p z",
        },
    ),
    (
        "82f2e0a8-c265-433a-a1b8-5b398ff56b4a",
        {"behavior": "allow", "updatedInput": {"file_path": "/nonexistent/file.txt"}},
    ),
]
"""The id of each request, and the response."""


@pytest.fixture(scope="module")
def session() -> bytes:
    """Captured sessions of two versions, a line that is not JSON, and two messages of types that no release has."""
    names = ("0.2.37/allowed_disallowed", "0.3.330/tool_progress_long", "0.3.330/tool_read")
    described, *newer = ((CAPTURES / f"{name}.out.ndjson").read_bytes() for name in names)
    unknown = b'{"type":"telepathy"}\n{"type":"weather_report"}\n'
    return described + b"{not JSON}\n" + unknown + b"".join(newer)


def test_a_client_tells_what_it_reads_and_answers_each_request(consumer: Consumer, session: bytes) -> None:
    out, err = consumer.run("client", session)
    envelopes = [
        {"type": "control_response", "response": {"subtype": "success", "request_id": request, "response": answer}}
        for request, answer in ANSWERS
    ]
    assert out == "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in envelopes)
    assert err == TOLD


def test_the_program_in_the_package_s_readme_runs_as_it_stands(consumer: Consumer, session: bytes) -> None:
    out, err = consumer.run("readme", session)
    kinds = {
        "python": "ControlResponse SystemInitMessage AssistantMessage ControlRequest UserMessage",
        "typescript": "control_response system assistant control_request user",
        "go": "*types.ControlResponse *types.SystemInitMessage *types.AssistantMessage *types.ControlRequest"
        " *types.UserMessage",
        "rust": "ControlResponse(ControlResponse System(Init(SystemInitMessage Assistant(AssistantMessage"
        " ControlRequest(ControlRequest User(User(UserMessage",
    }
    lines = [line.split(" ")[0] for line in out.splitlines()]
    assert lines[:5] == kinds[consumer.language].split(" ")
    assert len(lines) == 17
    assert re.search(r"^(\S+ \S+ )?line 8: ", err, re.MULTILINE)
    first, second = re.split(r"newer than this (?:package|crate): ", err)[1:]
    assert "telepathy" in first
    assert "weather_report" in second


def test_the_package_says_its_version_the_protocol_s_and_the_hash_of_the_spec(consumer: Consumer) -> None:
    package, protocol, digest = consumer.run("versions")[0].split()
    model = build(source.load(ROOT / "spec")).model
    assert model is not None
    assert (package, protocol) == (model.protocol.package_version, model.protocol.version)
    assert digest == model.spec_hash


def test_the_readme_says_how_to_install_what_is_guaranteed_and_what_changed(consumer: Consumer) -> None:
    readme = consumer.readme
    version = consumer.run("versions")[0].split()[0]
    install = re.search(r"^```sh\n(.*)\n```$", readme, re.MULTILINE)
    assert install is not None
    assert "./path/to/this/folder" in install[1]  # this spec does not state that its packages are published
    headings = re.findall(r"^##+ (.*)$", readme, re.MULTILINE)
    assert headings.index("Reading") < headings.index("Guarantees") < headings.index("Changes")
    assert headings[headings.index("Changes") + 1].removeprefix("v") == version


def test_nothing_in_the_folder_of_a_client_leads_into_the_checkout(consumer: Consumer) -> None:
    folder = consumer.folder
    files = [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]
    told = [path for path in files if str(ROOT).encode() in path.read_bytes()]
    links = [path for path in folder.rglob("*") if path.is_symlink() and path.resolve().is_relative_to(ROOT)]
    assert len(files) > 3
    assert [path.relative_to(folder) for path in [*told, *links]] == []
