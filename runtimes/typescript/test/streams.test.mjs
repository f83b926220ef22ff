import assert from "node:assert/strict";
import { test } from "node:test";

import { BadLine, decodeStream, read, TypedLineDecoder, TypedReader, TypedWriter } from "../src/streams.js";
import { Shape } from "./sample.mjs";

const LINE = '{"kind":"square","name":"→ 😀"}';
const VALUE = JSON.parse(LINE);
const bytes = (text) => new TextEncoder().encode(text);
const decoder = (options) => new TypedLineDecoder(Shape, options);

function decoded(chunks, options) {
  const lines = decoder(options);
  return [...chunks.flatMap((chunk) => [...lines.feed(chunk)]), ...lines.finish()];
}

async function all(items) {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}

test("chunks may be split anywhere", () => {
  const text = bytes(`${LINE}\r\n \t\r\n\n${LINE}\n{"kind":1}\n${LINE}`);
  const expected = decoded([text]);
  assert.deepEqual([expected[0], expected[1], expected[3]], [VALUE, VALUE, VALUE]);
  assert.deepEqual([expected[2].line, expected[2].error.path], [5, "/kind"]);
  for (let size = 1; size < text.length; size++) {
    const chunks = [];
    for (let at = 0; at < text.length; at += size) chunks.push(text.subarray(at, at + size));
    assert.deepEqual(decoded(chunks), expected);
  }
});

test("lines end at a newline only, and one carriage return before it is dropped", () => {
  const [inner] = decoded([bytes('{"kind":"a\u2028\u2029b"}\r\r\n')]);
  assert.equal(inner.kind, "a\u2028\u2029b");
  const [bad] = decoded([bytes("x\r\r\n")]);
  assert.deepEqual(bad.raw, bytes("x\r"));
});

test("a bad line is an item with its number, its bytes and the error", () => {
  const items = decoded([bytes(`\n{"kind":\n`), new Uint8Array([0xff, 0x0a]), bytes(`${LINE}\n`)]);
  assert.deepEqual(
    items.slice(0, 2).map(({ line, raw, error }) => [line, [...raw], error.code]),
    [
      [2, [...bytes('{"kind":')], "invalid_json"],
      [3, [0xff], "invalid_utf8"],
    ],
  );
  assert.equal(items[0] instanceof BadLine, true);
  assert.deepEqual(items[2], VALUE);
});

test("an integer of too many digits makes a bad line", () => {
  const items = decoded([bytes(`{"kind":"square","x":${"1".repeat(4301)}}\n${LINE}\n`)]);
  assert.deepEqual([items[0].error.code, items[0].error.path], ["out_of_range", ""]);
  assert.deepEqual(items[1], VALUE);
});

test("a line over the limit is skipped to its end, and its first 1,024 bytes kept", () => {
  const lines = decoder({ limit: 2000 });
  for (let at = 0; at < 100; at++) assert.deepEqual([...lines.feed(bytes("x".repeat(999)))], []);
  const [long, next] = lines.feed(bytes(`\n${LINE}\n`));
  assert.deepEqual([long.error.code, long.line, long.raw.length], ["too_long", 1, 1024]);
  assert.deepEqual(next, VALUE);
  for (const [size, code] of [
    [40, "invalid_json"],
    [41, "too_long"],
  ]) {
    assert.equal(decoded([bytes("x".repeat(size) + "\r\n")], { limit: 40 })[0].error.code, code);
  }
});

test("a last line without newline counts, once", () => {
  const lines = decoder();
  assert.deepEqual([...lines.feed(bytes(LINE))], []);
  assert.deepEqual([...lines.finish()], [VALUE]);
  assert.deepEqual([...lines.finish()], []);
  assert.equal(lines.line, 1);
});

test("bytes that the caller uses again do not change what was fed", () => {
  const lines = decoder();
  const chunk = bytes(`bad\n${LINE.slice(0, 10)}`);
  const [bad] = lines.feed(chunk);
  chunk.fill(0x20);
  assert.deepEqual(bad.raw, bytes("bad"));
  assert.deepEqual([...lines.feed(bytes(`${LINE.slice(10)}\n`))], [VALUE]);
});

test("a text is refused where bytes are expected, and so is an unknown type", () => {
  assert.throws(() => decoder().feed(LINE), /expected bytes/);
  assert.throws(() => new TypedLineDecoder("Shape"), TypeError);
});

test("streams of the web and iterables are read", async () => {
  const chunks = [bytes(LINE.slice(0, 20)), bytes(`${LINE.slice(20)}\n${LINE}`)];
  const stream = () => ReadableStream.from(chunks);
  assert.deepEqual(await all(read(chunks, Shape)), [VALUE, VALUE]);
  assert.deepEqual(await all(read(stream(), Shape)), [VALUE, VALUE]);
  assert.deepEqual(await all(stream().pipeThrough(decodeStream(Shape))), [VALUE, VALUE]);
});

test("a web stream that cannot be iterated is read, and cancelled when its reader stops early", async () => {
  let cancelled = 0;
  const source = () => {
    const reader = ReadableStream.from([bytes(`${LINE}\n`), bytes(`${LINE}\n`)]).getReader();
    const cancel = () => ((cancelled += 1), reader.cancel());
    return { getReader: () => ({ read: () => reader.read(), releaseLock: () => reader.releaseLock(), cancel }) };
  };
  assert.deepEqual(await all(read(source(), Shape)), [VALUE, VALUE]);
  for await (const item of read(source(), Shape)) {
    assert.deepEqual(item, VALUE);
    break;
  }
  assert.equal(cancelled, 1);
});

test("what is no stream is refused with what to pass instead", () => {
  const refused = {
    null: null,
    undefined: undefined,
    string: "{}",
    Object: {},
    "Blob: pass its `stream()`": new Blob(["{}"]),
    "Response: pass its `body`": new Response("{}"),
    "Request: pass its `body`": new Request("http://localhost"),
  };
  for (const [told, source] of Object.entries(refused)) {
    for (const call of [() => read(source, Shape), () => new TypedReader(source, Shape)]) {
      assert.throws(call, {
        name: "TypeError",
        message: `expected a Node stream, a web stream or an iterable of bytes, got ${told}`,
      });
    }
    if (source instanceof Blob) continue; // in Bun, it has `write`
    assert.throws(
      () => new TypedWriter(source, Shape),
      /^TypeError: expected a Node stream or a web stream to write to, got/,
    );
  }
});

test("whatever a source fails with reaches the reader", async () => {
  for (const fault of [null, undefined, "text", 0, new Error("broken")]) {
    const sources = [
      (async function* () {
        throw fault;
      })(),
      new ReadableStream({ pull: () => Promise.reject(fault) }),
    ];
    for (const source of sources) {
      const told = await new TypedReader(source, Shape).next().then(
        () => "nothing",
        (error) => [error],
      );
      assert.deepEqual(told, [fault]);
    }
  }
});

test("an error of the source reaches the reader", async () => {
  async function* source() {
    yield bytes(`${LINE}\n`);
    throw new Error("pipe");
  }
  await assert.rejects(all(read(source(), Shape)), /pipe/);
});
