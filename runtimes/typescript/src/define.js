/** A program's own types, built from those of the package: records that contain messages, lists and maps of them. */

import { token } from "./codec.js";
import * as t from "./engine.js";
import { FITS, Type } from "./run.js";

export const boolean = /* @__PURE__ */ token(t.boolean);
export const integer = /* @__PURE__ */ token(t.integer);
export const json = /* @__PURE__ */ token(t.json);
export const number = /* @__PURE__ */ token(t.number);
export const string = /* @__PURE__ */ token(t.string);
export const timestamp = /* @__PURE__ */ token(t.timestamp);
export const uuid = /* @__PURE__ */ token(t.uuid);

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
export const nullable = (inner) => token(new Nullable(inner));

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
  return token(t.struct(name, () => rows));
}

/** @param {Type} item */
export const list = (item) => token(t.array(item));

/** @param {Type} value The type of all values. */
export const dictionary = (value) => token(t.map(value));
