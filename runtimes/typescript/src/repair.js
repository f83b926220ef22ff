/** Repairs of invalid values in lenient mode, where the protocol prescribes them. */

import { checkJson } from "./json.js";
import {
  ABSENT,
  checkLength,
  failBelow,
  FAULT,
  NOTED,
  noted,
  PASSED,
  REPAIRS,
  Run,
  tooDeep,
  Type,
  wrongType,
} from "./run.js";
import { MAX_DEPTH, NULLS, UNFIT, whole } from "./values.js";

/** @typedef {import("./run.js").Check} Check */
/** @typedef {import("./run.js").Note} Note */

/**
 * A value with the repairs recorded in its notes: without the nulls and invalid values that lenient mode removes, both
 * of which it remembers, and with the replacements of other values. It shares all parts that need no repair.
 *
 * @param {any} value
 * @param {Note} note
 */
export function repaired(value, { nulls, below, unfit, order, skipped, instead }) {
  if (instead !== undefined) return instead();
  let copy = value;
  for (const [step, note] of below ?? []) {
    const part = repaired(value[step], note);
    if (Object.is(part, value[step])) continue;
    if (copy === value) copy = copyOf(value);
    copy[step] = part;
  }
  if (skipped !== undefined) return copy.filter((/** @type {any} */ _, /** @type {number} */ at) => !skipped.has(at));
  if (nulls === null && unfit === undefined) return copy;
  if (copy === value) copy = copyOf(value);
  const keys = order ?? Object.keys(whole(value));
  for (const key of [...(nulls ?? []), ...(unfit ?? [])]) delete copy[key];
  if (nulls !== null) copy[NULLS] = inOrder([...(value[NULLS] ?? []), ...nulls], keys, (key) => key);
  if (unfit !== undefined) {
    const pairs = unfit.map((key) => [key, value[key]]);
    copy[UNFIT] = inOrder([...(value[UNFIT] ?? []), ...pairs], keys, ([key]) => key);
  }
  return copy;
}

/**
 * The members removed from an object in their original order, which is remembered.
 *
 * @template T
 * @param {T[]} away
 * @param {readonly string[]} order The keys of the object.
 * @param {(each: T) => string} keyOf
 */
function inOrder(away, order, keyOf) {
  const at = new Map(order.map((key, index) => [key, index]));
  away.sort((one, other) => (at.get(keyOf(one)) ?? 0) - (at.get(keyOf(other)) ?? 0));
  return Object.defineProperty(away, "order", { value: order }); // internal, so not enumerable
}

/** @param {any} value */
const copyOf = (value) => (Array.isArray(value) ? [...value] : { ...value });

// --- types that repair ---------------------------------------------------------------------------------------------

/**
 * A type of a member whose invalid values are repaired. `how` is "value" (it is replaced with another one, whose JSON
 * is given), "absent" (the member is treated as absent), "skip" (items of an array are dropped), "skip absent" or "skip
 * value".
 *
 * @type {(type: Type, how: string, text?: string) => Type}
 */
export function repairing(type, how, text = "null") {
  /** @type {(type: Type) => Check} */
  const compile = () => {
    const inner = how.startsWith("skip") ? skipping(arrayOf(type)) : type;
    return (x, run, depth) => {
      if (run.strict || run.writes) return type.check(x, run, depth);
      const found = inner.check(x, run, depth);
      if (found !== FAULT || how === "skip" || !isKept(x, run, depth)) return found;
      return how.endsWith("value") ? noted(run, { ...PASSED, instead: () => fresh(type, text) }) : ABSENT;
    };
  };
  const repairs = new Type(type.name, type.expected, compile, REPAIRS);
  repairs.detail = type;
  return repairs;
}

/**
 * A value that replaces others; replacements must not share any part.
 *
 * @param {Type} type
 * @param {string} text
 */
function fresh(type, text) {
  const value = JSON.parse(text);
  const run = new Run(false, false, false, false);
  return value !== null && type.check(value, run, 1) === NOTED ? repaired(value, run.note) : value;
}

/**
 * Whether the fault of a value can be repaired: the value can be kept as JSON.
 *
 * @type {(x: any, run: Run, depth: number) => boolean}
 */
function isKept(x, run, depth) {
  const { fault } = run;
  if (run.isLost || fault?.steps === null) return false;
  run.isLost = checkJson(x, run, depth) === FAULT;
  run.fault = run.isLost ? fault : null;
  return !run.isLost;
}

/** @type {(type: Type) => Type} For an array type, or an alias of one. */
const arrayOf = (type) => (type.target === null ? type : arrayOf(type.target()));

/** @param {Type} list */
function skipping(list) {
  const { item } = list.detail;
  /** @type {Check} */
  const check = (x, run, depth) => {
    if (!Array.isArray(x)) return wrongType(run, "array", x);
    if (depth > MAX_DEPTH) return tooDeep(run);
    const length = checkLength(list, x, run);
    if (length === FAULT) return FAULT;
    const skipped = new Set();
    /** @type {[number, Note][]} */
    const below = [];
    for (let at = 0; at < x.length; at++) {
      const found = item.check(x[at], run, depth + 1);
      if (found === NOTED) below.push([at, run.note]);
      if (found !== FAULT) continue;
      if (!isKept(x[at], run, depth + 1)) return failBelow(run, at);
      skipped.add(at);
      below.push([at, PASSED]);
    }
    if (below.length === 0) return length;
    const note = { passed: length === NOTED, nulls: null, below };
    return noted(run, skipped.size === 0 ? note : { ...note, skipped });
  };
  return new Type("array", "array", () => check);
}
