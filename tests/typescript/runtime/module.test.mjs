import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { agent, GENERATED, parcel, SPEC, thrown } from "./package.mjs";

const text = (name) => readFileSync(path.join(GENERATED, name), "utf8");

test("require gives the same objects as import", () => {
  const required = createRequire(import.meta.url)(path.join(GENERATED, "index.js"));
  const names = Object.keys(agent);
  assert.deepEqual(Object.keys(required).sort(), [...names].sort());
  for (const name of names) assert.equal(required[name], agent[name], name);
  const error = thrown(() => required.decode("{"));
  assert.equal(error instanceof agent.DecodeError, true);
});

test("the code needs nothing but the language and what all runtimes have", () => {
  const modules = new Set(["index.js"]);
  const plain = (name) => text(name).replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, "");
  for (const name of modules) {
    for (const [, imported] of plain(name).matchAll(/\bfrom "(\.[^"]*)"/g))
      modules.add(path.join(name, "..", imported));
  }
  const others = readdirSync(GENERATED, { recursive: true }).filter(
    (name) => name.endsWith(".js") && !modules.has(name),
  );
  const forNode = ["functions.js", "process.js"].map((name) => path.join("runtime", name));
  assert.deepEqual(others.sort(), ["node.js", ...forNode]);
  for (const name of modules) {
    const code = plain(name);
    for (const [, imported] of code.matchAll(/\bfrom "([^"]*)"/g)) assert.match(imported, /^\.\.?\//, name);
    const words = code.replace(/"(?:[^"\\]|\\.)*"/g, '""');
    assert.doesNotMatch(words, /\brequire\(|\bimport\(|\bprocess\b|\bBuffer\b/, name);
  }
});

test("names of the spec are those of the declarations", () => {
  assert.equal(agent.SPEC_NAMES.SDKAssistantMessage, "AssistantMessage");
  assert.equal("toString" in agent.SPEC_NAMES, false);
  assert.equal(Object.isFrozen(agent.SPEC_NAMES), true);
  assert.match(agent.SPEC_HASH, /^[0-9a-f]{64}$/);
  assert.equal(agent.PACKAGE_VERSION, JSON.parse(text("package.json")).version);
  const [, releases] = /^  versions: \[([^\]]+)\]/m.exec(readFileSync(path.join(SPEC, "protocol.yaml"), "utf8"));
  const described = releases.split(/,\s*/);
  assert.deepEqual([agent.PROTOCOL_OLDEST, agent.PROTOCOL_NEWEST], [described[0], described.at(-1)]);
});

test("integer enums are objects of constants", { skip: parcel === undefined }, () => {
  assert.deepEqual([parcel.Weight.Light, parcel.Weight.Heavy], [1, 10]);
  assert.deepEqual(parcel.WEIGHTS, [1, 10]);
});

test("errors of another copy of the package are recognised", async (context) => {
  const folder = mkdtempSync(path.join(os.tmpdir(), "copy-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "errors.mjs");
  copyFileSync(path.join(GENERATED, "runtime", "errors.js"), file);
  const copy = await import(pathToFileURL(file));
  assert.notEqual(copy.DecodeError, agent.DecodeError);
  const error = new copy.DecodeError("wrong_type", "/a", "expected string");
  assert.equal(error instanceof agent.DecodeError, true);
  assert.equal(error instanceof agent.EncodeError, false);
  assert.equal(thrown(() => agent.decode("{")) instanceof copy.DecodeError, true);
  for (const other of [new Error("x"), null, undefined, "x", {}])
    assert.equal(other instanceof agent.DecodeError, false);
});
