/** The errors that users see, and the internal one that is converted to either of them. */

/**
 * Whether a value belongs to a class of this package, or of another copy of the package; used by `instanceof`. Each
 * class has the mark as a member. (Changing a class after its declaration would include it in every bundle.)
 *
 * @param {any} value
 * @param {string} name
 */
export function isMarked(value, name) {
  return typeof value === "object" && value !== null && value[Symbol.for(`polywire_runtime.${name}`)] === true;
}

/** A fault of data or of a value: a code, the location as a JSON Pointer, and a human-readable message. */
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

/** Invalid data. */
export class DecodeError extends CodecError {
  get [Symbol.for("polywire_runtime.DecodeError")]() {
    return true;
  }

  /**
   * @override
   * @param {unknown} value
   */
  static [Symbol.hasInstance](value) {
    return isMarked(value, "DecodeError");
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

/** A value that cannot be encoded. */
export class EncodeError extends CodecError {
  get [Symbol.for("polywire_runtime.EncodeError")]() {
    return true;
  }

  /**
   * @override
   * @param {unknown} value
   */
  static [Symbol.hasInstance](value) {
    return isMarked(value, "EncodeError");
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
