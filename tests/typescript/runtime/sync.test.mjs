import assert from "node:assert/strict";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";

import { agent, success } from "./package.mjs";

test("lines are written without waiting by whatever takes text", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "lines-"));
  try {
    const file = path.join(folder, "session.ndjson");
    const messages = [
      success({ result: "one\ntwo\u2028" }),
      { type: "keep_alive" },
      success({ result: "x".repeat(1e6) }),
    ];
    const descriptor = openSync(file, "w");
    for (const message of messages) writeFileSync(descriptor, `${agent.encode(message)}\n`);
    closeSync(descriptor);
    const lines = readFileSync(file, "utf8").split("\n");
    assert.equal(lines.pop(), "");
    assert.deepEqual(
      lines.map((line) => agent.decode(line)),
      messages,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
