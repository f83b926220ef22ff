"""Generator and templates must not contain knowledge of the protocol: everything about a type is in the spec."""

from __future__ import annotations

import re
from pathlib import Path

from polywire.checks import check
from polywire.model.nodes import Model

OF_ANY_PROTOCOL = {
    "ask_id",
    "by_type",
    "contentLength",
    "error",
    "exitCode",
    "exit_code",
    "file_name",
    "is_whole",
    "messageId",
    "name",
    "object",
    "replaceAll",
    "request",
    "requestId",
    "request_id",
    "response",
    "status",
    "success",
    "text",
    "tool_input",
    "type",
    "url",
}
"""Words of this protocol that are also words of the field, of the spec language or of what is imported."""


def words_of(model: Model) -> set[str]:
    """Return names that can only come from this protocol: declarations, tags, requests, tools, composed field names."""
    tags = {str(tag.constant) for struct in model.structs for tag in struct.tags if isinstance(tag.constant, str)}
    fields = {field.name for struct in model.structs for field in struct.fields}
    composed = {name for name in tags | fields if re.search(r"_|[a-z][A-Z]", name)}
    declared = {name for name in model.declarations if re.fullmatch(r"\w*[a-z][A-Z]\w*", name)}
    return (declared | composed | {control.key for control in model.controls if "_" in control.key}) - OF_ANY_PROTOCOL


def test_no_name_of_the_protocol_is_in_the_generator_the_templates_or_the_runtimes(root: Path) -> None:
    model = check(root / "spec").model
    assert model is not None
    words = words_of(model)
    assert len(words) > 500
    files = [
        path
        for folder in ("generator", "templates", "runtimes")
        for path in (root / folder).rglob("*")
        if path.suffix in {".py", ".j2", ".go", ".rs", ".js", ".mjs", ".ts"}
    ]
    assert len(files) > 40
    found = {
        f"{path.relative_to(root)}: {word}"
        for path in files
        for word in re.findall(r"[A-Za-z_]\w*", path.read_text(encoding="utf-8"))
        if word in words
    }
    assert found == set()
