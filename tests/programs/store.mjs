/**
 * Keep the messages of a session in records of this program's own, and compare what comes back.
 *
 *     node store.mjs SESSION STORE
 */

import { createReadStream, readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import { BadLine, decode, define, encode, isUnknown, read, SDKMessage } from "agentlines";

/** A message, and what this program knows about it. */
const Stored = define.record("Stored", { number: define.integer, note: define.string, message: SDKMessage });

/** @typedef {import("agentlines").ValueOf<typeof Stored>} Stored */

const [, , session = "", store = ""] = process.argv;
/** @type {Stored[]} */
const written = [];
for await (const message of read(createReadStream(session), SDKMessage)) {
  if (message instanceof BadLine) continue;
  const note = isUnknown(message) ? "unknown" : message.type;
  written.push({ number: written.length, note, message });
}
writeFileSync(store, written.map((record) => `${encode(record, Stored)}\n`).join(""));
const lines = readFileSync(store, "utf8").split("\n").slice(0, -1);
const found = lines.map((line) => decode(line, Stored));
const equal = found.filter((record, at) => isDeepStrictEqual(record, written[at])).length;
console.log(JSON.stringify({ stored: found.length, equal }));
