/** Values that are kept as they came, and the texts of those that `JSON.stringify` would write otherwise. */

import { FAULT, fail, failBelow, FITS, isPolluted, noted, tooDeep, Type, wrongType } from "./run.js";
import { isRecord, MAX_DEPTH, NULLS, withNulls } from "./values.js";

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
      if (x - x !== 0) {
        return fail(run, "out_of_range", "expected a finite number, got one that overflows a double");
      }
      return run.writes && Object.is(x, -0) ? noted(run, "-0") : FITS;
    case "object":
      if (x === null) return FITS;
      return Array.isArray(x) ? checkArray(x, run, depth) : checkMembers(x, run, depth, "JSON");
    default:
      return wrongType(run, "JSON", x);
  }
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
  const own = run.foreign ? ownMembers(x) : x;
  if (own === null) return wrongType(run, expected, x);
  if (depth > MAX_DEPTH) return tooDeep(run);
  let texts = null;
  for (const key in own) {
    const member = own[key];
    if (member === undefined) continue;
    const found = checkJson(member, run, depth + 1);
    if (found === FITS) continue;
    if (found === FAULT) return failBelow(run, key);
    (texts ??= new Map()).set(key, run.note);
  }
  return run.writes ? written(run, x, own, texts) : FITS;
}

/**
 * The members of an object: the object itself if it has no texts, a copy if it does; null if it is not JSON.
 *
 * @param {JsonObject} x
 * @returns {JsonObject | null}
 */
export function ownMembers(x) {
  const prototype = Object.getPrototypeOf(x);
  if ((prototype === Object.prototype || prototype === null) && !isPolluted()) return x;
  return isRecord(x) ? Object.assign(Object.create(null), x) : null;
}

// --- what is written -----------------------------------------------------------------------------------------------

/** What makes a text longer in JSON: a quote, a backslash, a control character, a surrogate. */
const ESCAPED = /["\\\u0000-\u001f\ud800-\udfff]/;

/**
 * The JSON text of a JSON value. `JSON.stringify` has to be set up for each call, which takes longer than a short text.
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
 * The outcome for an object that is written in the order that it has.
 *
 * @param {Run} run
 * @param {JsonObject} x
 * @param {JsonObject} own Its members.
 * @param {ReadonlyMap<string, string> | null} texts By key, texts that are known.
 */
export function written(run, x, own, texts) {
  if (x === own && texts === null && x[NULLS] === undefined) return FITS;
  return noted(run, objectText(withItsNulls(own), texts));
}

/**
 * An object with the nulls that a repair took away; mostly the object itself.
 *
 * @param {JsonObject} own
 * @returns {JsonObject}
 */
export function withItsNulls(own) {
  const nulls = own[NULLS];
  return nulls === undefined ? own : Object.fromEntries(withNulls(new Map(Object.entries(own)), nulls));
}

/**
 * The text of an object in the order that it has.
 *
 * @param {JsonObject} object
 * @param {ReadonlyMap<string, string> | null} texts By key, those that are known.
 */
function objectText(object, texts) {
  const members = Object.entries(object).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${textOf(key)}:${texts?.get(key) ?? textOf(member)}`).join(",")}}`;
}

/**
 * @param {readonly unknown[]} x
 * @param {ReadonlyMap<number, string>} texts By index, those that are known.
 */
export function arrayText(x, texts) {
  return `[${x.map((item, at) => texts.get(at) ?? textOf(item)).join(",")}]`;
}
