// Prints a stored session as a conversation.
//
//     node print_conversation.mjs SESSION.jsonl

import { createReadStream } from "node:fs";

import { BadLine, Conversation, isUnknown, read, TranscriptEntry } from "agentlines";

const conversation = new Conversation();
for await (const item of read(createReadStream(process.argv[2] ?? ""), TranscriptEntry)) {
  if (item instanceof BadLine) console.error(`line ${item.line}: ${item.error.message}`);
  else conversation.add(item);
}

/** @typedef {import("agentlines").ContentBlockOrUnknown | import("agentlines").ContentBlockParamOrUnknown} Block */
/** @typedef {readonly (Block | import("agentlines").ToolResultContentOrUnknown)[]} Blocks */

/** @param {string} who @param {string | Blocks} content */
function show(who, content) {
  if (typeof content === "string") return console.log(`${who}: ${content}`);
  for (const block of content) {
    if (isUnknown(block)) console.log(`${who}: (newer than this package)`);
    else if (block.type === "text") console.log(`${who}: ${block.text}`);
    else if (block.type === "tool_use") console.log(`${who} calls ${block.name}: ${JSON.stringify(block.input)}`);
    else if (block.type === "tool_result") show(block.is_error ? "  error" : "  result", block.content ?? "");
    else console.log(`${who}: (${block.type})`);
  }
}

// Also what was said before the context was compacted.
for (const entry of conversation.path({ history: true })) {
  if (isUnknown(entry, TranscriptEntry)) continue;
  if (entry.type === "user" && !entry.isMeta) show("user", entry.message.content);
  else if (entry.type === "assistant") show("assistant", entry.message.content);
  else if (entry.type === "system" && entry.subtype === "compact_boundary") {
    console.log("--- the context was compacted ---");
  }
}
