/** One side of a connection, without I/O: it takes the peer's messages and returns events and the lines to send. */

import { encode, is, variantOf } from "./codec.js";
import { answeredAs, at, contentIn, failureIn, freshUuid, isOf, resultIn } from "./controls.js";
import { DecodeError, isMarked } from "./errors.js";
import { shown } from "./values.js";

/** @typedef {import("./controls.js").Controls} Controls */
/** @typedef {import("./controls.js").ErrorForm} ErrorForm */
/** @typedef {import("./controls.js").Form} Form */
/** @typedef {import("./controls.js").HeldForm} HeldForm */
/** @typedef {import("./run.js").Type} Type */

/**
 * What a session knows about its protocol in addition to the controls.
 *
 * @typedef {object} Protocol
 * @property {Controls} controls
 * @property {Type | null} union The union that distinguishes the envelopes; null if they cannot be confused.
 * @property {HeldForm} request
 * @property {(HeldForm & { readonly by: string }) | null} notify With the discriminator of notifications.
 * @property {readonly string[]} answered The keys that lead to the id in an answer.
 * @property {readonly string[]} failed The keys that lead to the id in an error.
 * @property {Cancel | null} cancel
 * @property {"uuid" | "number" | "text"} draw How new ids are created: "number" and "text" are counted.
 * @property {string} prefix The prefix of the number in a text.
 * @property {{ readonly [peer: string]: readonly unknown[] }} requests The discriminators of the requests each peer
 * sends.
 * @property {{ readonly [peer: string]: readonly unknown[] }} notifications The same for notifications.
 * @property {Announced | null} announced Where the peer states its release.
 */

/**
 * Where a peer states its release.
 *
 * @typedef {object} Announced
 * @property {Type} message
 * @property {readonly string[]} at The keys that lead to the number.
 * @property {readonly (readonly [number: string, release: string])[]} releases Oldest first.
 */

/**
 * The message that cancels a request.
 *
 * @typedef {object} Cancel
 * @property {Form | null} form Its envelope; null if it is a notification.
 * @property {unknown} notice The value of the discriminator of that notification.
 * @property {readonly string[]} id The keys that lead to the id, starting at the notification if it is one.
 * @property {boolean} answered Whether a cancelled request must still be answered.
 */

/**
 * Functions that wrap values in envelopes; the last three exist if the protocol has such messages.
 *
 * @typedef {object} Makers
 * @property {(payload: any, id: any) => any} request
 * @property {(answer: { readonly id: any, readonly result: any }) => any} respond
 * @property {(envelope: any, message: string, details?: Details) => any} [refuse]
 * @property {(payload: any) => any} [notify]
 * @property {(envelope: any) => any} [cancel]
 */

/** @typedef {{ readonly code?: unknown, readonly data?: unknown }} Details */

/** @typedef {"late" | "repeated"} Ended Why another answer is stray: the request was cancelled, or answered. */

/**
 * A request sent by this side.
 *
 * @typedef {object} Asked
 * @property {unknown} envelope
 * @property {unknown} payload
 * @property {unknown} kind
 * @property {boolean} cancelled
 */

/** The number of ids that are remembered after they are no longer pending, to detect late and repeated answers. */
const REMEMBERED = 1024;

/** The error message for an unknown request. */
const REFUSAL = "unknown request";

/**
 * The release that a message states; undefined if it states none.
 *
 * @param {Announced | null} announced
 * @param {unknown} message
 */
function announcedIn(announced, message) {
  if (announced === null || !is(message, announced.message)) return undefined;
  const number = at(message, announced.at);
  return typeof number === "string" ? releaseOf(number, announced.releases) : undefined;
}

/**
 * The last release whose number is not greater than the given one, or the first if all are greater.
 *
 * @param {string} number
 * @param {readonly (readonly [number: string, release: string])[]} releases
 */
export function releaseOf(number, releases) {
  return (releases.filter(([each]) => isUpTo(each, number)).at(-1) ?? releases[0])?.[1];
}

/** @type {(text: string, place: number) => boolean} */
const isDigit = (text, place) => text[place] >= "0" && text[place] <= "9";

/**
 * Whether a number is not greater than another: digits compare as integers and sort before everything else.
 *
 * @type {(one: string, other: string) => boolean}
 */
function isUpTo(one, other) {
  let i = 0;
  let j = 0;
  while (i < one.length && j < other.length) {
    const digits = [isDigit(one, i), isDigit(other, j)];
    if (digits[0] && digits[1]) {
      const [first, second] = [digitsAt(one, i), digitsAt(other, j)];
      const [a, b] = [first, second].map((each) => each.replace(/^0+/, ""));
      if (a !== b) return a.length === b.length ? a < b : a.length < b.length;
      i += first.length;
      j += second.length;
    } else if (one[i] !== other[j]) return digits[0] === digits[1] ? one[i] < other[j] : digits[0];
    else {
      i += 1;
      j += 1;
    }
  }
  return i === one.length;
}

/** @type {(text: string, place: number) => string} */
function digitsAt(text, place) {
  let end = place;
  while (end < text.length && isDigit(text, end)) end += 1;
  return text.slice(place, end);
}

/** The error of a call that a session cannot perform. */
export class SessionError extends Error {
  get [Symbol.for("polywire_runtime.SessionError")]() {
    return true;
  }

  /**
   * @override
   * @param {unknown} value
   */
  static [Symbol.hasInstance](value) {
    return isMarked(value, "SessionError");
  }

  /**
   * @param {string} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message);
    this.name = "SessionError";
    this.code = code;
  }
}

/** Matches requests with answers, in both directions. */
class BaseSession {
  #protocol;
  #makers;
  #refuses;
  /** The answers, by the discriminators of their requests. */
  #rows;
  /** The discriminators of the requests that this side sends. */
  #sends;
  /** The discriminators of the requests that the peer sends. */
  #known;
  #envelopes;
  /** @type {Map<unknown, Asked>} */
  #pending = new Map();
  /** @type {Map<unknown, any>} The events of the peer's requests. */
  #unanswered = new Map();
  /** @type {Map<unknown, Ended>} The last ids that are no longer pending. */
  #ended = new Map();
  #count = 0;
  /** @type {string | undefined} */
  #announced;

  /**
   * @param {Protocol} protocol
   * @param {Makers} makers
   * @param {string} peer
   * @param {{ readonly refuseUnknown?: boolean | undefined }} [options]
   */
  constructor(protocol, makers, peer, options) {
    const { controls, requests, notifications, request, notify, cancel } = protocol;
    if (!Object.hasOwn(requests, peer)) {
      throw new TypeError(`expected a peer (${Object.keys(requests).join(", ")}), got ${shown(peer)}`);
    }
    this.#protocol = protocol;
    this.#makers = makers;
    this.#refuses = options?.refuseUnknown !== false;
    this.#rows = new Map(controls.answers().map((row) => [row[0], row]));
    this.#sends = { request: new Set(requests[peer]), notification: new Set(notifications[peer]) };
    this.#known = new Set(Object.keys(requests).flatMap((each) => (each === peer ? [] : requests[each])));
    const forms = [request, notify, controls.response, controls.error, cancel?.form];
    this.#envelopes = [...new Set(forms.flatMap((form) => (form ? [form.envelope] : [])))];
  }

  // --- sending ---------------------------------------------------------------------------------------------------

  /**
   * The id and the line of a request.
   *
   * @param {unknown} payload
   * @param {unknown} [id]
   */
  request(payload, id) {
    const kind = at(payload, [this.#protocol.controls.by]);
    this.#checkDirection("request", kind);
    if (id !== undefined && this.#pending.has(id)) {
      throw new SessionError("id_in_use", `expected an id of no pending request, got ${shown(id)}`);
    }
    const [drawn, count] = id === undefined ? this.#drawn() : [id, this.#count];
    const envelope = this.#makers.request(payload, drawn);
    const line = encode(envelope, this.#protocol.request.envelope);
    this.#count = count;
    this.#ended.delete(drawn);
    this.#pending.set(drawn, { envelope, payload, kind, cancelled: false });
    return { id: drawn, line };
  }

  /**
   * The line of a notification.
   *
   * @param {unknown} payload
   */
  notify(payload) {
    const { notify } = this.#protocol;
    const make = this.#makers.notify;
    if (notify === null || make === undefined) throw new TypeError("the protocol has no notifications");
    this.#checkDirection("notification", at(payload, [notify.by]));
    return encode(make(payload), notify.envelope);
  }

  /**
   * The line that cancels a request sent by this side.
   *
   * @param {unknown} id
   */
  cancel(id) {
    const { cancel, notify } = this.#protocol;
    const type = (cancel?.form ?? notify)?.envelope;
    const make = this.#makers.cancel;
    if (!cancel || !type || make === undefined) throw new TypeError("the protocol has no cancellation");
    const asked = this.#pending.get(id);
    if (asked === undefined) {
      throw new SessionError("not_pending", `expected the id of a pending request, got ${shown(id)}`);
    }
    const line = encode(make(asked.envelope), type);
    if (cancel.answered) asked.cancelled = true;
    else this.#end(id, "late");
    return line;
  }

  /**
   * The line that answers a request of the peer.
   *
   * @param {unknown} request Its envelope, from the event.
   * @param {unknown} [result]
   */
  reply(request, result) {
    const { controls } = this.#protocol;
    const { kind } = this.#open(request);
    const row = this.#known.has(kind) ? this.#rows.get(kind) : undefined;
    const line = encode(this.#makers.respond(answeredAs(controls, row, request, result)), controls.response.envelope);
    this.#unanswered.delete(at(request, controls.id));
    return line;
  }

  /**
   * The line that refuses a request of the peer.
   *
   * @param {unknown} request
   * @param {string} message
   * @param {Details} [details]
   */
  refuse(request, message, details) {
    const line = this.#refusal(request, this.#open(request).kind, message, details);
    if (line === undefined) throw new TypeError("the protocol has no errors");
    this.#unanswered.delete(at(request, this.#protocol.controls.id));
    return line;
  }

  /** The release that the peer stated most recently in its messages. */
  get announced() {
    return this.#announced;
  }

  /** The requests sent by this side that have no answer yet, oldest first. */
  pending() {
    return Array.from(this.#pending, ([id, { payload }]) => ({ id, request: payload }));
  }

  /** The events of the peer's requests that have no answer yet, oldest first. */
  unanswered() {
    return [...this.#unanswered.values()];
  }

  // --- receiving -------------------------------------------------------------------------------------------------

  /**
   * Processes a message from the peer and returns its event.
   *
   * @param {unknown} message
   */
  receive(message) {
    const { controls, request, notify, cancel } = this.#protocol;
    const { response, error } = controls;
    const struct = this.#structOf(message);
    /** @type {(form: Form) => boolean} */
    const fits = (form) => isOf(form, struct, message);
    if (struct === null) {
      this.#announced = announcedIn(this.#protocol.announced, message) ?? this.#announced;
      return { event: "message", message };
    }
    if (fits(request)) return this.#requested(message);
    if (error !== null && fits(error)) return this.#answered(message, this.#protocol.failed, error);
    if (fits(response)) return this.#answered(message, this.#protocol.answered, null);
    if (cancel?.form && fits(cancel.form)) return this.#cancelled(message, at(message, cancel.id));
    if (notify === null || !fits(notify)) return { event: "message", message };
    const payload = contentIn(notify, message);
    if (cancel?.form === null && at(payload, [notify.by]) === cancel.notice) {
      return this.#cancelled(message, at(payload, cancel.id));
    }
    return { event: "notification", payload };
  }

  /**
   * The envelope type of a message; null if the message is not an envelope.
   *
   * @param {unknown} message
   */
  #structOf(message) {
    const found = this.#envelopes.find((type) => is(message, type)) ?? null;
    const { union } = this.#protocol;
    return found === null || union === null ? found : variantOf(message, union);
  }

  /** @param {unknown} message */
  #requested(message) {
    const { controls, request } = this.#protocol;
    const id = at(message, controls.id);
    if (this.#unanswered.has(id)) return { event: "stray", id, reason: "reused", message };
    const payload = contentIn(request, message);
    const kind = at(payload, [controls.by]);
    if (this.#known.has(kind) || !this.#refuses) {
      const event = { event: "request", kind, id, payload, envelope: message };
      this.#unanswered.set(id, event);
      return event;
    }
    return { event: "unknown_request", id, payload, envelope: message, line: this.#refusal(message, kind, REFUSAL) };
  }

  /**
   * The line that refuses a request; undefined if the protocol has none.
   *
   * @param {unknown} request
   * @param {unknown} kind
   * @param {string} message
   * @param {Details} [details]
   */
  #refusal(request, kind, message, details) {
    const { error } = this.#protocol.controls;
    if (error === null || this.#makers.refuse === undefined) return undefined;
    const code = details?.code ?? (this.#known.has(kind) ? undefined : error.codes[1]);
    return encode(this.#makers.refuse(request, message, { ...details, code }), error.envelope);
  }

  /**
   * Processes an answer, or an error instead of one.
   *
   * @param {unknown} message
   * @param {readonly string[]} way The keys that lead to its id.
   * @param {ErrorForm | null} form The form of an error.
   */
  #answered(message, way, form) {
    const id = at(message, way);
    if (form !== null && (id === null || id === undefined)) {
      return { event: "failure", id: undefined, request: undefined, ...failureIn(form, message, undefined) };
    }
    const asked = this.#pending.get(id);
    if (asked === undefined) return { event: "stray", id, reason: this.#ended.get(id) ?? "unknown", message };
    this.#end(id, asked.cancelled ? "late" : "repeated");
    if (asked.cancelled) return { event: "stray", id, reason: "late", message };
    const { kind, payload: request } = asked;
    const row = this.#rows.get(kind);
    if (form !== null) return { event: "failure", id, request, ...failureIn(form, message, row) };
    try {
      const result = resultIn(this.#protocol.controls.response, message, row);
      return { event: "answer", kind, id, request, result };
    } catch (error) {
      if (error instanceof DecodeError) return { event: "invalid_answer", id, request, error, message };
      throw error;
    }
  }

  /** @type {(message: unknown, id: unknown) => object} */
  #cancelled(message, id) {
    const open = this.#unanswered.get(id);
    if (open === undefined) return { event: "stray", id, reason: "unknown", message };
    if (!this.#protocol.cancel?.answered) this.#unanswered.delete(id);
    return { event: "cancellation", id, payload: open.payload };
  }

  // --- state -----------------------------------------------------------------------------------------------------

  /** @type {(what: "request" | "notification", kind: unknown) => void} */
  #checkDirection(what, kind) {
    if (this.#sends[what].has(kind)) return;
    throw new SessionError("wrong_direction", `expected a ${what} that this side sends, got ${shown(kind)}`);
  }

  /**
   * An id that is not pending, and the number that was counted for it.
   *
   * @returns {[id: unknown, count: number]}
   */
  #drawn() {
    const { draw, prefix } = this.#protocol;
    for (let count = this.#count + 1; ; count += 1) {
      const id = draw === "uuid" ? freshUuid() : draw === "number" ? count : prefix + count;
      if (!this.#pending.has(id)) return [id, count];
    }
  }

  /**
   * The event of a request that is not answered yet.
   *
   * @param {unknown} request Its envelope.
   */
  #open(request) {
    const id = at(request, this.#protocol.controls.id);
    const event = this.#unanswered.get(id);
    if (event !== undefined && event.envelope === request) return event;
    throw new SessionError("not_open", `expected the envelope of an unanswered request, got one under ${shown(id)}`);
  }

  /** @type {(id: unknown, how: Ended) => void} */
  #end(id, how) {
    this.#pending.delete(id);
    this.#ended.set(id, how);
    if (this.#ended.size > REMEMBERED) this.#ended.delete(this.#ended.keys().next().value);
  }
}

/**
 * The sessions of a protocol.
 *
 * @param {() => readonly [protocol: Protocol, makers: Makers]} parts A function, so that bundlers can drop unused code.
 */
export function sessionOf(parts) {
  return class Session extends BaseSession {
    /**
     * @param {string} peer
     * @param {{ readonly refuseUnknown?: boolean | undefined }} [options]
     */
    constructor(peer, options) {
      super(...parts(), peer, options);
    }
  };
}
