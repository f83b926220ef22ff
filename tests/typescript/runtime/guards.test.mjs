import assert from "node:assert/strict";
import { test } from "node:test";

import { agent, captured, parcel, success } from "./package.mjs";

const { decode, examine, is, isUnknown, NULLS, TYPES } = agent;

/** All objects within a value, starting with the value itself. */
function* objects(value) {
  if (typeof value !== "object" || value === null) return;
  yield value;
  for (const member of Object.values(value)) yield* objects(member);
}

/** Whether lenient decoding returns a value unchanged. */
function isDecoded(value, type) {
  try {
    const found = examine(JSON.stringify(value), type).value;
    return ![...objects(found)].some((each) => NULLS in each);
  } catch (error) {
    if (error instanceof agent.DecodeError) return false;
    throw error;
  }
}

test("captured messages pass the guard of their type and no other", () => {
  const guards = { assistant: "isAssistant", stream_event: "isStreamEvent", tool_progress: "isToolProgress" };
  for (const line of captured()) {
    const message = decode(line);
    assert.equal(is(message, agent.WireMessage), true);
    for (const [type, guard] of Object.entries(guards))
      assert.equal(agent[guard](message), message.type === type, line);
  }
});

test("a guard says of every damaged message what reading says", () => {
  const damage = [null, undefined, true, 0, 1.5, -1, "", "text", [], [1], {}, { type: "text" }];
  for (const line of captured().filter((_, at) => at % 12 === 0)) {
    const message = JSON.parse(line);
    for (const object of [...objects(message)]) {
      for (const key of Object.keys(object)) {
        const before = object[key];
        const after = damage[(key.length * 7 + line.length) % damage.length];
        if (Array.isArray(object) && after === undefined) continue; // which JSON turns into null
        object[key] = after;
        assert.equal(is(message, agent.WireMessage), isDecoded(message, agent.WireMessage), JSON.stringify(message));
        object[key] = before;
      }
    }
  }
});

test("every type has a guard that refuses what is no such thing, and throws for nothing", () => {
  const cyclic = { type: "keep_alive" };
  cyclic.self = cyclic;
  const hostile = [
    undefined,
    null,
    Symbol("s"),
    10n,
    () => {},
    new Date(0),
    new Map([["type", "assistant"]]),
    new Proxy({}, { get: () => assert.fail("trap"), ownKeys: () => assert.fail("trap") }),
    { get type() { throw new Error("getter"); } }, // prettier-ignore
    cyclic,
  ];
  for (const type of Object.values(TYPES)) {
    for (const value of hostile.slice(0, 7)) {
      const taken = value === null ? [null] : [];
      if (!taken.includes(value)) assert.equal(is(value, type), false, `${type.name} takes ${String(value)}`);
    }
    for (const value of hostile) assert.equal(typeof is(value, type), "boolean");
  }
  for (const [name, guard] of Object.entries(agent)) {
    if (/^is[A-Z]/.test(name) && !/^is(Known|RequestOf|Unknown)$/.test(name)) {
      for (const value of hostile) assert.equal(guard(value), false, name);
    }
  }
});

test("names of members that every object inherits are plain data", () => {
  for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"]) {
    const text = `{"type":"keep_alive","${key}":{"${key}":1}}`;
    const message = decode(text);
    assert.deepEqual(Object.keys(message), ["type", key]);
    assert.equal(Object.getPrototypeOf(message), Object.prototype);
    assert.equal(agent.encode(message), text);
    assert.deepEqual(examine(text).unknown, [`/${key}`]);
    assert.equal(decode(`{"type":"${key}"}`).type, key);
    assert.equal(isUnknown(decode(`{"type":"${key}"}`)), true);
    assert.equal(is({ [key]: 1 }, agent.SDKMessage), false);
  }
});

test("declared members may have the names of inherited ones", { skip: parcel === undefined }, () => {
  const point = { x: 1, y: 2 };
  const label = {
    ...{ version: 2, printed: true, form: "label", name: "n", text: "", flag: true, amount: 1, count: 1 },
    ...{ id: "6ba7b810-9dad-41d1-80b4-00c04fd430c8", at: "2024-05-01T12:00:00Z", any: null, raw: {}, size: "small" },
    ...{ side: "left", weight: 1, floor: 0, maybe: null, reply: null, mixed: null, sizes: {}, sides: {} },
    ...{ pair: [point], grid: [] },
  };
  assert.equal(parcel.is(label, parcel.Label), true);
  assert.equal(parcel.is({ ...label, toString: "text" }, parcel.Label), true);
  assert.equal(parcel.is({ ...label, toString: 1 }, parcel.Label), false);
  assert.equal(parcel.is({ ...label, ["__proto__"]: "text" }, parcel.Label), true);
  assert.equal(parcel.is({ ...label, ["__proto__"]: 1 }, parcel.Label), false);
  const text = `${JSON.stringify(label).slice(0, -1)},"__proto__":"p"}`;
  assert.equal(parcel.encode(parcel.decode(text, parcel.Label), parcel.Label).endsWith(',"__proto__":"p"}'), true);
});

test("objects of any making pass if their members do", () => {
  class Message {
    constructor() {
      Object.assign(this, success());
    }
  }
  assert.equal(agent.isSuccess(success()), true);
  assert.equal(agent.isSuccess(new Message()), true);
  assert.equal(agent.isSuccess(Object.assign(Object.create(null), success())), true);
  assert.equal(agent.isSuccess(Object.freeze(success())), true);
  assert.equal(agent.isSuccess(success({ structured_output: undefined, more: undefined })), true);
});

test("what others have put on the prototype of all objects is no member of a message", () => {
  try {
    Object.defineProperty(Object.prototype, "polluted", { value: 1e999, enumerable: true, configurable: true });
    assert.equal(agent.isSuccess(success()), true);
    assert.deepEqual(examine(JSON.stringify(success())).unknown, []);
  } finally {
    delete Object.prototype.polluted;
  }
});

test("the whole value counts, not only the tag", () => {
  assert.equal(agent.isResult(success()), true);
  for (const key of Object.keys(success())) assert.equal(agent.isResult(success({ [key]: Symbol("s") })), false, key);
  assert.equal(agent.isResult(success({ unknown: Infinity })), false);
  assert.equal(agent.isResult(success({ num_turns: 1.5 })), false);
  assert.equal(agent.isResult(success({ num_turns: 2 ** 53 })), false);
});

test("an Unknown of any union is told without a type, wherever decoding found it", () => {
  const line = captured().find((each) => decode(each).type === "assistant");
  const message = JSON.parse(line);
  message.message.content.push({ type: "hologram" });
  const { content } = decode(JSON.stringify(message)).message;
  assert.deepEqual(
    content.map((block) => isUnknown(block)),
    content.map(({ type }) => type === "hologram"),
  );
  const result = decode('{"behavior":"perhaps"}', agent.PermissionResult); // no root has it
  assert.equal(isUnknown(result), true);
  assert.equal(isUnknown(decode('{"behavior":"deny","message":"no"}', agent.PermissionResult)), false);
});

test("a guard of a union is for its known variants, and isUnknown for the rest of what it takes", () => {
  const subtype = { type: "result", subtype: "error_new", anything: 1 };
  for (const unknown of [{ type: "new" }, { type: "system", subtype: "new" }, subtype]) {
    assert.equal(agent.isSDKMessage(unknown), false);
    assert.equal(is(unknown, agent.SDKMessage), true);
    assert.equal(isUnknown(unknown), true);
    assert.equal(isUnknown(unknown, agent.SDKMessage), true);
  }
  assert.equal(agent.isSDKMessage(success()), true);
  assert.equal(isUnknown(success()), false);
  for (const neither of [{}, { type: 1 }, { type: "result" }, success({ result: 1 }), "text", null]) {
    assert.equal(agent.isSDKMessage(neither), false);
    assert.equal(isUnknown(neither), false);
  }
  assert.equal(isUnknown({ type: "new_block" }, agent.ContentBlock), true);
  assert.throws(() => isUnknown({}, agent.SDKAssistantMessage), TypeError);
  for (const type of ["SDKMessage", undefined, null, {}]) assert.throws(() => is({}, type), TypeError);
  assert.throws(() => is({}, "constructor"), TypeError);
});

test("known values of an enum can be told from new ones", () => {
  assert.equal(agent.isKnown("plan", agent.PERMISSION_MODES), true);
  assert.equal(agent.isKnown("new", agent.PERMISSION_MODES), false);
  assert.equal(Object.isFrozen(agent.PERMISSION_MODES), true);
  assert.equal(is("new", agent.PermissionMode), true);
});
