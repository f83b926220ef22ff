import assert from "node:assert/strict";
import { test } from "node:test";

import { is } from "../src/codec.js";
import { json } from "../src/engine.js";
import { TELLS_SOURCE } from "../src/text.js";
import { byCodePoint, isRecord, kindOf, match, matches, pointerStep, shown } from "../src/values.js";

test("places are JSON Pointers", () => {
  assert.equal(["a/b", 0, "~"].map(pointerStep).join(""), "/a~1b/0/~0");
});

test("texts are ordered by code points", () => {
  const ordered = ["", "a", "a\ud7ff", "a\ue000", "a\uffff", "a😀", "b", "😀", "😁"];
  const by = (one, other) => byCodePoint(one, other);
  assert.deepEqual([...ordered].reverse().sort(by), ordered);
});

test("kinds are those of JSON, and other values have none", () => {
  const kinds = [null, true, 1, "", [], {}, Object.create(null)].map(kindOf);
  assert.deepEqual(kinds, ["null", "boolean", "number", "string", "array", "object", "object"]);
  for (const value of [undefined, 1n, Symbol("s"), () => 1, new Date(0), new Map([[1, 1]]), new Uint8Array(2)]) {
    assert.equal(kindOf(value), undefined);
    assert.equal(isRecord(value), false);
    assert.equal(is(value, json), false);
    assert.equal(is([value], json), false);
  }
});

test("a value that contains itself is no JSON", () => {
  const cyclic = [];
  cyclic.push(cyclic);
  assert.equal(is(cyclic, json), false);
});

test("the raw JSON of a number is a number, where the engine has raw JSON, and no other raw JSON is JSON", () => {
  const raw = (text) => (TELLS_SOURCE ? JSON.rawJSON(text) : Number(text));
  assert.equal(kindOf(raw("12345678901234567890")), "number");
  assert.equal(isRecord(raw("12345678901234567890")), false);
  if (!TELLS_SOURCE) return;
  for (const text of ['"a"', "true", "null"]) {
    assert.equal(kindOf(raw(text)), undefined);
    assert.equal(is([raw(text)], json), false);
  }
});

test("a star in a pattern is any text, and everything else is itself", () => {
  for (const [text, pattern] of [
    ["x_", "x_*"],
    ["x_a\n", "x_*"],
    ["a.b", "a.b"],
    ["$^", "$*"],
    ["a*b", "a*b"],
  ]) {
    assert.equal(matches(text, pattern), true, pattern);
  }
  for (const [text, pattern] of [
    ["y_", "x_*"],
    ["axb", "a.b"],
    ["ab\n", "ab"],
    ["zx_", "x_*"],
  ]) {
    assert.equal(matches(text, pattern), false, pattern);
  }
});

test("messages show long values cut", () => {
  assert.equal(shown("a"), '"a"');
  assert.equal(shown("a".repeat(100)).length, 59);
  assert.equal(shown(Infinity), "a number that overflows a double");
  assert.equal(shown([1]), "array");
});

test("match calls the branch for the value of a discriminator, or the one for others", () => {
  const branches = { a: ({ n }) => n, true: () => "flag", 7: () => "seven", _: ({ tag }) => ["other", tag] };
  assert.equal(match({ tag: "a", n: 1 }, "tag", branches), 1);
  assert.equal(match({ tag: true }, "tag", branches), "flag");
  assert.equal(match({ tag: 7 }, "tag", branches), "seven");
  for (const tag of ["b", "toString", "__proto__", null, undefined, false]) {
    assert.deepEqual(match({ tag }, "tag", branches), ["other", tag]);
  }
  assert.deepEqual(match(Object.create({ tag: "a" }), "tag", branches), ["other", "a"]); // an inherited tag is none
  assert.throws(() => match({ tag: "b" }, "tag", { a: () => 1 }), /^TypeError: no branch for the tag b$/);
});
