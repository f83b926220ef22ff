/** The errors that users see, and the internal one that becomes either of them. */

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
 * Let `instanceof` recognise what another copy of the package has made.
 *
 * @param {Function} type
 * @param {string} name
 */
export function recognise(type, name) {
  const mark = Symbol.for(`polywire_runtime.${name}`);
  Object.defineProperty(type.prototype, mark, { value: true });
  Object.defineProperty(type, Symbol.hasInstance, {
    value: (/** @type {any} */ value) => typeof value === "object" && value !== null && value[mark] === true,
  });
}

/** What is wrong with data or a value: a code, the place as a JSON Pointer, and a message for people. */
class CodecError extends Error {
  /**
   * @param {string} name
   * @param {string} code
   * @param {string} path
   * @param {string} message
   */
  constructor(name, code, path, message) {
    super(path === "" ? message : `${message} at ${path}`);
    this.name = name;
    this.code = code;
    this.path = path;
  }
}

/** Data that does not decode. */
export class DecodeError extends CodecError {
  static {
    recognise(this, "DecodeError");
  }

  /**
   * @param {string} code
   * @param {string} path
   * @param {string} message
   */
  constructor(code, path, message) {
    super("DecodeError", code, path, message);
  }
}

/** A value that does not encode. */
export class EncodeError extends CodecError {
  static {
    recognise(this, "EncodeError");
  }

  /**
   * @param {string} code
   * @param {string} path
   * @param {string} message
   */
  constructor(code, path, message) {
    super("EncodeError", code, path, message);
  }
}
