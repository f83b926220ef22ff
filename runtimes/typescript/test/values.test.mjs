import assert from "node:assert/strict";
import { test } from "node:test";

import { holds, isJson, jsonLeast } from "../src/guards.js";
import { below, byCodePoint, isRecord, kindOf, matches, pointer, shown } from "../src/values.js";

test("places are JSON Pointers", () => {
  assert.equal(pointer(null), "");
  assert.equal(pointer(below(below(below(null, "a/b"), 0), "~")), "/a~1b/0/~0");
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
    assert.equal(isJson(value), false);
    assert.equal(isJson([value]), false);
  }
});

test("a guard counts no more characters than the text has", () => {
  const values = [null, true, 0, -1.5e300, "", '"\\', "😀", [], [[]], {}, { "": 0 }, { a: [1, { b: null }], c: "d" }];
  for (const value of values) {
    const least = jsonLeast(value);
    assert.equal(least > 0 && least <= JSON.stringify(value).length, true, JSON.stringify(value));
  }
  assert.equal(jsonLeast({ a: undefined }), 1);
  for (const value of [Infinity, [NaN], { a: { b: -Infinity } }, [undefined]]) assert.equal(jsonLeast(value), 0);
});

test("a value that contains itself is no JSON", () => {
  const cyclic = [];
  cyclic.push(cyclic);
  assert.equal(holds(jsonLeast, cyclic), false);
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
