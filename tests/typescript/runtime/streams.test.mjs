import assert from "node:assert/strict";
import { createReadStream } from "node:fs";
import { PassThrough, Readable, Writable } from "node:stream";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { agent, captured, thrown } from "./package.mjs";

const { BadLine, decode, decodeStream, LineDecoder, read, Reader, Writer } = agent;

const CAPTURE = fileURLToPath(new URL("../../captures/0.2.37/partial_thinking_tool.out.ndjson", import.meta.url));
const line = JSON.stringify;
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
  const items = [...decoder.feed(bytes(`${KEEP}\r\n\n{"type":1}\n\xff\n${KEEP}`))];
  assert.deepEqual(items[0], { type: "keep_alive" });
  assert.equal(items[1] instanceof BadLine, true);
  assert.equal(items[1].line, 3);
  assert.deepEqual(items[1].raw, bytes('{"type":1}'));
  assert.equal(items[1].error.code, "wrong_type");
  assert.equal(items[1].error.path, "/type");
  assert.equal(items[2].line, 4);
  assert.equal(items.length, 3);
  assert.deepEqual([...decoder.finish()], [{ type: "keep_alive" }]);
  assert.deepEqual([...decoder.finish()], []);
});

test("memory that the caller uses again does not change what was fed", () => {
  const decoder = new LineDecoder();
  const chunk = bytes('{"type":"keep');
  decoder.feed(chunk);
  chunk.fill(0x20);
  assert.deepEqual([...decoder.feed(bytes('_alive"}\n'))], [{ type: "keep_alive" }]);
  const bad = Buffer.from("bad\n");
  const [item] = decoder.feed(bad);
  bad.fill(0x20);
  assert.deepEqual(item.raw, bytes("bad"));
});

test("a line over the limit is skipped to its end, and its beginning kept", () => {
  const decoder = new LineDecoder(agent.WireMessage, { limit: 2000 });
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
  const decoder = new LineDecoder(agent.SDKControlRequestInner, { strict: true });
  const items = [...decoder.feed(bytes('{"subtype":"interrupt"}\n{"subtype":"new"}\n'))];
  assert.deepEqual(
    [...new LineDecoder({ strict: true }).feed(bytes('{"type":"new"}\n'))][0].error.code,
    "unknown_variant",
  );
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
  assert.equal(cancelled, 1);
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

// --- readers that can be resumed
// ---------------------------------------------------------------------------------------

/** Returns a generator of numbers from 0 to below a bound, the same for the same seed. */
function randomly(seed) {
  return (below) => (seed = (seed * 48271) % 2147483647) % below;
}

/** A source of bytes that is controlled from outside: when to yield a chunk, fail, or end. */
function controlled() {
  const [given, waiting] = [[], []];
  let closed = 0;
  const settle = () => {
    while (given.length > 0 && waiting.length > 0) {
      const [act, { resolve, reject }] = [given.shift(), waiting.shift()];
      if (act instanceof Error) reject(act);
      else resolve(act);
    }
  };
  const put = (act) => (given.push(act), settle());
  const source = {
    [Symbol.asyncIterator]: () => source,
    next: () => new Promise((resolve, reject) => (waiting.push({ resolve, reject }), settle())),
    return: () => ((closed += 1), Promise.resolve({ done: true })),
  };
  return {
    source,
    give: (value) => put({ done: false, value }),
    fail: (error) => put(error),
    end: () => put({ done: true }),
    closed: () => closed,
  };
}

const numbered = (at) => ({ type: "keep_alive", at });

test("no line is lost or read twice, however reads are cancelled, loops left, and the source fails", async () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = randomly(seed);
    const { source, give, fail, end, closed } = controlled();
    const reader = new Reader(source);
    const count = 30;
    const text = bytes(Array.from({ length: count }, (_, at) => `${line(numbered(at))}\n`).join(""));
    const chunks = [];
    for (let at = 0; at < text.length;) {
      const size = 1 + random(90);
      chunks.push(text.slice(at, at + size));
      at += size;
    }
    const found = [];
    const more = () => {
      const what = random(6);
      if (what === 0) fail(new Error("passes"));
      else if (chunks.length > 0) give(chunks.shift());
      else end();
    };
    for (let step = 0; step < 5000 && found.length < count; step++) {
      const how = random(4);
      if (how === 0) {
        const abort = new AbortController();
        const next = reader.next({ signal: abort.signal });
        abort.abort(new Error("cancelled"));
        const settled = await next.catch((error) => error);
        if (!(settled instanceof Error)) found.push(settled.value);
        continue;
      }
      more();
      if (how === 1) {
        let left = false;
        const loop = (async () => {
          for await (const item of reader) {
            found.push(item);
            break;
          }
        })();
        const settled = loop.catch((error) => assert.equal(error.message, "passes")).finally(() => (left = true));
        for (; !left; await new Promise((resolve) => setImmediate(resolve))) more();
        await settled;
        continue;
      }
      const timeout = new AbortController();
      const next = reader.next({ signal: timeout.signal });
      setImmediate(() => timeout.abort(new Error("cancelled")));
      const settled = await next.catch((error) => error);
      if (!(settled instanceof Error)) found.push(settled.value);
      else assert.match(settled.message, /passes|cancelled/);
    }
    assert.deepEqual(
      found,
      Array.from({ length: count }, (_, at) => numbered(at)),
      `seed ${seed}`,
    );
    assert.equal(closed(), 0);
  }
});

test("items of a chunk are decoded one at a time, as they are asked for", async () => {
  let decoded = 0;
  const chunk = bytes(`${KEEP}\n`.repeat(200_000));
  const decoder = new LineDecoder();
  for (const item of decoder.feed(chunk)) {
    assert.deepEqual(item, { type: "keep_alive" });
    decoded += 1;
    if (decoded === 3) break;
  }
  assert.equal(decoder.line, 3);
  assert.deepEqual(decoder.next(), { type: "keep_alive" });
  const [fifth, sixth] = decoder.feed(bytes("x\n"));
  assert.deepEqual([fifth, sixth, decoder.line], [{ type: "keep_alive" }, { type: "keep_alive" }, 6]);
});

test("what waits for an item gets none when the loop is closed, and the source is closed too", async () => {
  const { source, closed } = controlled();
  const items = read(source);
  const waiting = items.next();
  await items.return();
  assert.deepEqual(await waiting, { done: true, value: undefined });
  assert.deepEqual(await items.next(), { done: true, value: undefined });
  assert.equal(closed(), 1);
});

test("a stream of Node or of the web is closed while a read of it waits", async () => {
  const pipe = new PassThrough();
  const items = read(pipe);
  const waiting = items.next();
  await new Promise((resolve) => setImmediate(resolve));
  await items.return();
  assert.equal((await waiting).done, true);
  assert.equal(pipe.destroyed, true);
  let cancelled = false;
  const stream = new ReadableStream({ cancel: () => void (cancelled = true) });
  const others = read(stream);
  const other = others.next();
  await others.return();
  assert.equal((await other).done, true);
  assert.equal(cancelled, true);
  assert.equal(stream.locked, false);
});

test("a signal ends the reading and closes the source", async () => {
  const { source, closed } = controlled();
  const abort = new AbortController();
  const items = read(source, { signal: abort.signal });
  const waiting = items.next();
  abort.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
  assert.equal(closed(), 1);
  await assert.rejects(read(controlled().source, { signal: AbortSignal.abort(new Error("before")) }).next(), /before/);
});

test("the lock of a web stream is released when it fails, and when it ends", async () => {
  const failing = new ReadableStream({ pull: (controller) => controller.error(new Error("source")) });
  await assert.rejects(all(read(failing)), /source/);
  assert.equal(failing.locked, false);
  const ending = webStream([bytes(KEEP)]);
  assert.deepEqual(await all(read(ending)), [{ type: "keep_alive" }]);
  assert.equal(ending.locked, false);
});

// --- writing -------------------------------------------------------------------------------------------------------

test("a writer writes whole lines in order, and waits for a sink that is slow", async () => {
  const taken = [];
  const slow = new Writable({
    highWaterMark: 8,
    write: (chunk, _, done) => setImmediate(() => (taken.push(`${chunk}`), done())),
  });
  const writer = new Writer(slow);
  await Promise.all(Array.from({ length: 20 }, (_, at) => writer.write(numbered(at))));
  await writer.writeLine(agent.encode(numbered(20)));
  assert.equal(taken.join(""), Array.from({ length: 21 }, (_, at) => `${line(numbered(at))}\n`).join(""));
  assert.throws(() => writer.write({ type: "assistant" }), agent.EncodeError);
  await writer.close();
  assert.equal(slow.writableFinished, true);
  const bytesOfWeb = [];
  const web = new Writer(new WritableStream({ write: (chunk) => void bytesOfWeb.push(...chunk) }));
  await web.write({ type: "keep_alive" });
  await web.close();
  assert.equal(new TextDecoder().decode(new Uint8Array(bytesOfWeb)), `${KEEP}\n`);
});

test("an error of the sink reaches the caller, and the next line is written all the same", async () => {
  let calls = 0;
  const sink = { write: (_, done) => done((calls += 1) === 1 ? new Error("full") : null), end: (done) => done() };
  const writer = new Writer(sink);
  await assert.rejects(writer.write({ type: "keep_alive" }), /full/);
  await writer.write({ type: "keep_alive" });
  assert.equal(calls, 2);
});
