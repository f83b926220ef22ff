/** JSON values: their kinds, their members, the places where they are, how messages show them. */

/** How many levels of arrays and objects a document may have. */
export const MAX_DEPTH = 128;

/** The key under which an object lists members that came as null where the protocol only lets them be absent. */
export const NULLS = Symbol.for("polywire.nulls");

// --- members -------------------------------------------------------------------------------------------------------

/** @typedef {{ [key: string]: any, [NULLS]?: Nulls }} JsonObject */
/** @typedef {string[] & { order?: string[] }} Nulls Keys whose null was taken away; all keys in their original order. */

/**
 * A member with the name of an inherited property, if the object has it itself.
 *
 * @param {JsonObject} object
 * @param {string} key
 */
export function own(object, key) {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * Whether every object inherits something under a key.
 *
 * @param {string} key
 */
export function isInherited(key) {
  return key in {};
}

/**
 * Whether an object has a member, or had it until a repair took its null away.
 *
 * @param {JsonObject} object
 * @param {string} key
 */
export function had(object, key) {
  return own(object, key) !== undefined || (Object.hasOwn(object, NULLS) && !!object[NULLS]?.includes(key));
}

/**
 * Members together with the nulls that a repair took away, in their original order.
 *
 * @param {Map<string, any>} map
 * @param {Nulls} nulls
 */
export function withNulls(map, nulls) {
  const all = new Map();
  for (const key of [...(nulls.order ?? []), ...map.keys(), ...nulls]) {
    if (map.get(key) !== undefined) all.set(key, map.get(key));
    else if (nulls.includes(key)) all.set(key, null);
  }
  return all;
}

// --- places --------------------------------------------------------------------------------------------------------

/**
 * A step of a JSON Pointer (RFC 6901).
 *
 * @param {string | number} step
 */
export function pointerStep(step) {
  return typeof step === "number" ? `/${step}` : `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
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
 * Whether a value is the same JSON as another one, down to which it is looked at.
 *
 * @param {unknown} value
 * @param {any} other
 * @returns {boolean}
 */
export function isSame(value, other) {
  if (Array.isArray(other)) {
    return (
      Array.isArray(value) && value.length === other.length && other.every((each, index) => isSame(value[index], each))
    );
  }
  if (!isObject(other)) return value === other;
  const keys = Object.keys(other);
  return (
    isRecord(value) &&
    Object.keys(value).length === keys.length &&
    keys.every((key) => Object.hasOwn(value, key) && isSame(value[key], other[key]))
  );
}

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
