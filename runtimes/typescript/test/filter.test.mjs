import assert from "node:assert/strict";
import { test } from "node:test";

import * as define from "../src/define.js";
import * as t from "../src/engine.js";
import { BadLine, decodeStream, read, TypedLineDecoder, TypedReader } from "../src/streams.js";
import { Body, Circle, Good, Group, Left, Message, Other, Right, Shape, Side, thrown } from "./sample.mjs";

const REQUIRED = 1;
const GROUP = '{"kind":"group","shapes":[]}';
const OTHER = '{"kind":"x_one","text":"a"}';
const NEW = '{"kind":"new"}';
const bytes = (text) => new TextEncoder().encode(text);

/** The items of lines, bad ones as their line and code, the number of skipped lines, and that of all lines. */
function found(lines, type, only, options = {}) {
  const decoder = new TypedLineDecoder(type, { ...options, only });
  const data = typeof lines === "string" ? bytes(lines) : lines;
  const items = [...decoder.feed(data), ...decoder.finish()];
  const shown = items.map((item) => (item instanceof BadLine ? [item.line, item.error.code] : item));
  return [shown, decoder.skipped, decoder.line];
}

/** The codes of lines that are read; "skipped" or the variant's key for others. */
function outcome(line, type, only, options) {
  const [items, skipped] = found(`${line}\n`, type, only, options);
  assert.equal(items.length + skipped, 1);
  return skipped === 1 ? "skipped" : Array.isArray(items[0]) ? items[0][1] : "read";
}

test("items are those of the wanted types, and the other lines are counted", () => {
  const lines = [GROUP, OTHER, "", NEW, " \t\r", GROUP, OTHER].join("\n");
  assert.deepEqual(found(lines, Shape, [Group]), [[JSON.parse(GROUP), JSON.parse(GROUP)], 3, 7]);
  assert.deepEqual(found(lines, Shape, ["Group"]), [[JSON.parse(GROUP), JSON.parse(GROUP)], 3, 7]);
  assert.deepEqual(found(lines, Shape, [Group, Other])[1], 1);
  assert.deepEqual(found(lines, Shape, [Shape])[1], 0);
});

test("every reader can be limited to some types", async () => {
  const chunks = [bytes(`${OTHER}\n${GROUP.slice(0, 9)}`), bytes(`${GROUP.slice(9)}\n${OTHER}`)];
  const options = { only: [Group] };
  const all = async (items) => {
    const found = [];
    for await (const item of items) found.push(item);
    return found;
  };
  const reader = new TypedReader(chunks, Shape, options);
  assert.deepEqual(await all(reader), [JSON.parse(GROUP)]);
  assert.deepEqual([reader.skipped, reader.line], [2, 3]);
  assert.deepEqual(await all(read(chunks, Shape, options)), [JSON.parse(GROUP)]);
  const stream = ReadableStream.from(chunks).pipeThrough(decodeStream(Shape, options));
  assert.deepEqual(await all(stream), [JSON.parse(GROUP)]);
});

test("chunks may be split anywhere", () => {
  const wide = `{"kind":"x_one","text":"ä→😀${"a".repeat(70_000)}"}`;
  for (const lines of [
    `${GROUP}\r\n \n${OTHER}\n\n${NEW}\n${GROUP}\n{"kind":"gr\\u006fup","shapes":[]}\n${OTHER}\r\nnot JSON\n${GROUP}`,
    `${OTHER}\n${wide}\n${GROUP}\n${wide}\n`,
  ]) {
    const data = bytes(lines);
    const expected = found(data, Shape, [Group]);
    for (const size of data.length < 1000 ? [1, 2, 3, 7, 20, 50, 100] : [1000, 65_536, 100_000]) {
      const decoder = new TypedLineDecoder(Shape, { only: [Group] });
      const items = [];
      for (let at = 0; at < data.length; at += size) items.push(...decoder.feed(data.subarray(at, at + size)));
      items.push(...decoder.finish());
      assert.deepEqual([items, decoder.skipped, decoder.line], expected);
    }
  }
});

test("many lines are skipped as each of them is", () => {
  const lines = [];
  for (let at = 0; at < 20_000; at++) lines.push(at % 100 === 7 ? GROUP : at % 50 === 3 ? "" : at % 9 ? OTHER : NEW);
  const [items, skipped, line] = found(`${lines.join("\n")}\n`, Shape, [Group]);
  assert.deepEqual([items.length, skipped, line], [200, 19_400, 20_000]);
});

test("tags are found in bytes, wherever they are and whatever is beside them", () => {
  const Wide = t.struct("Wide", () => [["kind", "ä→", REQUIRED]]);
  const Short = t.struct("Short", () => [["kind", "", REQUIRED]]);
  const cases = [
    ["group", Group],
    ["ä→", Wide],
    ["", Short],
  ];
  const Wider = t.union("Wider", true, () => t.byTag("UnknownWider", "kind", cases));
  const lines = bytes(`${OTHER}\n${GROUP}\n{"kind":"→","text":"ä"}\n{"kind":"ä→"}\n${GROUP}\n`);
  assert.deepEqual(found(lines, Wider, [Wide]), [[{ kind: "ä→" }], 4, 5]);
  assert.deepEqual(found(lines, Wider, [Wide, Group])[1], 2);
  assert.deepEqual(found(bytes('{"kind":""}\n{"kind":"group"}\n{"kind":"\\\\"}'), Wider, [Short]), [
    [{ kind: "" }],
    2,
    3,
  ]);
  for (let pad = 0; pad < 20; pad++) {
    const before = `{"shapes":[],"a":"${"x".repeat(pad)}${"\\\\".repeat(pad)}","kind":`;
    const tags = ["group", "grou", "gr\\u006fup", "ä→", "other"];
    const text = tags.map((tag) => `${before}"${tag}"}`).join("\n");
    const [items, skipped, line] = found(text, Wider, [Wide, Group]);
    assert.deepEqual([items.map(({ kind }) => kind), skipped, line], [["group", "group", "ä→"], 2, 5], text);
  }
});

test("a line without a wanted tag is not parsed, so its faults are not reported", () => {
  for (const line of ["not JSON", '{"kind":"x_one"', '{"kind":1}', "[]", "{}", '{"kind":"x_one","text":1}', "group"]) {
    assert.equal(outcome(line, Shape, [Group]), "skipped");
  }
  const invalid = new Uint8Array([0x7b, 0xff, 0x0a, ...bytes('"group"'), 0xff, 0x0a]);
  assert.deepEqual(found(invalid, Shape, [Group]), [[[2, "invalid_utf8"]], 1, 2]);
  assert.equal(outcome(`{"kind":"new","a":${"[".repeat(200)}${"]".repeat(200)}}`, Shape, [Group]), "skipped");
});

test("faults of syntax, of limits and in the choice of the type are reported in lines with a wanted tag", () => {
  const deep = `${"[".repeat(200)}${"]".repeat(200)}`;
  for (const [line, code] of [
    ['{"kind":"x_one","text":"group"', "invalid_json"],
    ['"group"', "wrong_type"],
    ['["group"]', "wrong_type"],
    ['{"kind":1,"x":"group"}', "wrong_type"],
    ['{"x":"group"}', "missing_field"],
    [`{"kind":"x_one","text":"group","a":${deep}}`, "too_deep"],
    [`{"kind":"new","x":"group","a":${"1".repeat(4301)}}`, "out_of_range"],
    ['{"kind":"group"}', "missing_field"],
  ]) {
    assert.equal(outcome(line, Shape, [Group]), code);
    assert.equal(outcome(line, Shape, [Shape]), code);
  }
});

test("members of unwanted types are not decoded, so their faults are not reported", () => {
  assert.equal(outcome('{"kind":"x_one","text":1,"x":"group"}', Shape, [Group]), "skipped");
  assert.equal(outcome('{"kind":"circle","x":"group"}', Shape, [Group]), "skipped");
  assert.equal(outcome('{"kind":"group"}', Shape, [Circle]), "skipped");
  assert.equal(outcome('{"kind":"new","x":"group","big":1e999}', Shape, [Group]), "skipped");
});

test("a wanted tag in another place does not make a line wanted", () => {
  assert.equal(outcome('{"kind":"x_one","text":"group"}', Shape, [Group]), "skipped");
  assert.equal(outcome('{"kind":"new","x":"group"}', Shape, [Group]), "skipped");
});

test("tags and keys may be spelled with escapes, so lines with `\\u` are parsed", () => {
  assert.deepEqual(found('{"kind":"gr\\u006fup","shapes":[]}', Shape, [Group])[0], [JSON.parse(GROUP)]);
  assert.deepEqual(found('{"\\u006bind":"group","shapes":[]}', Shape, [Group])[0], [JSON.parse(GROUP)]);
  assert.equal(outcome('{"kind":"new","x":"\\u0000"}', Shape, [Group]), "skipped");
  assert.equal(outcome('{"kind":"new","x":"\\u0000"', Shape, [Group]), "invalid_json");
});

test("tags with characters that JSON can escape are looked for in parsed lines only", () => {
  for (const [tag, spelled] of [
    ["a/b", '"a\\/b"'],
    ['a"', '"a\\""'],
    ["a\\", '"a\\\\"'],
    ["a\n", '"a\\n"'],
  ]) {
    const Odd = t.struct("Odd", () => [["kind", tag, REQUIRED]]);
    const Oddities = t.union("Oddities", true, () =>
      t.byTag("UnknownOddity", "kind", [
        [tag, Odd],
        ["group", Group],
      ]),
    );
    assert.equal(outcome(`{"kind":${spelled}}`, Oddities, [Odd]), "read");
    assert.equal(outcome("not JSON", Oddities, [Odd]), "invalid_json");
    assert.equal(outcome("not JSON", Oddities, [Group]), "skipped");
  }
});

test("a wanted item is what it is without a filter, in both modes", () => {
  const line = '{"kind":"group","shapes":[],"new":1}';
  assert.deepEqual(found(line, Shape, [Group])[0], [JSON.parse(line)]);
  assert.equal(outcome(line, Shape, [Group], { strict: true }), "unknown_field");
  assert.equal(outcome(line, Shape, [Circle], { strict: true }), "skipped");
  assert.equal(outcome('{"kind":"new","x":"group"}', Shape, [Group], { strict: true }), "unknown_variant");
  assert.equal(outcome('{"kind":"new"}', Shape, [Group], { strict: true }), "skipped");
  const nulled = '{"kind":"circle","version":1,"radius":1,"count":null}';
  const [whole] = new TypedLineDecoder(Shape).feed(bytes(`${nulled}\n`));
  assert.deepEqual(found(nulled, Shape, [Circle])[0], [whole]);
});

test("an Unknown is wanted by its name, and every line is parsed then", () => {
  assert.deepEqual(found(`${GROUP}\n${NEW}\n`, Shape, ["UnknownShape"]), [[JSON.parse(NEW)], 1, 2]);
  assert.equal(outcome("not JSON", Shape, ["UnknownShape"]), "invalid_json");
  assert.equal(outcome('{"kind":"group"}', Shape, ["UnknownShape"]), "skipped");
  assert.equal(outcome(NEW, Shape, ["UnknownShape"], { strict: true }), "unknown_variant");
});

test("a value that matches a pattern is of the type that decoding chooses", () => {
  const [fitting, other] = ['{"kind":"x_new","text":"a"}', '{"kind":"x_new","text":1}'];
  for (const [only, expected] of [
    [[Other], ["read", "skipped"]],
    [["UnknownShape"], ["skipped", "read"]],
    [
      [Other, "UnknownShape"],
      ["read", "read"],
    ],
    [[Circle], ["skipped", "skipped"]],
  ]) {
    assert.deepEqual([outcome(fitting, Shape, only), outcome(other, Shape, only)], expected);
  }
  assert.equal(outcome("not JSON", Shape, [Other]), "invalid_json");
});

test("types that are chosen other than by a text are looked for in every line", () => {
  assert.deepEqual(found('{"left":"a"}\n{"right":"b"}\n', Side, [Right]), [[{ right: "b" }], 1, 2]);
  assert.equal(outcome("{}", Side, [Right]), "no_variant");
  assert.deepEqual(found('{"ok":true}\n{"ok":false,"why":""}\n', Body, [Good]), [[{ ok: true }], 1, 2]);
  const Long = t.struct("Long", () => [["name", t.tag([], null, "_"), REQUIRED]]);
  const Bare = t.struct("Bare", () => [["size", t.integer, 0]]);
  const Named = t.union("Named", false, () => t.byTag(false, "name", [["group", Group]], [], Bare, [["_", Long]]));
  assert.equal(outcome('{"name":"_a"}', Named, [Long]), "read");
  assert.equal(outcome('{"size":1}', Named, [Bare]), "read");
  for (const only of [[Long], [Bare], [Named]]) assert.equal(outcome("not JSON", Named, only), "invalid_json");
  assert.equal(outcome("not JSON", Named, [Group]), "skipped");
});

const Start = t.struct("Start", () => [
  ["kind", "event", REQUIRED],
  ["of", "start", REQUIRED],
  ["at", t.integer, 0],
]);
const Stop = t.struct("Stop", () => [
  ["kind", "event", REQUIRED],
  ["of", "stop", REQUIRED],
]);
const Event = t.union("Event", true, () =>
  t.byTag("UnknownEvent", "of", [
    ["start", Start],
    ["stop", Stop],
  ]),
);
const tags = [
  ["event", Event],
  ["group", Group],
];
const Open = t.union("Open", true, () => t.byTag("UnknownOpen", "kind", tags));
const Closed = t.union("Closed", false, () => t.byTag(false, "kind", tags));
const Wide = t.union("Wide", true, () => t.byTag("UnknownOpen", "kind", [...tags, ["x_one", Other]]));
const [START, STOP, LATER] = ["start", "stop", "later"].map((of) => `{"kind":"event","of":"${of}"}`);
const LINES = [START, STOP, LATER, GROUP, NEW];

/** Which of the lines are read, as digits; `x` for a fault. */
const chosen = (type, only) =>
  LINES.map((line) => ({ read: 1, skipped: 0 })[outcome(line, type, only)] ?? "x").join("");

test("a nested union stands for its types, by the tags of the outermost discriminator", () => {
  assert.equal(chosen(Open, [Start]), "10000");
  assert.equal(chosen(Open, [Start, Group]), "10010");
  assert.equal(outcome('{"of":"start","x":[', Open, [Start]), "skipped");
  assert.equal(outcome('{"kind":"event"}', Open, [Start]), "missing_field");
  assert.equal(outcome('{"kind":"event","of":"stop","at":[]}', Open, [Start]), "skipped");
});

test("an object without a variant is the Unknown of the outermost open union", () => {
  assert.equal(chosen(Open, [Event]), "11000");
  assert.equal(chosen(Open, ["Event"]), "11000");
  assert.equal(chosen(Open, ["UnknownOpen"]), "00101");
  assert.equal(chosen(Open, [Open]), "11111");
  assert.equal(chosen(Event, [Event]), "111xx");
  assert.equal(chosen(Closed, [Event]), "11100");
  assert.equal(chosen(Closed, ["UnknownEvent", Group]), "00110");
  assert.equal(chosen(Closed, [Closed]), "11110");
});

test("a union that is not a part of the other stands for its types, even if they share the name of their Unknown", () => {
  assert.equal(chosen(Wide, [Open]), "11010");
  assert.equal(outcome(OTHER, Wide, [Open]), "skipped");
  const alias = t.alias("Alias", () => Event);
  assert.equal(
    chosen(
      t.alias("Reads", () => Open),
      [alias],
    ),
    "11000",
  );
});

test("types that no line can have are wrong use", () => {
  const refused = (only, type = Shape) => {
    const error = thrown(() => new TypedLineDecoder(type, { only }));
    assert.ok(error instanceof TypeError);
    return error.message;
  };
  assert.equal(refused([]), "expected an array of types in `only`");
  assert.equal(refused("Group"), "expected an array of types in `only`");
  assert.equal(refused([Group, Left]), "Shape has no Left");
  assert.equal(refused([Message]), "Shape has no Message");
  assert.equal(refused(["Lef"]), "Shape has no Lef");
  assert.equal(refused(["UnknownEvent"], Open), "Open has no UnknownEvent");
  assert.equal(refused([t.string]), "Shape has no string");
  assert.match(refused([1]), /expected a type of this package/);
  assert.equal(refused([Group], Group), "`only` needs a union to choose from, and Group is none");
  assert.match(refused([Group], define.list(Shape)), /needs a union/);
  assert.throws(() => new TypedReader([], Shape, { only: [Left] }), /Shape has no Left/);
});

test("a line over the limit is reported, whatever it has", () => {
  const long = `{"kind":"x_one","text":"${"a".repeat(99)}"}`;
  const [items, skipped, line] = found(`${OTHER}\n${long}\r\n${OTHER}\n${long}\n`, Shape, [Group], { limit: 50 });
  assert.deepEqual(
    [items, skipped, line],
    [
      [
        [2, "too_long"],
        [4, "too_long"],
      ],
      2,
      4,
    ],
  );
  assert.deepEqual(found(`${OTHER}\r\n`, Shape, [Group], { limit: OTHER.length }), [[], 1, 1]);
});

test("reading goes on after a filtered read that was cancelled", async () => {
  let give = () => {};
  async function* source() {
    yield bytes(`${OTHER}\n${GROUP}\n${OTHER}\n`);
    await new Promise((resolve) => (give = resolve));
    yield bytes(`${OTHER}\n${GROUP}\n`);
  }
  const reader = new TypedReader(source(), Shape, { only: [Group] });
  assert.deepEqual((await reader.next()).value, JSON.parse(GROUP));
  await assert.rejects(reader.next({ signal: AbortSignal.timeout(10) }));
  assert.deepEqual([reader.skipped, reader.line], [2, 3]);
  give();
  assert.deepEqual((await reader.next()).value, JSON.parse(GROUP));
  assert.deepEqual([reader.skipped, reader.line, (await reader.next()).done], [3, 5, true]);
});
