/**
 * The framing `ndjson`: a line feed ends a message; a carriage return before it is not a part of the message.
 */

import { Splitter } from "./splitter.js";

/**
 * A message as it is written to a stream.
 *
 * @param {string} message
 */
export const frame = (message) => `${message}\n`;

/** Splits bytes into lines. */
export class Framing extends Splitter {
  /** Split off the next line; false if its end has not arrived. */
  next() {
    for (;;) {
      const { chunk } = this;
      if (chunk === undefined) return this.ended && this.size > 0 && this.#completed();
      let end = this.filter !== null && this.size === 0 ? this.#pass(this.filter, chunk) : -1;
      if (end < 0) end = chunk.indexOf(0x0a, this.start);
      this.take(chunk.subarray(this.start, end < 0 ? chunk.length : end));
      this.start = end + 1;
      if (end >= 0) return this.#completed();
      this.leave();
      this.filter?.leave();
    }
  }

  /**
   * Pass lines that are skipped unread; returns the end of the next line, -1 if it is not known.
   *
   * @type {(filter: import("./filter.js").Filter, chunk: Uint8Array) => number}
   */
  #pass(filter, chunk) {
    const { lines, end, newline } = filter.pass(chunk, this.start, this.limit);
    this.line += lines;
    this.skipped += lines;
    this.start = end;
    return newline;
  }

  #completed() {
    const { size } = this;
    const raw = this.taken();
    const hasReturn = size === raw.length && raw[size - 1] === 0x0d;
    return hasReturn ? this.complete(raw.subarray(0, -1), size - 1) : this.complete(raw, size);
  }
}
