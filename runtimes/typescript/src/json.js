/** Values that are kept unchanged, and the texts of those that `JSON.stringify` would write differently. */

import { FAULT, fail, failBelow, FITS, isPolluted, NOTED, noted, tooDeep, Type, wrongType } from "./run.js";
import { digitsOf, isRaw, isRawNumber, isRecord, MAX_DEPTH, MAX_DIGITS, whole } from "./values.js";

/** @typedef {import("./run.js").Run} Run */
/** @typedef {import("./values.js").JsonObject} JsonObject */

/** Any JSON value. */
export const json = /* @__PURE__ */ new Type("json", "JSON", () => checkJson);

/** Any JSON object. */
export const object = /* @__PURE__ */ new Type("object", "object", () => checkObject);

/** @type {import("./run.js").Check} */
export function checkJson(x, run, depth) {
  switch (typeof x) {
    case "string":
    case "boolean":
      return FITS;
    case "number":
      if (run.defers && (x > Number.MAX_SAFE_INTEGER || x < Number.MIN_SAFE_INTEGER)) {
        run.deferred = true;
        return FITS;
      }
      return checkDouble(x, run);
    case "object":
      if (x === null) return FITS;
      return Array.isArray(x) ? checkArray(x, run, depth) : checkMembers(x, run, depth, "JSON");
    default:
      return wrongType(run, "JSON", x);
  }
}

/** @type {(x: number, run: Run) => number} */
export function checkDouble(x, run) {
  if (x - x !== 0) return fail(run, "out_of_range", "expected a finite number, got one that overflows a double");
  return run.writes && Object.is(x, -0) ? noted(run, "-0") : FITS;
}

/**
 * The raw JSON of a number that is kept unchanged: an integer of any size, or a double.
 *
 * @type {(x: import("./values.js").Raw, run: Run) => number}
 */
function checkRaw({ rawJSON }, run) {
  const digits = digitsOf(rawJSON);
  if (digits <= MAX_DIGITS) return digits > 0 || checkDouble(Number(rawJSON), run) !== FAULT ? FITS : FAULT;
  return fail(run, "out_of_range", `expected at most ${MAX_DIGITS} digits, got an integer of ${digits}`);
}

/** @type {(x: any[], run: Run, depth: number) => number} */
function checkArray(x, run, depth) {
  if (depth > MAX_DEPTH) return tooDeep(run);
  let text = "";
  for (let at = 0; at < x.length; at++) {
    const item = x[at];
    const found = checkJson(item, run, depth + 1);
    if (found === FAULT) return failBelow(run, at);
    if (run.writes) text += (at === 0 ? "" : ",") + written(run, found, item);
  }
  return run.writes ? noted(run, `[${text}]`) : FITS;
}

/** @type {import("./run.js").Check} */
function checkObject(x, run, depth) {
  return typeof x === "object" && x !== null && !Array.isArray(x)
    ? checkMembers(x, run, depth, "object")
    : wrongType(run, "object", x);
}

/** @type {(x: JsonObject, run: Run, depth: number, expected: string) => number} */
function checkMembers(x, run, depth, expected) {
  const members = run.foreign ? ownMembers(x, run) : x;
  if (members === null) return expected === "JSON" && isRawNumber(x) ? checkRaw(x, run) : wrongType(run, expected, x);
  if (depth > MAX_DEPTH) return tooDeep(run);
  const all = run.writes ? whole(members) : members;
  let text = "";
  for (const key in all) {
    const member = all[key];
    if (member === undefined) continue;
    const found = checkJson(member, run, depth + 1);
    if (found === FAULT) return failBelow(run, key);
    if (run.writes) text += `${text === "" ? "" : ","}${textOf(key)}:${written(run, found, member)}`;
  }
  return run.writes ? noted(run, `{${text}}`) : FITS;
}

/**
 * The members of an object: the object itself if it is plain and inherits nothing else, otherwise a copy without a
 * prototype; null if it is not a JSON object. For writing it is always a copy, for which every getter is called once, so
 * that what is checked is what is written.
 *
 * @param {JsonObject} x
 * @param {Run} run
 * @returns {JsonObject | null}
 */
export function ownMembers(x, { writes }) {
  const prototype = Object.getPrototypeOf(x);
  const isPlain = prototype === Object.prototype || (prototype === null && !isRaw(x));
  if (isPlain && !isPolluted()) return writes ? { ...x } : x;
  return isRecord(x) ? Object.assign(Object.create(null), x) : null;
}

// --- writing -------------------------------------------------------------------------------------------------------

/**
 * A copy of a value, including all parts, for which every getter is called once: for checks that look at the parts
 * several times. What is no JSON, or raw, remains as it is.
 *
 * @param {any} x
 * @param {Run} run
 * @param {number} depth
 * @returns {any}
 */
export function snapshot(x, run, depth) {
  if (typeof x !== "object" || x === null || run.isTooDeep) return x;
  if (depth > MAX_DEPTH) run.isTooDeep = true; // and may contain itself, so nothing more is copied
  if (Array.isArray(x)) {
    const items = [];
    for (let at = 0; at < x.length; at++) items.push(snapshot(x[at], run, depth + 1));
    return items;
  }
  const copy = ownMembers(x, run);
  for (const key in copy) copy[key] = snapshot(copy[key], run, depth + 1);
  return copy ?? x;
}

/**
 * The members of the objects that are being written, as texts in the order in which they are written: those of an object
 * begin where those of the object around it end. One list for all takes a fraction of the time of a list for each.
 */
export class Lines {
  size = 0;
  /** @type {number[]} */
  #ranks = [];
  /** @type {string[]} */
  #texts = [];

  /** @param {boolean} keepsOrder Whether members are written in their own order. */
  constructor(keepsOrder) {
    this.keepsOrder = keepsOrder;
  }

  /**
   * Adds a member of the object that begins at `start`, before those with a higher rank.
   *
   * @type {(start: number, rank: number, text: string) => void}
   */
  add(start, rank, text) {
    let at = this.size++;
    if (!this.keepsOrder) {
      for (; at > start && this.#ranks[at - 1] > rank; at--) {
        this.#ranks[at] = this.#ranks[at - 1];
        this.#texts[at] = this.#texts[at - 1];
      }
    }
    this.#ranks[at] = rank;
    this.#texts[at] = text;
  }

  /**
   * Takes the object that begins at `start` out, as a text.
   *
   * @type {(start: number) => string}
   */
  taken(start) {
    let text = "{";
    for (let at = start; at < this.size; at++) text += at === start ? this.#texts[at] : `,${this.#texts[at]}`;
    this.size = start;
    return `${text}}`;
  }
}

/** Characters that make a text longer in JSON: a quote, a backslash, a control character, a surrogate. */
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/**
 * The JSON text of a JSON value. The setup of a `JSON.stringify` call takes longer than writing a short text.
 *
 * @param {unknown} value
 */
export function textOf(value) {
  switch (typeof value) {
    case "string":
      return value.length > 200 || ESCAPED.test(value) ? JSON.stringify(value) : `"${value}"`;
    case "object":
      return value === null ? "null" : JSON.stringify(value);
    default:
      return String(value);
  }
}

/**
 * The text of a value that was checked. The check of an object or array returns it as the note.
 *
 * @type {(run: Run, found: number, value: unknown) => string}
 */
export const written = (run, found, value) => (found === NOTED ? run.note : textOf(value));
