/** The functions that answer requests of the peer: those given by kind of request, and those in the options. */

import { at } from "./controls.js";

/**
 * A function or an object in the options.
 *
 * @typedef {object} Given
 * @property {string} place
 * @property {string | undefined} [control]
 * @property {string | undefined} [id]
 * @property {string | undefined} [receives]
 * @property {boolean | undefined} [live]
 * @property {any} function
 * @property {Row} row
 */

/**
 * How a function is called: the paths to its id and its parameters in the request, and to its value in the result, and
 * the value of a function that returns nothing.
 *
 * @typedef {object} Row
 * @property {readonly string[]} [id]
 * @property {readonly (readonly string[])[]} [params]
 * @property {readonly string[]} [result]
 * @property {unknown} [none]
 */

/** @typedef {(payload: any, context: { id: unknown, signal: AbortSignal }) => unknown} Answerer */
/** @typedef {{ readonly [kind: string]: Answerer | undefined }} Answers */

/**
 * The functions of a process, by kind of request.
 *
 * @param {readonly Given[]} functions Those in the options.
 * @param {Answers} answers
 * @param {string} by The discriminator of requests.
 * @returns {Map<string, Answerer>}
 */
export function answerers(functions, answers, by) {
  /** @type {Map<string, Answerer>} */
  const found = new Map();
  for (const [kind, answer] of Object.entries(answers))
    if (answer !== undefined) found.set(kind, (payload, context) => answer.call(answers, payload, context));
  /** @type {Map<string, Map<string | undefined, Given>>} */
  const own = new Map();
  for (const each of functions) {
    const { control, id, place } = each;
    checkUse(each);
    if (control === undefined) continue;
    const others = own.get(control) ?? new Map();
    if (others.size === 0 && found.has(control)) {
      throw new TypeError(`both answers and the option ${place} answer ${control}; give one of them`);
    }
    if (others.has(undefined) || others.has(id) || (id === undefined && others.size > 0)) {
      const [other] = others.values();
      throw new TypeError(`the options ${other.place} and ${place} both answer ${control}; give one of them`);
    }
    own.set(control, others.set(id, each));
    found.set(control, answerer(others, by));
  }
  return found;
}

/** Throws if a process does not call a function in the options. @param {Given} given */
function checkUse({ place, control, receives, live, function: called }) {
  if (live || (control === undefined && receives === undefined)) {
    const what = live ? "object" : "function";
    throw new TypeError(`the ${what} in the option ${place} is not used by a process; leave it out`);
  }
  if (typeof called !== "function") throw new TypeError(`expected a function in the option ${place}`);
}

/**
 * The function that is called with an output of the process: the given one, or the one in the options.
 *
 * @param {readonly Given[]} functions
 * @param {string} output
 * @param {((text: string) => void) | undefined} given
 */
export function receiver(functions, output, given) {
  const found = functions.find(({ receives }) => receives === output);
  if (found === undefined) return given;
  if (given === undefined) return found.function;
  throw new TypeError(`both ${output} and the option ${found.place} receive it; give one of them`);
}

/**
 * Answers requests of a control with functions in the options.
 *
 * @param {Map<string | undefined, Given>} functions By id.
 * @param {string} by
 * @returns {Answerer}
 */
function answerer(functions, by) {
  return async (payload, { signal }) => {
    const [first] = functions.values();
    const id = first?.row.id === undefined ? undefined : String(at(payload, first.row.id));
    const found = functions.get(id);
    if (found === undefined) throw new RangeError(`no function has the id "${id}"`);
    const { row } = found;
    const params = row.params ?? [];
    const values = params.map((path) => at(payload, path) ?? undefined); // a null says that there is no value
    return resultOf(row, await found.function(...values, { ...restOf(payload, by, params), signal }));
  };
}

/**
 * The members of a request that are no parameters; none if the request itself is one.
 *
 * @param {object} payload
 * @param {string} by
 * @param {readonly (readonly string[])[]} params
 */
function restOf(payload, by, params) {
  if (params.some((path) => path.length === 0)) return {};
  const taken = new Set([by, ...params.map(([key]) => key)]);
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !taken.has(key)));
}

/** The result for the value that a function has returned. @param {Row} row @param {unknown} returned */
function resultOf(row, returned) {
  const value = returned === undefined || returned === null ? ("none" in row ? row.none : returned) : returned;
  if (value === undefined || row.result === undefined) return value;
  return row.result.reduceRight((/** @type {unknown} */ inner, key) => ({ [key]: inner }), value);
}
