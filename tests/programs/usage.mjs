/**
 * What the sessions in a folder cost, and how often each tool was called.
 *
 *     node usage.mjs FOLDER
 */

import { createReadStream, readdirSync } from "node:fs";
import { join } from "node:path";

import { BadLine, isUnknown, read } from "agentlines";

const folder = process.argv[2] ?? ".";
const files = readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
/** @type {Record<string, number>} */
const tools = {};
let [messages, bad, cost] = [0, 0, 0];
for (const name of files) {
  for await (const item of read(createReadStream(join(folder, name)))) {
    if (item instanceof BadLine) {
      bad += 1;
      continue;
    }
    messages += 1;
    if (isUnknown(item)) continue;
    if (item.type === "result") cost += item.total_cost_usd;
    if (item.type !== "assistant") continue;
    for (const block of item.message.content) {
      if (block.type === "tool_use") tools[block.name] = (tools[block.name] ?? 0) + 1;
    }
  }
}
console.log(JSON.stringify({ files: files.length, messages, bad, cost: Number(cost.toFixed(6)), tools }));
