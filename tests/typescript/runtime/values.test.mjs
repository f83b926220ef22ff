import assert from "node:assert/strict";
import { test } from "node:test";

import { agent, captured, success, thrown } from "./package.mjs";

const { decode, decodeValue, encode, examine, DecodeError, EncodeError, NULLS } = agent;

const line = JSON.stringify;

test("text and bytes of any kind are read alike", () => {
  const text = line(success({ result: "naïve → 😀" }));
  const bytes = new TextEncoder().encode(text);
  const within = new Uint8Array([1, 2, ...bytes, 3]).subarray(2, -1);
  for (const data of [text, bytes, within, Buffer.from(text), bytes.buffer, new DataView(bytes.buffer)]) {
    assert.deepEqual(decode(data), JSON.parse(text));
  }
  assert.throws(() => decode(42), TypeError);
});

test("an error has a code, a place, and both in its message", () => {
  const error = thrown(() => decode(line(success({ usage: { input_tokens: "1" } }))));
  assert.equal(error instanceof DecodeError, true);
  assert.equal(error.name, "DecodeError");
  assert.equal(error.code, "wrong_type");
  assert.equal(error.path, "/usage/input_tokens");
  assert.equal(error.message, "expected integer, got string at /usage/input_tokens");
  assert.equal(thrown(() => decode("{")).code, "invalid_json");
  assert.equal(thrown(() => decode("{")).path, "");
});

test("a null that should be absent is taken out, remembered, and written back", () => {
  const text = '{"type":"keep_alive","b":1,"message":{"id":null},"a":2}';
  assert.equal(encode(decode(text)), text);
  assert.equal(NULLS in decode(line(success())), false);

  const user = { type: "user", message: { role: "user", content: "hi" }, parent_tool_use_id: null, session_id: "s" };
  const decoded = decode(line({ ...user, isSynthetic: null, uuid: null }));
  assert.deepEqual(decoded[NULLS], ["isSynthetic", "uuid"]);
  assert.equal("isSynthetic" in decoded, false);
  assert.equal(agent.isUser(decoded), true);
  assert.deepEqual(JSON.parse(encode(decoded)), { ...user, isSynthetic: null, uuid: null });
  assert.deepEqual(JSON.parse(encode({ ...decoded, isSynthetic: true })), { ...user, isSynthetic: true, uuid: null });
});

test("what is parsed already is not changed, and shared where nothing is repaired", () => {
  const given = Object.freeze({
    ...{ type: "user", message: Object.freeze({ role: "user", content: [] }), parent_tool_use_id: null },
    ...{ session_id: "s", uuid: null, isSynthetic: null },
  });
  const taken = decodeValue(given);
  assert.notEqual(taken, given);
  assert.equal(given.uuid, null);
  assert.equal(taken.message, given.message);
  assert.deepEqual(taken[NULLS], ["uuid", "isSynthetic"]);
  assert.equal(decodeValue(taken), taken);
  const whole = success();
  assert.equal(decodeValue(whole), whole);
  assert.equal(thrown(() => decodeValue(success({ result: null }))).code, "wrong_type");
});

test("strict reading refuses what lenient reading keeps", () => {
  const text = line(success({ uuid: "no uuid", later: 1 }));
  assert.deepEqual(examine(text).unknown, ["/later", "/uuid"]);
  assert.equal(examine(text).variant, "SDKResultSuccess");
  assert.equal(thrown(() => decode(text, agent.WireMessage, { strict: true })).code, "bad_format");
  assert.equal(thrown(() => decode('{"type":"new"}', agent.WireMessage, { strict: true })).code, "unknown_variant");
  assert.equal(examine('{"type":"new"}').variant, "Unknown");
});

test("captured lines are written as they were read, members in declared order", () => {
  for (const text of captured()) {
    const message = decode(text);
    const written = encode(message);
    assert.equal(written.includes("\n"), false);
    assert.deepEqual(JSON.parse(written), JSON.parse(text));
    assert.equal(encode(decode(written)), written);
  }
});

test("members are written in declared order, then the others as they came", () => {
  const cancel = { z: 1, request_id: "r", a: 2, type: "control_cancel_request", y: undefined };
  assert.equal(encode(cancel), '{"type":"control_cancel_request","request_id":"r","z":1,"a":2}');
});

test("nothing is written that is not JSON", () => {
  const wrong = {
    wrong_type: [true, "1", null, undefined, 1n, Symbol("s"), () => 1, new Date(0), [1], { value: 1 }, new Number(1)],
    out_of_range: [NaN, Infinity, -Infinity, 1.5, 2 ** 53],
  };
  for (const [code, values] of Object.entries(wrong)) {
    for (const value of values) {
      const error = thrown(() => encode(success({ num_turns: value })));
      assert.equal(error instanceof EncodeError, true);
      assert.equal(error.name, "EncodeError");
      assert.equal(error.code, value === undefined ? "missing_field" : code);
      assert.equal(error.path, "/num_turns");
    }
  }
  for (const value of [undefined, 1n, Symbol("s"), () => 1, new Date(0), new Map(), NaN, new Uint8Array(2)]) {
    assert.equal(thrown(() => encode(success({ structured_output: [value] }))).path, "/structured_output/0");
  }
  const toJSON = () => "} injected {";
  assert.equal(thrown(() => encode(success({ structured_output: { toJSON } }))).path, "/structured_output/toJSON");
  assert.equal(thrown(() => encode(success({ structured_output: Array(2) }))).code, "wrong_type");
});

test("texts are escaped so that a line stays a line of Unicode", () => {
  const text = '"\\\n\r\t\u0000\u2028\u2029</script>\ud800 \udc00😀';
  const written = encode(success({ result: text, [text]: 1 }));
  assert.equal(/[\n\r\u0000]/.test(written), false);
  assert.equal(written.isWellFormed?.() ?? true, true);
  assert.equal(decode(written).result, text);
  assert.equal(decode(written)[text], 1);
});

test("a value within itself, or nested too deep, is an error and no crash", () => {
  const cyclic = {};
  cyclic.self = cyclic;
  assert.equal(thrown(() => encode(success({ structured_output: cyclic }))).code, "too_deep");
  assert.equal(thrown(() => decodeValue(success({ structured_output: cyclic }))).code, "too_deep");
  const nested = (levels) => JSON.parse("[".repeat(levels) + "]".repeat(levels));
  assert.equal(typeof encode(success({ structured_output: nested(127) })), "string");
  assert.equal(thrown(() => encode(success({ structured_output: nested(128) }))).code, "too_deep");
  assert.equal(thrown(() => decodeValue(success({ structured_output: nested(128) }))).code, "too_deep");
  assert.equal(thrown(() => decode("[".repeat(1e6) + "]".repeat(1e6))).code, "too_deep");
  assert.equal(thrown(() => decode("[".repeat(1e6))).code, "invalid_json");
});

test("depth is that of the text, however it is spread over it", () => {
  let seed = 1;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  const filler = [
    '"x"',
    '"[[{{\\""',
    "1",
    '"\\\\"',
    "[]",
    "{}",
    '"' + "{".repeat(60) + '"',
    '"' + "y".repeat(300) + '"',
  ];
  for (let round = 0; round < 3000; round++) {
    const levels = 120 + random(17);
    let [before, after] = ["", ""];
    for (let level = 1; level < levels; level++) {
      const aside = random(12) === 0 ? filler[random(filler.length)] : undefined;
      if (random(2) === 0) {
        before += aside === undefined ? "[" : `[${aside},`;
        after = `]${after}`;
      } else {
        const key = random(3) === 0 ? "" : "k";
        before += aside === undefined ? `{"${key}":` : `{"a":${aside},"${key}":`;
        after = (random(9) === 0 ? `,"b":${filler[random(filler.length)]}}` : "}") + after;
      }
    }
    const last = round % 3 === 0 ? "[]" : "{}";
    const text = `{"type":"keep_alive","x":${before}${last}${after}}`;
    const found = (() => {
      try {
        decode(text);
        return false;
      } catch (error) {
        return error.code === "too_deep";
      }
    })();
    assert.equal(found, levels + 1 > 128, text);
  }
});

const errorOf = (text) => {
  try {
    decode(text);
    return undefined;
  } catch (error) {
    return error;
  }
};

/**
 * For each object in a line that accepts any member: its location, and a function that adds a member's text to the
 * line.
 */
function* places(line) {
  const message = JSON.parse(line);
  const visit = function* (value, path) {
    if (typeof value !== "object" || value === null) return;
    if (!Array.isArray(value)) {
      value.x = "@@";
      const [before, after] = JSON.stringify(message).split('"@@"');
      delete value.x;
      const put = (text) => before + text + after;
      if (["[]", "0"].every((text) => errorOf(put(text)) === undefined)) yield [`${path}/x`, put];
    }
    for (const [key, member] of Object.entries(value)) {
      yield* visit(member, `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    }
  };
  yield* visit(message, "");
}

test("no number that overflows hides in a member that is not declared, however short", () => {
  for (const line of captured().filter((_, at) => at % 5 === 0)) {
    for (const [path, put] of places(line)) {
      const error = errorOf(put("1e999"));
      assert.equal(error?.code, "out_of_range", put("1e999"));
      assert.equal(error.path, path);
    }
  }
});

test("nor does anything nested too deep, in whatever it stands", () => {
  const levels = (count) => "[".repeat(count) + "]".repeat(count);
  for (const line of captured().filter((_, at) => at % 25 === 0)) {
    for (const [path, put] of places(line)) {
      const above = path.split("/").length - 1;
      assert.equal(errorOf(put(levels(129 - above)))?.code, "too_deep", path);
      assert.equal(errorOf(put(levels(128 - above))), undefined, path);
    }
  }
});

test("the shortest texts are looked at too", () => {
  for (const text of ["0", "{}", "[]", '""', "null", "true"]) {
    assert.equal(errorOf(text).code, text === "{}" ? "missing_field" : "wrong_type");
    assert.equal(thrown(() => decode(text, agent.WireMessage, { strict: true })).path, text === "{}" ? "/type" : "");
  }
});

test("texts of every spelling are read by the guards as by the tables", () => {
  let seed = 7;
  const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
  const spellings = [
    (text) => text.replace(/[,:{}[\]]/g, (mark) => (random(9) === 0 ? ` ${mark}\t` : mark)),
    (text) => text.replace(/[a-z](?=[a-z_]*")/g, (c) => (random(9) ? c : `\\u00${c.charCodeAt(0).toString(16)}`)),
    (text) =>
      text.replace(/(?<=[:,[])\d+(?=[,}\]])/g, (digits) => [digits, `${digits}.0`, "1e999", "1e2", "-0"][random(5)]),
    (text) =>
      text.replace(/"[a-z_]+":/g, (key) => (random(20) ? key : `${key}${["1e999", "null", "[{}]"][random(3)]},${key}`)),
    (text) =>
      text.replace(/\{(?=")/g, (mark) => (random(9) ? mark : `${mark}"":${["1e999", "0", "[1e999]"][random(3)]},`)),
    (text) => text.replace(/(?<=:)(?:null|true|"[a-z]*")(?=[,}])/g, (value) => (random(9) ? value : "null")),
  ];
  const outcome = (read) => {
    try {
      return read();
    } catch ({ code, path }) {
      return { code, path };
    }
  };
  for (const line of captured()) {
    const text = spellings[random(spellings.length)](spellings[random(spellings.length)](line));
    const [value, found] = [outcome(() => decode(text)), outcome(() => examine(text))];
    assert.deepEqual(value, found.value ?? found, text);
  }
});

test("a copy with the symbols of an object keeps its nulls, and one by structuredClone does not", () => {
  const text = line({ ...success(), user_message_uuid: null });
  const decoded = decode(text);
  assert.deepEqual(JSON.parse(encode({ ...decoded })), JSON.parse(text));
  assert.deepEqual(JSON.parse(encode(decode(encode(decoded)))), JSON.parse(text));
  const clone = structuredClone(decoded);
  assert.equal(NULLS in clone, false);
  assert.deepEqual(JSON.parse(encode(clone)), success());
});

test("every type is a Standard Schema", () => {
  for (const type of [...Object.values(agent.TYPES), agent.SDKMessage, agent.define.string]) {
    assert.deepEqual([type["~standard"].version, type["~standard"].vendor], [1, "polywire"]);
  }
  const { validate } = agent.SDKMessage["~standard"];
  assert.deepEqual(validate(success()), { value: success() });
  const { issues } = validate(success({ usage: { input_tokens: "1" } }));
  assert.deepEqual(issues, [{ message: "expected integer, got string", path: ["usage", "input_tokens"] }]);
});
