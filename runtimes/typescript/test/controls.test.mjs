import assert from "node:assert/strict";
import { test } from "node:test";

import { at, decodeResponse, freshId, ControlError, toolValue } from "../src/controls.js";
import { controls, fault, Left, thrown, tools } from "./sample.mjs";

const ask = (of) => ({ kind: "ask", id: "1", what: { of } });
const reply = (value) => ({ kind: "reply", id: "1", body: { ok: true, ...(value === undefined ? {} : { value }) } });
const answer = (request, response, by = controls) => decodeResponse(by, request, response);

test("ids are UUIDs of version 4, wherever the package runs", () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  assert.notEqual(freshId(), freshId());
  try {
    for (const value of [globalThis.crypto, undefined, { getRandomValues: (array) => array.fill(0xff) }]) {
      Object.defineProperty(globalThis, "crypto", { value, configurable: true, writable: true });
      assert.match(freshId(), form);
    }
  } finally {
    if (own === undefined) delete globalThis.crypto;
    else Object.defineProperty(globalThis, "crypto", own);
  }
});

test("keys lead to own members only", () => {
  assert.equal(at({ a: { b: 1 } }, ["a", "b"]), 1);
  for (const [value, keys] of [
    [{}, ["a", "b"]],
    [{ a: 1 }, ["a", "b"]],
    [{}, ["toString"]],
    [[1], ["0"]],
  ]) {
    assert.equal(at(value, keys), undefined);
  }
});

test("an answer has the type that belongs to its request, with its envelope or without", () => {
  assert.equal(answer(ask("area"), reply(1.5)), 1.5);
  assert.equal(answer({ of: "area" }, reply(1.5)), 1.5);
  assert.deepEqual(
    fault(() => answer(ask("area"), reply("1"))),
    ["wrong_type", ""],
  );
  assert.deepEqual(answer(ask("new"), reply({ any: null })), { any: null });
});

test("an answer is absent where it may be, and an error where it may not", () => {
  assert.equal(answer(ask("name"), reply()), undefined);
  assert.equal(answer(ask("stop"), reply({})), undefined);
  assert.deepEqual(
    fault(() => answer(ask("area"), reply())),
    ["missing_field", "/body/value"],
  );
});

test("a response with an error carries no answer", () => {
  const response = { kind: "reply", id: "1", body: { ok: false, why: "." } };
  const error = thrown(() => answer(ask("area"), response));
  assert.equal(error instanceof ControlError, true);
  assert.deepEqual([error.message, error.data, error.response], [".", response.body, response]);
  assert.equal(thrown(() => answer(ask("area"), { kind: "reply" })).code, "missing_field");
});

test("the members of an answer may be among those of its holder", () => {
  const flat = {
    ...controls,
    result: null,
    answers: () => [
      ["left", Left, false],
      ["perhaps", Left, true],
    ],
  };
  const response = (members) => ({ kind: "reply", id: "1", body: { ok: true, ...members } });
  assert.deepEqual(answer(ask("left"), response({ left: "a" }), flat), { left: "a" });
  assert.deepEqual(
    fault(() => answer(ask("left"), response({}), flat)),
    ["missing_field", "/left"],
  );
  assert.equal(answer(ask("perhaps"), response({}), flat), undefined);
});

test("a tool's value has the type that belongs to its name", () => {
  const value = (name, given, options) => toolValue(tools, name, given, options);
  assert.deepEqual(value("measure", { total: 1, more: 2 }), { total: 1, more: 2 });
  assert.deepEqual(
    fault(() => value("measure", { total: "1" })),
    ["wrong_type", "/total"],
  );
  assert.deepEqual(value("x_any", { left: "a", more: 1 }), { left: "a", more: 1 });
  assert.deepEqual(
    fault(() => value("x_any", { left: "a", more: 1 }, { strict: true })),
    ["unknown_field", "/more"],
  );
  assert.equal(value("toString", 1), 1);
});
