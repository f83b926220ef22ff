/** Requests and their answers, tools and their inputs and outputs. */

import { decided, decodeValue, is } from "./codec.js";
import { DecodeError } from "./errors.js";
import { own } from "./guards.js";
import { isRecord, matches } from "./values.js";

/** @typedef {import("./codec.js").Protocol} Protocol */
/** @typedef {import("./codec.js").Options} Options */
/** @typedef {import("./engine.js").Type} Type */

/**
 * How requests and responses of a protocol find each other. Types of envelopes and holders have their names in the
 * package, all others are in the notation of the tables.
 *
 * @typedef {object} Controls
 * @property {string} request The type of a request's envelope.
 * @property {string} response The type of a response's envelope.
 * @property {readonly string[]} payload The keys that lead from an envelope to the request.
 * @property {readonly string[]} holder The keys that lead from a response to the object with the answer.
 * @property {readonly (readonly string[])[]} holders Each type that can hold an answer, and the names in the tables of
 * the structs whose members are not the answer's.
 * @property {string | null} result The key of the answer; null if the answer's members are among those of its holder.
 * @property {string} pointer The place of the answer in a response, as a JSON Pointer.
 * @property {string} by The discriminator of requests.
 * @property {ReadonlyMap<unknown, readonly [Type | null, boolean]>} answers Value of the discriminator → the type of the
 * answer (null for none), and whether it may be absent.
 */

/** A response that carries no answer. */
export class NoAnswerError extends Error {
  /** @param {unknown} response */
  constructor(response, message = "the response carries no answer") {
    super(message);
    this.name = "NoAnswerError";
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
 * The answer in a response, as the type that belongs to the request.
 *
 * @param {Protocol} protocol
 * @param {Controls} controls
 * @param {unknown} request With its envelope or without.
 * @param {unknown} response
 * @param {Options} options
 */
export function decodeResponse(protocol, controls, request, response, options) {
  const payload = is(protocol, request, controls.request) ? at(request, controls.payload) : request;
  const holder = at(decodeValue(protocol, response, controls.response, undefined), controls.holder);
  const found = controls.holders.find(([type]) => is(protocol, holder, type));
  if (found === undefined) throw new NoAnswerError(response);
  const answer = answerIn(protocol, controls, holder, found.slice(1));
  const expected = controls.answers.get(at(payload, [controls.by]));
  if (expected === undefined) return answer;
  const [type, optional] = expected;
  if (type === null || (optional && isAbsent(controls, answer))) return undefined;
  if (answer !== undefined) return decided(protocol, answer, type, options).value;
  throw new DecodeError("missing_field", controls.pointer, "expected an answer, got none");
}

/**
 * @param {Protocol} protocol
 * @param {Controls} controls
 * @param {any} holder
 * @param {readonly string[]} structs
 */
function answerIn(protocol, controls, holder, structs) {
  if (controls.result !== null) return at(holder, [controls.result]) ?? undefined;
  const declared = new Set(structs.flatMap((struct) => [...protocol.engine.keys(struct)]));
  return Object.fromEntries(Object.entries(holder).filter(([key]) => !declared.has(key)));
}

/** @type {(controls: Controls, answer: any) => boolean} */
function isAbsent(controls, answer) {
  return controls.result === null ? Object.keys(answer).length === 0 : answer === undefined;
}

// --- tools -------------------------------------------------------------------------------------------------------

/**
 * The types of tools' inputs or outputs, in the notation of the tables.
 *
 * @typedef {object} Tools
 * @property {ReadonlyMap<string, Type>} exact Name → type.
 * @property {readonly (readonly [string, Type])[]} patterns Pattern of names → type; the first that matches counts.
 */

/**
 * A tool's input or output as the type that belongs to the tool's name; unchanged if no type does.
 *
 * @param {Protocol} protocol
 * @param {Tools} tools
 * @param {string} name
 * @param {unknown} value
 * @param {Options} options
 */
export function toolValue(protocol, tools, name, value, options) {
  const type = tools.exact.get(name) ?? tools.patterns.find(([pattern]) => matches(name, pattern))?.[1];
  return type === undefined ? value : decided(protocol, value, type, options).value;
}
