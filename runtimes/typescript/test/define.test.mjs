import assert from "node:assert/strict";
import { test } from "node:test";

import { decode, encode, examine, is } from "../src/codec.js";
import * as define from "../src/define.js";
import { fault, Shape } from "./sample.mjs";

const Stored = define.record("Stored", {
  id: define.uuid,
  shape: Shape,
  "seen?": define.timestamp,
  "note?": define.nullable(define.string),
  tags: define.list(define.string),
  "costs?": define.dictionary(define.number),
});
const id = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";
const shape = { kind: "circle", version: 1, radius: 2 };
const value = { id, shape, tags: ["a"], note: null, costs: { a: 1.5 } };

test("a record of a program's own is decoded and encoded like a type of the package", () => {
  assert.deepEqual(decode(JSON.stringify(value), Stored), value);
  const line = encode({ tags: [], shape, more: 1, id }, Stored);
  assert.equal(line, JSON.stringify({ id, shape, tags: [], more: 1 }));
  assert.equal(is(value, Stored), true);
  assert.deepEqual(examine(JSON.stringify({ ...value, shape: { kind: "x" } }), Stored).unknown, ["/shape/kind"]);
});

test("its faults have a code and a place", () => {
  const found = (changes, options) => fault(() => decode(JSON.stringify({ ...value, ...changes }), Stored, options));
  assert.deepEqual(found({ shape: { ...shape, radius: "2" } }), ["wrong_type", "/shape/radius"]);
  assert.deepEqual(found({ id: undefined }), ["missing_field", "/id"]);
  assert.deepEqual(found({ note: 1 }), ["wrong_type", "/note"]);
  assert.deepEqual(found({ tags: ["a", 1] }), ["wrong_type", "/tags/1"]);
  assert.deepEqual(found({ costs: { a: "1" } }), ["wrong_type", "/costs/a"]);
  assert.deepEqual(found({ seen: "now" }, { strict: true }), ["bad_format", "/seen"]);
  assert.deepEqual(found({ seen: null }, { strict: true }), ["wrong_type", "/seen"]);
});

test("a null that an own record has no place for is taken away and written back", () => {
  const text = JSON.stringify({ id, shape, tags: [], seen: null });
  const decoded = decode(text, Stored);
  assert.equal("seen" in decoded, false);
  assert.equal(encode(decoded, Stored), text);
});

test("the empty key is a key like others, wherever it stands and whatever the objects before had", () => {
  const [None, One] = [define.record("None", {}), define.record("One", { a: define.integer, "b?": define.integer })];
  const Empty = define.record("Empty", { "": define.integer, a: define.integer });
  const strictly = (type, text) => fault(() => decode(text, type, { strict: true }));
  for (let round = 0; round < 2; round++) {
    assert.deepEqual(strictly(None, '{"":1}'), ["unknown_field", "/"]);
    assert.deepEqual(strictly(One, '{"":1,"a":1}'), ["unknown_field", "/"]);
    assert.deepEqual(strictly(One, '{"a":1,"b":1,"":1}'), ["unknown_field", "/"]);
    assert.deepEqual(strictly(One, '{"b":1,"x":1}'), ["unknown_field", "/x"]);
    assert.deepEqual(strictly(Empty, '{"":"","a":1}'), ["wrong_type", "/"]);
    assert.deepEqual(strictly(Empty, '{"a":1}'), ["missing_field", "/"]);
    for (const text of ['{"":1,"a":2}', '{"a":2,"":1}']) assert.deepEqual(decode(text, Empty), { "": 1, a: 2 });
  }
});

test("a negative zero is written as it is, a zero too", () => {
  const Numbers = define.record("Numbers", { i: define.integer, n: define.number });
  for (const text of ['{"i":0,"n":0}', '{"i":-0,"n":-0}']) assert.equal(encode(JSON.parse(text), Numbers), text);
});
