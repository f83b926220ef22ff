/**
 * The framing `sse`: event streams, in which the `data` lines of an event are the lines of a message. Lines end with a
 * carriage return, a line feed, or both. Other fields and comments are ignored.
 */

import { joined, Splitter } from "./splitter.js";

const BOM = [0xef, 0xbb, 0xbf];
const DATA = [...new TextEncoder().encode("data")];
const LINE_FEED = Uint8Array.of(0x0a);

/** The number of bytes of a line that show what it is: a byte order mark, `data:` and a space. */
const DECIDING = 9;

/**
 * A message as it is written to a stream.
 *
 * @param {string} message
 */
export const frame = (message) => `data: ${message}\n\n`;

/** Splits bytes into the data of events. */
export class Framing extends Splitter {
  /** The beginning of a line that does not show yet what it is. @type {Uint8Array} */
  #begun = new Uint8Array(0);
  /** Whether the current line is one of the message; null if that is not known. @type {boolean | null} */
  #isData = null;
  /** Whether the event has such a line. */
  #hasData = false;
  /** Whether a carriage return ended the last line, so that a line feed would belong to it. */
  #afterReturn = false;
  /** Whether the current line is the first one of the stream. */
  #isFirst = true;

  /** Split off the data of the next event; false if its end has not arrived. */
  next() {
    for (;;) {
      const { chunk } = this;
      if (chunk === undefined) {
        if (!this.ended) return false;
        if (this.#begun.length > 0 || this.#isData !== null) this.#endLine();
        return this.#endEvent();
      }
      if (this.start === chunk.length) this.leave();
      else if (this.#afterReturn && chunk[this.start] === 0x0a) this.#passLineFeed();
      else if (this.#read(chunk)) return true;
    }
  }

  #passLineFeed() {
    this.#afterReturn = false;
    this.start += 1;
  }

  /**
   * Read what the chunk has of a line; true if that ends an event with data.
   *
   * @param {Uint8Array} chunk
   */
  #read(chunk) {
    this.#afterReturn = false;
    let end = this.start;
    while (end < chunk.length && chunk[end] !== 0x0a && chunk[end] !== 0x0d) end += 1;
    this.#readPart(chunk.subarray(this.start, end));
    this.start = end;
    if (end === chunk.length) return false;
    this.#afterReturn = chunk[end] === 0x0d;
    this.start += 1;
    return this.#endLine() && this.#endEvent();
  }

  /** @param {Uint8Array} part */
  #readPart(part) {
    if (this.#isData === true) this.take(part);
    if (this.#isData !== null) return;
    this.#begun = joined(this.#begun, part);
    if (this.#begun.length >= DECIDING) this.#decide();
  }

  /** Decide what the current line is, and take what it has of the message. */
  #decide() {
    const line = withoutMark(this.#begun, this.#isFirst);
    this.#begun = new Uint8Array(0);
    this.#isData = DATA.every((byte, at) => line[at] === byte) && (line.length === 4 || line[4] === 0x3a);
    if (!this.#isData) return;
    if (this.#hasData) this.take(LINE_FEED);
    this.#hasData = true;
    this.take(line.subarray(line[5] === 0x20 ? 6 : 5));
  }

  /** End the current line; true if it is empty. */
  #endLine() {
    const isEmpty = this.#isData === null && withoutMark(this.#begun, this.#isFirst).length === 0;
    if (this.#isData === null && !isEmpty) this.#decide();
    this.#begun = new Uint8Array(0);
    this.#isData = null;
    this.#isFirst = false;
    return isEmpty;
  }

  /** End the current event; true if it has data. */
  #endEvent() {
    if (!this.#hasData) return false;
    this.#hasData = false;
    const { size } = this;
    return this.complete(this.taken(), size);
  }
}

/** @type {(line: Uint8Array, isFirst: boolean) => Uint8Array} */
const withoutMark = (line, isFirst) =>
  isFirst && BOM.every((byte, at) => line[at] === byte) ? line.subarray(3) : line;
