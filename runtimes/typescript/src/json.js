/** Values that are kept unchanged, and the texts of those that `JSON.stringify` would write differently. */

import { FAULT, fail, failBelow, FITS, isPolluted, NOTED, noted, tooDeep, Type, wrongType } from "./run.js";
import {
  digitsOf,
  isRaw,
  isRawNumber,
  isRecord,
  isRepaired,
  MAX_DEPTH,
  MAX_DIGITS,
  own,
  UNFIT,
  whole,
} from "./values.js";

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
  let texts = null;
  for (let at = 0; at < x.length; at++) {
    const found = checkJson(x[at], run, depth + 1);
    if (found === FITS) continue;
    if (found === FAULT) return failBelow(run, at);
    (texts ??= new Map()).set(at, run.note);
  }
  return texts === null ? FITS : noted(run, arrayText(x, texts));
}

/** @type {import("./run.js").Check} */
function checkObject(x, run, depth) {
  return typeof x === "object" && x !== null && !Array.isArray(x)
    ? checkMembers(x, run, depth, "object")
    : wrongType(run, "object", x);
}

/** @type {(x: JsonObject, run: Run, depth: number, expected: string) => number} */
function checkMembers(x, run, depth, expected) {
  const members = run.foreign ? ownMembers(x) : x;
  if (members === null) return expected === "JSON" && isRawNumber(x) ? checkRaw(x, run) : wrongType(run, expected, x);
  if (depth > MAX_DEPTH) return tooDeep(run);
  let texts = null;
  for (const key in members) {
    const member = members[key];
    if (member === undefined) continue;
    const found = checkJson(member, run, depth + 1);
    if (found === FITS) continue;
    if (found === FAULT) return failBelow(run, key);
    (texts ??= new Map()).set(key, run.note);
  }
  if (!run.writes) return FITS;
  if (members[UNFIT] !== undefined && !checkUnfit(members, run, depth + 1, (texts ??= new Map()))) return FAULT;
  return written(run, x, members, texts);
}

/**
 * Check the members that a repair removed from an object, which are written back unchanged; adds their texts to the
 * others.
 *
 * @type {(x: JsonObject, run: Run, depth: number, texts: Map<string, string>) => boolean}
 */
export function checkUnfit(x, run, depth, texts) {
  for (const [key, value] of x[UNFIT] ?? []) {
    if (own(x, key) !== undefined) continue;
    const found = checkJson(value, run, depth);
    if (found === FAULT) failBelow(run, key);
    if (found === FAULT) return false;
    if (found === NOTED) texts.set(key, run.note);
  }
  return true;
}

/**
 * The members of an object: the object itself if it is plain and inherits nothing else, otherwise a copy without a
 * prototype; null if it is not a JSON object.
 *
 * @param {JsonObject} x
 * @returns {JsonObject | null}
 */
export function ownMembers(x) {
  const prototype = Object.getPrototypeOf(x);
  const isPlain = prototype === Object.prototype || (prototype === null && !isRaw(x));
  if (isPlain && !isPolluted()) return x;
  return isRecord(x) ? Object.assign(Object.create(null), x) : null;
}

// --- writing -------------------------------------------------------------------------------------------------------

/**
 * A copy of a value for which every getter was called once, so that what is checked is what is written. All objects of
 * the copy are plain; what is no JSON, or raw, remains as it is, for the run to check.
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
  if (Object.getPrototypeOf(x) !== Object.prototype && !isRecord(x)) {
    run.foreign = true;
    return x;
  }
  const copy = { ...x };
  for (const key in copy) {
    const member = copy[key];
    if (typeof member === "object" && member !== null) copy[key] = snapshot(member, run, depth + 1);
  }
  return copy;
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
 * The outcome for an object that is written in its own order.
 *
 * @param {Run} run
 * @param {JsonObject} x
 * @param {JsonObject} own Its members.
 * @param {ReadonlyMap<string, string> | null} texts Known texts, by key.
 */
export function written(run, x, own, texts) {
  if (x === own && texts === null && !isRepaired(x)) return FITS;
  return noted(run, objectText(whole(own), texts));
}

/**
 * The text of an object in its own order.
 *
 * @param {JsonObject} object
 * @param {ReadonlyMap<string, string> | null} texts Known texts, by key.
 */
export function objectText(object, texts) {
  const members = Object.entries(object).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${textOf(key)}:${texts?.get(key) ?? textOf(member)}`).join(",")}}`;
}

/**
 * @param {readonly unknown[]} x
 * @param {ReadonlyMap<number, string>} texts Known texts, by index.
 */
export function arrayText(x, texts) {
  return `[${x.map((item, at) => texts.get(at) ?? textOf(item)).join(",")}]`;
}
