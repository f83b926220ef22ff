import assert from "node:assert/strict";
import { test } from "node:test";

import { decode, decodeValue, encode, examine, is, isUnknown, viewer } from "../src/codec.js";
import * as t from "../src/engine.js";
import { codePoints, UNFIT } from "../src/values.js";
import { fault } from "./sample.mjs";

const [REQUIRED, NULLABLE, FLATTEN] = [1, 2, 4];
const [lenient, strict] = [undefined, { strict: true }];
const json = JSON.stringify;

/** The result of decoding a value in a mode: the value, or the fault. */
function outcome(value, type, options = lenient) {
  try {
    return decode(json(value), type, options);
  } catch ({ code, path }) {
    return [code, path];
  }
}

const Range = t.tuple([t.integer, t.string]);
const Point = t.struct("Point", () => [
  ["x", t.number, REQUIRED],
  ["y", t.number, REQUIRED],
]);

test("a literal is one value, and numbers compare as doubles", () => {
  const One = t.either({ string: t.literal("all"), number: t.literal(0), boolean: t.literal(true) });
  for (const value of ["all", 0, true]) assert.equal(outcome(value, One, strict), value);
  assert.deepEqual(outcome("al", One), ["wrong_constant", ""]);
  assert.deepEqual(outcome(1, One), ["wrong_constant", ""]);
  assert.deepEqual(outcome(false, One), ["wrong_constant", ""]);
  assert.deepEqual(outcome(null, One), ["wrong_type", ""]);
  assert.equal(Object.is(decode("-0", One, lenient), 0), true);
  assert.equal(encode(-0, One), "0");
  assert.equal(Object.is(decode("[-0]", t.array(One), lenient)[0], 0), true);
});

test("a tuple has all its items and no more, in both modes and when it is written", () => {
  for (const options of [lenient, strict]) {
    assert.deepEqual(outcome([1, "a"], Range, options), [1, "a"]);
    for (const value of [[], [1], [1, "a", 2]]) {
      assert.deepEqual(outcome(value, Range, options), ["out_of_bounds", ""]);
      assert.deepEqual(
        fault(() => encode(value, Range)),
        ["out_of_bounds", ""],
      );
    }
    assert.deepEqual(outcome(["a", "a"], Range, options), ["wrong_type", "/0"]);
  }
  assert.equal(encode([-0, "a"], Range), '[-0,"a"]');
});

test("bounds are those of strict mode, of code points in texts", () => {
  const Size = t.bounded(t.integer, 0, 9);
  const Name = t.bounded(t.string, 2, 3);
  const Share = t.bounded(t.number, null, 0.5);
  for (const [type, fits, others] of [
    [Size, [0, 9], [-1, 10]],
    [Name, ["ab", "😀😀😀", "\ud800\ud800"], ["a", "😀", "abcd"]],
    [Share, [-1e300, 0.5], [0.6]],
  ]) {
    for (const value of fits) assert.equal(outcome(value, type, strict), value);
    for (const value of others) {
      assert.deepEqual(outcome(value, type, strict), ["out_of_bounds", ""]);
      assert.equal(outcome(value, type), value);
      assert.deepEqual(examine(json(value), type, lenient).unknown, [""]);
      assert.equal(encode(value, type), json(value));
    }
  }
  assert.deepEqual(outcome(1.5, Size, strict), ["out_of_range", ""]);
  assert.equal(codePoints("😀\udc00a\ud83d"), 4);
});

test("an alias may contain itself", () => {
  const Tree = t.alias("Tree", () => t.either({ string: t.string, array: t.array(Tree) }));
  assert.deepEqual(outcome(["a", ["b", []]], Tree), ["a", ["b", []]]);
  assert.deepEqual(outcome(["a", ["b", [1]]], Tree), ["wrong_type", "/1/1/0"]);
});

const First = t.struct("First", () => [["n", t.literal(1, true), REQUIRED]]);
const Few = t.struct("Few", () => [["n", t.tag([2, 3]), REQUIRED]]);
const Rest = t.struct("Rest", () => [["n", t.integer, 0, [1]]]);
const Numbered = t.union("Numbered", true, () =>
  t.byTag("UnknownNumbered", "n", [
    [1, First],
    [2, Few],
    [3, Few],
  ]),
);
const Loose = t.union("Loose", false, () => t.byTag(false, "n", [[1, First]], [], Rest));

test("an integer tells variants apart as a number, and no other number is one", () => {
  const variant = (text) => examine(text, Numbered, lenient).variant;
  assert.deepEqual(['{"n":1.0}', '{"n":3}', '{"n":4}'].map(variant), ["First", "Few", "Unknown"]);
  assert.deepEqual(outcome({ n: 4 }, Numbered, strict), ["unknown_variant", "/n"]);
  for (const options of [lenient, strict]) {
    for (const n of [1.5, 2 ** 53]) assert.deepEqual(outcome({ n }, Numbered, options), ["out_of_range", "/n"]);
    assert.deepEqual(outcome({ n: "1" }, Numbered, options), ["wrong_type", "/n"]);
    assert.deepEqual(outcome({ n: null }, Numbered, options), ["wrong_type", "/n"]);
  }
  assert.deepEqual(outcome({ n: 2 }, First), ["wrong_constant", "/n"]);
  assert.deepEqual(outcome({ n: 1.5 }, First), ["out_of_range", "/n"]);
  assert.deepEqual(outcome({ n: 4 }, Few), ["unknown_value", "/n"]);
  assert.equal(isUnknown({ n: 4 }, Numbered), true);
  assert.deepEqual(outcome({}, Loose), {});
  assert.deepEqual(outcome({ n: 2 }, Loose), ["unknown_variant", "/n"]);
  assert.deepEqual(outcome({ n: 1 }, Rest), ["wrong_constant", "/n"]);
});

const Plain = t.struct("Plain", () => [["name", "_plain", REQUIRED]]);
const Own = t.struct("Own", () => [
  ["name", t.tag([], null, "_"), REQUIRED],
  ["size", t.integer, REQUIRED],
]);
const Long = t.struct("Long", () => [["name", t.tag([], null, "_x"), REQUIRED]]);
const Named = t.union("Named", true, () =>
  t.byTag("UnknownNamed", "name", [["_plain", Plain]], [], null, [
    ["_x", Long],
    ["_", Own],
  ]),
);

test("a listed text wins over a prefix, and a longer prefix over a shorter one", () => {
  const variant = (name) => examine(json({ name, size: 1 }), Named, lenient).variant;
  assert.deepEqual(["_plain", "_x1", "_y", "y"].map(variant), ["Plain", "Long", "Own", "Unknown"]);
  assert.deepEqual(outcome({ name: "_y" }, Named), ["missing_field", "/size"]);
  assert.deepEqual(outcome({ name: "y", size: 1 }, Own), ["unknown_value", "/name"]);
  assert.deepEqual(
    fault(() => encode({ name: "y", size: 1 }, Own)),
    ["unknown_value", "/name"],
  );
});

test("a catch-all takes every other value, unless its body does not fit", () => {
  const Failed = t.struct("Failed", () => [
    ["code", t.tag([7], "*"), REQUIRED],
    ["why", t.string, REQUIRED],
  ]);
  const Done = t.struct("Done", () => [["code", t.literal(0, true), REQUIRED]]);
  const dispatch = () =>
    t.byTag(
      "UnknownResult",
      "code",
      [
        [0, Done],
        [7, Failed],
      ],
      [["*", Failed]],
    );
  const Result = t.union("Result", true, dispatch);
  const found = (value) => examine(json(value), Result, lenient);
  assert.deepEqual(found({ code: 9, why: "x" }).variant, "Failed");
  assert.deepEqual(found({ code: 9, why: "x" }).unknown, ["/code"]);
  assert.deepEqual(found({ code: 9 }).variant, "Unknown");
  assert.deepEqual(outcome({ code: 9, why: "x" }, Result, strict), ["unknown_value", "/code"]);
  assert.deepEqual(outcome({ code: 7 }, Result), ["missing_field", "/why"]);
});

const Mendable = t.struct("Mendable", () => [
  ["text", t.repairing(t.string, "absent"), 0],
  ["flag", t.repairing(t.boolean, "value", "false"), REQUIRED],
  ["point", t.repairing(Point, "value", '{"x":0,"y":1}'), 0],
  ["list", t.repairing(t.array(t.integer, null, 2), "skip"), 0],
  ["words", t.repairing(t.array(t.string), "skip absent"), NULLABLE],
]);

test("lenient mode repairs what does not fit, and writes back what it took out", () => {
  const text = '{"a":1,"text":[-0],"flag":1,"b":2}';
  const { value, unknown } = examine(text, Mendable, lenient);
  assert.deepEqual(unknown, ["/a", "/b", "/flag", "/text"]);
  assert.deepEqual({ ...value, [UNFIT]: undefined }, { a: 1, flag: false, b: 2, [UNFIT]: undefined });
  assert.deepEqual([...value[UNFIT]], [["text", [-0]]]);
  const line = '{"flag":false,"a":1,"text":[-0],"b":2}';
  assert.equal(encode(value, Mendable), line);
  assert.equal(is(value, Mendable), true);
  assert.equal(decodeValue(value, Mendable, lenient), value);
  assert.equal(encode(decode(line, Mendable, lenient), Mendable), line);
  assert.equal(encode({ ...value, text: "b" }, Mendable), '{"text":"b","flag":false,"a":1,"b":2}');
  assert.deepEqual(outcome({ flag: 1 }, Mendable, strict), ["wrong_type", "/flag"]);
  assert.deepEqual(
    fault(() => encode({ flag: true, text: 1 }, Mendable)),
    ["wrong_type", "/text"],
  );
  assert.deepEqual(
    fault(() => encode({ flag: true, [UNFIT]: [["text", [NaN]]] }, Mendable)),
    ["out_of_range", "/text/0"],
  );
});

test("what takes the place of a value is made anew", () => {
  const [one, other] = [0, 1].map(() => decode('{"flag":true,"point":1}', Mendable, lenient));
  assert.deepEqual(one.point, { x: 0, y: 1 });
  assert.notEqual(one.point, other.point);
});

test("items that do not fit are left out, and the length is that of before", () => {
  const { value, unknown } = examine('{"flag":true,"words":["a",1,"b",[1.5]]}', Mendable, lenient);
  assert.deepEqual(value.words, ["a", "b"]);
  assert.deepEqual(unknown, ["/words/1", "/words/3"]);
  assert.deepEqual(outcome({ flag: true, list: {} }, Mendable), ["wrong_type", "/list"]);
  assert.deepEqual([...decode('{"flag":true,"words":{}}', Mendable, lenient)[UNFIT]], [["words", {}]]);
  assert.equal(decode('{"flag":true,"words":null}', Mendable, lenient).words, null);
  const long = examine('{"flag":true,"list":[1,"a",2]}', Mendable, lenient);
  assert.deepEqual(
    [long.value.list, long.unknown],
    [
      [1, 2],
      ["/list", "/list/1"],
    ],
  );
});

test("nothing is repaired that cannot be kept", () => {
  for (const member of ['"text":[1e400]', '"point":{"x":"a","y":1e400}', '"words":["a",{"b":1e400}]']) {
    const error = fault(() => decode(`{"flag":true,${member}}`, Mendable, lenient));
    assert.match(error.join(), /^(wrong_type|out_of_range),\/(text|point|words)/);
  }
  const deep = "[".repeat(128) + "]".repeat(128);
  assert.deepEqual(
    fault(() => decode(`{"flag":true,"text":${deep}}`, Mendable, lenient)),
    ["too_deep", ""],
  );
});

test("repairs beside flattened members come back in their places", () => {
  const Around = t.flat("Around", () => [
    ["own", t.repairing(t.integer, "absent"), 0],
    ["rest", Mendable, FLATTEN | REQUIRED],
  ]);
  const value = decode('{"own":"a","text":1,"flag":0,"z":1}', Around, lenient);
  assert.deepEqual([...value[UNFIT]], Object.entries({ text: 1, own: "a" }));
  const line = encode(value, Around);
  assert.deepEqual(JSON.parse(line), { own: "a", text: 1, flag: false, z: 1 });
  assert.equal(encode(decode(line, Around, lenient), Around), line);
  assert.deepEqual(decode(line, Around, lenient), value);
});

test("what is known of unknown objects is read where it fits", () => {
  const Common = t.struct("Common", () => [
    ["id", t.string, REQUIRED],
    ["at", t.repairing(Point, "absent"), 0],
    ["n", t.integer, NULLABLE],
    ["__proto__", t.integer, 0],
  ]);
  const view = viewer(() => [[Common, ["id", "at", "n", "__proto__"]]]);
  const object = JSON.parse('{"kind":"new","id":"a","at":1,"n":null,"__proto__":7}');
  const found = view(object);
  assert.deepEqual(Object.entries(found), [
    ["id", "a"],
    ["__proto__", 7],
  ]);
  assert.equal(Object.isFrozen(found), true);
  assert.deepEqual(view({ id: 1, at: { x: 1, y: 2 } }), { at: { x: 1, y: 2 } });
  assert.throws(() => view(null), TypeError);
});
