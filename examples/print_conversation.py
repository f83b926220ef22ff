"""Print a stored session as a conversation.

Usage: python print_conversation.py SESSION.jsonl
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import agentlines as al

conversation = al.Conversation()
with Path(sys.argv[1]).open("rb") as file:
    for item in al.Reader(file, al.TranscriptEntry):
        if isinstance(item, al.BadLine):
            print(f"line {item.line}: {item.error}", file=sys.stderr)
        else:
            conversation.add(item)


def show(who: str, content: str | Sequence[Any]) -> None:
    blocks: Sequence[Any] = [al.TextBlockParam(text=content)] if isinstance(content, str) else content
    for block in blocks:
        match block:
            case al.TextBlock(text=text) | al.TextBlockParam(text=text):
                print(f"{who}: {text}")
            case al.ToolUseBlock(name=name, input=given):
                print(f"{who} calls {name}: {json.dumps(given)}")
            case al.ToolResultBlockParam(content=result, is_error=failed):
                show("  error" if failed else "  result", result or "")
            case _:
                print(f"{who}: ({block.type})")


for entry in conversation.path(history=True):  # also what was said before the context was compacted
    match entry:
        case al.UserEntry(is_meta=True):
            pass  # added by the program
        case al.UserEntry(message=message):
            show("user", message.content)
        case al.AssistantEntry(message=message):
            show("assistant", message.content)
        case al.CompactBoundaryEntry():
            print("--- the context was compacted ---")
        case _:
            pass
