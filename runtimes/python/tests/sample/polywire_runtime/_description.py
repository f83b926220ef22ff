"""The description of the tables: none, as the tests of tables have descriptions of their own."""

from __future__ import annotations

DISTRIBUTION = "package"
DESCRIPTION: dict[str, str] = {}
