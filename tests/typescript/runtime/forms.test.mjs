import assert from "node:assert/strict";
import { test } from "node:test";

import { forms, thrown } from "./package.mjs";

const { decode, encode, examine, isUnknown, UNFIT, viewUnknownLine } = forms;

test("an unknown line offers the members that the spec names, where they fit", () => {
  const text =
    '{"kind":"new","count":1.5,"size":2,"point":{"x":1,"y":2},"range":[1],"raw":null,"id":"a","at":"then","z":0}';
  const line = decode(text);
  assert.equal(isUnknown(line), true);
  assert.deepEqual(viewUnknownLine(line), { id: "a", size: 2, point: { x: 1, y: 2 }, at: "then" });
  assert.equal(encode(line), text);
});

test("what does not fit is repaired where the spec says so, and is a fault in strict mode", () => {
  const rest = '"flag":true,"size":1,"word":"a","point":{"x":1,"y":2},"points":[],"texts":["a",1],"many":[],"level":1';
  const text = `{"kind":"tolerance","text":1,${rest}}`;
  const { value, unknown } = examine(text, forms.Line);
  assert.deepEqual(unknown, ["/text", "/texts/1"]);
  assert.deepEqual(value.texts, ["a"]);
  assert.equal("text" in value, false);
  assert.deepEqual([...value[UNFIT]], [["text", 1]]);
  const error = thrown(() => decode(text, forms.Line, { strict: true }));
  assert.deepEqual([error.code, error.path], ["wrong_type", "/text"]);
});
