/** Conversion between texts and values of a type. */

import { mayBeUnknown, unions, wayOf } from "./engine.js";
import { DecodeError, EncodeError } from "./errors.js";
import { Lines, written } from "./json.js";
import { repaired } from "./repair.js";
import { FAULT, FITS, isPolluted, NOTED, REPAIRS, Run, Type, unknowns } from "./run.js";
import { checkDepth, checkDigits, parsed, parsedExactly, stringOf, TELLS_SOURCE } from "./text.js";
import { byCodePoint, isObject, own, pointerStep } from "./values.js";

/** @typedef {import("./run.js").Note} Note */
/** @typedef {import("./values.js").JsonObject} JsonObject */
/** @typedef {{ readonly strict?: boolean | undefined }} Options */
/** @typedef {string | ArrayBufferView | ArrayBuffer} Data */

/**
 * Decode one JSON text.
 *
 * @param {Data} data
 * @param {Type} type
 * @param {Options} [options]
 * @returns {any}
 */
export function decode(data, type, options) {
  checkType(type);
  const text = stringOf(data);
  return decodeParsed(text, parsed(text), type, runOf(options));
}

/**
 * The run that decodes a text.
 *
 * @param {Options} [options]
 */
export function runOf(options) {
  return decoding(options?.strict === true, false, isPolluted(), TELLS_SOURCE);
}

/** @type {(strict: boolean, examines: boolean, foreign: boolean, defers: boolean) => Run} */
function decoding(strict, examines, foreign, defers) {
  const run = new Run(strict, examines, false, foreign);
  run.decodes = true;
  run.defers = defers;
  return run;
}

/**
 * Decode a text that is already parsed. The run tells the variant afterwards.
 *
 * @type {(text: string, value: unknown, type: Type, run: Run) => any}
 */
export function decodeParsed(text, value, type, run) {
  const found = type.check(value, run, 1);
  if (run.deferred) return decodedExactly(text, type, run).value;
  if (found === FITS) return value;
  if (found === NOTED) return repaired(value, run.note);
  throw rejection(text, run);
}

/**
 * Decode a text with integers that a double may change once more, from the text of its numbers.
 *
 * @param {string} text
 * @param {Type} type
 * @param {Run} first The run that found them.
 */
function decodedExactly(text, type, { strict, examines }) {
  const value = parsedExactly(text);
  const run = decoding(strict, examines, true, false);
  const found = type.check(value, run, 1);
  if (found === FAULT) throw rejection(text, run);
  const note = found === NOTED ? run.note : null;
  return { value: note === null ? value : repaired(value, note), variant: run.variant, note };
}

/**
 * The error for an invalid text; faults of the text itself take precedence.
 *
 * @param {string} text
 * @param {Run} run
 */
function rejection(text, run) {
  try {
    checkDepth(text);
    checkDigits(text);
  } catch (error) {
    return error;
  }
  return errorOf(run, DecodeError);
}

/**
 * The fault of a run, with its path as a JSON Pointer.
 *
 * @param {Run} run
 */
export function faultOf({ fault }) {
  if (fault === null) throw new TypeError("internal error: a check failed without a fault");
  const path = (fault.steps ?? []).map(pointerStep).reverse().join("");
  return { code: fault.code, path, text: fault.message };
}

/**
 * @param {Run} run
 * @param {typeof DecodeError | typeof EncodeError} ErrorType
 */
function errorOf(run, ErrorType) {
  const { code, path, text } = faultOf(run);
  return new ErrorType(code, path, text);
}

/**
 * Decode a JSON value that is already parsed. It is not modified; the result shares all parts that need no repair.
 *
 * @param {unknown} value
 * @param {Type} type
 * @param {Options} [options]
 * @returns {any}
 */
export function decodeValue(value, type, options) {
  checkType(type);
  const run = decoding(options?.strict === true, false, true, false);
  const found = type.check(value, run, 1);
  if (found === FAULT) throw errorOf(run, DecodeError);
  return found === NOTED ? repaired(value, run.note) : value;
}

/**
 * Decode one JSON text; also returns its variant, and the locations where lenient mode tolerated something.
 *
 * @param {Data} data
 * @param {Type} type
 * @param {Options} [options]
 */
export function examine(data, type, options) {
  checkType(type);
  const text = stringOf(data);
  const value = parsed(text);
  const run = decoding(options?.strict === true, true, isPolluted(), TELLS_SOURCE);
  const found = type.check(value, run, 1);
  if (run.deferred) {
    const exact = decodedExactly(text, type, run);
    return new Examined(exact.value, chosen(type, exact.variant), exact.note);
  }
  if (found === FAULT) throw rejection(text, run);
  const note = found === NOTED ? run.note : null;
  return new Examined(note === null ? value : repaired(value, note), chosen(type, run.variant), note);
}

/**
 * The name of the innermost type that was selected for a value.
 *
 * @param {Type} type
 * @param {Type | null} variant The variant that a union has selected.
 */
const chosen = (type, variant) => (unionOf(type) ? (variant?.name ?? "Unknown") : type.name);

/** The result of `examine`. The locations are kept as a tree, and converted to texts on demand. */
class Examined {
  #note;

  /**
   * @param {any} value
   * @param {string} variant
   * @param {Note | null} note
   */
  constructor(value, variant, note) {
    this.value = value;
    this.variant = variant;
    this.#note = note;
  }

  /** The JSON Pointers of all locations where something was tolerated, in code-point order. */
  get unknown() {
    /** @type {Set<string>} */
    const found = new Set();
    if (this.#note !== null) collect(this.#note, "", found);
    return [...found].sort(byCodePoint);
  }
}

/** @type {(note: Note, path: string, found: Set<string>) => void} */
function collect({ passed, below }, path, found) {
  if (passed) found.add(path);
  for (const [step, note] of below ?? []) collect(note, path + pointerStep(step), found);
}

/**
 * Decode one JSON text; returns an error that `decode` would throw.
 *
 * @param {Data} data
 * @param {Type} type
 * @param {Options} [options]
 */
export function safeDecode(data, type, options) {
  try {
    return { success: true, value: decode(data, type, options) };
  } catch (error) {
    if (error instanceof DecodeError) return { success: false, error };
    throw error;
  }
}

/**
 * A type as users get it: it is also a Standard Schema, by a property that all types have as soon as a program uses one
 * of them as a value. A program that only has guards has none of this code.
 *
 * @param {Type} type
 */
export function token(type) {
  if (!(STANDARD in type)) Object.defineProperty(Type.prototype, STANDARD, { get: standard });
  return type;
}

const STANDARD = "~standard";

/**
 * What libraries that accept a Standard Schema need of a type: `validate` is `decodeValue` with issues instead of an error.
 *
 * @this {Type}
 */
function standard() {
  const validate = (/** @type {unknown} */ value) => {
    const run = decoding(false, false, true, false);
    const found = this.check(value, run, 1);
    if (found !== FAULT) return { value: found === NOTED ? repaired(value, run.note) : value };
    const { message = "", steps } = run.fault ?? {};
    return { issues: [{ message, path: [...(steps ?? [])].reverse() }] };
  };
  return { version: 1, vendor: "polywire", validate };
}

/**
 * Encode a value as one line of JSON, without the line end. In strict mode, what a strict reader would reject is an
 * error.
 *
 * @param {unknown} value
 * @param {Type} type
 * @param {Options & { readonly order?: "declared" | "keep" | undefined }} [options]
 * @returns {string}
 */
export function encode(value, type, options) {
  checkType(type);
  const run = new Run(false, false, true, true);
  run.lines = new Lines(options?.order === "keep");
  const found = type.check(value, run, 1);
  if (found === FAULT) throw errorOf(run, EncodeError);
  const line = written(run, found, value);
  if (options?.strict === true) {
    const reading = decoding(true, false, true, false);
    if (type.check(parsedExactly(line), reading, 1) === FAULT) throw errorOf(reading, EncodeError);
  }
  return line;
}

/**
 * Whether `decode` would accept a value's JSON without a repair.
 *
 * @param {unknown} value
 * @param {Type} type
 */
export function is(value, type) {
  checkType(type);
  return fits(value, type, new Run(false, false, false, true));
}

/**
 * Whether a value is valid; one that cannot be inspected (for example, a getter throws) is not.
 *
 * @param {unknown} value
 * @param {Type} type
 * @param {Run} run
 */
function fits(value, type, run) {
  try {
    return type.check(value, run, 1) === FITS;
  } catch {
    return false;
  }
}

/**
 * The guard of a type; that of an open union accepts its variants only.
 *
 * @param {Type} type
 */
export function guard(type) {
  return (/** @type {unknown} */ value) => {
    const run = new Run(false, false, false, true);
    return fits(value, type, run) && !(type.isUnion && run.variant === null);
  };
}

/**
 * The variant of a union that matches a value; null if there is none or the value is invalid.
 *
 * @param {unknown} value
 * @param {Type} union
 */
export function variantOf(value, union) {
  const run = new Run(false, false, false, true);
  return fits(value, union, run) ? run.variant : null;
}

/**
 * Whether a value is the unknown of an open union.
 *
 * @param {unknown} value
 * @param {Type} type
 */
export function isUnknown(value, type) {
  checkType(type);
  const union = unionOf(type);
  if (!union?.detail.open) throw new TypeError(`${type.name} is no open union`);
  const run = new Run(false, false, false, true);
  return mayBeUnknown(union, value, run) && fits(value, type, run) && run.variant === null;
}

/**
 * The same without a type: whether a value is an Unknown of any union that decoding has found, or one of the root that
 * no other union with its discriminator knows, since a variant of such a union matches no variant of the root either.
 *
 * @param {Type} root
 */
export function isUnknownOf(root) {
  return (/** @type {any} */ value, /** @type {Type | undefined} */ type) => {
    if (type !== undefined) return isUnknown(value, type);
    if (unknowns.has(value)) return true;
    const outer = unionOf(root);
    if (!outer?.detail.open || !isUnknown(value, root)) return false;
    const { key } = wayOf(outer);
    return !unions.some((union) => wayOf(union).key === key && variantOf(value, union) !== null);
  };
}

/**
 * Reads members of an unknown object by the types that others declare, if they are present and valid.
 *
 * @param {() => readonly (readonly [struct: Type, keys: readonly string[]])[]} parts
 */
export function viewer(parts) {
  return (/** @type {unknown} */ value) => {
    if (!isObject(value)) throw new TypeError("expected an object");
    /** @type {[string, unknown][]} */
    const found = [];
    for (const [struct, keys] of parts()) {
      for (const [key, type] of struct.rows?.() ?? []) {
        const member = keys.includes(key) ? own(value, key) : null;
        const run = new Run(false, false, false, true);
        const seen = member == null ? FAULT : repairedBy(type).check(member, run, 1);
        if (seen !== FAULT) found.push([key, seen === NOTED ? repaired(member, run.note) : member]);
      }
    }
    return Object.freeze(Object.fromEntries(found));
  };
}

/** @type {(type: Type) => Type} The type of a member's values before a repair. */
const repairedBy = (type) => (type.op === REPAIRS ? type.detail : type);

/**
 * What a type is an alias of; the type itself if it is none.
 *
 * @param {Type} type
 * @returns {Type}
 */
export const targetOf = (type) => (type.target === null ? type : targetOf(type.target()));

/**
 * @param {Type} type
 * @returns {Type | null}
 */
function unionOf(type) {
  const target = targetOf(type);
  return target.isUnion ? target : null;
}

/**
 * @param {unknown} type
 * @returns {asserts type is Type}
 */
export function checkType(type) {
  if (type instanceof Type) return;
  throw new TypeError(`expected a type of this package, such as TYPES[name], got ${String(type)}`);
}

/**
 * A function of a value, a type and options, with the root as the default type.
 *
 * @template R
 * @param {(value: any, type: Type, options?: any) => R} act
 * @param {Type} root
 */
export function withRoot(act, root) {
  return (/** @type {any} */ value, /** @type {any} */ type, /** @type {Options} */ options) =>
    isOptions(type) ? act(value, root, type ?? options) : act(value, type, options);
}

/**
 * Whether an argument is options, or missing, rather than a type.
 *
 * @param {unknown} type
 * @returns {type is Options | undefined}
 */
export function isOptions(type) {
  return type === undefined || (typeof type === "object" && type !== null && !(type instanceof Type));
}

/**
 * The types of a module, by name.
 *
 * @param {{ readonly [name: string]: Type }} types
 */
export function byName(types) {
  Object.values(types).forEach(token);
  return Object.freeze(Object.assign(Object.create(null), types));
}

/**
 * Name in the package → name in the spec.
 *
 * @param {{ readonly [name: string]: Type }} types
 * @param {{ readonly [name: string]: string }} others The names that differ.
 */
export function specNames(types, others) {
  const names = Object.keys(types).map((name) => [name, Object.hasOwn(others, name) ? others[name] : name]);
  return Object.freeze(Object.assign(Object.create(null), Object.fromEntries(names)));
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
