/** JSON values: their kinds, the places where they are, how messages show them. */

import { Fault } from "./errors.js";

/**
 * A place in a value: a step below another place. The root is null.
 *
 * @typedef {null | { readonly up: Path, readonly step: string | number, readonly depth: number }} Path
 */

/** How many levels of arrays and objects a document may have. */
export const MAX_DEPTH = 128;

/** The key under which an object lists members that came as null where the protocol only lets them be absent. */
export const NULLS = Symbol.for("polywire.nulls");

// --- places ------------------------------------------------------------------------------------------------------

/** @type {(up: Path, step: string | number) => NonNullable<Path>} */
export function below(up, step) {
  return { up, step, depth: up === null ? 1 : up.depth + 1 };
}

/**
 * The place as a JSON Pointer (RFC 6901).
 *
 * @param {Path} path
 */
export function pointer(path) {
  const escaped = (/** @type {string | number} */ step) =>
    `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
  return stepsUp(path).reverse().map(escaped).join("");
}

/**
 * The steps that lead to a place, the last one first.
 *
 * @param {Path} path
 */
export function stepsUp(path) {
  const steps = [];
  for (let at = path; at !== null; at = at.up) steps.push(at.step);
  return steps;
}

/**
 * Compare texts by code points, which differs from comparing their UTF-16 code units.
 *
 * @param {string} a
 * @param {string} b
 */
export function byCodePoint(a, b) {
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; at++) {
    if (a.charCodeAt(at) !== b.charCodeAt(at)) {
      const pair = at > 0 && /[\ud800-\udbff]/.test(a.charAt(at - 1));
      const difference = codePoint(a, at) - codePoint(b, at);
      // one of the two may complete a surrogate pair that began at the unit before
      return pair ? codePoint(a, at - 1) - codePoint(b, at - 1) || difference : difference;
    }
  }
  return a.length - b.length;
}

/**
 * @param {string} text
 * @param {number} at A place within the text.
 */
function codePoint(text, at) {
  return text.codePointAt(at) ?? 0;
}

// --- kinds -------------------------------------------------------------------------------------------------------

/**
 * Whether a value is an object that is no array. It may still be one that JSON does not have.
 *
 * @param {unknown} value
 * @returns {value is { [key: string]: any, [NULLS]?: string[] }}
 */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);
}

/**
 * Whether a value is a JSON object: one with enumerable members, or a plain one without any. Arrays of any kind, and
 * objects that keep their content internally (a date, a map), are none.
 *
 * @param {unknown} value
 * @returns {value is { [key: string]: any, [NULLS]?: string[] }}
 */
export function isRecord(value) {
  return isObject(value) && (hasMembers(value) || toStringOf.call(value) === "[object Object]");
}

/** @param {object} object */
function hasMembers(object) {
  for (const key in object) return key !== undefined;
  return false;
}

const toStringOf = Object.prototype.toString;

/**
 * The kind of a JSON value; undefined for any other value.
 *
 * @param {unknown} value
 */
export function kindOf(value) {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "number":
      return typeof value;
    case "object":
      if (value === null) return "null";
      if (Array.isArray(value)) return "array";
      return isRecord(value) ? "object" : undefined;
    default:
      return undefined;
  }
}

// --- patterns ----------------------------------------------------------------------------------------------------

/** @type {Map<string, RegExp>} */
const globs = new Map();

/**
 * Whether the whole of a text matches a pattern, in which `*` is any text, the empty one included.
 *
 * @param {string} text
 * @param {string} pattern
 */
export function matches(text, pattern) {
  let form = globs.get(pattern);
  if (form === undefined) {
    const escaped = pattern.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
    form = new RegExp(`^${escaped.join("[^]*")}$`);
    globs.set(pattern, form);
  }
  return form.test(text);
}

// --- messages ----------------------------------------------------------------------------------------------------

/**
 * What a value is, for messages.
 *
 * @param {unknown} value
 */
export function described(value) {
  if (Number.isInteger(value)) return "integer";
  return kindOf(value) ?? (typeof value === "object" ? toStringOf.call(value).slice(8, -1) : typeof value);
}

/**
 * A scalar as JSON, cut to a length that fits a message.
 *
 * @param {unknown} value
 */
export function shown(value) {
  if (typeof value === "number" && !Number.isFinite(value)) return "a number that overflows a double";
  const text = typeof value === "object" && value !== null ? described(value) : String(JSON.stringify(value));
  return text.length <= 60 ? text : `${text.slice(0, 56)} …"`;
}

/** @param {readonly unknown[]} values */
export function oneOf(values) {
  const few = values.slice(0, 8).map(shown);
  return `${values.length > 1 ? "one of " : ""}${few.join(", ")}${values.length > 8 ? ", …" : ""}`;
}

/** @type {(expected: string, value: unknown, path: Path) => Fault} */
export function wrongType(expected, value, path) {
  return new Fault("wrong_type", pointer(path), `expected ${expected}, got ${described(value)}`);
}

/** @param {Path} path */
export function overflow(path) {
  return new Fault("out_of_range", pointer(path), "expected a finite number, got one that overflows a double");
}

/** @type {(key: string, path: Path) => Fault} */
export function missing(key, path) {
  return new Fault("missing_field", pointer(below(path, key)), `expected member ${shown(key)}, got none`);
}

export function tooDeep() {
  return new Fault("too_deep", "", `nested deeper than ${MAX_DEPTH} levels`);
}

/**
 * Refuse an array or object that is one level too deep.
 *
 * @param {Path} path
 */
export function checkLevel(path) {
  if (path !== null && path.depth >= MAX_DEPTH) throw tooDeep();
}
