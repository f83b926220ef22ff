/** Reading only some types of a union: lines of others are skipped without decoding them, and mostly without parsing. */

import { checkType, decodeParsed, runOf, targetOf } from "./codec.js";
import { selected, textsOf, wayOf } from "./engine.js";
import { DecodeError } from "./errors.js";
import { Type } from "./run.js";
import { checkDepth, checkDigits, parsed, stringOf } from "./text.js";

/** @typedef {ReturnType<typeof wayOf>} Way */
/** @typedef {Type | string} Kind What an object can be: a struct, or an Unknown by its name. */
/** @typedef {{ readonly strict?: boolean | undefined, readonly only?: unknown }} Options */

/** Characters that JSON can write in another way than by `\u`. */
const ESCAPED = /["\\/\0-\x1f]/; // eslint-disable-line no-control-regex

/** Decodes the lines of some types of a union. */
export class Filter {
  #union;
  #options;
  #wanted;
  /** A line without any of these texts, and without an escape that can spell one, is skipped unread; null if no line is. */
  #tags;
  /** @type {Search[]} For these texts, and for escapes. */
  #searches = [];

  /**
   * @param {Type} type
   * @param {Options} options
   */
  constructor(type, options) {
    const { only } = options;
    const union = targetOf(type);
    if (!union.isUnion) throw new TypeError(`\`only\` needs a union to choose from, and ${type.name} is none`);
    if (!Array.isArray(only) || only.length === 0) throw new TypeError("expected an array of types in `only`");
    const reached = new Reached(wayOf(union));
    this.#union = union;
    this.#options = options;
    this.#wanted = new Set(only.flatMap((each) => kindsOf(each, reached, union)));
    this.#tags = tagsOf(wayOf(union), this.#wanted);
    if (this.#tags !== null) this.#searches = [textFinder(this.#tags), findEscape].map((find) => new Search(find));
  }

  /**
   * Looks for lines that are skipped unread, from an offset of a chunk on where a line begins. Returns their number, the
   * offset after them, and that of the next newline, -1 if it is not known. All of these may be too low.
   *
   * @type {(chunk: Uint8Array, start: number, limit: number) => { lines: number, end: number, newline: number }}
   */
  pass(chunk, start, limit) {
    let lines = 0;
    let end = start;
    if (this.#tags === null) return { lines, end, newline: -1 };
    const read = Math.min(...this.#searches.map((search) => search.next(chunk, start)));
    let newline = chunk.indexOf(0x0a, end);
    while (newline >= 0 && newline < read && newline - end <= limit && chunk[end] === 0x7b) {
      lines += 1;
      end = newline + 1;
      newline = chunk.indexOf(0x0a, end);
    }
    return { lines, end, newline };
  }

  /** To be called before the next chunk. */
  leave() {
    for (const search of this.#searches) search.leave();
  }

  /**
   * The value of a line; undefined if the line is skipped.
   *
   * @param {Uint8Array} line
   */
  decode(line) {
    const text = this.#textOf(line);
    if (text === null) return undefined;
    const value = parsed(text);
    const run = runOf(this.#options);
    const struct = selected(this.#union, value, run);
    const { doubt, unknown } = run;
    // In doubt, decoding decides between the struct and the Unknown.
    const isSkipped =
      struct !== undefined && !this.#wants(struct, unknown) && (doubt == null || !this.#wants(null, unknown));
    if (isSkipped) {
      checkDepth(text);
      checkDigits(text);
      return undefined;
    }
    const whole = runOf(this.#options);
    const item = decodeParsed(text, value, this.#union, whole);
    return this.#wants(whole.variant, unknown) ? item : undefined;
  }

  /** @type {(struct: Type | null, unknown: string | false) => boolean} */
  #wants(struct, unknown) {
    return this.#wanted.has(struct ?? /** @type {string} */ (unknown));
  }

  /**
   * The text of a line; null if the line is skipped unread.
   *
   * @param {Uint8Array} line
   */
  #textOf(line) {
    try {
      const text = stringOf(line);
      return this.#isRead(text) ? text : null;
    } catch (error) {
      if (!(error instanceof DecodeError) || this.#isRead(new TextDecoder().decode(line))) throw error;
      return null;
    }
  }

  /** @param {string} text */
  #isRead(text) {
    return this.#tags === null || text.includes("\\u") || this.#tags.some((tag) => text.includes(tag));
  }
}

/**
 * Remembers the next occurrence in a chunk of what a function finds: the first one from an offset on, Infinity if there is
 * none.
 */
class Search {
  #find;
  #at = -1;

  /** @param {(chunk: Uint8Array, from: number) => number} find */
  constructor(find) {
    this.#find = find;
  }

  /**
   * The next occurrence from an offset on, which is not lower than the one before in this chunk.
   *
   * @type {(chunk: Uint8Array, from: number) => number}
   */
  next(chunk, from) {
    if (this.#at < from) this.#at = this.#find(chunk, from);
    return this.#at;
  }

  /** To be called before the next chunk. */
  leave() {
    this.#at = -1;
  }
}

/** The number of values to which pairs of bytes are hashed. */
const HASHES = 4096;

/**
 * Finds any of some texts of at least two bytes. Each of them has one of the pairs of bytes that are looked at, which are
 * as far apart as the shortest text allows.
 *
 * @type {(texts: readonly string[]) => (chunk: Uint8Array, from: number) => number}
 */
function textFinder(texts) {
  const all = texts.map((text) => new TextEncoder().encode(text));
  const step = Math.min(...all.map(({ length }) => length)) - 1;
  const pairs = new Uint8Array(HASHES);
  for (const text of all) for (let i = 1; i < text.length; i += 1) pairs[hashAt(text, i - 1)] = 1;
  return (chunk, from) => {
    const last = chunk.length - 2;
    for (let i = from + step - 1; i <= last; i += step) {
      if (pairs[hashAt(chunk, i)] === 1) {
        let start = Infinity;
        for (const text of all) start = Math.min(start, startAround(chunk, i, text));
        if (start < Infinity) return start;
      }
    }
    return Infinity;
  };
}

/** @type {(bytes: Uint8Array, at: number) => number} */
function hashAt(bytes, at) {
  return (((bytes[at] ?? 0) << 4) ^ (bytes[at + 1] ?? 0)) % HASHES;
}

/**
 * Where the first occurrence of a text begins of those that contain a pair of bytes; Infinity if there is none.
 *
 * @type {(chunk: Uint8Array, pair: number, text: Uint8Array) => number}
 */
function startAround(chunk, pair, text) {
  for (let start = pair + 2 - text.length; start <= pair; start += 1) {
    let i = 0;
    while (i < text.length && chunk[start + i] === text[i]) i += 1;
    if (i === text.length) return start;
  }
  return Infinity;
}

/**
 * Finds an escape such as `\u0041`.
 *
 * @type {(chunk: Uint8Array, from: number) => number}
 */
function findEscape(chunk, from) {
  for (let at = from; ; at += 1) {
    if (chunk[at] !== 0x5c) at = chunk.indexOf(0x5c, at); // a call for each byte of many backslashes would be slow
    if (at < 0) return Infinity;
    if (chunk[at + 1] === 0x75) return at;
  }
}

/** What the objects on a way can be. */
class Reached {
  /** @type {Set<Kind>} */
  kinds = new Set();
  /** The steps, and whether an object that leads no further is an Unknown of that union, not of one before it. */
  steps = /** @type {Map<Way, boolean>} */ (new Map());

  /**
   * @param {Way} way
   * @param {string | false} [before] The Unknown of the first open union before the way.
   */
  constructor(way, before = false) {
    this.#add(way, before);
  }

  /** @type {(way: Way, before: string | false) => void} */
  #add(way, before) {
    if (way.struct !== null) {
      this.kinds.add(way.struct);
      return;
    }
    const unknown = before || way.open;
    if (unknown) this.kinds.add(unknown);
    this.steps.set(way, before === false);
    for (const { way: next } of textsOf(way)) this.#add(next, unknown);
    for (const next of besideTexts(way)) this.#add(next, unknown);
    for (const [, struct] of way.others) this.kinds.add(struct);
  }

  /**
   * A type by its name: a struct, a union that is a step, or an Unknown.
   *
   * @param {string} name
   */
  named(name) {
    if (this.kinds.has(name)) return name;
    const unions = [...this.steps.keys()].map(({ union }) => union);
    return [...this.kinds, ...unions].find((each) => each instanceof Type && each.name === name);
  }
}

/**
 * The next steps for objects without a text that the discriminator is declared to have.
 *
 * @type {(way: Way) => Way[]}
 */
function besideTexts({ choices, flags, integers, prefixes, absent }) {
  const values = [...flags, ...integers].map(({ way }) => way);
  return [...choices, ...values, ...prefixes.map(([, way]) => way), ...(absent === null ? [] : [absent])];
}

/**
 * What a wanted type, or the name of one, stands for.
 *
 * @type {(wanted: unknown, reached: Reached, union: Type) => Kind[]}
 */
function kindsOf(wanted, reached, union) {
  const found = typeof wanted === "string" ? (reached.named(wanted) ?? wanted) : wanted;
  if (typeof found !== "string") checkType(found);
  const type = typeof found === "string" ? found : targetOf(found);
  const kinds = type instanceof Type && type.isUnion ? kindsOfUnion(wayOf(type), reached) : [type];
  if (kinds.every((kind) => reached.kinds.has(kind))) return kinds;
  throw new TypeError(`${union.name} has no ${typeof found === "string" ? found : found.name}`);
}

/**
 * The structs of a union and, if an object without a variant is an Unknown of that union and not of one around it, its
 * Unknown.
 *
 * @type {(way: Way, reached: Reached) => Kind[]}
 */
function kindsOfUnion(way, reached) {
  const kinds = [...new Reached(way).kinds];
  return reached.steps.get(way) === true ? kinds : kinds.filter((kind) => kind instanceof Type);
}

/**
 * Texts of which the line of a wanted type has at least one unless escapes spell it: the tags of the outermost union. Null
 * if an object can have a wanted type without such a tag, or if it can be spelled in another way.
 *
 * @type {(way: Way, wanted: ReadonlySet<Kind>) => string[] | null}
 */
function tagsOf(way, wanted) {
  const has = (/** @type {Way} */ next) => [...new Reached(next, way.open).kinds].some((kind) => wanted.has(kind));
  const isBeside = besideTexts(way).some(has) || way.others.some(([, struct]) => wanted.has(struct));
  if (way.struct !== null || isBeside || wanted.has(/** @type {string} */ (way.open))) return null;
  const tags = textsOf(way).flatMap((each) => (has(each.way) ? [String(each.value)] : []));
  return tags.some((tag) => ESCAPED.test(tag)) ? null : tags.map((tag) => `"${tag}"`);
}
