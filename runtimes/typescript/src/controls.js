/** Requests and their answers, tools and their inputs and outputs. */

import { decodeValue, faultOf, is, variantOf } from "./codec.js";
import { declaredKeys } from "./engine.js";
import { DecodeError, EncodeError, isMarked } from "./errors.js";
import { FAULT, Run } from "./run.js";
import { isObject, isSame, matches, own, pointerStep, shown } from "./values.js";

/** @typedef {import("./codec.js").Options} Options */
/** @typedef {import("./run.js").Type} Type */

/**
 * How requests, answers, errors and notifications of a protocol find each other.
 *
 * @typedef {object} Controls
 * @property {string} by The discriminator of requests.
 * @property {Type} request The type of a request's envelope.
 * @property {readonly string[]} payload The keys that lead from an envelope to the request.
 * @property {readonly string[]} id The keys that lead from a request's envelope to its id.
 * @property {readonly Type[]} lines What a response is read as: the union of all its envelopes, or the envelopes.
 * @property {AnswerForm} response
 * @property {ErrorForm | null} error
 * @property {() => readonly Answer[]} answers
 */

/**
 * What answers a request: value of the discriminator, the type of the answer (null for none), whether it may be absent,
 * the type of the data of an error in its place, and type and absence of a new answer, if they differ.
 *
 * @typedef {readonly [
 *   tag: unknown,
 *   type: Type | null,
 *   optional: boolean,
 *   error?: Type | null,
 *   reply?: readonly [type: Type | null, optional: boolean],
 * ]} Answer
 */
/** @typedef {Answer | undefined} Row */

/**
 * What tells the messages of one form from all others.
 *
 * @typedef {object} Form
 * @property {Type} envelope
 * @property {readonly (readonly [keys: readonly string[], value: unknown])[]} when What stands at some places.
 * @property {readonly (readonly [keys: readonly string[], union: Type, variants: readonly Type[]])[]} within What the
 * objects at some places are.
 * @property {readonly string[]} holder The keys that lead to the object with the answer, or with the message.
 */

/**
 * An envelope, and the place of what it is around.
 *
 * @typedef {object} HeldParts
 * @property {string | null} result The key of that in its holder; null if its members are among those of its holder.
 * @property {readonly Type[]} holders Then, the structs that the holder can be.
 * @property {readonly Type[]} beside Then, the structs that they are flattened into.
 */
/** @typedef {Form & HeldParts} HeldForm */

/**
 * A response with an answer.
 *
 * @typedef {object} AnswerParts
 * @property {string} pointer The place of the answer in a response, as a JSON Pointer.
 * @property {string | null} none The JSON text of the answer that stands for none; null if that is absence.
 */
/** @typedef {HeldForm & AnswerParts} AnswerForm */

/**
 * A response with an error.
 *
 * @typedef {object} ErrorParts
 * @property {readonly string[]} message The keys that lead to the text for people.
 * @property {readonly string[]} code The same for the code; empty where an error has none.
 * @property {readonly string[]} data The same for the data.
 * @property {readonly [refused: unknown, unknown: unknown]} codes The code of a refusal, and that for an unknown request.
 * @property {() => readonly (readonly [code: unknown, type: Type])[]} types The types of data by the code.
 */
/** @typedef {Form & ErrorParts} ErrorForm */

/** The peer answered a request with an error. */
export class ControlError extends Error {
  get [Symbol.for("polywire_runtime.ControlError")]() {
    return true;
  }

  /**
   * @override
   * @param {unknown} value
   */
  static [Symbol.hasInstance](value) {
    return isMarked(value, "ControlError");
  }

  /**
   * @param {string} message In the peer's words.
   * @param {unknown} response
   * @param {{ readonly code?: unknown, readonly data?: unknown }} [details]
   */
  constructor(message, response, details) {
    super(message);
    this.name = "ControlError";
    this.response = response;
    this.code = details?.code;
    this.data = details?.data;
  }
}

// --- ids ---------------------------------------------------------------------------------------------------------

let last = 0;

/** A number that this process has not drawn before. */
export const freshNumber = () => ++last;

/** A random id in the form of a UUID. */
export function freshUuid() {
  const source = /** @type {Crypto | undefined} */ (globalThis.crypto);
  if (typeof source?.randomUUID === "function") return source.randomUUID(); // browsers have it in secure contexts only
  const bytes = source?.getRandomValues(new Uint8Array(16)) ?? Uint8Array.from({ length: 16 }, randomByte);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const randomByte = () => Math.floor(Math.random() * 256);

// --- requests and answers ----------------------------------------------------------------------------------------

/**
 * The value that some keys lead to; undefined if they lead nowhere.
 *
 * @param {unknown} value
 * @param {readonly string[]} keys
 * @returns {any}
 */
export function at(value, keys) {
  let found = value;
  for (const key of keys) {
    if (!isObject(found)) return undefined;
    found = own(found, key);
  }
  return found;
}

/**
 * The request in an envelope, or the request itself.
 *
 * @param {Controls} controls
 * @param {unknown} request
 */
function payloadOf(controls, request) {
  return is(request, controls.request) ? at(request, controls.payload) : request;
}

/**
 * Whether a value is the envelope of a request of a kind.
 *
 * @param {Controls} controls
 * @param {unknown} value
 * @param {unknown} kind
 */
export function isRequestOf(controls, value, kind) {
  return at(at(value, controls.payload), [controls.by]) === kind && is(value, controls.request);
}

/**
 * What is known of the answer to a request. Undefined for an unknown request.
 *
 * @param {Controls} controls
 * @param {unknown} request
 * @returns {Row}
 */
function expected(controls, request) {
  const kind = at(payloadOf(controls, request), [controls.by]);
  return controls.answers().find(([value]) => value === kind);
}

/**
 * The answer in a response, as the type that belongs to the request.
 *
 * @param {Controls} controls
 * @param {unknown} request With its envelope or without.
 * @param {unknown} response
 * @param {Options} [options]
 */
export function decodeResponse(controls, request, response, options) {
  const line = lineOf(controls.lines, response);
  const envelope = decodeValue(response, line);
  const struct = line.isUnion ? variantOf(envelope, line) : line;
  const row = expected(controls, request);
  if (controls.error !== null && isOf(controls.error, struct, envelope)) {
    const { message, ...details } = failureIn(controls.error, envelope, row);
    throw new ControlError(message, envelope, details);
  }
  if (!isOf(controls.response, struct, envelope)) throw new TypeError("expected a response with an answer or an error");
  return resultIn(controls.response, envelope, row, options);
}

/**
 * The answer in a response, as the type that belongs to the request; untouched where the request is unknown.
 *
 * @param {AnswerForm} form
 * @param {unknown} envelope
 * @param {Row} row
 * @param {Options} [options]
 */
export function resultIn(form, envelope, row, options) {
  const answer = contentIn(form, envelope);
  if (row === undefined) return answer;
  const [, type, optional] = row;
  if (type === null || (optional && isNone(form, answer, type))) return undefined;
  if (answer !== undefined) return decodeValue(answer, type, options);
  throw new DecodeError("missing_field", "", "expected an answer, got none");
}

/**
 * What a response is read as: the first type that it is of, or else the last, which then says what is wrong.
 *
 * @type {(lines: readonly Type[], response: unknown) => Type}
 */
function lineOf([line, ...others], response) {
  return others.length === 0 || is(response, line) ? line : lineOf(others, response);
}

/**
 * Whether an envelope, which is of a struct, is of a form.
 *
 * @param {Form} form
 * @param {Type | null} struct
 * @param {unknown} envelope
 */
export function isOf({ envelope: type, when, within, holder }, struct, envelope) {
  return (
    type === struct &&
    isObject(at(envelope, holder)) &&
    when.every(([keys, value]) => at(envelope, keys) === value) &&
    within.every(([keys, union, variants]) => {
      const variant = variantOf(at(envelope, keys), union);
      return variant !== null && variants.includes(variant);
    })
  );
}

/**
 * What a response with an error says. Data that does not fit its type stays as it came.
 *
 * @param {ErrorForm} form
 * @param {unknown} envelope
 * @param {Row} row
 */
export function failureIn({ message, code, data, types }, envelope, row) {
  /** @type {(keys: readonly string[]) => any} */
  const part = (keys) => (keys.length === 0 ? undefined : at(envelope, keys));
  const [itsCode, plain] = [part(code), part(data)];
  const type = row?.[3] ?? types().find(([each]) => each === itsCode)?.[1];
  const typed = type === undefined || plain === undefined ? plain : lenient(plain, type);
  return { message: part(message), code: itsCode, data: typed };
}

/**
 * A value as a type, or as it is if it is not of the type.
 *
 * @type {(value: unknown, type: Type) => unknown}
 */
function lenient(value, type) {
  try {
    return decodeValue(value, type);
  } catch (error) {
    if (error instanceof DecodeError) return value;
    throw error;
  }
}

/**
 * What an envelope is around: an answer, or a request. Flattened, it is all that the envelope itself does not declare.
 *
 * @param {HeldForm} form
 * @param {unknown} envelope
 */
export function contentIn({ holder, holders, beside, result }, envelope) {
  const object = at(envelope, holder);
  if (result !== null) return at(object, [result]);
  const found = holders.filter((type) => is(object, type)).slice(0, 1);
  const declared = new Set([...beside, ...found].flatMap((struct) => [...declaredKeys(struct)]));
  return Object.fromEntries(Object.entries(object).filter(([key]) => !declared.has(key)));
}

/**
 * Whether an answer that need not be there is not: null stands for none, too, where it is no answer of the type.
 *
 * @type {(form: AnswerForm, answer: any, type: Type) => boolean}
 */
function isNone({ result, none }, answer, type) {
  if (answer === undefined || (answer === null && !is(null, type))) return true;
  if (result === null && Object.keys(answer).length === 0) return true;
  return none !== null && isSame(answer, JSON.parse(none));
}

/**
 * The id under which a request is answered, and the answer, if it is of the type that belongs to the request.
 *
 * @param {Controls} controls
 * @param {unknown} request With its envelope.
 * @param {unknown} answer Undefined for none.
 */
export function answered(controls, request, answer) {
  return answeredAs(controls, expected(controls, request), request, answer);
}

/** @type {(controls: Controls, row: Row, request: unknown, answer: unknown) => { id: any, result: unknown }} */
export function answeredAs(controls, row, request, answer) {
  const { none, pointer } = controls.response;
  const [, read, mayLack, , reply] = row ?? []; // all undefined for an unknown request
  const [type, optional] = reply ?? [read, mayLack];
  if (type === null && answer !== undefined) throw unfit("wrong_type", pointer, "expected no answer");
  if (type && answer === undefined && !optional) {
    throw unfit("missing_field", pointer, "expected an answer, got none");
  }
  if (type && answer !== undefined) {
    const run = new Run(false, false, false, true);
    if (type.check(answer, run, 1) === FAULT) {
      const { code, path, text } = faultOf(run);
      throw unfit(code, pointer + path, text);
    }
  }
  const result = answer === undefined && none !== null ? JSON.parse(none) : answer;
  return { id: idOf(controls, request), result };
}

/**
 * The id under which a request is refused, and the code that says why unless the program gives one.
 *
 * @param {Controls} controls
 * @param {unknown} request With its envelope.
 * @param {{ readonly code?: unknown, readonly data?: unknown }} [details]
 */
export function refused(controls, request, details) {
  const [refusal, unknown] = controls.error?.codes ?? [];
  const code = details?.code ?? (expected(controls, request) === undefined ? unknown : refusal) ?? undefined;
  return { id: idOf(controls, request), code, data: details?.data };
}

/**
 * Refuse what is not a notification of the protocol.
 *
 * @param {{ readonly by: string, readonly tags: readonly unknown[] }} notifications Their discriminator and its values.
 * @param {unknown} payload
 */
export function checkNotification({ by, tags }, payload) {
  const tag = at(payload, [by]);
  if (!tags.includes(tag)) throw new TypeError(`expected a notification, got ${shown(tag ?? payload)}`);
}

/** @type {(code: string, path: string, message: string) => EncodeError} */
const unfit = (code, path, message) => new EncodeError(code, path, message);

/**
 * The id of a request.
 *
 * @param {Controls} controls
 * @param {unknown} request With its envelope.
 * @returns {any}
 */
export function idOf(controls, request) {
  const id = at(request, controls.id);
  if (id !== undefined) return id;
  throw unfit("missing_field", controls.id.map(pointerStep).join(""), "expected a request with an id");
}

// --- tools -------------------------------------------------------------------------------------------------------

/**
 * A tool's input or output as the type that belongs to the tool's name; unchanged if no type does.
 *
 * @param {() => readonly (readonly [pattern: string, type: Type])[]} tools The first that matches counts.
 * @param {string} name
 * @param {unknown} value
 * @param {Options} [options]
 */
export function toolValue(tools, name, value, options) {
  const type = tools().find(([pattern]) => (pattern.includes("*") ? matches(name, pattern) : pattern === name))?.[1];
  return type === undefined ? value : decodeValue(value, type, options);
}
