/** One pass over one value: how it looks at it, what it found, and the types that it goes by. */

import { described, MAX_DEPTH } from "./values.js";

/** Every error code. Of several faults at one place, the first of this list is reported. */
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
 * What a check gives: a fault (which is in the run), a value that fits, or one that fits and of which there is something
 * to say (which is the run's note).
 */
export const [FAULT, FITS, NOTED] = [0, 1, 2];

/** What the check of a member may give besides: it is absent, or does not count. */
export const ABSENT = 3;

/** How the check of a struct looks at a member that may turn out not to count: by the long way. */
export const REPAIRS = 9;

/**
 * Looks at a value at a depth (the root's is 1).
 *
 * @typedef {(x: any, run: Run, depth: number) => number} Check
 */

/**
 * Looks at an object of a struct: the value itself, and the object with its members, which is mostly the same. It may be
 * known already that the object has the constants that the struct demands.
 *
 * @typedef {(x: any, object: any, run: Run, depth: number, isTagged: boolean) => number} Body
 */

/**
 * What there is to say of a value. Of one that is written, its text.
 *
 * @typedef {object} Note
 * @property {boolean} passed Whether lenient mode tolerated the value itself.
 * @property {readonly string[] | null} nulls Its members whose null has to be taken away.
 * @property {readonly string[]} [unfit] Its members that have to be taken away because they do not fit.
 * @property {readonly string[]} [order] The order of its members, if that is not the one that it has.
 * @property {ReadonlySet<number>} [skipped] Its items that are left out.
 * @property {readonly (readonly [string | number, Note])[] | null} below What there is to say of its parts.
 * @property {() => any} [instead] What has to stand in its place.
 */

/** What is wrong, and the steps to it from the innermost on. Faults of a whole text have no steps. */
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
   * @param {boolean} strict Whether what is unknown is a fault.
   * @param {boolean} examines Whether it notes what lenient mode tolerates.
   * @param {boolean} writes Whether the JSON text is wanted.
   * @param {boolean} foreign Whether objects may be other than those that `JSON.parse` makes.
   */
  constructor(strict, examines, writes, foreign) {
    this.strict = strict;
    this.examines = examines;
    this.writes = writes;
    this.foreign = foreign;
    /** Whether forms of texts and values of open enums do not matter. */
    this.lax = !strict && !examines;
    /** Whether untouched numbers beyond the exact integers fit as they are, since the text may have to tell them. */
    this.defers = false;
    /** Whether there is such a number. */
    this.deferred = false;
    /** @type {Fault | null} */
    this.fault = null;
    /** Whether there is a fault that no repair takes away. */
    this.isLost = false;
    /** What there is to say of the value that was looked at last: a Note, or its text. @type {any} */
    this.note = null;
    /** What the union that was read last has chosen; in the end that is the outermost. @type {Type | null} */
    this.variant = null;
    /** Whether one of the unions on the way to a struct is open. */
    this.open = false;
    /**
     * The key at which an object is unknown, or would be if the struct behind a pattern does not fit; null for the object
     * itself, undefined for none.
     *
     * @type {string | null | undefined}
     */
    this.doubt = undefined;
    /** Whether the object that was led to a struct has all the constants that the struct demands. */
    this.isTagged = false;
  }
}

const EMPTY = {};

/** Whether every object inherits members that count. */
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
    this.name = name;
    this.expected = expected;
    this.compile = compile;
    this.op = op;
    /** @type {Check} */
    this.check = checkFirst;
    /** Of a struct, its layout; of an enumeration, its values; of a union, how it chooses. @type {any} */
    this.detail = null;
    this.isUnion = false;
    /** Of an alias, what it stands for. @type {(() => Type) | null} */
    this.target = null;
    /** Of a struct, its members. @type {(() => readonly any[]) | null} */
    this.rows = null;
  }
}

/**
 * The check of a type that has not been used yet.
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
 * A fault at the place that is being looked at.
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
 * What lenient mode tolerates at the place that is being looked at: in strict mode a fault, in `examine` a note.
 *
 * @param {Run} run
 * @param {string} code
 * @param {() => string} message
 */
export function tolerate(run, code, message) {
  if (run.strict) return fail(run, code, message());
  return run.examines ? noted(run, PASSED) : FITS;
}
