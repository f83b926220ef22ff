/**
 * Converts bytes and JSON texts to values, and checks what only the text shows (UTF-8, syntax, depth, long integers).
 */

import { DecodeError } from "./errors.js";
import { digitsOf, MAX_DEPTH, MAX_DIGITS } from "./values.js";

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Converts text or bytes in UTF-8 to text.
 *
 * @param {string | ArrayBufferView | ArrayBuffer} data
 */
export function stringOf(data) {
  if (typeof data === "string") return data;
  try {
    return UTF_8.decode(/** @type {Uint8Array<ArrayBuffer>} */ (data));
  } catch (error) {
    if (!ArrayBuffer.isView(data) && !(data instanceof ArrayBuffer)) throw error;
    throw new DecodeError("invalid_utf8", "", "not UTF-8");
  }
}

/**
 * The value of a JSON text, regardless of its depth.
 *
 * @param {string} text
 * @param {(this: any, key: string, value: any) => any} [reviver]
 * @returns {unknown}
 */
export function parsed(text, reviver) {
  try {
    return JSON.parse(text, reviver);
  } catch (error) {
    if (error instanceof SyntaxError) throw new DecodeError("invalid_json", "", error.message);
    throw tooDeep(); // some engines parse by recursion and run out of stack
  }
}

// --- integers that a double would change -------------------------------------------------------------------------

/** @typedef {{ readonly source?: string }} Context The source text of a parsed number, if the engine provides it. */

/** @type {{ rawJSON?: (text: string) => unknown }} */
const { rawJSON } = /** @type {any} */ (JSON);

/** @type {(key: string, value: unknown, context?: Context) => unknown} */
const sourceOf = (_, value, context) => context?.source ?? value;

/** Whether the engine provides the source text of a number, and can write a number by its text. */
export const TELLS_SOURCE = rawJSON !== undefined && /* @__PURE__ */ JSON.parse("1", sourceOf) === "1";

/**
 * The value of a JSON text with each integer that a double would change as raw JSON. This is several times slower, so
 * it is used only for texts that have such integers.
 *
 * @param {string} text
 */
export const parsedExactly = (text) => parsed(text, exactly);

/** @type {(key: string, value: unknown, context?: Context) => unknown} */
function exactly(_, value, context) {
  const source = context?.source;
  if (typeof value !== "number" || Number.isSafeInteger(value) || source === undefined) return value;
  const digits = digitsOf(source);
  return digits === 0 || digits > MAX_DIGITS || source === String(value) ? value : rawJSON?.(source);
}

// --- depth -------------------------------------------------------------------------------------------------------

const tooDeep = () => new DecodeError("too_deep", "", `nested deeper than ${MAX_DEPTH} levels`);

/** @param {string} text A valid JSON text. */
export function checkDepth(text) {
  if (isDeep(text)) throw tooDeep();
}

/**
 * Whether a JSON text is nested too deep, also in values that a later duplicate key overwrites.
 *
 * @param {string} text
 */
function isDeep(text) {
  let level = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // a string: skip to its closing quote
        at = endOfString(text, at);
        break;
      case 0x5b:
      case 0x7b:
        level += 1;
        if (level > MAX_DEPTH) return true;
        break;
      case 0x5d:
      case 0x7d:
        level -= 1;
        break;
    }
  }
  return false;
}

/**
 * The index of the closing quote of the string that opens at `start`.
 *
 * @param {string} text
 * @param {number} start
 */
function endOfString(text, start) {
  let end = text.indexOf('"', start + 1);
  while (text.charCodeAt(end - 1) === 0x5c) {
    let slash = end - 2;
    while (text.charCodeAt(slash) === 0x5c) slash -= 1;
    if ((end - slash) % 2 === 1) break; // the backslashes escape each other
    end = text.indexOf('"', end + 1);
  }
  return end;
}

// --- long integers -----------------------------------------------------------------------------------------------

/**
 * Reject a text that has an integer of too many digits anywhere.
 *
 * `JSON.parse` makes such an integer infinite, so no value that contains one is accepted. Only the text distinguishes
 * it from other numbers that overflow; it needs to be checked only for rejected texts.
 *
 * @param {string} text A valid JSON text.
 */
export function checkDigits(text) {
  if (text.length <= MAX_DIGITS) return;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) {
      at = endOfString(text, at);
    } else if (isDigit(unit)) {
      const start = at;
      let isInteger = true;
      for (; isOfNumber(text.charCodeAt(at + 1)); at++) isInteger &&= isDigit(text.charCodeAt(at + 1));
      const digits = at + 1 - start;
      if (isInteger && digits > MAX_DIGITS) {
        throw new DecodeError("out_of_range", "", `expected at most ${MAX_DIGITS} digits, got an integer of ${digits}`);
      }
    }
  }
}

/** @param {number} unit */
const isDigit = (unit) => unit >= 0x30 && unit <= 0x39;

/**
 * Whether a character can continue a number: a digit, or one of `+-.eE`.
 *
 * @param {number} unit NaN after the end of the text.
 */
const isOfNumber = (unit) =>
  isDigit(unit) || unit === 0x2e || unit === 0x65 || unit === 0x45 || unit === 0x2b || unit === 0x2d;
