/**
 * What the generated guards are made of.
 *
 * A guard gives the least number of characters that the JSON text of a value takes, or 0 if lenient decoding would not
 * accept the value unchanged. Members that are not declared it leaves to `isJson`.
 */

import { Fault } from "./errors.js";
import { isObject, isRecord, NULLS } from "./values.js";

export { isRecord, matches } from "./values.js";

/** @typedef {import("./engine.js").Engine} Engine */
/** @typedef {(value: any) => number} Guard */

/**
 * Whether a value passes a guard and is JSON. A value that cannot be looked at (one that contains itself, say) does not.
 *
 * @param {Guard} fits
 * @param {unknown} value
 */
export function holds(fits, value) {
  try {
    return fits(value) !== 0 && isJson(value);
  } catch {
    return false;
  }
}

/**
 * Whether a value is JSON: nothing in it that JSON cannot express, no number that overflowed.
 *
 * @param {unknown} x
 */
export function isJson(x) {
  return jsonLeast(x) !== 0;
}

/**
 * The guard of any JSON. Of an array or object, only one bracket is counted.
 *
 * @param {unknown} x
 * @returns {number}
 */
export function jsonLeast(x) {
  if (typeof x === "string") return 2 + x.length;
  if (typeof x === "number") return Number.isFinite(x) ? 1 : 0;
  if (typeof x === "boolean" || x === null) return 4;
  return Array.isArray(x) ? arrayLeast(x) : objectLeast(x);
}

/** @param {readonly unknown[]} x */
function arrayLeast(x) {
  let n = 0;
  for (let at = 0; at < x.length; at++) {
    const least = jsonLeast(x[at]);
    if (least === 0) return 0;
    n += 1 + least;
  }
  return n || 1;
}

/**
 * The guard of any JSON object.
 *
 * @param {unknown} x
 */
export function objectLeast(x) {
  if (!isObject(x)) return 0;
  let n = 0;
  for (const key in x) {
    const member = x[key];
    if (member === undefined) continue;
    const least = jsonLeast(member);
    if (least !== 0) n += 4 + key.length + least;
    else if (Object.hasOwn(x, key)) return 0;
  }
  return n || (isRecord(x) ? 1 : 0);
}

/**
 * The values of an object's members that its struct does not declare.
 *
 * @param {Engine} engine
 * @param {{ [key: string]: unknown }} d
 * @param {string} struct
 */
export function undeclared(engine, d, struct) {
  const declared = engine.keys(struct);
  return Object.keys(d)
    .filter((key) => !declared.has(key))
    .map((key) => d[key])
    .filter((member) => member !== undefined);
}

/**
 * A member with the name of an inherited property, if the object has it itself.
 *
 * @param {{ [key: string]: unknown }} d
 * @param {string} key
 */
export function own(d, key) {
  return Object.hasOwn(d, key) ? d[key] : undefined;
}

/**
 * Whether an object has a member, or had it until a repair took its null away.
 *
 * @param {{ [key: string]: unknown, [NULLS]?: string[] }} d
 * @param {string} key
 */
export function had(d, key) {
  return (Object.hasOwn(d, key) && d[key] !== undefined) || (Object.hasOwn(d, NULLS) && !!d[NULLS]?.includes(key));
}

/**
 * Whether the engine accepts a value without a repair.
 *
 * @param {Engine} engine
 * @param {unknown} x
 * @param {string} type
 */
export function isTaken(engine, x, type) {
  try {
    return engine.read(type, x, {}).run.repairs.length === 0;
  } catch (error) {
    if (error instanceof Fault) return false;
    throw error;
  }
}
