"""The table of `launch`: releases are ranges of numbers, and options have conditions on others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from polywire.plan.launch import launch_plans
from written import HEADER, model

VERSIONS = [f"1.{n}.0" for n in range(70)]
SPEC = """
options:
  Settings:
    doc: How a radio is set up.
    launch: {}
    fields:
      always?: {type: string, carry: [{flag: --always}]}
      late?: {type: string, carry: [{flag: --late, since: 1.60.0}]}
      twice?: {type: string, carry: [{flag: --twice, in: [1.0.0..1.2.0, 1.31.0..1.64.0, 1.69.0..]}]}
"""


def test_releases_are_rows_of_numbers_however_many_there_are(tmp_path: Path) -> None:
    header = HEADER.replace("version: 1.0.0", f"versions: [{', '.join(VERSIONS)}]")
    options: Any = launch_plans(model(tmp_path, SPEC, header=header), None)[0].table["options"]
    found = {each["name"]: [carrier.get("releases") for carrier in each["carry"]] for each in options}
    assert found == {"always": [None], "late": [[[60, 69]]], "twice": [[[0, 2], [31, 64], [69, 69]]]}


CONDITIONS = """
options:
  Settings:
    doc: How a radio is set up.
    launch: {}
    fields:
      channel?:
        type: string
        carry: [{flag: --channel, with: volume}, {flag: --on, as: bare, unless: {volume: [0, null]}}]
      volume?: {type: integer, carry: [{flag: --volume}]}
"""


def test_an_option_depends_on_whether_another_is_passed_or_on_its_value(tmp_path: Path) -> None:
    options: Any = launch_plans(model(tmp_path, CONDITIONS), None)[0].table["options"]
    first, second = options[0]["carry"]
    assert first["with"] == {"option": "volume"}
    assert second["unless"] == {"option": "volume", "when": [["is", 0], ["is", None]]}
