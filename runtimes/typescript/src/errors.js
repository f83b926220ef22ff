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

/** A fault in a value, before it is known whether the value was being decoded or encoded. */
export class Fault extends Error {
  /**
   * @param {string} code
   * @param {string} path A JSON Pointer.
   * @param {string} message
   */
  constructor(code, path, message) {
    super(message);
    this.code = code;
    this.path = path;
  }
}

/** Data that does not decode: a code, the place as a JSON Pointer, and a message for people. */
export class DecodeError extends Error {
  /**
   * @param {string} code
   * @param {string} path
   * @param {string} message
   */
  constructor(code, path, message) {
    super(path === "" ? message : `${message} at ${path}`);
    this.name = "DecodeError";
    this.code = code;
    this.path = path;
  }
}

/** A value that does not encode: a code, the place as a JSON Pointer, and a message for people. */
export class EncodeError extends Error {
  /**
   * @param {string} code
   * @param {string} path
   * @param {string} message
   */
  constructor(code, path, message) {
    super(path === "" ? message : `${message} at ${path}`);
    this.name = "EncodeError";
    this.code = code;
    this.path = path;
  }
}

/**
 * A fault as an error of the given class; any other error unchanged.
 *
 * @param {unknown} error
 * @param {typeof DecodeError | typeof EncodeError} Type
 */
export function raised(error, Type) {
  return error instanceof Fault ? new Type(error.code, error.path, error.message) : error;
}
