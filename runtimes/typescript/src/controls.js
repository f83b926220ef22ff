/** Requests and their answers, tools and their inputs and outputs. */

import { decodeValue, faultOf, is, variantOf } from "./codec.js";
import { declaredKeys } from "./engine.js";
import { DecodeError, EncodeError, isMarked } from "./errors.js";
import { FAULT, NOTED, Run } from "./run.js";
import { isObject, isSame, matches, own, pointerStep, shown } from "./values.js";

/** @typedef {import("./codec.js").Options} Options */
/** @typedef {import("./run.js").Type} Type */

/**
 * What sessions need to know about their protocol: its forms of messages, and which belong together. What a protocol
 * does not have is null.
 *
 * @typedef {object} Table
 * @property {string} by The discriminator of requests.
 * @property {string} notice_by The discriminator of notifications.
 * @property {readonly string[]} peers The sides of a connection.
 * @property {"uuid" | "number" | "text"} draw How new ids are created: "number" and "text" are counted.
 * @property {string} prefix The prefix of the number in a text.
 * @property {Form} request With the paths to its `id` and `payload`; likewise the next ones.
 * @property {Form | null} notify `payload`
 * @property {Form} response `id` and `result`
 * @property {Form | null} error `id`, `message`, `code` and `data`
 * @property {Form | null} cancel `id`, in the notification if it is one
 * @property {boolean} cancel_notice Whether the message that cancels a request is a notification.
 * @property {boolean} answered Whether a cancelled request must still be answered.
 * @property {string} pointer The location of the answer in a response, as a JSON Pointer.
 * @property {string | null} none The JSON text that represents no answer; null if it is absent.
 * @property {boolean} flat Whether the members of an answer are among those of the object that has it.
 * @property {boolean} null_result Whether the member for an answer may be null.
 * @property {readonly [refused: unknown, unknown: unknown]} codes The code of a refusal, and that for an unknown request.
 * @property {() => readonly (readonly [code: unknown, type: Type])[]} data The types of an error's data, by code.
 * @property {() => readonly Answer[]} answers
 * @property {readonly (readonly [tag: unknown, sender: string])[]} notices The notifications, each with its sender.
 * @property {Announced | null} announced
 * @property {readonly Type[]} lines The types of a response: the union of all its envelopes, or the envelopes.
 * @property {Type | null} union The union that distinguishes the envelopes; null if they cannot be confused.
 */

/**
 * Where a peer states its release.
 *
 * @typedef {object} Announced
 * @property {Type} message
 * @property {Way} at The path to the number.
 * @property {readonly (readonly [number: string, release: string])[]} releases Oldest first.
 */

/** @typedef {readonly [type: Type | null, optional: boolean, nullable?: boolean]} Result Its type, null for none. */

/**
 * The answer to a request: the value of the discriminator, the peer that sends the request or `both`, the result, the
 * type of an error's data, the result of a new answer, if it differs, and the members of a new answer that are filled
 * from the request, as pairs of paths.
 *
 * @typedef {readonly [tag: unknown, sender: string, result: Result, error?: Type | null, reply?: Result | null, fill?: readonly (readonly [to: Way, from: Way])[]]} Answer
 */
/** @typedef {Answer | undefined} Row */

/**
 * What distinguishes the messages of one form from all others, where their parts are, and how one is created.
 *
 * @typedef {object} Form
 * @property {Type} envelope
 * @property {{ readonly [part: string]: Way }} at The paths to its parts; empty for a part that it does not have.
 * @property {readonly (readonly [way: Way, value: unknown])[]} when The values required at paths.
 * @property {readonly Member[]} new
 */

/**
 * A path: keys, or more about a step: its key, null for a flattened member; the union that the object before it is a
 * variant of, or null; and the structs that have the step.
 *
 * @typedef {readonly (string | readonly [key: string | null, union: Type | null, holders: readonly Type[]])[]} Way
 */

/**
 * A member of a new object: its key, null if it is flattened, and its value:
 *
 * - `fixed`: the value itself, or `fresh`: a function that returns it.
 * - `given`: the name of a value of the caller; it is left out if it is undefined and `optional`, and null if `nullable`.
 * - `new`: the members of an object.
 * - `uuid`: a new UUID.
 *
 * @typedef {readonly [key: string | null, how: string, part?: any]} Member
 */

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
 * The value that a path leads to; undefined if there is none.
 *
 * @param {unknown} value
 * @param {Way} way
 * @returns {any}
 */
export function at(value, way) {
  let found = value;
  for (const step of way) {
    const key = typeof step === "string" ? step : step[0];
    if (key === null) continue;
    if (!isObject(found)) return undefined;
    found = own(found, key);
  }
  return found;
}

/**
 * Whether a path leads through objects that have its steps.
 *
 * @param {unknown} value
 * @param {Way} way
 */
function reaches(value, way) {
  /** @type {any} */
  let found = value;
  for (const step of way) {
    if (!isObject(found)) return false;
    const [key, union, holders] = typeof step === "string" ? [step, null, []] : step;
    const variant = union === null ? null : variantOf(found, union);
    if (union !== null && (variant === null || !holders.includes(variant))) return false;
    if (key !== null) found = own(found, key);
  }
  return true;
}

/**
 * Whether an envelope, which is a value of the struct, has the form.
 *
 * @param {Form} form
 * @param {"id" | "payload" | "result" | "message"} part A part that messages of the form have.
 * @param {Type | null} struct
 * @param {unknown} envelope
 */
export function isOf({ envelope: type, when, at: parts }, part, struct, envelope) {
  return type === struct && reaches(envelope, parts[part]) && when.every(([way, value]) => at(envelope, way) === value);
}

/**
 * The request in an envelope, or the request itself.
 *
 * @param {Table} table
 * @param {unknown} request
 */
function payloadOf({ request: { envelope, at: parts } }, request) {
  return is(request, envelope) ? at(request, parts.payload) : request;
}

/**
 * Whether a value is the envelope of a request of the given kind.
 *
 * @param {Table} table
 * @param {unknown} value
 * @param {unknown} kind
 */
export function isRequestOf({ by, request }, value, kind) {
  return at(at(value, request.at.payload), [by]) === kind && is(value, request.envelope);
}

/**
 * What is known about the answer to a request; undefined for an unknown request.
 *
 * @param {Table} table
 * @param {unknown} request
 * @returns {Row}
 */
function expected(table, request) {
  const kind = at(payloadOf(table, request), [table.by]);
  return table.answers().find(([value]) => value === kind);
}

// --- reading -----------------------------------------------------------------------------------------------------

/**
 * The answer in a response, in the type that matches the request.
 *
 * @param {Table} table
 * @param {unknown} request With or without its envelope.
 * @param {unknown} response
 * @param {Options} [options]
 */
export function decodeResponse(table, request, response, options) {
  const line = lineOf(table.lines, response);
  const envelope = decodeValue(response, line);
  const struct = line.isUnion ? variantOf(envelope, line) : line;
  const row = expected(table, request);
  if (table.error !== null && isOf(table.error, "message", struct, envelope)) {
    const { message, ...details } = failureIn(table, envelope, row);
    throw new ControlError(message, envelope, details);
  }
  if (isOf(table.response, "result", struct, envelope)) return resultIn(table, envelope, row, options);
  throw new TypeError("expected a response with an answer or an error");
}

/**
 * The answer in a response, in the type that matches the request; untouched if the request is unknown.
 *
 * @param {Table} table
 * @param {unknown} envelope
 * @param {Row} row
 * @param {Options} [options]
 */
export function resultIn(table, envelope, row, options) {
  const answer = contentIn(table.response.at.result, envelope);
  if (row === undefined) return answer;
  const [type, optional] = row[2];
  if (type === null || (optional && isNone(table, answer, type))) return undefined;
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
 * The content of an error response. Invalid data is left unchanged.
 *
 * @param {Table} table
 * @param {unknown} envelope
 * @param {Row} row
 */
export function failureIn({ error, data: types }, envelope, row) {
  /** @type {(name: string) => any} */
  const part = (name) => (error?.at[name].length ? at(envelope, error.at[name]) : undefined);
  const [code, plain] = [part("code"), part("data")];
  const type = row?.[3] ?? types().find(([each]) => each === code)?.[1];
  const typed = type === undefined || plain === undefined ? plain : lenient(plain, type);
  return { message: part("message") ?? "", code, data: typed };
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
 * @param {Way} way
 * @param {unknown} envelope
 */
export function contentIn(way, envelope) {
  const object = at(envelope, way);
  /** @type {(readonly Type[])[]} The structs of the flattened members at the end of the path, the innermost first. */
  const flat = [];
  for (let depth = way.length - 1; depth >= 0; depth -= 1) {
    const step = way[depth];
    if (typeof step === "string" || step[0] !== null) break;
    flat.push(step[2]);
  }
  const [holders, ...around] = flat;
  if (holders === undefined) return object;
  const found = holders.filter((type) => is(object, type)).slice(0, 1);
  const declared = new Set([...around.flat(), ...found].flatMap((struct) => [...declaredKeys(struct)]));
  return Object.fromEntries(Object.entries(object).filter(([key]) => !declared.has(key)));
}

/**
 * Whether an optional answer is absent; null also means absent if it is not a valid answer.
 *
 * @type {(table: Table, answer: any, type: Type) => boolean}
 */
function isNone({ flat, none }, answer, type) {
  if (answer === undefined || (answer === null && !is(null, type))) return true;
  if (flat && Object.keys(answer).length === 0) return true;
  return none !== null && isSame(answer, JSON.parse(none));
}

// --- writing -----------------------------------------------------------------------------------------------------

/**
 * A new object.
 *
 * @param {readonly Member[]} members
 * @param {{ readonly [name: string]: any }} values
 */
function made(members, values) {
  /** @type {{ [key: string]: any }} */
  let object = {};
  for (const [key, how, part] of members) {
    const value = valueOf(how, part, values);
    if (key === null) object = { ...object, ...value };
    else if (value === undefined && how === "optional") continue;
    else if (key !== "__proto__") object[key] = value;
    else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true });
  }
  return object;
}

/** @type {(how: string, part: any, values: { readonly [name: string]: any }) => any} */
function valueOf(how, part, values) {
  if (how === "fixed") return part;
  if (how === "new") return made(part, values);
  if (how === "fresh") return part();
  if (how === "uuid") return freshUuid();
  return values[part] === undefined && how === "nullable" ? null : values[part];
}

/**
 * A request in its envelope; its id is new unless one is given.
 *
 * @param {Table} table
 * @param {unknown} payload
 * @param {unknown} [id]
 */
export function request(table, payload, id = idFrom(table, freshNumber)) {
  return made(table.request.new, { id, payload });
}

/**
 * A new id.
 *
 * @param {Table} table
 * @param {() => number} number Returns the next number of ids that are counted.
 */
export function idFrom({ draw, prefix }, number) {
  if (draw === "uuid") return freshUuid();
  return draw === "number" ? number() : prefix + number();
}

/**
 * The response to a request, which must have the type that matches the request.
 *
 * @param {Table} table
 * @param {unknown} request With its envelope.
 * @param {unknown} answer Undefined for no answer.
 */
export function reply(table, request, answer) {
  return replyAs(table, expected(table, request), request, answer);
}

/** @type {(table: Table, row: Row, request: unknown, given: unknown) => object} */
export function replyAs(table, row, request, given) {
  const { none, pointer } = table;
  const [, , result, , newest, fill = []] = row ?? []; // all undefined for an unknown request
  const [type, optional, nullable] = newest ?? result ?? [undefined, true, table.null_result];
  const asked = fill.length > 0 ? payloadOf(table, request) : undefined;
  const some = given === null && optional && !nullable ? undefined : given;
  const answer = fill.reduce((value, [to, from]) => withMember(value, to, at(asked, from)), some);
  if (type === null && answer !== undefined) throw unfit("wrong_type", pointer, "expected no answer");
  if (type && answer === undefined && !optional) {
    throw unfit("missing_field", pointer, "expected an answer, got none");
  }
  if (type && answer !== undefined) {
    const run = new Run(false, false, false, true);
    const found = type.check(answer, run, 1);
    if (found === FAULT) {
      const { code, path, text } = faultOf(run);
      throw unfit(code, pointer + path, text);
    }
    for (const keys of found === NOTED ? fill.map(([to]) => keysOf(to)) : []) {
      if (!isNullIn(run.note, keys)) continue;
      throw unfit("wrong_type", pointer + keys.map(pointerStep).join(""), "expected a value or no member, got null");
    }
  }
  const payload = answer === undefined && none !== null ? JSON.parse(none) : answer;
  return made(table.response.new, { id: idOf(table, request), payload });
}

/** The keys on a path. @param {Way} way @returns {string[]} */
const keysOf = (way) => way.flatMap((step) => (typeof step === "string" ? step : (step[0] ?? [])));

/**
 * Whether a value has a null at a path where only absence is allowed, according to the finding about it.
 *
 * @type {(note: any, path: readonly string[]) => boolean}
 */
function isNullIn(note, [key, ...rest]) {
  if (rest.length === 0) return note?.nulls?.includes(key) === true;
  return isNullIn(note?.below?.find((/** @type {[string, unknown]} */ [each]) => each === key)?.[1], rest);
}

/**
 * A value with a member that is absent in it; a variant of a union that does not have the member stays as it is.
 *
 * @type {(value: any, way: Way, member: unknown) => unknown}
 */
function withMember(value, [step, ...rest], member) {
  if (!isObject(value) || step === undefined) return value;
  const [key, union, holders] = typeof step === "string" ? [step, null, []] : step;
  if (union !== null) {
    const run = new Run(false, false, false, true); // null in other members may still be written
    if (union.check(value, run, 1) === FAULT || !holders.some((each) => each === run.variant)) return value;
  }
  if (key === null) return withMember(value, rest, member);
  const before = own(value, key);
  const after = rest.length > 0 ? withMember(before, rest, member) : before === undefined ? member : before;
  return after === before ? value : { ...value, [key]: after };
}

/**
 * The response that refuses a request. The default for the code is that of refusals, or that for unknown requests.
 *
 * @param {Table} table
 * @param {unknown} request With its envelope.
 * @param {string} message
 * @param {{ readonly code?: unknown, readonly data?: unknown }} [details]
 */
export function refuse(table, request, message, details) {
  if (table.error === null) throw new TypeError("the protocol has no errors");
  const [refusal, unknown] = table.codes;
  const code = details?.code ?? (expected(table, request) === undefined ? unknown : refusal) ?? undefined;
  return made(table.error.new, { id: idOf(table, request), message, code, data: details?.data });
}

/**
 * A notification in its envelope.
 *
 * @param {Table} table
 * @param {unknown} payload
 */
export function notify({ notify: form, notices, notice_by }, payload) {
  if (form === null) throw new TypeError("the protocol has no notifications");
  const tag = at(payload, [notice_by]);
  if (notices.some(([each]) => each === tag)) return made(form.new, { payload });
  throw new TypeError(`expected a notification, got ${shown(tag ?? payload)}`);
}

/**
 * The message that cancels a request.
 *
 * @param {Table} table
 * @param {unknown} id The id of the request.
 */
export function cancel(table, id) {
  if (table.cancel === null) throw new TypeError("the protocol has no cancellation");
  const message = made(table.cancel.new, { id });
  return table.cancel_notice ? notify(table, message) : message;
}

/** @type {(code: string, path: string, message: string) => EncodeError} */
const unfit = (code, path, message) => new EncodeError(code, path, message);

/**
 * The id of a request.
 *
 * @param {Table} table
 * @param {unknown} request With its envelope.
 * @returns {any}
 */
export function idOf({ request: { at: parts } }, request) {
  const id = at(request, parts.id);
  if (id !== undefined) return id;
  throw unfit("missing_field", keysOf(parts.id).map(pointerStep).join(""), "expected a request with an id");
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
