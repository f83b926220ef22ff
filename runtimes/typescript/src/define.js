/** A program's own types, built from those of the package: records that contain messages, lists and maps of them. */

import { array, map, struct } from "./engine.js";
import { FITS, Type } from "./run.js";

export { boolean, integer, json, number, string, timestamp, uuid } from "./engine.js";

const [REQUIRED, NULLABLE] = [1, 2];

/** A type that also accepts null. */
class Nullable extends Type {
  /** @param {Type} inner */
  constructor(inner) {
    super(`${inner.name} | null`, inner.expected, () => (x, run, depth) => {
      return x === null ? FITS : inner.check(x, run, depth);
    });
  }
}

/** @param {Type} inner */
export const nullable = (inner) => new Nullable(inner);

/**
 * An object with the given members; the key of an optional member ends in a question mark.
 *
 * @param {string} name
 * @param {{ readonly [key: string]: Type }} members
 */
export function record(name, members) {
  const rows = Object.entries(members).map(([written, type]) => {
    const isOptional = written.endsWith("?");
    const flags = (isOptional ? 0 : REQUIRED) | (type instanceof Nullable ? NULLABLE : 0);
    return /** @type {const} */ ([isOptional ? written.slice(0, -1) : written, type, flags]);
  });
  return struct(name, () => rows);
}

/** @param {Type} item */
export const list = (item) => array(item);

/** @param {Type} value The type of all values. */
export const dictionary = (value) => map(value);
