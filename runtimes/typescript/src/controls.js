/** Requests and their answers, tools and their inputs and outputs. */

import { decodeValue, faultOf, is } from "./codec.js";
import { declaredKeys } from "./engine.js";
import { DecodeError, EncodeError, recognise } from "./errors.js";
import { FAULT, Run } from "./run.js";
import { isRecord, matches, own, pointerStep } from "./values.js";

/** @typedef {import("./codec.js").Options} Options */
/** @typedef {import("./run.js").Type} Type */

/**
 * How requests and responses of a protocol find each other.
 *
 * @typedef {object} Controls
 * @property {Type} request The type of a request's envelope.
 * @property {Type} response The type of a response's envelope.
 * @property {readonly string[]} payload The keys that lead from an envelope to the request.
 * @property {readonly string[]} id The keys that lead from a request's envelope to its id.
 * @property {readonly string[]} holder The keys that lead from a response to the object with the answer.
 * @property {readonly Type[]} holders The structs that can hold an answer.
 * @property {readonly Type[]} beside The structs that they are flattened into.
 * @property {string | null} result The key of the answer; null if the answer's members are among those of its holder.
 * @property {string} pointer The place of the answer in a response, as a JSON Pointer.
 * @property {string} by The discriminator of requests.
 * @property {readonly [readonly string[], string] | null} error The keys that lead from a response to an error, and the
 * key of its message.
 * @property {() => readonly (readonly [unknown, Type | null, boolean])[]} answers Value of the discriminator, the type of
 * the answer (null for none), whether it may be absent.
 */

/** The error of a peer, in a response that carries no answer. */
export class ControlError extends Error {
  static {
    recognise(this, "ControlError");
  }

  /**
   * @param {string} message In the peer's words.
   * @param {unknown} data The object with the message, and with whatever else the peer tells.
   * @param {unknown} response
   */
  constructor(message, data, response) {
    super(message);
    this.name = "ControlError";
    this.data = data;
    this.response = response;
  }
}

/** A random id in the form of a UUID. */
export function freshId() {
  const source = /** @type {Crypto | undefined} */ (globalThis.crypto);
  if (typeof source?.randomUUID === "function") return source.randomUUID(); // browsers have it in secure contexts only
  const bytes = source?.getRandomValues(new Uint8Array(16)) ?? Uint8Array.from({ length: 16 }, randomByte);
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

const randomByte = () => Math.floor(Math.random() * 256);

/**
 * The value that some keys lead to; undefined if they lead nowhere.
 *
 * @param {unknown} value
 * @param {readonly string[]} keys
 * @returns {any}
 */
export function at(value, keys) {
  return keys.reduce((/** @type {unknown} */ each, key) => (isRecord(each) ? own(each, key) : undefined), value);
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
 * What is known of the answer to a request: its type, and whether it may be absent. Undefined for an unknown request.
 *
 * @param {Controls} controls
 * @param {unknown} request
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
  const envelope = decodeValue(response, controls.response);
  const holder = at(envelope, controls.holder);
  const found = controls.holders.find((type) => is(holder, type));
  if (found === undefined) throw errorIn(controls, envelope);
  const answer = answerIn(controls, holder, [...controls.beside, found]);
  const [, type, optional] = expected(controls, request) ?? [];
  if (type === undefined) return answer;
  if (type === null || (optional && isAbsent(controls, answer))) return undefined;
  if (answer !== undefined) return decodeValue(answer, type, options);
  throw new DecodeError("missing_field", controls.pointer, "expected an answer, got none");
}

/** @type {(controls: Controls, envelope: unknown) => ControlError} */
function errorIn({ error }, envelope) {
  const data = error === null ? undefined : at(envelope, error[0]);
  const message = error === null ? undefined : at(data, [error[1]]);
  return new ControlError(typeof message === "string" ? message : "the response carries no answer", data, envelope);
}

/** @type {(controls: Controls, holder: any, structs: readonly Type[]) => unknown} */
function answerIn(controls, holder, structs) {
  if (controls.result !== null) return at(holder, [controls.result]) ?? undefined;
  const declared = new Set(structs.flatMap((struct) => [...declaredKeys(struct)]));
  return Object.fromEntries(Object.entries(holder).filter(([key]) => !declared.has(key)));
}

/** @type {(controls: Controls, answer: any) => boolean} */
function isAbsent(controls, answer) {
  return answer === undefined || (controls.result === null && Object.keys(answer).length === 0);
}

/**
 * The id under which a request is answered, if the answer is of the type that belongs to it.
 *
 * @param {Controls} controls
 * @param {unknown} request With its envelope.
 * @param {unknown} answer
 */
export function answered(controls, request, answer) {
  const [, type, optional] = expected(controls, request) ?? [];
  if (type === null && answer !== undefined) throw unfit("wrong_type", controls.pointer, "expected no answer");
  if (type && answer === undefined && !optional) {
    throw unfit("missing_field", controls.pointer, "expected an answer, got none");
  }
  if (type && answer !== undefined) {
    const run = new Run(false, false, false, true);
    if (type.check(answer, run, 1) === FAULT) {
      const { code, path, text } = faultOf(run);
      throw unfit(code, controls.pointer + path, text);
    }
  }
  return idOf(controls, request);
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
