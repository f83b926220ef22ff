/**
 * Conversion between bytes, lines and values. A line that does not decode becomes a `BadLine`.
 */

import { checkType, decode, encode, isOptions } from "./codec.js";
import { DecodeError, isMarked } from "./errors.js";
import { Filter } from "./filter.js";
import { frame, Framing } from "./framing.js";
import { described } from "./values.js";

/** @typedef {import("./run.js").Type} Type */
/**
 * @typedef {{ readonly strict?: boolean | undefined, readonly limit?: number | undefined,
 *   readonly signal?: AbortSignal | undefined, readonly only?: unknown }} Options
 */
/** @typedef {import("./index.js").ByteSource | Iterable<Uint8Array>} Source */
/** @typedef {import("./index.js").ByteSink} Sink */
/** @typedef {{ done: boolean, value?: any }} Step */

/** The default limit on the length of a line, in bytes without its end. */
const LIMIT = 64 * 1024 * 1024;

/** A line that does not decode: its number (from 1), its bytes without the line end, and the error. */
export class BadLine {
  get [Symbol.for("polywire_runtime.BadLine")]() {
    return true;
  }

  /** @param {unknown} value */
  static [Symbol.hasInstance](value) {
    return isMarked(value, "BadLine");
  }

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

/**
 * Converts bytes in chunks of any size to a value or a BadLine for each line that is neither blank nor of a type that is
 * not wanted. Items are decoded when requested; the rest of a chunk is kept.
 */
export class TypedLineDecoder {
  #type;
  #options;
  /** Splits the stream into messages. */
  #messages;
  #length = 0;
  #skipped = 0;
  /** Decodes the wanted types; null if all are wanted. @type {Filter | null} */
  #filter = null;

  /**
   * @param {Type} type
   * @param {Options} [options]
   */
  constructor(type, options) {
    checkType(type);
    this.#type = type;
    this.#options = options;
    if (options?.only !== undefined) this.#filter = new Filter(type, options);
    this.#messages = new Framing(options?.limit ?? LIMIT, this.#filter);
  }

  /** The number of the last completed line, counting blank lines. */
  get line() {
    return this.#messages.line;
  }

  /** The length of the part of that line that was kept. */
  get length() {
    return this.#length;
  }

  /** The number of lines that were skipped because their types are not wanted. */
  get skipped() {
    return this.#skipped + this.#messages.skipped;
  }

  /** Whether nothing more can be read, because the stream does not show where the next message begins. */
  get closed() {
    return this.#messages.closed;
  }

  /**
   * Add bytes, which are copied; returns the items that they complete, after earlier items that were not taken.
   *
   * @param {ArrayBufferView} chunk
   */
  feed(chunk) {
    if (!ArrayBuffer.isView(chunk)) throw new TypeError("expected bytes (Uint8Array), for a text may cut a character");
    if (this.#messages.ended) throw new TypeError("the stream has ended");
    if (!this.closed) this.#messages.feed(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength).slice());
    return this.#items();
  }

  /** End the stream; returns the remaining items. A last line without a line end is decoded as well. */
  finish() {
    this.#messages.ended = true;
    return this.#items();
  }

  /** The next item; undefined if more bytes are needed. */
  next() {
    while (this.#messages.next()) {
      const item = this.#item();
      if (item !== undefined) return item;
    }
    return undefined;
  }

  /** @returns {IterableIterator<any>} */
  #items() {
    const next = () => {
      const value = this.next();
      return value === undefined ? { done: /** @type {const} */ (true), value } : { done: false, value };
    };
    return { next, [Symbol.iterator]: () => this.#items() };
  }

  /** The item of the last message; undefined if that is blank or skipped. */
  #item() {
    const { raw, fault, line } = this.#messages;
    this.#length = raw.length;
    if (fault !== null) return new BadLine(line, raw.slice(), fault);
    return raw.every(isBlank) ? undefined : this.#decoded(raw);
  }

  /** @param {Uint8Array} raw */
  #decoded(raw) {
    try {
      if (this.#filter === null) return decode(raw, this.#type, this.#options);
      const item = this.#filter.decode(raw);
      if (item === undefined) this.#skipped += 1;
      return item;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      return new BadLine(this.line, raw.slice(), error);
    }
  }
}

/**
 * A space, a tab, a carriage return or a line feed.
 *
 * @param {number} byte
 */
const isBlank = (byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;

// --- reading -------------------------------------------------------------------------------------------------------

/**
 * Reads the items of a source. After a read was cancelled, a loop was left or the source had a temporary error, the
 * next read continues where the last one stopped.
 */
export class TypedReader {
  #source;
  #lines;
  #signal;
  /** The pending read of the source. @type {Promise<Step> | null} */
  #reading = null;
  /** The last call of `next`, whether or not it has settled. @type {Promise<unknown>} */
  #last = Promise.resolve();
  #ended = false;
  /** Settles everything that waits for the source when the reader is closed. @type {() => void} */
  #stop = () => {};

  /**
   * @param {Source} source
   * @param {Type} type
   * @param {Options} [options]
   */
  constructor(source, type, options) {
    this.#source = chunksOf(source);
    this.#lines = new TypedLineDecoder(type, options);
    this.#signal = options?.signal;
  }

  /** The number of the last completed line, counting blank lines. */
  get line() {
    return this.#lines.line;
  }

  /** The length of the part of that line that was kept. */
  get length() {
    return this.#lines.length;
  }

  /** The number of lines that were skipped because their types are not wanted. */
  get skipped() {
    return this.#lines.skipped;
  }

  /**
   * The next item. Calls are served in order.
   *
   * @param {{ readonly signal?: AbortSignal | undefined }} [options] The signal cancels this call; nothing is lost.
   * @returns {Promise<IteratorResult<any, undefined>>}
   */
  next(options) {
    const call = this.#last.then(() => this.#next([this.#signal, options?.signal]));
    this.#last = call.catch(() => {});
    return call;
  }

  /** @param {readonly (AbortSignal | undefined)[]} signals */
  async #next(signals) {
    for (;;) {
      for (const signal of signals) if (signal?.aborted) throw signal.reason;
      const value = this.#ended ? undefined : this.#lines.next();
      if (value !== undefined) return { done: /** @type {const} */ (false), value };
      if (this.#ended || this.#lines.closed) return { done: /** @type {const} */ (true), value: undefined };
      const step = await this.#step(signals);
      if (!step.done) {
        this.#lines.feed(step.value);
        continue;
      }
      this.#lines.finish();
      const last = this.#lines.next();
      this.#ended = true;
      if (last !== undefined) return { done: /** @type {const} */ (false), value: last };
    }
  }

  /**
   * The next chunk, unless a signal comes first; in that case the pending read of the source is kept for the next call.
   *
   * @param {readonly (AbortSignal | undefined)[]} signals
   * @returns {Promise<Step>}
   */
  #step(signals) {
    const reading = (this.#reading ??= this.#source.next());
    /** @type {(() => void)[]} */
    const listening = [];
    /** @type {Promise<Step>} */
    const step = new Promise((resolve, reject) => {
      const taken = (/** @type {() => void} */ settle) => {
        this.#reading = null;
        settle();
      };
      let waits = true;
      const stop = (/** @type {() => void} */ settle) => {
        waits = false;
        settle();
      };
      this.#stop = () => stop(() => resolve({ done: true }));
      for (const signal of signals) {
        if (signal === undefined) continue;
        const abort = () => stop(() => reject(signal.reason));
        signal.addEventListener("abort", abort, { once: true });
        listening.push(() => signal.removeEventListener("abort", abort));
      }
      reading.then(
        (value) => waits && taken(() => resolve(value)),
        (error) => waits && taken(() => reject(error)),
      );
    });
    return step.finally(() => listening.forEach((stop) => stop()));
  }

  /** Whether nothing more can be read, because the stream does not show where the next message begins. */
  get closed() {
    return this.#lines.closed;
  }

  /** Read the rest of the source without using it, so that whoever writes it does not wait. */
  async discard() {
    while (!(await this.#step([])).done);
  }

  /** Close the reader and its source. Pending reads end without an item. */
  async close() {
    this.#ended = true;
    this.#stop();
    await this.#source.close(this.#reading !== null);
  }

  /** The remaining items. Leaving a loop over them leaves the reader open. */
  [Symbol.asyncIterator]() {
    return { next: () => this.next() };
  }
}

/**
 * The chunks of a source, one at a time.
 *
 * @param {Source} source
 * @returns {{ next: () => Promise<Step>, close: (waits: boolean) => Promise<void> }}
 */
function chunksOf(source) {
  const has = (/** @type {PropertyKey} */ key) => typeof source === "object" && source !== null && key in source;
  if (!["getReader", Symbol.asyncIterator, Symbol.iterator].some(has)) {
    const instead = { Blob: ": pass its `stream()`", Response: ": pass its `body`", Request: ": pass its `body`" };
    const got = has("constructor") ? Object.prototype.toString.call(source).slice(8, -1) : described(source);
    const hint = Object.hasOwn(instead, got) ? instead[/** @type {keyof instead} */ (got)] : "";
    throw new TypeError(`expected a Node stream, a web stream or an iterable of bytes, got ${got}${hint}`);
  }
  if ("getReader" in source) return webChunks(source);
  const open = /** @type {any} */ (source);
  const chunks = Symbol.asyncIterator in source ? open[Symbol.asyncIterator]() : open[Symbol.iterator]();
  return {
    next: async () => chunks.next(),
    async close(waits) {
      const closed = chunks.return?.();
      if (!waits) await closed;
      else if (typeof open.destroy === "function") open.destroy();
      // a waiting generator ends when it continues
      if (waits) Promise.resolve(closed).catch(() => {});
    },
  };
}

/**
 * The chunks of a web stream. Its lock is released at its end, or when it fails.
 *
 * @param {Extract<Source, { getReader: unknown }>} stream
 */
function webChunks(stream) {
  const reader = stream.getReader();
  return {
    async next() {
      try {
        const step = await reader.read();
        if (step.done) reader.releaseLock();
        return step;
      } catch (error) {
        reader.releaseLock();
        throw error;
      }
    },
    async close() {
      try {
        await reader.cancel();
      } finally {
        reader.releaseLock();
      }
    },
  };
}

/**
 * The items of a source as they arrive. Leaving the loop, or aborting, closes the source.
 *
 * @param {Source} source
 * @param {Type} type
 * @param {Options} [options]
 * @returns {AsyncIterableIterator<any>}
 */
export function read(source, type, options) {
  const reader = new TypedReader(source, type, options);
  /** @type {AsyncIterableIterator<any>} */
  const items = {
    async next() {
      try {
        const step = await reader.next();
        if (step.done && reader.closed) await reader.close(); // the source goes on
        return step;
      } catch (error) {
        await reader.close().catch(() => {});
        throw error;
      }
    },
    async return() {
      await reader.close();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => items,
  };
  return items;
}

/**
 * A transform of bytes into values and BadLines.
 *
 * @param {Type} type
 * @param {Options} [options]
 */
export function decodeStream(type, options) {
  const lines = new TypedLineDecoder(type, options);
  /** @type {(items: Iterable<any>, controller: TransformStreamDefaultController) => void} */
  const pass = (items, controller) => {
    for (const item of items) controller.enqueue(item);
  };
  return new TransformStream({
    transform: (chunk, controller) => {
      pass(lines.feed(chunk), controller);
      if (lines.closed) controller.terminate();
    },
    flush: (controller) => pass(lines.finish(), controller),
  });
}

// --- writing -------------------------------------------------------------------------------------------------------

/** Writes values as whole lines, one after another. */
export class TypedWriter {
  #type;
  #sink;
  /** @type {Promise<unknown>} */
  #last = Promise.resolve();

  /**
   * @param {Sink} sink
   * @param {Type} type
   */
  constructor(sink, type) {
    checkType(type);
    this.#type = type;
    const has = (/** @type {string} */ key) => typeof sink === "object" && sink !== null && key in sink;
    if (!has("getWriter") && !has("write")) {
      throw new TypeError(`expected a Node stream or a web stream to write to, got ${described(sink)}`);
    }
    this.#sink = "getWriter" in sink ? webSink(sink) : nodeSink(sink);
  }

  /**
   * Write a value as a line. An invalid value is reported immediately, and nothing of it is written.
   *
   * @param {unknown} value
   * @returns {Promise<void>} Resolves when the sink has accepted the line.
   */
  write(value) {
    return this.writeLine(encode(value, this.#type));
  }

  /**
   * Write a value that is encoded already, such as a line of a session.
   *
   * @param {string} line
   * @returns {Promise<void>}
   */
  writeLine(line) {
    const written = this.#last.then(() => this.#sink.write(frame(line)));
    this.#last = written.catch(() => {});
    return written;
  }

  /** End the sink when everything is written. */
  close() {
    const closed = this.#last.then(() => this.#sink.close());
    this.#last = closed.catch(() => {});
    return closed;
  }
}

/** @param {Extract<Sink, { getWriter: unknown }>} stream */
function webSink(stream) {
  const writer = stream.getWriter();
  const encoder = new TextEncoder();
  return {
    /** @param {string} line */
    async write(line) {
      await writer.ready;
      await writer.write(encoder.encode(line));
    },
    close: async () => void (await writer.close()),
  };
}

/** @param {Extract<Sink, { end: unknown }>} stream */
function nodeSink(stream) {
  /** @type {(act: (done: (error?: Error | null) => void) => void) => Promise<void>} */
  const settled = (act) =>
    new Promise((resolve, reject) =>
      act((error) => (error === undefined || error === null ? resolve() : reject(error))),
    );
  return {
    write: (/** @type {string} */ line) => settled((done) => stream.write(line, done)),
    close: () => settled((done) => stream.end(done)),
  };
}

// --- with a root ---------------------------------------------------------------------------------------------------

/**
 * The classes and functions above with the root as the default type.
 *
 * @param {Type} root
 */
export function lineDecoderOf(root) {
  return class LineDecoder extends TypedLineDecoder {
    /**
     * @param {any} [type]
     * @param {Options} [options]
     */
    constructor(type, options) {
      if (isOptions(type)) super(root, type ?? options);
      else super(type, options);
    }
  };
}

/** @param {Type} root */
export function readerOf(root) {
  return class Reader extends TypedReader {
    /**
     * @param {Source} source
     * @param {any} [type]
     * @param {Options} [options]
     */
    constructor(source, type, options) {
      if (isOptions(type)) super(source, root, type ?? options);
      else super(source, type, options);
    }
  };
}

/** @param {Type} root */
export function writerOf(root) {
  return class Writer extends TypedWriter {
    /**
     * @param {Sink} sink
     * @param {Type} [type]
     */
    constructor(sink, type = root) {
      super(sink, type);
    }
  };
}

/** @param {Type} root */
export function decodeStreamOf(root) {
  return (/** @type {any} */ type, /** @type {Options} */ options) =>
    isOptions(type) ? decodeStream(root, type ?? options) : decodeStream(type, options);
}
