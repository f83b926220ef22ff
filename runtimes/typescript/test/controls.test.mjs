import assert from "node:assert/strict";
import { test } from "node:test";

import {
  at,
  ControlError,
  decodeResponse,
  freshNumber,
  freshUuid,
  notify,
  refuse,
  reply as replied,
  request,
  toolValue,
} from "../src/controls.js";
import { isSame } from "../src/values.js";
import { Circle, coded, controls, Failure, fault, Good, Left, Reply, session, thrown, tools } from "./sample.mjs";

const ask = (of) => ({ kind: "ask", id: "1", what: { of } });
const reply = (value) => ({ kind: "reply", id: "1", body: { ok: true, ...(value === undefined ? {} : { value }) } });
const answer = (request, response, by = controls) => decodeResponse(by, request, response);

test("ids are UUIDs of version 4, wherever the package runs", () => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  const form = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
  assert.notEqual(freshUuid(), freshUuid());
  try {
    for (const value of [globalThis.crypto, undefined, { getRandomValues: (array) => array.fill(0xff) }]) {
      Object.defineProperty(globalThis, "crypto", { value, configurable: true, writable: true });
      assert.match(freshUuid(), form);
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
    ["missing_field", ""],
  );
});

test("a response with an error carries no answer", () => {
  const response = { kind: "reply", id: "1", body: { ok: false, why: "." } };
  const error = thrown(() => answer(ask("area"), response));
  assert.equal(error instanceof ControlError, true);
  assert.deepEqual([error.message, error.code, error.data, error.response], [".", undefined, undefined, response]);
  assert.equal(thrown(() => answer(ask("area"), { kind: "reply" })).code, "missing_field");
});

const failure = (parts) => ({ kind: "failure", id: "1", why: "no", code: 1, ...parts });
const raised = (request, parts, by = coded) => thrown(() => answer(request, failure(parts), by));

test("an error may have an envelope of its own, with a code and data", () => {
  const found = raised(ask("area"), { code: 3, data: [null] });
  assert.equal(found instanceof ControlError, true);
  assert.deepEqual([found.message, found.code, found.data], ["no", 3, [null]]);
  assert.equal(raised(ask("area"), {}).data, undefined);
  assert.equal(answer(ask("area"), reply(1), coded), 1);
});

test("the data of an error has the type of its request, or else of its code", () => {
  const [left, right] = [
    { left: "a", id: null },
    { right: "b", id: null },
  ];
  assert.deepEqual(raised(ask("side"), { code: 7, data: left }).data, left);
  assert.deepEqual(raised(ask("area"), { code: 7, data: right }).data, right);
  const typed = { ...coded, data: () => [[7, Circle]] };
  const circle = { kind: "circle", version: 1, radius: 1, count: null };
  assert.equal("count" in raised(ask("area"), { code: 7, data: circle }, typed).data, false);
});

test("data that does not fit its type is data of the error all the same", () => {
  for (const data of [{ right: 1 }, [], null, "x"]) {
    assert.deepEqual(raised(ask("area"), { code: 7, data }).data, data);
    assert.deepEqual(raised(ask("side"), { code: 7, data }).data, data);
  }
});

test("a response of another form is neither an answer nor an error", () => {
  const others = [
    [coded, ask("area")],
    [coded, { kind: "other" }],
    [
      { ...controls, error: null },
      { kind: "reply", id: "1", body: { ok: false, why: "." } },
    ],
    [{ ...controls, response: { ...controls.response, when: [[["id"], "2"]] } }, reply(1)],
  ];
  for (const [by, response] of others) {
    const error = thrown(() => answer(ask("area"), response, by));
    assert.equal(error.constructor, TypeError);
    assert.match(error.message, /expected a response with an answer or an error/);
  }
});

test("envelopes that are in no union are told apart one by one", () => {
  const loose = { ...coded, lines: [Failure, Reply] };
  assert.equal(answer(ask("area"), reply(1), loose), 1);
  assert.equal(raised(ask("area"), {}, loose).message, "no");
  assert.equal(thrown(() => answer(ask("area"), { kind: "reply" }, loose)).code, "missing_field");
});

test("no answer, null and a value are three things where the type has null", () => {
  for (const value of [undefined, null, { left: "a" }]) {
    assert.deepEqual(answer(ask("side"), reply(value)), value);
    assert.deepEqual(replied(controls, ask("side"), value), reply(value));
  }
  assert.equal(answer(ask("name"), reply(null)), undefined);
  assert.deepEqual(
    fault(() => answer(ask("area"), reply(null))),
    ["wrong_type", ""],
  );
});

test("none may be a value", () => {
  const by = { ...controls, none: '{"a":[1,null]}' };
  const none = { a: [1, null] };
  assert.deepEqual(replied(by, ask("stop")), reply(none));
  replied(by, ask("stop")).body.value.a.push(2);
  assert.deepEqual(replied(by, ask("name")), reply(none));
  assert.equal(answer(ask("name"), reply(none), by), undefined);
  assert.equal(answer(ask("name"), reply("x"), by), "x");
});

test("values are the same if their JSON is", () => {
  for (const value of [null, 1, "1", true, [], {}, [1, [2]], { a: 1, b: { c: null } }]) {
    assert.equal(isSame(JSON.parse(JSON.stringify(value)), value), true);
  }
  for (const [one, other] of [
    [null, {}],
    [[], {}],
    [{}, []],
    [1, "1"],
    [[1], [1, 2]],
    [{ a: 1 }, { b: 1 }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [{}, { toString: 1 }],
  ]) {
    assert.equal(isSame(one, other), false);
    assert.equal(isSame(other, one), false);
  }
});

test("a refusal has the code that is given, that of refusals or that of unknown requests", () => {
  const refused = (request, details, by = coded) => {
    const { code, data } = refuse(by, request, "no", details);
    return [code, data];
  };
  assert.deepEqual(refused(ask("area")), [1, undefined]);
  assert.deepEqual(refused(ask("new")), [2, undefined]);
  assert.deepEqual(refused(ask("new"), { code: 0, data: null }), [0, null]);
  assert.deepEqual(refused(ask("new"), undefined, { ...coded, codes: [null, null] }), [undefined, undefined]);
  assert.deepEqual(
    fault(() => refuse(coded, { of: "area" }, "no")),
    ["missing_field", "/id"],
  );
});

test("a notification is one of the protocol", () => {
  assert.deepEqual(notify(session, { of: "ready" }), { kind: "tell", what: { of: "ready" } });
  for (const other of [{ of: "area" }, {}, null]) {
    assert.throws(() => notify(session, other), /^TypeError: expected a notification/);
  }
});

test("a new object has what the table states", () => {
  const members = [
    ["__proto__", "fixed", 1],
    [null, "given", "payload"],
    ["id", "optional", "id"],
    ["data", "nullable", "data"],
    ["list", "fresh", () => []],
    ["inner", "new", [["uuid", "uuid"]]],
  ];
  const by = { ...controls, request: { ...controls.request, new: members } };
  const [one, other] = [request(by, { a: 1 }, undefined), request(by, { a: 1 }, "x")];
  assert.deepEqual(Object.keys(other), ["__proto__", "a", "id", "data", "list", "inner"]);
  assert.equal(Object.getPrototypeOf(other), Object.prototype);
  assert.deepEqual([other.id, other.data, other.list], ["x", null, []]);
  assert.notEqual(one.list, other.list);
  assert.notEqual(one.inner.uuid, other.inner.uuid);
});

test("numbers are drawn once", () => {
  assert.equal(freshNumber() + 1, freshNumber());
});

test("the members of an answer may be among those of its holder", () => {
  const flat = {
    ...controls,
    flat: true,
    response: { ...controls.response, at: { id: ["id"], result: ["body", [null, null, [Good]]] } },
    answers: () => [
      ["left", "here", [Left, false]],
      ["perhaps", "here", [Left, true]],
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
