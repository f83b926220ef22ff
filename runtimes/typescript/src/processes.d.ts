/** The part of the interface of processes that does not depend on the protocol. */

import type { BadLine } from "./index.js";

/** How to start a process. */
export interface ProcessLaunch {
  /** The arguments, without the program. */
  readonly arguments?: readonly string[];
  /** Its environment variables; by default, those of this process. */
  readonly environment?: {
    readonly inherit: boolean;
    readonly set: { readonly [name: string]: string };
    readonly defaults: { readonly [name: string]: string };
    readonly unset: readonly string[];
  };
  readonly cwd?: string | undefined;
  readonly program?: string | undefined;
  /** Arguments of `program` that precede `script`. */
  readonly programArguments?: readonly string[];
  readonly script?: string | undefined;
  /** Requests to send at the start, by control. */
  readonly requests?: { readonly [control: string]: { readonly [key: string]: unknown } };
  /** The functions in the options, as `launch` returns them. They are called. */
  readonly functions?: readonly object[];
}

/** The options of a process; `Answers` are functions that answer requests of the peer. */
export interface BaseOptions<Answers> {
  /** The program, if the launch does not name one. */
  readonly program?: string | undefined;
  readonly answers?: Answers | undefined;
  /** A function that is called with everything that the process writes on standard error. */
  readonly stderr?: ((text: string) => void) | undefined;
  /** Ends the process when aborted: pending calls reject with the reason. */
  readonly signal?: AbortSignal | undefined;
  /** The maximum length of a line to read, in bytes. */
  readonly limit?: number | undefined;
  /** How many events may wait while a request is waiting for its answer; the default is 4096. */
  readonly backlog?: number | undefined;
  /** If false, unknown requests are returned as events instead of being refused. */
  readonly refuseUnknown?: boolean | undefined;
}

/** A function threw an error, or its result is invalid; the request, an event of type `R`, is refused. */
export type FailedAnswerTo<R> = R extends { readonly kind: unknown; readonly id: unknown; readonly payload: unknown }
  ? {
      readonly event: "failed_answer";
      /** The discriminator of the request; a `switch` on it narrows the payload. */
      readonly kind: R["kind"];
      readonly id: R["id"];
      readonly payload: R["payload"];
      readonly error: unknown;
    }
  : never;

/** The process ended before it answered, could not be started, or wrote too much that was not consumed. */
export declare class ProcessError extends Error {
  readonly name: "ProcessError";
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  constructor(message: string, code: number | null, signal: string | null, stderr: string);
}

/** How a process ended. */
export interface ProcessEnd {
  /** The exit status; null if a signal ended the process, or if it could not be started. */
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of its output on standard error. */
  readonly stderr: string;
  /** The error if it could not be started. */
  readonly error: unknown;
}

/** A process, with the types of messages and of events. */
export interface BaseProcess<Message, Event> {
  /** The answers to the requests of the launch, by control. */
  readonly started: { readonly [control: string]: Promise<unknown> };
  /**
   * Resolves when the process has ended and its output is read, up to the last events that are not yet consumed,
   * unless it is closed.
   */
  readonly exited: Promise<ProcessEnd>;
  /** The end of the process's output on standard error. */
  readonly stderr: string;
  /** Writes a message; resolves when the process has accepted it. */
  write(message: Message): Promise<void>;
  /** The next event. Requests that functions answer, and answers to `request`, are not events. */
  next(): Promise<IteratorResult<Event | BadLine, undefined>>;
  /** The remaining events. Leaving a loop over them leaves the process running. */
  [Symbol.asyncIterator](): AsyncIterator<Event | BadLine, undefined>;
  /**
   * Ends the process: closes its input, waits `grace` milliseconds, terminates it, waits `patience` milliseconds, and
   * kills it. Both default to 5000.
   */
  close(options?: { readonly grace?: number | undefined; readonly patience?: number | undefined }): Promise<ProcessEnd>;
}
