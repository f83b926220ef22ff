/** JSON values: their kinds, their members, their locations, and their form in messages. */

/** The maximum nesting depth of arrays and objects in a document. */
export const MAX_DEPTH = 128;

/** The key under which an object lists members that were null although the protocol only allows them to be absent. */
export const NULLS = Symbol.for("polywire.nulls");

// --- members -------------------------------------------------------------------------------------------------------

/** The key under which an object lists members that were removed because they are invalid, with their values. */
export const UNFIT = Symbol.for("polywire.unfit");

/** @typedef {{ [key: string]: any, [NULLS]?: Nulls, [UNFIT]?: Unfit }} JsonObject */
/** @typedef {string[] & { order?: string[] }} Nulls Keys whose null was removed; all keys in their original order. */
/** @typedef {[key: string, value: any][] & { order?: string[] }} Unfit */

/**
 * A member with the name of an inherited property, if it is the object's own.
 *
 * @param {JsonObject} object
 * @param {string} key
 */
export function own(object, key) {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/**
 * Whether every object inherits a value under a key.
 *
 * @param {string} key
 */
export function isInherited(key) {
  return key in {};
}

/**
 * Whether an object has a member, or had it until a repair removed its null.
 *
 * @param {JsonObject} object
 * @param {string} key
 */
export function had(object, key) {
  return own(object, key) !== undefined || (isRepaired(object) && taken(object).has(key));
}

/**
 * Whether a repair removed members of an object.
 *
 * @param {JsonObject} object
 */
export const isRepaired = (object) => object[NULLS] !== undefined || object[UNFIT] !== undefined;

/**
 * The members that a repair removed from an object, by key.
 *
 * @param {JsonObject} object
 * @returns {Map<string, any>}
 */
const taken = (object) => new Map([...(object[NULLS] ?? []).map(withNull), ...(object[UNFIT] ?? [])]);

/** @type {(key: string) => [string, null]} */
const withNull = (key) => [key, null];

/**
 * An object with the members that a repair removed, in the original order; usually the object itself.
 *
 * @param {JsonObject} object
 * @returns {JsonObject}
 */
export function whole(object) {
  if (!isRepaired(object)) return object;
  const away = taken(object);
  const order = object[NULLS]?.order ?? object[UNFIT]?.order ?? [];
  const all = new Map();
  for (const key of [...order, ...Object.keys(object), ...away.keys()]) {
    const value = own(object, key);
    if (value !== undefined || away.has(key)) all.set(key, value === undefined ? away.get(key) : value);
  }
  return Object.assign(Object.create(null), Object.fromEntries(all));
}

/**
 * The members of an object with certain keys, including those that a repair removed.
 *
 * @type {(object: JsonObject, isOf: (key: string) => boolean) => JsonObject}
 */
export function partOf(object, isOf) {
  const members = Object.entries(object).filter(([key, value]) => isOf(key) && value !== undefined);
  const part = /** @type {JsonObject} */ (Object.fromEntries(members));
  const [nulls, unfit] = [object[NULLS], object[UNFIT]];
  const own = { nulls: nulls?.filter(isOf) ?? [], unfit: unfit?.filter(([key]) => isOf(key)) ?? [] };
  if (own.nulls.length > 0) part[NULLS] = Object.assign(own.nulls, { order: nulls?.order });
  if (own.unfit.length > 0) part[UNFIT] = Object.assign(own.unfit, { order: unfit?.order });
  return part;
}

// --- locations -----------------------------------------------------------------------------------------------------

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
      // one of the two may complete a surrogate pair that began at the preceding unit
      return pair ? codePoint(a, at - 1) - codePoint(b, at - 1) || difference : difference;
    }
  }
  return a.length - b.length;
}

/**
 * @param {string} text
 * @param {number} at An index in the text.
 */
function codePoint(text, at) {
  return text.codePointAt(at) ?? 0;
}

/**
 * The number of code points in a text. An unpaired surrogate counts as one.
 *
 * @param {string} text
 */
export function codePoints(text) {
  let count = text.length;
  for (let at = 1; at < text.length; at++) {
    if (isSurrogate(text, at, 0xdc00) && isSurrogate(text, at - 1, 0xd800)) count -= 1;
  }
  return count;
}

/** @type {(text: string, at: number, half: number) => boolean} */
const isSurrogate = (text, at, half) => (text.charCodeAt(at) & 0xfc00) === half;

/**
 * Calls the function for the value of an object's discriminator; `_` is for values that have none.
 *
 * @param {JsonObject} value
 * @param {string} key
 * @param {{ readonly [tag: string]: (value: any) => unknown }} branches
 */
export function match(value, key, branches) {
  const tag = own(value, key);
  const branch = (tag === undefined ? undefined : own(branches, String(tag))) ?? own(branches, "_");
  if (branch === undefined) throw new TypeError(`no branch for the ${key} ${String(tag)}`);
  return branch(value);
}

// --- kinds -------------------------------------------------------------------------------------------------------

/**
 * Whether a value is an object other than an array or raw JSON. It may still be an object that is not valid JSON.
 *
 * @param {unknown} value
 * @returns {value is JsonObject}
 */
export function isObject(value) {
  return (
    typeof value === "object" && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value) && !isRaw(value)
  );
}

/**
 * Whether a value is a JSON object: one with enumerable members, or a plain one without any. Arrays of any kind, and
 * objects with internal content (a date, a map), are not.
 *
 * @param {unknown} value
 * @returns {value is JsonObject}
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
 * Whether a value is the same JSON as `other`, to the depth of `other`.
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
      if (isRawNumber(value)) return "number";
      return isRecord(value) ? "object" : undefined;
    default:
      return undefined;
  }
}

// --- numbers that a double would change ----------------------------------------------------------------------------

/** The result of `JSON.rawJSON`: an object that `JSON.stringify` writes as its text. */
/** @typedef {{ readonly rawJSON: string }} Raw */

/** @type {{ isRawJSON?: (value: unknown) => boolean }} */
const { isRawJSON } = /** @type {any} */ (JSON);

const NUMERAL = /^-?[0-9]/;

/**
 * Whether a value is raw JSON, which may represent any scalar.
 *
 * @param {unknown} value
 * @returns {value is Raw}
 */
export const isRaw = (value) => isRawJSON !== undefined && isRawJSON(value);

/**
 * Whether a value is the raw JSON of a number.
 *
 * @param {unknown} value
 * @returns {value is Raw}
 */
export function isRawNumber(value) {
  return isRaw(value) && NUMERAL.test(value.rawJSON);
}

/** The maximum number of digits of an integer. */
export const MAX_DIGITS = 4300;

const INTEGER = /^-?([0-9]+)$/;

/**
 * The number of digits of an integer, given its text; 0 for any other number.
 *
 * @param {string} text
 */
export const digitsOf = (text) => INTEGER.exec(text)?.[1].length ?? 0;

// --- patterns ----------------------------------------------------------------------------------------------------

/** @type {Map<string, RegExp>} */
const globs = new Map();

/**
 * Whether the whole of a text matches a pattern, in which `*` stands for any text, including the empty one.
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
 * The description of a value, for messages.
 *
 * @param {unknown} value
 */
export function described(value) {
  if (Number.isInteger(value)) return "integer";
  return kindOf(value) ?? (typeof value === "object" ? toStringOf.call(value).slice(8, -1) : typeof value);
}

/**
 * A scalar as JSON, shortened for messages.
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
