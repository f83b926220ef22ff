import assert from "node:assert/strict";
import { test } from "node:test";

import {
  decode,
  decodeValue,
  encode,
  examine,
  is,
  isKnown,
  isUnknown,
  isUnknownOf,
  safeDecode,
  token,
} from "../src/codec.js";
import * as t from "../src/engine.js";
import { DecodeError, EncodeError } from "../src/errors.js";
import { CODES } from "../src/run.js";
import { TELLS_SOURCE } from "../src/text.js";
import { NULLS } from "../src/values.js";
import * as types from "./sample.mjs";

const { fault, thrown } = types;

const circle = (members = {}) => ({ kind: "circle", version: 1, radius: 1.5, ...members });
const [lenient, strict] = [undefined, { strict: true }];

/** The outcome of decoding a text with every function that decodes: all must agree. */
function outcome(text, type = types.Shape, options = lenient) {
  const told = (call) => {
    try {
      return { value: call() };
    } catch (error) {
      assert.equal(error instanceof DecodeError, true, error.stack);
      return { fault: [error.code, error.path] };
    }
  };
  const found = told(() => decode(text, type, options));
  assert.deepEqual(
    told(() => examine(text, type, options).value),
    found,
  );
  const bytes = new TextEncoder().encode(text);
  assert.deepEqual(
    told(() => decode(bytes, type, options)),
    found,
  );
  return found.fault ?? found.value;
}

const isFault = (value, type, wanted, options = lenient) => {
  assert.deepEqual(outcome(JSON.stringify(value), type, options), wanted, JSON.stringify(value));
};

test("what fits comes back, and is encoded in declared order", () => {
  const value = { z: [1], note: null, size: "small", ...circle(), kind: "circle" };
  assert.deepEqual(outcome(JSON.stringify(value)), value);
  const line = encode(value, types.Shape);
  assert.equal(line, '{"kind":"circle","version":1,"radius":1.5,"size":"small","note":null,"z":[1]}');
  assert.equal(encode(decode(line, types.Shape), types.Shape), line);
});

test("a missing or wrong member is a fault at its place", () => {
  isFault({ kind: "circle", version: 1 }, types.Shape, ["missing_field", "/radius"]);
  isFault({}, types.Shape, ["missing_field", "/kind"]);
  isFault({ kind: 1 }, types.Shape, ["wrong_type", "/kind"]);
  isFault([], types.Shape, ["wrong_type", ""]);
  isFault(circle({ version: 2 }), types.Shape, ["wrong_constant", "/version"]);
  isFault(circle({ version: "1" }), types.Shape, ["wrong_type", "/version"]);
  isFault(circle({ radius: null }), types.Shape, ["wrong_type", "/radius"]);
  isFault(circle({ count: 1.5 }), types.Shape, ["out_of_range", "/count"]);
  isFault(circle({ count: 2 ** 53 }), types.Shape, ["out_of_range", "/count"]);
  isFault(circle({ inner: circle({ points: [1, "a"] }) }), types.Shape, ["wrong_type", "/inner/points/1"]);
  isFault({ kind: "group", shapes: [circle(), { kind: true }] }, types.Shape, ["wrong_type", "/shapes/1/kind"]);
  isFault({ total: 1, more: "a" }, types.Scores, ["wrong_type", "/more"]);
  isFault({ small: 3 }, types.Labels, ["unknown_value", "/small"]);
  isFault(1, types.Either, ["wrong_type", ""]);
  isFault({ middle: "a" }, types.Side, ["no_variant", ""]);
});

test("lenient mode keeps what is unknown, and strict mode refuses it", () => {
  const cases = [
    [circle({ more: 1 }), "/more", "unknown_field"],
    [circle({ size: "huge" }), "/size", "unknown_value"],
    [circle({ id: "no uuid" }), "/id", "bad_format"],
    [circle({ at: "yesterday" }), "/at", "bad_format"],
    [circle({ points: [1] }), "/points", "out_of_bounds"],
    [{ kind: "square" }, "/kind", "unknown_variant"],
    [{ kind: "x_two", text: "a" }, "/kind", "unknown_value"],
  ];
  for (const [value, place, code] of cases) {
    const text = JSON.stringify(value);
    assert.deepEqual(outcome(text), value);
    assert.deepEqual(examine(text, types.Shape, lenient).unknown, [place]);
    assert.deepEqual(outcome(text, types.Shape, strict), [code, place]);
    assert.deepEqual(JSON.parse(encode(value, types.Shape)), value);
  }
  assert.deepEqual(examine('{"huge":1}', types.Labels, lenient).unknown, ["/huge"]);
  assert.deepEqual(outcome('{"huge":1}', types.Labels, strict), ["unknown_value", "/huge"]);
  assert.deepEqual(
    outcome(JSON.stringify(circle({ id: "6BA7B810-9dad-11d1-80b4-00c04fd430c8" })), types.Shape, strict).kind,
    "circle",
  );
});

test("of two faults at one place, the first of the list of codes is reported", () => {
  const text = JSON.stringify(circle()).replace("}", ',"more":1e400}');
  assert.deepEqual(outcome(text, types.Shape, strict), ["out_of_range", "/more"]);
  assert.deepEqual(outcome('{"huge":"a"}', types.Labels, strict), ["wrong_type", "/huge"]);
  assert.equal(CODES.indexOf("out_of_range") < CODES.indexOf("unknown_field"), true);
});

test("a value that matches a pattern but has another body is unknown", () => {
  const found = examine('{"kind":"x_two","text":1}', types.Shape, lenient);
  assert.deepEqual([found.variant, found.unknown], ["Unknown", ["/kind"]]);
  isFault({ kind: "x_one", text: 1 }, types.Shape, ["wrong_type", "/text"]);
});

test("the variant is the innermost type that was chosen, by its name", () => {
  const variant = (value, type) => examine(JSON.stringify(value), type, lenient).variant;
  assert.equal(variant(circle(), types.Shape), "Circle");
  assert.equal(variant({ kind: "square" }, types.Shape), "Unknown");
  assert.equal(variant({ right: "a" }, types.Side), "Right");
  assert.equal(variant("a", types.Name), "Name");
});

test("a null where only absence is allowed is taken away, remembered, and written back in its place", () => {
  const text = '{"kind":"group","shapes":[{"kind":"circle","version":1,"radius":1,"b":1,"size":null,"a":2,"id":null}]}';
  const value = outcome(text);
  const [inner] = value.shapes;
  assert.deepEqual([...inner[NULLS]], ["size", "id"]);
  assert.equal("size" in inner, false);
  assert.equal(encode(value, types.Shape), text);
  assert.equal(is(value, types.Shape), true);
  isFault(circle({ size: null }), types.Shape, ["wrong_type", "/size"], strict);
  inner.size = "large";
  assert.equal(JSON.parse(encode(value, types.Shape)).shapes[0].size, "large");
});

test("data that is parsed already is not changed, and shared where nothing is repaired", () => {
  const given = Object.freeze({
    kind: "group",
    shapes: Object.freeze([Object.freeze(circle()), circle({ id: null })]),
  });
  const value = decodeValue(given, types.Shape, lenient);
  assert.equal(given.shapes[1].id, null);
  assert.equal(value.shapes[0], given.shapes[0]);
  assert.deepEqual([...value.shapes[1][NULLS]], ["id"]);
  assert.equal(decodeValue(value, types.Shape, lenient), value);
  assert.deepEqual(
    fault(() => decodeValue(circle({ data: [Infinity] }), types.Shape, lenient)),
    ["out_of_range", "/data/0"],
  );
  assert.deepEqual(
    fault(() => decodeValue(circle({ count: 1n }), types.Shape, lenient)),
    ["wrong_type", "/count"],
  );
});

test("numbers that overflow are refused at their place, and integers of more than 4,300 digits before all else", () => {
  const at = (member) => JSON.stringify(circle()).replace("}", `,${member}}`);
  for (const key of ["radius", "count", "data", "more"]) {
    assert.deepEqual(outcome(at(`"${key}":1e400`)), ["out_of_range", `/${key}`]);
    const found = outcome(at(`"${key}":${"9".repeat(4300)}`));
    const isExact = TELLS_SOURCE && (key === "data" || key === "more");
    assert.deepEqual(isExact ? found[key].rawJSON.length : found, isExact ? 4300 : ["out_of_range", `/${key}`]);
    for (const options of [lenient, strict]) {
      assert.deepEqual(outcome(at(`"${key}":-${"9".repeat(4301)}`), types.Shape, options), ["out_of_range", ""]);
    }
  }
  assert.deepEqual(outcome(`{"kind":1,"more":[${"9".repeat(4301)}]}`), ["out_of_range", ""]);
  assert.deepEqual(outcome(`{"kind":"square","more":[${"9".repeat(4301)}]}`), ["out_of_range", ""]);
  assert.deepEqual(outcome(at(`"more":${"9".repeat(308)}`)).more, exact("9".repeat(308)));
});

/** An integer that a double would change: raw JSON if the engine provides the source text of numbers, else a double. */
const exact = (text) => (TELLS_SOURCE ? JSON.rawJSON(text) : Number(text));

test("an integer in untouched JSON that a double would change is raw JSON, where the engine has that", () => {
  const [large, least] = ["12345678901234567890", "-9007199254740993"];
  const rest = '"nulls":null,"__proto__":1e300,"list":[9007199254740992,100000000000000000000,1.5],"n":1';
  const text = `{"kind":"circle","version":1,"radius":${large},"data":[${large}],"more":{"a":${least},${rest}}}`;
  const value = outcome(text);
  assert.equal(value.radius, Number(large));
  assert.deepEqual([value.data, value.more.a], [[exact(large)], exact(least)]);
  assert.deepEqual(value.more.list, [2 ** 53, 1e20, 1.5]);
  const line = text.replace(`"radius":${large}`, `"radius":${Number(large)}`).replace("1e300", "1e+300");
  const doubles = line.replace(large, String(Number(large))).replace(least, String(Number(least)));
  assert.equal(encode(value, types.Shape), TELLS_SOURCE ? line : doubles);
  assert.equal(JSON.stringify(value), TELLS_SOURCE ? line : doubles);
  assert.deepEqual(decodeValue(value, types.Shape, lenient), value);
  assert.equal(is(value, types.Shape), true);
  assert.deepEqual(examine(text, types.Shape, lenient).unknown, ["/more"]);
  assert.deepEqual(examine(`{"kind":"square","a":${large}}`, types.Shape, lenient).value.a, exact(large));
  assert.deepEqual(outcome(text, types.Shape, strict), ["unknown_field", "/more"]);
  assert.deepEqual(outcome(text.replace('"n":1', '"n":1e400')), ["out_of_range", "/more/n"]);
  assert.deepEqual(outcome(text.replace(least, `{},"a":${least}`)).more.a, exact(least));
  assert.equal(outcome(text.replace('"n":1', '"n":null')).more.n, null);
});

test("raw JSON in the place of a number is that number", () => {
  const large = exact("12345678901234567890");
  assert.equal(decodeValue(circle({ radius: large }), types.Shape, lenient).radius, 12345678901234567890);
  for (const [member, found] of [
    [{ count: large }, ["out_of_range", "/count"]],
    [{ version: large }, ["wrong_constant", "/version"]],
    [{ kind: large }, ["wrong_type", "/kind"]],
    [{ inner: large }, ["wrong_type", "/inner"]],
    [{ points: large }, ["wrong_type", "/points"]],
  ]) {
    const value = circle(member);
    assert.deepEqual(
      fault(() => decodeValue(value, types.Shape, lenient)),
      found,
    );
    assert.deepEqual(
      fault(() => encode(value, types.Shape)),
      found,
    );
    assert.equal(is(value, types.Shape), false);
  }
  const digits = TELLS_SOURCE ? exact("9".repeat(4301)) : Infinity;
  assert.deepEqual(
    fault(() => encode(circle({ data: [digits] }), types.Shape)),
    ["out_of_range", "/data/0"],
  );
});

test("nesting counts in all data, however it is given", () => {
  const nested = (levels) => "[".repeat(levels) + "]".repeat(levels);
  assert.equal(outcome(`{"kind":"square","x":${nested(127)}}`).kind, "square");
  assert.deepEqual(outcome(`{"kind":"square","x":${nested(128)}}`), ["too_deep", ""]);
  const value = circle({ data: JSON.parse(nested(128)) });
  assert.deepEqual(
    fault(() => decodeValue(value, types.Shape, lenient)),
    ["too_deep", ""],
  );
  assert.deepEqual(
    fault(() => encode(value, types.Shape)),
    ["too_deep", ""],
  );
});

test("names of inherited properties are plain data", () => {
  for (const key of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
    const text = `{"kind":"circle","version":1,"radius":1,"${key}":{"${key}":1}}`;
    assert.equal(encode(outcome(text), types.Shape), text);
    assert.deepEqual(outcome(`{"kind":"${key}"}`), JSON.parse(`{"kind":"${key}"}`));
  }
});

test("members that stand flat in an object belong to the type that is flattened", () => {
  const value = { kind: "flat", left: "a", more: 1 };
  assert.deepEqual(outcome(JSON.stringify(value), types.Flat), value);
  assert.equal(encode(value, types.Flat), '{"kind":"flat","left":"a","more":1}');
  isFault({ kind: "flat" }, types.Flat, ["missing_field", "/left"]);
  isFault(value, types.Flat, ["unknown_field", "/more"], strict);
});

test("nothing is encoded that does not fit or is no JSON", () => {
  const wrong = { wrong_type: [true, "1", 1n, [1]], out_of_range: [NaN, Infinity, 1.5] };
  for (const [code, values] of Object.entries(wrong)) {
    for (const value of values) {
      const error = thrown(() => encode(circle({ count: value }), types.Shape));
      assert.equal(error instanceof EncodeError, true);
      assert.deepEqual([error.code, error.path], [code, "/count"]);
    }
  }
  const bad = { toJSON: () => "} injected {" };
  assert.deepEqual(
    fault(() => encode(circle({ data: bad }), types.Shape)),
    ["wrong_type", "/data/toJSON"],
  );
  assert.equal(encode("\n\u2028\ud800", types.Name), '"\\n\u2028\\ud800"');
  assert.equal(encode(circle({ radius: -0 }), types.Shape).includes("-0"), true);
});

/** A value whose objects have getters, or are proxies, that give their value once and something invalid afterwards. */
function once(value, wrap) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return wrap(value.map((item) => once(item, wrap)));
  return wrap(Object.fromEntries(Object.entries(value).map(([key, member]) => [key, once(member, wrap)])));
}

const wraps = {
  getters(value) {
    for (const key of Object.keys(value)) {
      const [member, read] = [value[key], { times: 0 }];
      Object.defineProperty(value, key, { enumerable: true, get: () => (read.times++ ? () => "later" : member) });
    }
    return value;
  },
  proxies(value) {
    const read = new Set();
    const get = (target, key) => {
      if (!Object.hasOwn(target, key) || (Array.isArray(target) && key === "length")) return target[key];
      if (read.has(key)) return () => "later";
      read.add(key);
      return target[key];
    };
    return new Proxy(value, { get });
  },
};

for (const [name, wrap] of Object.entries(wraps)) {
  test(`what is checked is what is written, as each member is read once: ${name}`, () => {
    const [inner, id] = [circle({ count: 2 }), "a5b2b9a8-1fd1-4f0e-9f6b-1f5a3a2a1b1c"];
    const many = [
      [circle({ id, points: [1, 2], at: "2026-01-01T00:00:00Z", data: { a: [{}, -0], b: null } }), types.Shape],
      [{ z: { deep: [1, { x: "" }] }, size: "huge", note: null, ...circle({ inner }) }, types.Shape], // in another order
      [{ kind: "group", shapes: [inner, { kind: "square", more: [1] }, { kind: "x_two", text: "" }] }, types.Shape],
      [{ kind: "square", of: { any: [null] } }, types.Shape],
      [{ kind: "x_two", more: { deep: [{}] }, text: 1 }, types.Shape], // not the struct of its pattern, so an Unknown
      [{ total: 1, maths: 2 }, types.Scores],
      [{ 1: "small", 2: "large" }, types.Labels],
      [["a", "b"], types.Either],
      [{ left: "a" }, types.Side],
      [{ kind: "ask", id: "1", what: { of: "x" } }, types.Ask],
      [{ kind: "reply", id: "1", body: { ok: true, value: [{}] } }, types.Reply],
      [{ kind: "flat", more: { a: 1 }, left: "a" }, types.Flat],
    ];
    for (const [value, type] of many) {
      for (const options of [{}, strict, { order: "keep" }]) {
        let wanted;
        try {
          wanted = encode(value, type, options);
        } catch (error) {
          assert.deepEqual(
            fault(() => encode(once(value, wrap), type, options)),
            [error.code, error.path],
          );
          continue;
        }
        assert.equal(encode(once(value, wrap), type, options), wanted);
      }
    }
    for (const wrong of [circle({ count: "1" }), circle({ data: [() => 1] }), { kind: "circle" }]) {
      const expected = fault(() => encode(wrong, types.Shape));
      assert.deepEqual(
        fault(() => encode(once(wrong, wrap), types.Shape)),
        expected,
      );
    }
  });
}

test("an error of a getter, and a value that contains itself twice, end encoding", () => {
  const data = {
    get broken() {
      throw new RangeError("no value");
    },
  };
  assert.throws(() => encode(circle({ data }), types.Shape), RangeError);
  const endless = {};
  Object.assign(endless, { one: endless, other: endless });
  const [code] = fault(() => encode(circle({ data: endless }), types.Shape));
  assert.equal(code, "too_deep");
});

test("types, unknown objects and known values are told apart", () => {
  assert.equal(is(circle(), types.Circle), true);
  assert.equal(is(circle({ radius: "1" }), types.Circle), false);
  assert.equal(isUnknown({ kind: "square" }, types.Shape), true);
  assert.equal(isUnknown(circle(), types.Shape), false);
  assert.equal(isUnknown({ kind: 1 }, types.Shape), false);
  assert.equal(isKnown("small", ["small", "large"]), true);
  assert.equal(isKnown("huge", ["small", "large"]), false);
  assert.throws(() => isUnknown({}, types.Side), /Side is no open union/);
  for (const call of [decode, decodeValue, examine]) assert.throws(() => call("{}", "Shape"), TypeError);
  assert.throws(() => encode({}, "Name"), TypeError);
});

test("without a type, an Unknown of any union is told, by what it was decoded as or by the root", () => {
  const isAny = isUnknownOf(types.Circle); // whose Unknowns are those of its members only
  for (const value of [
    decode(JSON.stringify(circle({ inner: { kind: "square" } })), types.Shape).inner,
    decode(JSON.stringify(circle({ note: null, size: null, inner: { kind: "square" } })), types.Shape).inner,
    examine(JSON.stringify({ kind: "square" }), types.Shape).value,
    decodeValue({ kind: "square" }, types.Shape),
    token(types.Shape)["~standard"].validate({ kind: "square" }).value,
  ]) {
    assert.equal(isAny(value), true);
    assert.equal(isAny({ ...value }), false);
    assert.equal(isUnknownOf(types.Shape)({ ...value }), true);
  }
  const known = decode(JSON.stringify(circle()), types.Shape);
  for (const value of [known, undefined, null, 1, "square", [], {}]) assert.equal(isAny(value), false);
  const both = circle();
  unknownAs(both);
  assert.equal(isAny(decodeValue(both, types.Shape)), false); // it is known as this type
});

/** Decode a value as a union that does not know it. */
function unknownAs(value) {
  const union = t.union("Few", true, () => t.byTag("UnknownFew", "kind", [["group", types.Group]]));
  assert.equal(isUnknownOf(types.Circle)(decodeValue(value, union)), true);
}

test("safeDecode returns the error that decode throws", () => {
  assert.deepEqual(safeDecode(JSON.stringify(circle()), types.Shape), { success: true, value: circle() });
  const { success, error } = safeDecode('{"kind":"circle"}', types.Circle);
  assert.deepEqual([success, error.code, error.path], [false, "missing_field", "/version"]);
  assert.equal(safeDecode('{"kind":"square"}', types.Shape, { strict: true }).error.code, "unknown_variant");
  assert.throws(() => safeDecode("{}", "Shape"), TypeError);
});

test("a type is a Standard Schema", () => {
  const { version, vendor, validate } = token(types.Shape)["~standard"];
  assert.deepEqual([version, vendor], [1, "polywire"]);
  assert.deepEqual(validate(circle()), { value: circle() });
  const repaired = validate(circle({ size: null })).value;
  assert.deepEqual([repaired.size, repaired[NULLS]], [undefined, ["size"]]);
  const { issues } = validate({ kind: "group", shapes: [circle(), circle({ count: "1" })] });
  assert.deepEqual(issues, [{ message: "expected integer, got string", path: ["shapes", 1, "count"] }]);
  assert.deepEqual(validate([]).issues, [{ message: "expected object, got array", path: [] }]);
});

test("the order of members is kept on request, and every value is checked all the same", () => {
  const keep = { order: "keep" };
  const inner = { radius: -0, z: 1, version: 1, kind: "circle" };
  const text =
    '{"z":[1],"inner":{"radius":-0,"z":1,"version":1,"kind":"circle"},"radius":1,"version":1,"kind":"circle"}';
  assert.equal(encode({ z: [1], inner, radius: 1, version: 1, kind: "circle" }, types.Shape, keep), text);
  const nulls = '{"radius":1,"size":null,"version":1,"kind":"circle"}';
  assert.equal(encode(decode(nulls, types.Shape), types.Shape, keep), nulls);
  const group = `{"shapes":[${text},${nulls}],"kind":"group"}`;
  assert.equal(encode(decode(group, types.Shape), types.Shape, keep), group);
  assert.notEqual(encode(decode(group, types.Shape), types.Shape), group);
  const flat = { z: -0, left: "a,b", kind: "flat", "": [{}] };
  assert.equal(encode(flat, types.Flat), '{"kind":"flat","left":"a,b","z":-0,"":[{}]}');
  assert.equal(encode(flat, types.Flat, keep), '{"z":-0,"left":"a,b","kind":"flat","":[{}]}');
  const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`"${at}":`, at])); // in linear time
  const long = JSON.stringify({ ...many, left: "", kind: "flat" });
  assert.equal(encode(JSON.parse(long), types.Flat, keep), long);
  const wrong = { shapes: [circle({ radius: "1" })], kind: "group" };
  assert.deepEqual(
    fault(() => encode(wrong, types.Shape, keep)),
    ["wrong_type", "/shapes/0/radius"],
  );
});

test("strict encoding rejects what a strict reader would", () => {
  assert.equal(encode(circle(), types.Shape, strict), encode(circle(), types.Shape));
  for (const value of [circle({ new: 1 }), { kind: "new" }, { kind: "group", shapes: [circle({ "a/b": 1 })] }]) {
    const line = encode(value, types.Shape);
    assert.deepEqual(
      fault(() => encode(value, types.Shape, strict)),
      fault(() => decode(line, types.Shape, strict)),
    );
  }
  const repaired = decode(JSON.stringify(circle({ size: null })), types.Shape); // writes the null back
  assert.throws(() => encode(repaired, types.Shape, { strict: true, order: "keep" }), EncodeError);
  assert.throws(() => encode(circle({ radius: "1" }), types.Shape, strict), EncodeError);
});

test("an error has a code, a place, and both in its message", () => {
  const error = thrown(() => decode(JSON.stringify(circle({ count: "1" })), types.Shape, lenient));
  assert.deepEqual([error.name, error.message], ["DecodeError", "expected integer, got string at /count"]);
  assert.equal(thrown(() => decode("[]", types.Shape, lenient)).message, "expected object, got array");
});
