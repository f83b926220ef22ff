import sys

import agentproto as ap

for item in ap.Reader(sys.stdin.buffer):  # NDJSON: messages, and a BadLine for each line that does not decode
    match item:
        case ap.AssistantMessage(message=m):
            print(m.content)
        case ap.ResultSuccess(result=text):
            print(text)
        case ap.UnknownMessage(raw=raw):
            print("newer than this package:", raw, file=sys.stderr)
        case ap.BadLine(line=number, error=error):
            print(f"line {number}: {error}", file=sys.stderr)
        case _:
            pass
