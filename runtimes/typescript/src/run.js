/** One pass over one value: its settings and findings, and the types that it checks. */

import { described, MAX_DEPTH } from "./values.js";

/** Every error code. If a path has several faults, the first in this list is reported. */
export const CODES = [
  "too_long",
  "invalid_utf8",
  "invalid_json",
  "too_deep",
  "wrong_type",
  "missing_field",
  "unknown_variant",
  "no_variant",
  "wrong_constant",
  "unknown_value",
  "out_of_range",
  "bad_format",
  "out_of_bounds",
  "unknown_field",
];

/**
 * The result of a check: a fault (stored in the run), a valid value, or a valid value with a note (stored in the run).
 */
export const [FAULT, FITS, NOTED] = [0, 1, 2];

/** Other outcomes of checking a member: it is absent or ignored; it needs a closer look. */
export const [ABSENT, UNCLEAR] = [3, 4];

/** How the check of a struct looks at a member that may turn out not to count: by the long way. */
export const REPAIRS = 9;

/**
 * Checks a value at a depth (the root's is 1).
 *
 * @typedef {(x: any, run: Run, depth: number) => number} Check
 */

/**
 * What there is to say of a value. Of one that is written, its text.
 *
 * @typedef {object} Note
 * @property {boolean} passed Whether lenient mode tolerated the value itself.
 * @property {readonly string[] | null} nulls Its members whose null must be removed.
 * @property {readonly string[]} [unfit] Its members that must be removed because they are invalid.
 * @property {readonly string[]} [order] The order of its members, if it differs from that of the object.
 * @property {ReadonlySet<number>} [skipped] Its items that are dropped.
 * @property {readonly (readonly [string | number, Note])[] | null} below The findings about its parts.
 * @property {() => any} [instead] The value that replaces it.
 */

/** A fault, and the steps to it from the innermost on. Faults of a whole text have no steps. */
export class Fault {
  /**
   * @param {string} code
   * @param {string} message
   * @param {(string | number)[] | null} steps
   */
  constructor(code, message, steps) {
    this.code = code;
    this.message = message;
    this.steps = steps;
  }
}

/** @typedef {{ strict?: boolean, examines?: boolean, writes?: boolean, foreign?: boolean }} How */

export class Run {
  /**
   * @param {boolean} strict Whether unknown content is a fault.
   * @param {boolean} examines Whether to record what lenient mode tolerates.
   * @param {boolean} writes Whether to produce the JSON text.
   * @param {boolean} foreign Whether objects may differ from those that `JSON.parse` creates.
   */
  constructor(strict, examines, writes, foreign) {
    this.strict = strict;
    this.examines = examines;
    this.writes = writes;
    this.foreign = foreign;
    /** Whether formats of texts and values of open enums are not checked. */
    this.lax = !strict && !examines;
    /**
     * Whether untouched numbers beyond the exact integers are accepted for now, since only the text may show whether
     * they are valid.
     */
    this.defers = false;
    /** Whether there is such a number. */
    this.deferred = false;
    /** @type {Fault | null} */
    this.fault = null;
    /** Whether there is a fault that no repair can remove. */
    this.isLost = false;
    /** The finding about the value checked last: a Note, or its text. @type {any} */
    this.note = null;
    /** What the union that was read last has chosen; in the end that is the outermost. @type {Type | null} */
    this.variant = null;
    /**
     * The key at which an object is unknown, or would be if the struct behind a pattern does not fit; null for the object
     * itself, undefined for none.
     *
     * @type {string | null | undefined}
     */
    this.doubt = undefined;
    /** The name of the Unknown that such an object is, or would be. @type {string | false} */
    this.unknown = false;
    /** What is written so far. @type {import("./json.js").Lines | null} */
    this.lines = null;
    /** Whether the value is certain to be nested too deep. */
    this.isTooDeep = false;
    /** Whether the value is decoded, so that its Unknowns are remembered. */
    this.decodes = false;
    /** Whether the object for which a struct was selected has all constants that the struct requires. */
    this.isTagged = false;
  }
}

/** The Unknowns among decoded values: objects are plain, so nothing in them shows by which union they were decoded. */
export const unknowns = /* @__PURE__ */ new WeakSet();

const EMPTY = {};

/** Whether every object inherits enumerable members. */
export function isPolluted() {
  for (const key in EMPTY) return key !== undefined;
  return false;
}

/** A type: a token for users, a check for the engine. */
export class Type {
  /**
   * @param {string} name
   * @param {string | (() => string)} expected The JSON kind of its values, for messages.
   * @param {(type: Type) => Check} compile
   * @param {number} op How the check of a struct looks at a member of the type.
   */
  constructor(name, expected, compile, op = 0) {
    // The fields that every check needs come first, so that they are close together in memory.
    /** @type {Check} */
    this.check = checkFirst;
    /** The data for the check: for a struct the table of its members, for a union its way. @type {any} */
    this.plan = null;
    /** Of a struct, its layout; of an enumeration, its values; of a union, how it chooses. @type {any} */
    this.detail = null;
    this.name = name;
    this.expected = expected;
    this.compile = compile;
    this.op = op;
    this.isUnion = false;
    /** Of an alias, what it stands for. @type {(() => Type) | null} */
    this.target = null;
    /** For a struct, its members. @type {(() => readonly any[]) | null} */
    this.rows = null;
  }
}

/**
 * The check of a type on its first use.
 *
 * @this {Type}
 * @type {Check}
 */
function checkFirst(x, run, depth) {
  this.check = this.compile(this);
  return this.check(x, run, depth);
}

// --- outcomes ------------------------------------------------------------------------------------------------------

/**
 * A fault at the current path.
 *
 * @param {Run} run
 * @param {string} code
 * @param {string} message
 */
export function fail(run, code, message) {
  run.fault = new Fault(code, message, []);
  return FAULT;
}

/**
 * The same fault, one step further up.
 *
 * @param {Run} run
 * @param {string | number} step
 */
export function failBelow(run, step) {
  run.fault?.steps?.push(step);
  return FAULT;
}

/** @type {(run: Run, expected: string, x: unknown) => number} */
export function wrongType(run, expected, x) {
  return fail(run, "wrong_type", `expected ${expected}, got ${described(x)}`);
}

/** @param {Run} run */
export function tooDeep(run) {
  run.fault = new Fault("too_deep", `nested deeper than ${MAX_DEPTH} levels`, null);
  return FAULT;
}

/** @type {Note} */
export const PASSED = { passed: true, nulls: null, below: null };

/**
 * @param {Run} run
 * @param {Note | string} note
 */
export function noted(run, note) {
  run.note = note;
  return NOTED;
}

/**
 * What lenient mode tolerates at the current path: a fault in strict mode, a note in `examine`.
 *
 * @param {Run} run
 * @param {string} code
 * @param {() => string} message
 */
export function tolerate(run, code, message) {
  if (run.strict) return fail(run, code, message());
  return run.examines ? noted(run, PASSED) : FITS;
}

/**
 * The outcome for the length of an array.
 *
 * @type {(array: Type, x: any[], run: Run) => number}
 */
export function checkLength({ detail: { least, most } }, x, run) {
  if (x.length >= least && x.length <= most) return FITS;
  const range = most === Infinity ? `at least ${least}` : `${least} to ${most}`;
  return tolerate(run, "out_of_bounds", () => `expected ${range} items, got ${x.length}`);
}
