/** The part of the interface of sessions that does not depend on the protocol. */

import type { DecodeError } from "./index.js";

/** The types of a protocol's requests and answers. */
export interface Controls {
  id: unknown;
  /** Requests. */
  payload: unknown;
  /** The envelopes of requests. */
  envelope: unknown;
  /** Notifications. */
  notification: unknown;
  /** The line that refuses a request; undefined if the protocol has none. */
  refusal: string | undefined;
  /** The further members of an error. */
  error: object;
}

/** The answer to requests of kind `K`; `T` has the types of answers by kind. */
export type AnswerTo<K, T> = K extends keyof T ? T[K] : unknown;

/** A message outside the control protocol. */
export interface OtherMessage<M> {
  readonly event: "message";
  readonly message: M;
}

/** A notification of the peer. */
export interface Notification<C extends Controls> {
  readonly event: "notification";
  readonly payload: C["notification"];
}

/** A request that the protocol does not declare, or that only this side sends. */
export interface UnknownRequest<C extends Controls> {
  readonly event: "unknown_request";
  readonly id: C["id"];
  readonly payload: C["payload"];
  readonly envelope: C["envelope"];
  /** The line that refuses it, if the protocol has one. Send it, as the peer waits otherwise. */
  readonly line: C["refusal"];
}

/** The peer responded with an error. */
export type Failure<C extends Controls> = {
  readonly event: "failure";
  /** Undefined if the peer does not name the request to which the error belongs. */
  readonly id: C["id"] | undefined;
  readonly request: C["payload"] | undefined;
  readonly message: string;
} & C["error"];

/** An answer whose type does not match its request. */
export interface InvalidAnswer<C extends Controls, M> {
  readonly event: "invalid_answer";
  readonly id: C["id"];
  readonly request: C["payload"];
  readonly error: DecodeError;
  readonly message: M;
}

/** The peer cancels a request that is not answered yet. */
export interface Cancellation<C extends Controls> {
  readonly event: "cancellation";
  readonly id: C["id"];
  readonly payload: C["payload"];
}

/** An answer, a cancellation or a request that does not match. */
export interface Stray<C extends Controls, M> {
  readonly event: "stray";
  readonly id: C["id"];
  /**
   * `unknown`: an answer to no request, or the cancellation of none. `late`: an answer to a cancelled request.
   * `repeated`: a second answer to a request. `reused`: a request with the id of an unanswered one.
   */
  readonly reason: "unknown" | "late" | "repeated" | "reused";
  readonly message: M;
}

/** A session cannot perform a call in its current state. */
export declare class SessionError extends Error {
  readonly name: "SessionError";
  readonly code: "id_in_use" | "not_pending" | "not_open" | "wrong_direction";
  constructor(code: SessionError["code"], message: string);
}
