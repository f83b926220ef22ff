import sys

import agentlines as al

for item in al.Reader(sys.stdin.buffer):  # NDJSON: messages, and a BadLine for each line that does not decode
    match item:
        case al.AssistantMessage(message=m):
            print(m.content)
        case al.ResultSuccess(result=text):
            print(text)
        case al.UnknownMessage(raw=raw):
            print("newer than this package:", raw, file=sys.stderr)
        case al.BadLine(line=number, error=error):
            print(f"line {number}: {error}", file=sys.stderr)
        case _:
            pass
