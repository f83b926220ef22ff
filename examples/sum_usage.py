"""Sum the tokens and the cost of all stored sessions by day and model.

Usage: python sum_usage.py [FOLDER]
"""

import sys
from collections import defaultdict
from pathlib import Path

import agentlines as al

folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path.home() / ".claude" / "projects"
sums: defaultdict[tuple[str, str], defaultdict[str, float]] = defaultdict(lambda: defaultdict(float))
counted: dict[str, al.BetaMessage] = {}  # by its ID: forks and resumed sessions repeat entries


def add(day: str, model: str, column: str, amount: float) -> None:
    sums[day, model][column] += amount


def add_tokens(day: str, message: al.BetaMessage, sign: int) -> None:
    usage = message.usage
    cached = (usage.cache_read_input_tokens or 0) + (usage.cache_creation_input_tokens or 0)
    add(day, message.model, "input", sign * (usage.input_tokens + cached))
    add(day, message.model, "output", sign * usage.output_tokens)


for path in sorted(folder.rglob("*.jsonl")):
    day = "unknown"
    spent: dict[str, float] = {}  # what the session has cost so far, by model
    with path.open("rb") as file:
        for item in al.Reader(file, al.TranscriptEntry, only=(al.AssistantEntry, al.CostStateEntry)):
            match item:
                case al.AssistantEntry(message=message):
                    day = item.timestamp[:10] if item.timestamp else day
                    # Each block of a message has an entry, with the usage so far: the last one counts.
                    if message.id in counted:
                        add_tokens(day, counted[message.id], -1)
                    add_tokens(day, message, 1)
                    counted[message.id] = message
                case al.CostStateEntry(model_usage=models):
                    for model, use in (models or {}).items():
                        add(day, model, "cost", max(0.0, (use.cost_usd or 0.0) - spent.get(model, 0.0)))
                        spent[model] = use.cost_usd or 0.0
                case al.BadLine(line=line, error=error):
                    print(f"{path}:{line}: {error}", file=sys.stderr)

for (day, model), total in sorted(sums.items()):
    print(f"{day:10} {model:32} {total['input']:12.0f} {total['output']:12.0f} {total['cost']:10.4f}")
