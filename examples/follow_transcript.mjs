// Prints the entries of a stored session while the CLI writes it.
//
//     node follow_transcript.mjs SESSION.jsonl

import { open } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";

import { BadLine, isUnknown, LineDecoder, TranscriptEntry } from "agentlines";

const lines = new LineDecoder(TranscriptEntry); // keeps an incomplete line until the rest of it is there
const file = await open(process.argv[2] ?? "");
const piece = Buffer.alloc(65536);
for (;;) {
  const { bytesRead } = await file.read(piece);
  if (bytesRead === 0) await setTimeout(200);
  for (const item of lines.feed(piece.subarray(0, bytesRead))) {
    if (item instanceof BadLine) {
      console.error(`line ${item.line}: ${item.error.message}`);
    } else if (isUnknown(item, TranscriptEntry)) {
      console.error("newer than this package:", item);
    } else if (item.type === "last-prompt") {
      console.log("prompt:", item.lastPrompt ?? "");
    } else if (item.type === "assistant") {
      for (const block of item.message.content) console.log("assistant:", block.type);
    } else {
      console.log(item.type);
    }
  }
}
