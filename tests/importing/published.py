"""Packages of npm → the schemas of published protocols, each as a file.

The Agent Client Protocol's schema is a file of its SDK. No package has the schema of the Model Context Protocol, but
its SDK has the declarations that this schema is generated from; it is generated again here, as their authors do. The
draft before the release 2025-11-25 is the one before tasks were added.
"""

from __future__ import annotations

from pathlib import Path

from toolchain import NODE_PACKAGES, Toolchain

PACKAGES = NODE_PACKAGES / "node_modules"
GENERATOR = PACKAGES / "ts-json-schema-generator" / "bin" / "ts-json-schema-generator.js"
META_MODEL_SCHEMA = PACKAGES / "vscode-languageserver-protocol" / "metaModel.schema.json"
"""The format of the meta model of the Language Server Protocol. No package has the meta model."""


ACP = PACKAGES / "@agentclientprotocol" / "sdk" / "schema"
FILES = {"acp": ACP / "v1" / "schema.json", "acp-v2": ACP / "v2" / "schema.json"}
UNSTABLE = tuple(sorted(ACP.glob("*/schema.unstable.json")))
"""Drafts of the next releases, which use one method for a request and for a notification."""
NAMES = ("mcp-before-tasks", "mcp-2025-11-25", *FILES)
"""The protocols; MCP's are named like their packages in `tests/typescript/package.json`."""


def schema(name: str, node: Toolchain, folder: Path) -> Path:
    """Return the file with the schema of a protocol; if it is generated, then into the folder."""
    if name in FILES:
        return FILES[name]
    declarations, made = folder / "spec.types.ts", folder / "schema.json"
    text = (PACKAGES / name / "dist" / "esm" / "spec.types.d.ts").read_text(encoding="utf-8")
    # the generator leaves out what is internal, although other declarations refer to it
    declarations.write_text(text.replace("@internal", ""), encoding="utf-8")
    options = ["--type", "*", "--no-type-check", "--additional-properties"]
    told = node.run("node", GENERATOR, "--path", declarations, *options, "--out", made)
    assert told.returncode == 0, told.stderr
    return made
