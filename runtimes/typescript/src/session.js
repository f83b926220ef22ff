/** One side of a connection, without I/O: it takes the peer's messages and returns events and the lines to send. */

import { encode, is, variantOf } from "./codec.js";
import {
  at,
  cancel,
  contentIn,
  failureIn,
  idFrom,
  isOf,
  notify,
  refuse,
  replyAs,
  request,
  resultIn,
} from "./controls.js";
import { DecodeError, isMarked } from "./errors.js";
import { shown } from "./values.js";

/** @typedef {import("./controls.js").Announced} Announced */
/** @typedef {import("./controls.js").Form} Form */
/** @typedef {import("./controls.js").Table} Table */
/** @typedef {import("./run.js").Type} Type */

/** @typedef {{ readonly code?: unknown, readonly data?: unknown }} Details */

/** @typedef {"late" | "repeated"} Ended Why another answer is stray: the request was cancelled, or answered. */

/**
 * A request sent by this side.
 *
 * @typedef {object} Asked
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
  #table;
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
   * @param {Table} table
   * @param {string} peer
   * @param {{ readonly refuseUnknown?: boolean | undefined }} [options]
   */
  constructor(table, peer, options) {
    const { peers, notices, request, notify, response, error, cancel } = table;
    if (!peers.includes(peer)) throw new TypeError(`expected a peer (${peers.join(", ")}), got ${shown(peer)}`);
    const rows = table.answers();
    /** @type {(rows: readonly (readonly [tag: unknown, sender: string, ...rest: unknown[]])[]) => Set<unknown>} */
    const sent = (rows) => new Set(rows.filter(([, by]) => by === peer || by === "both").map(([tag]) => tag));
    this.#table = table;
    this.#refuses = options?.refuseUnknown !== false;
    this.#rows = new Map(rows.map((row) => [row[0], row]));
    this.#sends = { request: sent(rows), notification: sent(notices) };
    this.#known = new Set(rows.filter(([, by]) => by !== peer).map(([tag]) => tag));
    const forms = [request, notify, response, error, table.cancel_notice ? null : cancel];
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
    const kind = at(payload, [this.#table.by]);
    this.#checkDirection("request", kind);
    if (id !== undefined && this.#pending.has(id)) {
      throw new SessionError("id_in_use", `expected an id of no pending request, got ${shown(id)}`);
    }
    const [drawn, count] = id === undefined ? this.#drawn() : [id, this.#count];
    const line = encode(request(this.#table, payload, drawn), this.#table.request.envelope);
    this.#count = count;
    this.#ended.delete(drawn);
    this.#pending.set(drawn, { payload, kind, cancelled: false });
    return { id: drawn, line };
  }

  /**
   * The line of a notification.
   *
   * @param {unknown} payload
   */
  notify(payload) {
    const form = this.#table.notify;
    if (form !== null) this.#checkDirection("notification", at(payload, [this.#table.notice_by]));
    return encode(notify(this.#table, payload), /** @type {Form} */ (form).envelope);
  }

  /**
   * The line that cancels a request sent by this side.
   *
   * @param {unknown} id
   */
  cancel(id) {
    const asked = this.#pending.get(id);
    if (asked === undefined) {
      throw new SessionError("not_pending", `expected the id of a pending request, got ${shown(id)}`);
    }
    const { answered, cancel_notice: isNotice, cancel: form, notify: notice } = this.#table;
    const line = encode(cancel(this.#table, id), /** @type {Form} */ (isNotice ? notice : form).envelope);
    if (answered) asked.cancelled = true;
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
    const { kind, id } = this.#open(request);
    const row = this.#known.has(kind) ? this.#rows.get(kind) : undefined;
    const line = encode(replyAs(this.#table, row, request, result), this.#table.response.envelope);
    this.#unanswered.delete(id);
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
    const { kind, id } = this.#open(request);
    const line = this.#refusal(request, kind, message, details);
    this.#unanswered.delete(id);
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
    const { request, notify, response, error, cancel, cancel_notice: isNotice } = this.#table;
    const struct = this.#structOf(message);
    /** @type {(form: Form | null, part: "id" | "payload" | "result" | "message") => boolean} */
    const fits = (form, part) => form !== null && isOf(form, part, struct, message);
    if (struct === null) {
      this.#announced = announcedIn(this.#table.announced, message) ?? this.#announced;
      return { event: "message", message };
    }
    if (fits(request, "payload")) return this.#requested(message);
    if (error !== null && fits(error, "message")) return this.#answered(message, error.at.id, true);
    if (fits(response, "result")) return this.#answered(message, response.at.id, false);
    if (cancel !== null && !isNotice && fits(cancel, "id")) return this.#cancelled(message, at(message, cancel.at.id));
    if (notify === null || !fits(notify, "payload")) return { event: "message", message };
    const payload = contentIn(notify.at.payload, message);
    if (cancel !== null && isNotice && at(payload, [this.#table.notice_by]) === this.#cancelTag(cancel)) {
      return this.#cancelled(message, at(payload, cancel.at.id));
    }
    return { event: "notification", payload };
  }

  /**
   * The discriminator of the notification that cancels a request.
   *
   * @param {Form} cancel
   */
  #cancelTag(cancel) {
    return cancel.new.find(([key]) => key === this.#table.notice_by)?.[2];
  }

  /**
   * The envelope type of a message; null if the message is not an envelope.
   *
   * @param {unknown} message
   */
  #structOf(message) {
    const found = this.#envelopes.find((type) => is(message, type)) ?? null;
    const { union } = this.#table;
    return found === null || union === null ? found : variantOf(message, union);
  }

  /** @param {unknown} message */
  #requested(message) {
    const { by, request } = this.#table;
    const id = at(message, request.at.id);
    if (this.#unanswered.has(id)) return { event: "stray", id, reason: "reused", message };
    const payload = contentIn(request.at.payload, message);
    const kind = at(payload, [by]);
    if (this.#known.has(kind) || !this.#refuses) {
      const event = { event: "request", kind, id, payload, envelope: message };
      this.#unanswered.set(id, event);
      return event;
    }
    const line = this.#table.error === null ? undefined : this.#refusal(message, kind, REFUSAL);
    return { event: "unknown_request", id, payload, envelope: message, line };
  }

  /**
   * The line that refuses a request.
   *
   * @param {unknown} request
   * @param {unknown} kind
   * @param {string} message
   * @param {Details} [details]
   */
  #refusal(request, kind, message, details) {
    const { codes, error } = this.#table;
    const code = details?.code ?? (this.#known.has(kind) ? undefined : codes[1]);
    return encode(refuse(this.#table, request, message, { ...details, code }), /** @type {Form} */ (error).envelope);
  }

  /**
   * Processes an answer, or an error instead of one.
   *
   * @param {unknown} message
   * @param {import("./controls.js").Way} way The path to its id.
   * @param {boolean} isFailure
   */
  #answered(message, way, isFailure) {
    const id = at(message, way);
    if (isFailure && (id === null || id === undefined)) {
      return { event: "failure", id: undefined, request: undefined, ...failureIn(this.#table, message, undefined) };
    }
    const asked = this.#pending.get(id);
    if (asked === undefined) return { event: "stray", id, reason: this.#ended.get(id) ?? "unknown", message };
    this.#end(id, asked.cancelled ? "late" : "repeated");
    if (asked.cancelled) return { event: "stray", id, reason: "late", message };
    const { kind, payload: request } = asked;
    const row = this.#rows.get(kind);
    if (isFailure) return { event: "failure", id, request, ...failureIn(this.#table, message, row) };
    try {
      const result = resultIn(this.#table, message, row);
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
    if (!this.#table.answered) this.#unanswered.delete(id);
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
    for (let count = this.#count + 1; ; count += 1) {
      const id = idFrom(this.#table, () => count);
      if (!this.#pending.has(id)) return [id, count];
    }
  }

  /**
   * The event of a request that is not answered yet.
   *
   * @param {unknown} request Its envelope.
   */
  #open(request) {
    const id = at(request, this.#table.request.at.id);
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
 * @param {() => Table} table A function, so that bundlers can drop unused code.
 */
export function sessionOf(table) {
  return class Session extends BaseSession {
    /**
     * @param {string} peer
     * @param {{ readonly refuseUnknown?: boolean | undefined }} [options]
     */
    constructor(peer, options) {
      super(table(), peer, options);
    }
  };
}
