"""Print the entries of a stored session while the CLI writes it.

Usage: python follow_transcript.py SESSION.jsonl
"""

import sys
import time
from pathlib import Path

import agentlines as al

lines = al.LineDecoder(al.TranscriptEntry)  # keeps an incomplete line until the rest of it is there
with Path(sys.argv[1]).open("rb") as file:
    while True:
        data = file.read(65536)
        for item in lines.feed(data) if data else ():
            match item:
                case al.BadLine(line=number, error=error):
                    print(f"line {number}: {error}", file=sys.stderr)
                case al.LastPromptEntry(last_prompt=prompt):
                    print("prompt:", prompt or "")
                case al.AssistantEntry(message=message):
                    for block in message.content:
                        print("assistant:", block.type)
                case al.UnknownEntry(raw=raw):
                    print("newer than this package:", raw, file=sys.stderr)
                case _:
                    print(item.type)
        if not data:
            sys.stdout.flush()
            time.sleep(0.2)
