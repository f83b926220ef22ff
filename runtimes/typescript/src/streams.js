/** Bytes → lines → values. A line that does not decode becomes a `BadLine` and never ends a stream. */

import { decode, guardOf } from "./codec.js";
import { DecodeError } from "./errors.js";

/** @typedef {import("./codec.js").Protocol} Protocol */
/** @typedef {{ readonly strict?: boolean | undefined, readonly limit?: number | undefined } | undefined} Options */
/** @typedef {import("./index.js").ByteSource | Iterable<Uint8Array>} Source */

/** The default limit of a line, in bytes without its end. */
const LIMIT = 64 * 1024 * 1024;

/** How many bytes of a line over the limit are kept. */
const SHOWN = 1024;

/** A line that does not decode: its number (from 1), its bytes without the line end, and the error. */
export class BadLine {
  /**
   * @param {number} line
   * @param {Uint8Array} raw
   * @param {DecodeError} error
   */
  constructor(line, raw, error) {
    this.line = line;
    this.raw = raw;
    this.error = error;
  }
}

/** Bytes in chunks of any size → a value or a BadLine for each line that is not blank. */
export class LineDecoder {
  /** @type {Protocol} */
  #protocol;
  /** @type {string} */
  #type;
  /** @type {Options} */
  #options;
  /** @type {number} */
  #limit;
  /** @type {Uint8Array[]} */
  #parts = [];
  #size = 0;
  #line = 0;

  /**
   * @param {Protocol} protocol
   * @param {string} type
   * @param {Options} options
   */
  constructor(protocol, type, options) {
    guardOf(protocol, type);
    this.#protocol = protocol;
    this.#type = type;
    this.#options = options;
    this.#limit = options?.limit ?? LIMIT;
  }

  /** The number of the last line that was completed, blank ones included. */
  get line() {
    return this.#line;
  }

  /**
   * Take more bytes; give an item for each line that they complete.
   *
   * @param {ArrayBufferView} chunk
   */
  feed(chunk) {
    if (!ArrayBuffer.isView(chunk)) throw new TypeError("expected bytes (Uint8Array), for a text may cut a character");
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    /** @type {any[]} */
    const items = [];
    let start = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0; end = bytes.indexOf(0x0a, start)) {
      this.#take(bytes.subarray(start, end));
      this.#end(items);
      start = end + 1;
    }
    // a copy, since the caller may use the memory again
    if (start < bytes.length) this.#take(bytes.slice(start));
    return items;
  }

  /** End the stream; give an item if a last line without line end is pending. */
  finish() {
    /** @type {any[]} */
    const items = [];
    if (this.#size > 0) this.#end(items);
    return items;
  }

  /**
   * Add a part of the current line; of one that is certainly too long, only the beginning is kept.
   *
   * @param {Uint8Array} part
   */
  #take(part) {
    const held = this.#size;
    this.#size += part.length;
    if (held <= Math.max(this.#limit + 1, SHOWN)) this.#parts.push(part);
    if (this.#size > this.#limit + 1) this.#parts = [joined(this.#parts).slice(0, SHOWN)];
  }

  /**
   * Complete the current line.
   *
   * @param {any[]} items
   */
  #end(items) {
    this.#line += 1;
    let raw = joined(this.#parts);
    let size = this.#size;
    this.#parts = [];
    this.#size = 0;
    if (size === raw.length && raw[size - 1] === 0x0d) {
      size -= 1;
      raw = raw.subarray(0, size);
    }
    if (size > this.#limit) {
      const error = new DecodeError("too_long", "", `the line is longer than ${this.#limit} bytes`);
      items.push(new BadLine(this.#line, raw.slice(0, SHOWN), error));
    } else if (!raw.every(isBlank)) {
      items.push(this.#decoded(raw));
    }
  }

  /** @param {Uint8Array} raw */
  #decoded(raw) {
    try {
      return decode(this.#protocol, raw, this.#type, this.#options);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      return new BadLine(this.#line, raw.slice(), error);
    }
  }
}

/**
 * A space, a tab or a carriage return.
 *
 * @param {number} byte
 */
const isBlank = (byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d;

/**
 * One array of the bytes of several.
 *
 * @param {readonly Uint8Array[]} parts
 */
function joined(parts) {
  if (parts.length === 1) return parts[0];
  const all = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * A transform of bytes into values and BadLines.
 *
 * @param {Protocol} protocol
 * @param {string} type
 * @param {Options} options
 */
export function decodeStream(protocol, type, options) {
  const lines = new LineDecoder(protocol, type, options);
  /** @type {(items: any[], controller: TransformStreamDefaultController) => void} */
  const pass = (items, controller) => items.forEach((item) => controller.enqueue(item));
  return new TransformStream({
    transform: (chunk, controller) => pass(lines.feed(chunk), controller),
    flush: (controller) => pass(lines.finish(), controller),
  });
}

/**
 * Give the values and BadLines of a stream of bytes as they come.
 *
 * @param {Protocol} protocol
 * @param {Source} source
 * @param {string} type
 * @param {Options} options
 */
export async function* read(protocol, source, type, options) {
  const lines = new LineDecoder(protocol, type, options);
  const chunks = Symbol.asyncIterator in source || Symbol.iterator in source ? source : chunksOf(source);
  for await (const chunk of chunks) yield* lines.feed(chunk);
  yield* lines.finish();
}

/**
 * The chunks of a web stream, for browsers whose streams cannot be iterated.
 *
 * @param {Extract<Source, { getReader: unknown }>} stream
 */
async function* chunksOf(stream) {
  const reader = stream.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      if (next.value !== undefined) yield next.value;
    }
  } finally {
    await reader.cancel();
    reader.releaseLock();
  }
}
