/** The errors that users see, and the internal one that becomes either of them. */

/**
 * Whether a value is of a class of the package, or of another copy of the package: what `instanceof` goes by. Each class has
 * the mark as a member. (A class that is changed after its declaration would be in every bundle.)
 *
 * @param {any} value
 * @param {string} name
 */
export function isMarked(value, name) {
  return typeof value === "object" && value !== null && value[Symbol.for(`polywire_runtime.${name}`)] === true;
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

/** A value that does not encode. */
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
