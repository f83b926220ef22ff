/** Texts ↔ values of a protocol. Each function takes the protocol first; the generated module binds it. */

import { Engine, repaired } from "./engine.js";
import { DecodeError, EncodeError, raised } from "./errors.js";
import { holds, isJson } from "./guards.js";
import { checkDepth, checkDigits, parsed, textOf } from "./text.js";
import { MAX_DEPTH } from "./values.js";

/** @typedef {import("./guards.js").Guard} Guard */
/** @typedef {{ readonly strict?: boolean | undefined } | undefined} Options */
/** @typedef {string | ArrayBufferView | ArrayBuffer} Data */

/**
 * What the generated modules know about their protocol.
 *
 * @typedef {object} Protocol
 * @property {string} root The type that most lines have.
 * @property {Readonly<Record<string, string>>} names Name in the package → name in the tables.
 * @property {ReadonlyMap<string, Guard>} fits Name in the package → guard; that of an open union admits the unknown.
 * @property {ReadonlyMap<string, (value: any) => boolean>} knows Name of an open union → what tells its variants from
 * the unknown.
 * @property {number} spare A text of the root's type with fewer characters that its guard did not count cannot be nested
 * too deep.
 * @property {Engine} engine
 */

/** @type {(protocol: Protocol, type: string) => Guard} */
export function guardOf(protocol, type) {
  const fits = protocol.fits.get(type);
  if (fits === undefined) throw new TypeError(`${String(type)} is no type of this package`);
  return fits;
}

/**
 * The engine's verdict on a value that is parsed already.
 *
 * @param {Protocol} protocol
 * @param {unknown} value
 * @param {import("./engine.js").Type} type In the notation of the tables.
 * @param {Options} options
 */
export function decided(protocol, value, type, options) {
  try {
    const { variant, run } = protocol.engine.read(type, value, { strict: options?.strict === true });
    return { value: run.repairs.length === 0 ? value : repaired(value, run.repairs), variant, run };
  } catch (error) {
    throw raised(error, DecodeError);
  }
}

/**
 * The same on a value that was parsed from a text, whose faults come first.
 *
 * @param {Protocol} protocol
 * @param {string} text
 * @param {unknown} value
 * @param {string} type In the package.
 * @param {Options} options
 */
function decidedOf(protocol, text, value, type, options) {
  try {
    return decided(protocol, value, nameOf(protocol, type), options);
  } catch (error) {
    checkDigits(text);
    throw error;
  }
}

/** @type {(protocol: Protocol, type: string) => string} */
const nameOf = (protocol, type) => protocol.names[type];

/** The least number of characters that a member with an overflowing number takes: `,"":1e999`. */
const OVERFLOW = 9;

/**
 * Decode one JSON text.
 *
 * The guard counts the least number of characters that the text of all it has seen takes. Only what the text has beyond
 * them (members that are not declared, values that a later duplicate overwrites, white space) can contain a number that
 * overflows, or nest too deep; mostly there is too little of that to look for either.
 *
 * @param {Protocol} protocol
 * @param {Data} data
 * @param {string} type
 * @param {Options} options
 * @returns {any}
 */
export function decode(protocol, data, type, options) {
  const fits = guardOf(protocol, type);
  const strict = options !== undefined && options.strict === true;
  const text = textOf(data);
  const value = parsed(text);
  const rest = text.length - (strict ? 0 : counted(fits, value));
  if (type !== protocol.root || rest >= protocol.spare) checkDepth(text);
  if (rest < text.length && (rest < OVERFLOW || isJson(value))) return value;
  return decidedOf(protocol, text, value, type, options).value;
}

/**
 * What a guard counts; nothing in a value that is nested so deep that the guard runs out of stack.
 *
 * @param {Guard} fits
 * @param {unknown} value
 */
function counted(fits, value) {
  try {
    return fits(value);
  } catch {
    return 0;
  }
}

/**
 * Decode a JSON value that is parsed already. It is not changed; the result shares all parts that need no repair.
 *
 * @param {Protocol} protocol
 * @param {unknown} value
 * @param {string} type
 * @param {Options} options
 * @returns {any}
 */
export function decodeValue(protocol, value, type, options) {
  const fits = guardOf(protocol, type);
  if (options?.strict !== true && holds(fits, value) && !isDeepValue(value, MAX_DEPTH)) return value;
  return decided(protocol, value, nameOf(protocol, type), options).value;
}

/**
 * @param {unknown} value
 * @param {number} room
 * @returns {boolean}
 */
function isDeepValue(value, room) {
  if (typeof value !== "object" || value === null) return false;
  return room === 0 || Object.values(value).some((member) => isDeepValue(member, room - 1));
}

/**
 * Decode one JSON text; give its variant too, and where lenient mode tolerated something.
 *
 * @param {Protocol} protocol
 * @param {Data} data
 * @param {string} type
 * @param {Options} options
 * @returns {{ value: any, variant: string, unknown: string[] }}
 */
export function examine(protocol, data, type, options) {
  guardOf(protocol, type);
  const text = textOf(data);
  const given = parsed(text);
  checkDepth(text);
  const { value, variant, run } = decidedOf(protocol, text, given, type, options);
  const [here = variant] = Object.entries(protocol.names).find(([, name]) => name === variant) ?? [];
  return { value, variant: here, unknown: run.unknown() };
}

/**
 * Encode a value as one line of JSON, without the line end.
 *
 * @param {Protocol} protocol
 * @param {unknown} value
 * @param {string} type
 */
export function encode(protocol, value, type) {
  guardOf(protocol, type);
  try {
    return protocol.engine.read(nameOf(protocol, type), value, { writes: true }).text;
  } catch (error) {
    throw raised(error, EncodeError);
  }
}

/**
 * Whether `decode` would accept a value's JSON, and without a repair.
 *
 * @param {Protocol} protocol
 * @param {unknown} value
 * @param {string} type
 */
export function is(protocol, value, type) {
  return holds(guardOf(protocol, type), value);
}

/**
 * Whether a value is among the declared values of an enum.
 *
 * @param {unknown} value
 * @param {readonly unknown[]} values
 */
export function isKnown(value, values) {
  return values.includes(value);
}

/**
 * Whether a value is the unknown of an open union.
 *
 * @param {Protocol} protocol
 * @param {unknown} value
 * @param {string} type
 */
export function isUnknown(protocol, value, type) {
  const knows = protocol.knows.get(type);
  if (knows === undefined) throw new TypeError(`${String(type)} is no open union of this package`);
  return is(protocol, value, type) && !knows(value);
}
