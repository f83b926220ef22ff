// Sums the tokens and the cost of all stored sessions by day and model.
//
//     node sum_usage.mjs [FOLDER]

import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

import { AssistantEntry, BadLine, CostStateEntry, read, TranscriptEntry } from "agentlines";

const folder = process.argv[2] ?? join(homedir(), ".claude", "projects");
/** @type {Map<string, { input: number, output: number, cost: number }>} */
const sums = new Map();
/** @type {Map<string, import("agentlines").BetaMessage>} By its ID: forks and resumed sessions repeat entries. */
const counted = new Map();

/** @param {string} day @param {string} model @param {"input" | "output" | "cost"} column @param {number} amount */
function add(day, model, column, amount) {
  const key = `${day.padEnd(10)} ${model.padEnd(32)}`;
  const row = sums.get(key) ?? { input: 0, output: 0, cost: 0 };
  row[column] += amount;
  sums.set(key, row);
}

/** @param {string} day @param {import("agentlines").BetaMessage} message @param {1 | -1} sign */
function addTokens(day, { model, usage }, sign) {
  const cached = (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  add(day, model, "input", sign * (usage.input_tokens + cached));
  add(day, model, "output", sign * usage.output_tokens);
}

const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".jsonl")).sort();
for (const file of files.map((name) => join(folder, name))) {
  let day = "unknown";
  /** @type {Map<string, number>} What the session has cost so far, by model. */
  const spent = new Map();
  const only = [AssistantEntry, CostStateEntry];
  for await (const item of read(createReadStream(file), TranscriptEntry, { only })) {
    if (item instanceof BadLine) {
      console.error(`${file}:${item.line}: ${item.error.message}`);
    } else if (item.type === "assistant") {
      day = item.timestamp?.slice(0, 10) ?? day;
      // Each block of a message has an entry, with the usage so far: the last one counts.
      const before = counted.get(item.message.id);
      if (before !== undefined) addTokens(day, before, -1);
      addTokens(day, item.message, 1);
      counted.set(item.message.id, item.message);
    } else {
      for (const [model, { costUSD = 0 }] of Object.entries(item.modelUsage ?? {})) {
        add(day, model, "cost", Math.max(0, costUSD - (spent.get(model) ?? 0)));
        spent.set(model, costUSD);
      }
    }
  }
}

for (const [key, { input, output, cost }] of [...sums].sort(([a], [b]) => (a < b ? -1 : 1))) {
  console.log(`${key} ${String(input).padStart(12)} ${String(output).padStart(12)} ${cost.toFixed(4).padStart(10)}`);
}
