/** Requests and their answers, tools and their inputs and outputs. */

import { decodeValue, faultOf, is, variantOf } from "./codec.js";
import { declaredKeys } from "./engine.js";
import { DecodeError, EncodeError, isMarked } from "./errors.js";
import { FAULT, Run } from "./run.js";
import { isObject, isSame, matches, own, pointerStep, shown } from "./values.js";

/** @typedef {import("./codec.js").Options} Options */
/** @typedef {import("./run.js").Type} Type */

/**
 * How the requests, answers, errors and notifications of a protocol are matched.
 *
 * @typedef {object} Controls
 * @property {string} by The discriminator of requests.
 * @property {Type} request The type of a request's envelope.
 * @property {readonly string[]} payload The keys that lead from an envelope to the request.
 * @property {readonly string[]} id The keys that lead from a request's envelope to its id.
 * @property {readonly Type[]} lines The types of a response: the union of all its envelopes, or the envelopes.
 * @property {AnswerForm} response
 * @property {ErrorForm | null} error
 * @property {() => readonly Answer[]} answers
 */

/**
 * The answer to a request: the value of the discriminator, the type of the answer (null for no answer), whether it may
 * be absent, the type of an error's data, and the type and absence of a new answer, if they differ.
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
 * What distinguishes the messages of one form from all others.
 *
 * @typedef {object} Form
 * @property {Type} envelope
 * @property {readonly (readonly [keys: readonly string[], value: unknown])[]} when The values required at paths.
 * @property {readonly (readonly [keys: readonly string[], union: Type, variants: readonly Type[]])[]} within The
 * variants required of the objects at paths.
 * @property {readonly string[]} holder The keys that lead to the object with the answer, or with the message.
 */

/**
 * An envelope, and the location of its content.
 *
 * @typedef {object} HeldParts
 * @property {string | null} result The key of the content in its holder; null if its members are among the holder's.
 * @property {readonly Type[]} holders In that case, the structs that the holder can be.
 * @property {readonly Type[]} beside In that case, the structs that they are flattened into.
 */
/** @typedef {Form & HeldParts} HeldForm */

/**
 * A response with an answer.
 *
 * @typedef {object} AnswerParts
 * @property {string} pointer The location of the answer in a response, as a JSON Pointer.
 * @property {string | null} none The JSON text that represents no answer; null if it is absent.
 */
/** @typedef {HeldForm & AnswerParts} AnswerForm */

/**
 * A response with an error.
 *
 * @typedef {object} ErrorParts
 * @property {readonly string[]} message The keys that lead to the human-readable message.
 * @property {readonly string[]} code The keys that lead to the code; empty if errors have no code.
 * @property {readonly string[]} data The keys that lead to the data.
 * @property {readonly [refused: unknown, unknown: unknown]} codes The code of a refusal, and that for an unknown request.
 * @property {() => readonly (readonly [code: unknown, type: Type])[]} types The types of data, by code.
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
   * @param {string} message The peer's message.
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

/** A number that this process has not used before. */
export const freshNumber = () => ++last;

/** A random id in the format of a UUID. */
export function freshUuid() {
  const source = /** @type {Crypto | undefined} */ (globalThis.crypto);
  if (typeof source?.randomUUID === "function") return source.randomUUID(); // in browsers: secure contexts only
  const bytes = source?.getRandomValues(new Uint8Array(16)) ?? Uint8Array.from({ length: 16 }, randomByte);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const randomByte = () => Math.floor(Math.random() * 256);

// --- requests and answers ----------------------------------------------------------------------------------------

/**
 * The value that the keys lead to; undefined if there is none.
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
 * Whether a value is the envelope of a request of the given kind.
 *
 * @param {Controls} controls
 * @param {unknown} value
 * @param {unknown} kind
 */
export function isRequestOf(controls, value, kind) {
  return at(at(value, controls.payload), [controls.by]) === kind && is(value, controls.request);
}

/**
 * What is known about the answer to a request; undefined for an unknown request.
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
 * The answer in a response, in the type that matches the request.
 *
 * @param {Controls} controls
 * @param {unknown} request With or without its envelope.
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
 * The answer in a response, in the type that matches the request; untouched if the request is unknown.
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
 * Decodes a response as the first type that it matches, or else as the last, which then reports the fault.
 *
 * @type {(lines: readonly Type[], response: unknown) => Type}
 */
function lineOf([line, ...others], response) {
  return others.length === 0 || is(response, line) ? line : lineOf(others, response);
}

/**
 * Whether an envelope, which is a value of the struct, has the form.
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
 * The content of an error response. Invalid data is left unchanged.
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
 * Decodes a value as a type, or returns it unchanged if it is invalid.
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
 * The content of an envelope: an answer or a request. If flattened, it is everything that the envelope does not
 * declare.
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
 * Whether an optional answer is absent; null also means absent if it is not a valid answer.
 *
 * @type {(form: AnswerForm, answer: any, type: Type) => boolean}
 */
function isNone({ result, none }, answer, type) {
  if (answer === undefined || (answer === null && !is(null, type))) return true;
  if (result === null && Object.keys(answer).length === 0) return true;
  return none !== null && isSame(answer, JSON.parse(none));
}

/**
 * The id with which a request is answered, and the answer, which must have the type that matches the request.
 *
 * @param {Controls} controls
 * @param {unknown} request With its envelope.
 * @param {unknown} answer Undefined for no answer.
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
 * The id with which a request is refused, and the default code of the refusal.
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
 * Reject a value that is not a notification of the protocol.
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
 * A tool's input or output in the type declared for the tool's name; unchanged if there is none.
 *
 * @param {() => readonly (readonly [pattern: string, type: Type])[]} tools The first match is used.
 * @param {string} name
 * @param {unknown} value
 * @param {Options} [options]
 */
export function toolValue(tools, name, value, options) {
  const type = tools().find(([pattern]) => (pattern.includes("*") ? matches(name, pattern) : pattern === name))?.[1];
  return type === undefined ? value : decodeValue(value, type, options);
}
