import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { agent, captured, thrown } from "./package.mjs";

const { BadLine, decode, decodeStream, LineDecoder, read } = agent;

const CAPTURE = fileURLToPath(new URL("../../captures/0.2.37/partial_thinking_tool.out.ndjson", import.meta.url));
const bytes = (text) => new TextEncoder().encode(text);
const KEEP = '{"type":"keep_alive"}';

async function all(items) {
  const found = [];
  for await (const item of items) found.push(item);
  return found;
}

/** A web stream of chunks. */
function webStream(chunks) {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

test("lines come out the same in whatever portions they go in", () => {
  const lines = captured().slice(0, 60);
  const text = bytes(lines.join("\n") + "\n");
  const expected = lines.map((line) => decode(line));
  for (const size of [1, 7, 1000, 65536, text.length]) {
    const decoder = new LineDecoder();
    const items = [];
    for (let at = 0; at < text.length; at += size) items.push(...decoder.feed(text.subarray(at, at + size)));
    items.push(...decoder.finish());
    assert.deepEqual(items, expected);
    assert.equal(decoder.line, lines.length);
  }
});

test("a bad line comes out in its place and does not end the stream", () => {
  const decoder = new LineDecoder();
  const items = decoder.feed(bytes(`${KEEP}\r\n\n{"type":1}\n\xff\n${KEEP}`));
  assert.deepEqual(items[0], { type: "keep_alive" });
  assert.equal(items[1] instanceof BadLine, true);
  assert.equal(items[1].line, 3);
  assert.deepEqual(items[1].raw, bytes('{"type":1}'));
  assert.equal(items[1].error.code, "wrong_type");
  assert.equal(items[1].error.path, "/type");
  assert.equal(items[2].line, 4);
  assert.equal(items.length, 3);
  assert.deepEqual(decoder.finish(), [{ type: "keep_alive" }]);
  assert.deepEqual(decoder.finish(), []);
});

test("memory that the caller uses again does not change what was fed", () => {
  const decoder = new LineDecoder();
  const chunk = bytes('{"type":"keep');
  decoder.feed(chunk);
  chunk.fill(0x20);
  assert.deepEqual(decoder.feed(bytes('_alive"}\n')), [{ type: "keep_alive" }]);
  const bad = Buffer.from("bad\n");
  const [item] = decoder.feed(bad);
  bad.fill(0x20);
  assert.deepEqual(item.raw, bytes("bad"));
});

test("a line over the limit is skipped to its end, and its beginning kept", () => {
  const decoder = new LineDecoder("WireMessage", { limit: 2000 });
  const items = [];
  for (let at = 0; at < 100; at++) items.push(...decoder.feed(bytes("x".repeat(999))));
  items.push(...decoder.feed(bytes(`\n${KEEP}\n`)));
  assert.equal(items[0].error.code, "too_long");
  assert.deepEqual(items[0].raw, bytes("x".repeat(1024)));
  assert.deepEqual(items[1], { type: "keep_alive" });
});

test("a text is refused where bytes are asked for, and so is a type that does not exist", () => {
  assert.equal(thrown(() => new LineDecoder().feed(KEEP)) instanceof TypeError, true);
  assert.throws(() => new LineDecoder("NoSuchType"), TypeError);
  assert.throws(() => decodeStream("NoSuchType"), TypeError);
});

test("options are those of decode", () => {
  const decoder = new LineDecoder("SDKControlRequestInner", { strict: true });
  const items = decoder.feed(bytes('{"subtype":"interrupt"}\n{"subtype":"new"}\n'));
  assert.deepEqual(items[0], { subtype: "interrupt" });
  assert.equal(items[1].error.code, "unknown_variant");
});

test("streams of Node, of the web, and iterables of chunks are read", async () => {
  const lines = (await all(read(createReadStream(CAPTURE, { highWaterMark: 100 })))).length;
  assert.equal(lines, 7);
  assert.equal((await all(read(Readable.toWeb(createReadStream(CAPTURE))))).length, lines);
  assert.equal((await all(Readable.toWeb(createReadStream(CAPTURE)).pipeThrough(decodeStream()))).length, lines);
  assert.deepEqual(await all(read([bytes(KEEP.slice(0, 5)), bytes(KEEP.slice(5))])), [{ type: "keep_alive" }]);
});

test("a web stream that cannot be iterated is read, and cancelled when the reader stops", async () => {
  let cancelled = 0;
  const stream = {
    getReader: () => {
      const reader = webStream([bytes(`${KEEP}\n${KEEP}\n`), bytes(KEEP)]).getReader();
      return {
        read: () => reader.read(),
        releaseLock: () => reader.releaseLock(),
        cancel: () => ((cancelled += 1), reader.cancel()),
      };
    },
  };
  assert.equal((await all(read(stream))).length, 3);
  for await (const item of read(stream)) {
    assert.deepEqual(item, { type: "keep_alive" });
    break;
  }
  assert.equal(cancelled, 2);
});

test("a message is there as soon as its line is", async () => {
  let more;
  async function* source() {
    yield bytes(`${KEEP}\n{"ty`);
    await new Promise((resolve) => (more = resolve));
    yield bytes('pe":"keep_alive"}\n');
  }
  const items = read(source());
  assert.deepEqual((await items.next()).value, { type: "keep_alive" });
  const second = items.next();
  await new Promise((resolve) => setImmediate(resolve));
  more();
  assert.deepEqual((await second).value, { type: "keep_alive" });
  assert.equal((await items.next()).done, true);
});

test("an error of the source reaches the reader", async () => {
  async function* source() {
    yield bytes(`${KEEP}\n`);
    throw new Error("pipe");
  }
  await assert.rejects(all(read(source())), /pipe/);
});
