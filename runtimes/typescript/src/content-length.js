/**
 * The framing `content-length`, as in the Language Server Protocol: headers with the length of a message, the message. A
 * malformed header ends the stream, as it is unknown where the next message begins.
 */

import { joined, Splitter } from "./splitter.js";

/** The maximum length of a header section in bytes, with its line ends. */
const HEADER = 4096;

/** A line of a header: its name and its value. */
const LINE = /^([\w-]+):([^]*)$/;

/** The value of `Content-Length`. */
const LENGTH = /^[ \t]*(\d{1,15})[ \t]*$/;

const encoder = new TextEncoder();
const decoder = new TextDecoder("latin1");

/**
 * A message as it is written to a stream.
 *
 * @param {string} message
 */
export const frame = (message) => `Content-Length: ${encoder.encode(message).length}\r\n\r\n${message}`;

/** Splits bytes into headers and messages. */
export class Framing extends Splitter {
  /** The header section so far. @type {Uint8Array} */
  #header = new Uint8Array(0);
  /** Where its last line begins. */
  #begun = 0;
  /** The length that the header states; -1 if it does not yet. */
  #stated = -1;
  /** The number of bytes of the message that have not arrived; -1 in a header. */
  #left = -1;

  /** Split off the next message; false if its end has not arrived. */
  next() {
    while (!this.closed) {
      if (this.#left === 0) return this.#completed();
      const { chunk } = this;
      if (chunk === undefined) return this.ended && this.#endEarly();
      if (this.start === chunk.length) this.leave();
      else if (this.#left > 0) this.#takeFrom(chunk);
      else if (this.#readHeader(chunk)) return true;
    }
    return false;
  }

  /** @param {Uint8Array} chunk */
  #takeFrom(chunk) {
    const part = chunk.subarray(this.start, this.start + this.#left);
    this.take(part);
    this.start += part.length;
    this.#left -= part.length;
  }

  #completed() {
    const length = this.#stated;
    this.#stated = this.#left = -1;
    return this.complete(this.taken(), length);
  }

  /** Report the beginning of a header or a message whose rest is missing. */
  #endEarly() {
    if (this.#left < 0) return this.#header.length > 0 && this.close(this.#header, "the stream ends in a header");
    const reason = `the stream ends after ${this.#stated - this.#left} of ${this.#stated} bytes`;
    this.#completed();
    if (this.fault === null) this.fail("invalid_json", reason);
    return true;
  }

  /**
   * Read what the chunk has of a line of the header; true if that is malformed.
   *
   * @param {Uint8Array} chunk
   */
  #readHeader(chunk) {
    const most = this.start + HEADER - this.#header.length;
    const found = chunk.subarray(0, most).indexOf(0x0a, this.start);
    const end = found < 0 ? Math.min(most, chunk.length) : found;
    const header = joined(this.#header, chunk.subarray(this.start, found < 0 ? end : end + 1));
    if (found < 0 && end < chunk.length) return this.close(header, "the header is too long");
    this.#header = header;
    this.start = found < 0 ? end : end + 1;
    if (found < 0) return false;
    let until = header.length - 1;
    if (until > this.#begun && header[until - 1] === 0x0d) until -= 1;
    const reason = this.#readLine(decoder.decode(header.subarray(this.#begun, until)));
    this.#begun = this.#header.length;
    return reason !== null && this.close(header.subarray(0, until), reason);
  }

  /**
   * Read a line of the header; returns what is wrong with it.
   *
   * @param {string} line
   */
  #readLine(line) {
    if (line === "" && this.#stated >= 0) {
      this.#header = new Uint8Array(0);
      this.#left = this.#stated;
      return null;
    }
    const found = LINE.exec(line);
    if (found === null) return line === "" ? "no Content-Length" : "a line of the header has no name";
    if (found[1].toLowerCase() !== "content-length") return null;
    const length = LENGTH.exec(found[2]);
    if (length === null || this.#stated >= 0) return "Content-Length is no number, or is repeated";
    this.#stated = Number(length[1]);
    return null;
  }
}
