"""What the sessions in a folder cost, and how often each tool was called.

python usage.py FOLDER
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import agentlines as al


def main(folder: Path) -> None:
    """Print the sums of all files as one JSON object."""
    messages, bad, cost = 0, 0, 0.0
    tools: Counter[str] = Counter()
    paths = sorted(folder.glob("*.ndjson"))
    for path in paths:
        with path.open("rb") as file:
            for item in al.Reader(file):
                match item:
                    case al.BadLine():
                        bad += 1
                        continue
                    case al.ResultSuccess(total_cost_usd=spent) | al.ResultError(total_cost_usd=spent):
                        cost += spent
                    case al.AssistantMessage(message=message):
                        tools.update(block.name for block in message.content if isinstance(block, al.ToolUseBlock))
                    case _:
                        pass
                messages += 1
    counted = {"files": len(paths), "messages": messages, "bad": bad, "cost": round(cost, 6), "tools": tools}
    print(json.dumps(counted))


main(Path(sys.argv[1]))
