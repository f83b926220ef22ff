import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

import { agent, GENERATED, load, parcel } from "./package.mjs";

const text = (name) => readFileSync(path.join(GENERATED, name), "utf8");

test("both modules offer the same, and are the same code but for how", async () => {
  const [esm, cjs] = [await load(GENERATED, "esm"), await load(GENERATED, "cjs")];
  assert.deepEqual(Object.keys(cjs).sort(), Object.keys(esm).sort());
  assert.equal(cjs.NULLS, esm.NULLS);
  const body = (name) =>
    text(name)
      .replace('"use strict";\n\n', "")
      .replace(/\n(?:export|module\.exports =) [^]*$/, "");
  assert.equal(body("index.cjs"), body("index.js"));
});

test("an ES module imports names from the CommonJS one", async () => {
  const { default: whole, ...names } = await import(pathToFileURL(path.join(GENERATED, "index.cjs")).href);
  delete names["module.exports"]; // which newer versions of Node add
  assert.deepEqual(Object.keys(names).sort(), Object.keys(whole).sort());
});

test("the package runs where there is nothing but the language and the Encoding standard", () => {
  assert.doesNotMatch(text("index.js"), /\bimport\b.*from|\brequire\(|\bprocess\b|\bBuffer\b|node:/);
  const surroundings = { module: { exports: {} }, TextDecoder };
  vm.runInNewContext(text("index.cjs"), surroundings);
  const { decode, encode, isUnknown } = surroundings.module.exports;
  assert.equal(encode(decode('{"type":"keep_alive"}')), '{"type":"keep_alive"}');
  assert.equal(isUnknown({ type: "new" }), true);
});

test("names of the spec are those of the declarations", () => {
  assert.equal(agent.SPEC_NAMES.SDKAssistantMessage, "AssistantMessage");
  assert.equal("toString" in agent.SPEC_NAMES, false);
  assert.equal(Object.isFrozen(agent.SPEC_NAMES), true);
  assert.match(agent.SPEC_HASH, /^[0-9a-f]{64}$/);
  assert.equal(agent.PACKAGE_VERSION, JSON.parse(text("package.json")).version);
  const [major, minor, patch] = agent.PACKAGE_VERSION.split(".").map(Number);
  assert.equal(agent.PROTOCOL_VERSION, `${major}.${minor}.${Math.floor(patch / 100)}`);
});

test("integer enums are objects of constants", { skip: parcel === undefined }, () => {
  assert.deepEqual({ ...parcel.Weight }, { Light: 1, Heavy: 10 });
  assert.deepEqual(parcel.WEIGHTS, [1, 10]);
});
