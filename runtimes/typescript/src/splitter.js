/**
 * What the framings share: the bytes of a stream, in chunks of any size, and the message that was split off last.
 */

import { DecodeError } from "./errors.js";

/** @typedef {import("./filter.js").Filter} Filter */

/** The number of bytes that are kept of a message over the limit, and of a malformed header. */
export const SHOWN = 1024;

/** @type {Uint8Array} */
const NOTHING = new Uint8Array(0);

/** The state of a framing. The `Framing` of its module splits off messages with `next`. */
export class Splitter {
  /** The last message; only its beginning if it is over the limit. @type {Uint8Array} */
  raw = NOTHING;
  /** Why it cannot be decoded, if the stream shows that. @type {DecodeError | null} */
  fault = null;
  /** The number of messages so far, with blank ones. */
  line = 0;
  /** The number of messages that were skipped because a filter does not want them. */
  skipped = 0;
  /** Whether nothing follows the chunks. */
  ended = false;
  /** Whether nothing more can be read, because it is unknown where the next message begins. */
  closed = false;
  /** In the chunk to read, the bytes before it are read. */
  start = 0;
  /**
   * The chunks that were fed. Those from `#first` on are unread.
   * @type {Uint8Array[]}
   */
  #chunks = [];
  #first = 0;
  /**
   * The beginning of the current message: a part of a chunk, or a buffer of its own, which may have more room.
   * @type {Uint8Array}
   */
  #held = NOTHING;
  /** The number of bytes of it that are kept. */
  #kept = 0;
  /** The length of the current message so far. */
  size = 0;

  /**
   * @param {number} limit The maximum length of a message in bytes.
   * @param {Filter | null} filter
   */
  constructor(limit, filter) {
    this.limit = limit;
    this.filter = filter;
  }

  /** @param {Uint8Array} chunk */
  feed(chunk) {
    this.#chunks.push(chunk);
  }

  /** The chunk to read; undefined if it has not arrived. */
  get chunk() {
    return this.#chunks[this.#first];
  }

  /** Go to the next chunk. */
  leave() {
    this.#chunks[this.#first] = NOTHING;
    this.#first += 1;
    this.start = 0;
    if (this.#first === this.#chunks.length) this.#chunks.length = this.#first = 0;
  }

  /**
   * Add a part of the current message; only the beginning is kept if the message is known to be too long. The byte after
   * the limit may be a carriage return.
   *
   * @param {Uint8Array} part
   */
  take(part) {
    this.size += part.length;
    const isOver = this.size > this.limit + 1;
    if (this.#kept === 0) {
      this.#held = part;
      this.#kept = part.length;
    } else {
      this.#append(isOver ? part.subarray(0, Math.max(SHOWN - this.#kept, 0)) : part);
    }
    if (isOver && this.#kept > SHOWN) {
      this.#held = this.#held.slice(0, SHOWN);
      this.#kept = SHOWN;
    }
  }

  /** @param {Uint8Array} part */
  #append(part) {
    const kept = this.#kept + part.length;
    if (kept > this.#held.length) {
      const roomy = new Uint8Array(2 * kept);
      roomy.set(this.#held.subarray(0, this.#kept));
      this.#held = roomy;
    }
    this.#held.set(part, this.#kept);
    this.#kept = kept;
  }

  /** The current message, as far as it is kept; what is taken next begins another one. */
  taken() {
    const raw = this.#held.subarray(0, this.#kept);
    this.#held = NOTHING;
    this.#kept = 0;
    this.size = 0;
    return raw;
  }

  /**
   * Complete a message of a length, of which some bytes are kept.
   *
   * @param {Uint8Array} raw
   * @param {number} length
   */
  complete(raw, length) {
    this.line += 1;
    this.raw = length > this.limit ? raw.subarray(0, SHOWN) : raw;
    this.fault = null;
    if (length > this.limit) this.fail("too_long", `the message is longer than ${this.limit} bytes`);
    return true;
  }

  /**
   * Report the last message as a fault.
   *
   * @param {import("./index.js").ErrorCode} code
   * @param {string} message
   */
  fail(code, message) {
    this.fault = new DecodeError(code, "", message);
  }

  /**
   * Report a malformed header as the last message, and drop what follows.
   *
   * @param {Uint8Array} header
   * @param {string} reason
   */
  close(header, reason) {
    this.complete(header.subarray(0, SHOWN), 0);
    this.fail("invalid_json", reason);
    this.closed = true;
    this.#chunks.length = this.#first = 0;
    return true;
  }
}

/**
 * Two arrays of bytes as one.
 *
 * @type {(one: Uint8Array, other: Uint8Array) => Uint8Array}
 */
export function joined(one, other) {
  if (one.length === 0) return other;
  const all = new Uint8Array(one.length + other.length);
  all.set(one);
  all.set(other, one.length);
  return all;
}
