/** A session with a process: its output is converted to events, and requests to lines. For Node. */

import { spawn } from "node:child_process";

import { encode } from "./codec.js";
import { ControlError } from "./controls.js";
import { isMarked } from "./errors.js";
import { frame } from "./framing.js";
import { answerers, receiver } from "./functions.js";
import { SessionError } from "./session.js";
import { BadLine, TypedReader } from "./streams.js";

/** @typedef {import("./run.js").Type} Type */

/** The number of characters of the standard error that are kept. */
const KEPT = 65_536;

/**
 * The number of events and function calls that may be in progress before reading pauses, unless a request is waiting
 * for its answer.
 */
const WAITING = 256;

/** The default limit while a request is waiting for its answer. */
const BACKLOG = 4096;

/** The limit, in either case, on the size of their lines in bytes. */
const HELD = 64 * 1024 * 1024;

/** The number of characters of answers that may be queued for a process that sends requests but does not read. */
const UNREAD = 1_048_576;

/**
 * The number of milliseconds that a process has to end after it has closed its output or its input, so that whatever
 * then fails says why. After its end, its output ends too if nothing comes for as long: child processes may hold it.
 */
const ENDING = 1000;

const MALFORMED = "the output of the process cannot be read behind a malformed header";

/** The process ended before it answered, could not be started, or wrote more than the program takes. */
export class ProcessError extends Error {
  get [Symbol.for("polywire_runtime.ProcessError")]() {
    return true;
  }

  /**
   * @override
   * @param {unknown} value
   */
  static [Symbol.hasInstance](value) {
    return isMarked(value, "ProcessError");
  }

  /**
   * @param {string} message
   * @param {number | null} code
   * @param {string | null} signal
   * @param {string} stderr
   */
  constructor(message, code, signal, stderr) {
    super(message);
    this.name = "ProcessError";
    this.code = code;
    this.signal = signal;
    this.stderr = stderr;
  }
}

/**
 * A description of how to start a process, as `launch` returns it.
 *
 * @typedef {object} Launched
 * @property {readonly string[]} [arguments]
 * @property {{ inherit: boolean, set: object, defaults: object, unset: readonly string[] }} [environment]
 * @property {string} [cwd]
 * @property {string} [program]
 * @property {readonly string[]} [programArguments]
 * @property {string} [script]
 * @property {{ readonly [control: string]: unknown }} [requests]
 * @property {readonly import("./functions.js").Given[]} [functions]
 */

/**
 * @typedef {object} Options
 * @property {string} [program]
 * @property {{ readonly [kind: string]: (payload: any, context: { id: unknown, signal: AbortSignal }) => unknown }} [answers]
 * @property {(text: string) => void} [stderr]
 * @property {AbortSignal} [signal]
 * @property {number} [limit]
 * @property {number} [backlog]
 * @property {boolean} [refuseUnknown]
 */

/** @typedef {{ resolve: (value: any) => void, reject: (error: unknown) => void }} Waiter */

/** A process that is running, or has ended. */
class PeerProcess {
  #session;
  #root;
  #cancels;
  #answers;
  #child;
  #backlog;
  /** @type {{ event: any, size: number }[]} Events not yet taken, from `#taken` on, with line sizes. */
  #events = [];
  #taken = 0;
  /** @type {Waiter[]} The callers that wait for an event. */
  #takers = [];
  /** @type {Map<unknown, Waiter>} The callers that wait for an answer, by the id of the request. */
  #askers = new Map();
  /** @type {Map<unknown, AbortController>} Signals to functions that their requests are cancelled. */
  #running = new Map();
  #isOver = false;
  /** @type {unknown} The reason why the events end; undefined at the end of the output. */
  #failure;
  #wake = () => {};
  /** The number of function calls in progress. */
  #calls = 0;
  /** The size in bytes of the lines of the events and calls in progress. */
  #held = 0;
  /** The number of characters of answers that the process has not read. */
  #unread = 0;
  #stderr = "";
  /** Whether reading waits until the program takes events, and how often it has done so. */
  #isPaused = false;
  #pauses = 0;
  /** The process has closed its input, and goes on. */
  #isDeaf = false;
  /** Why the output of the process has ended although it goes on. @type {string | undefined} */
  #muted;
  /** @type {Promise<unknown>} */
  #exit;
  /** The end of the process and of its standard error. @type {Promise<unknown>} */
  #lastWords;
  #pump;
  /** @type {Promise<any> | undefined} */
  #closing;

  /**
   * @param {any} session
   * @param {Type} root
   * @param {boolean} cancels
   * @param {string} by
   * @param {Launched} launched
   * @param {Options} options
   */
  constructor(session, root, cancels, by, launched, options) {
    const { signal } = options;
    signal?.throwIfAborted();
    const program = options.program ?? launched.program;
    if (program === undefined) throw new TypeError("expected a program: neither the options nor the launch names one");
    this.#session = session;
    this.#root = root;
    this.#cancels = cancels;
    const functions = launched.functions ?? [];
    this.#answers = answerers(functions, options.answers ?? {}, by);
    let told = receiver(functions, "stderr", options.stderr);
    this.#backlog = options.backlog ?? BACKLOG;
    const script = launched.script === undefined ? [] : [launched.script];
    const child = spawn(program, [...(launched.programArguments ?? []), ...script, ...(launched.arguments ?? [])], {
      cwd: launched.cwd,
      env: environmentOf(launched.environment),
      stdio: "pipe",
      windowsHide: true,
    });
    this.#child = child;
    child.stdin.on("error", () => {}); // later writes report the error
    child.stderr.setEncoding("utf8");
    child.stderr.on("data", (/** @type {string} */ text) => {
      this.#stderr = (this.#stderr + text).slice(-KEPT);
      try {
        told?.(text);
      } catch (error) {
        told = undefined; // it is not called again
        this.#fail(error);
      }
    });
    /** @type {unknown} */
    let error;
    child.on("error", (/** @type {unknown} */ each) => (error ??= each));
    const abort = () => {
      this.#end(signal?.reason);
      this.#reject(() => signal?.reason);
      child.kill("SIGTERM");
      this.close({ grace: 0 });
    };
    signal?.addEventListener("abort", abort, { once: true });
    this.#exit = new Promise((resolve) => {
      for (const event of ["exit", "close"]) child.once(event, resolve);
    });
    this.#lastWords = Promise.all([this.#exit, new Promise((resolve) => child.stderr.once("close", resolve))]);
    this.#pump = this.#read(options.limit);
    /** How the process ended. */
    this.exited = new Promise((resolve) => {
      child.once("close", async () => {
        await this.#pump;
        signal?.removeEventListener("abort", abort);
        this.#end(error ?? this.#failure);
        this.#reject(() => this.#ended(error === undefined ? undefined : String(error)));
        for (const running of this.#running.values()) running.abort();
        resolve({ code: this.#exitCode, signal: child.signalCode, stderr: this.#stderr, error });
      });
    });
    this.#exit.then(() => this.#awaitSilence());
    /** The answers to the requests of the launch, by control. */
    this.started = Object.fromEntries(
      Object.entries(launched.requests ?? {}).map(([control, payload]) => [control, this.request(payload)]),
    );
    for (const each of Object.values(this.started)) each.catch(() => {}); // callers that await it see the error
  }

  /** The session. The process does not notice changes made directly to the session. */
  get session() {
    return this.#session;
  }

  /** The last part of what the process has written to its standard error. */
  get stderr() {
    return this.#stderr;
  }

  // --- sending ---

  /**
   * Send a request and return its answer.
   *
   * @param {unknown} payload
   * @param {{ readonly signal?: AbortSignal | undefined }} [options] The signal cancels the request.
   * @returns {Promise<any>}
   */
  async request(payload, options) {
    const signal = options?.signal;
    signal?.throwIfAborted();
    if (this.#isOver) throw this.#ended("the process has ended");
    if (this.#isDeaf) throw this.#unheard();
    if (this.#has(this.#backlog)) throw this.#unreadEvents();
    const { id, line } = this.#session.request(payload);
    const cancel = () => {
      const asker = this.#askers.get(id);
      if (asker === undefined) return;
      this.#askers.delete(id);
      asker.reject(signal?.reason);
      if (this.#cancels) this.#tell(this.#session.cancel(id));
    };
    try {
      return await new Promise((resolve, reject) => {
        this.#askers.set(id, { resolve, reject });
        signal?.addEventListener("abort", cancel, { once: true });
        this.#wake();
        this.#tell(line);
      });
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** @param {unknown} payload */
  notify(payload) {
    return this.#send(this.#session.notify(payload));
  }

  /**
   * Write a message that is not part of the control protocol. Resolves when the process has accepted it.
   *
   * @param {unknown} message
   */
  write(message) {
    return this.#send(encode(message, this.#root));
  }

  /**
   * Answer a request that is not answered by a function.
   *
   * @param {unknown} request
   * @param {unknown} [result]
   */
  reply(request, result) {
    return this.#send(this.#session.reply(request, result));
  }

  /**
   * @param {unknown} request
   * @param {string} message
   * @param {object} [details]
   */
  refuse(request, message, details) {
    return this.#send(this.#session.refuse(request, message, details));
  }

  /** @param {string} line */
  #send(line) {
    return new Promise((resolve, reject) => {
      this.#child.stdin.write(frame(line), (/** @type {unknown} */ error) =>
        error ? this.#deafened(error).then(reject) : resolve(undefined),
      );
    });
  }

  /**
   * The error of a line that could not be written. It fails all requests if the process goes on.
   *
   * @param {unknown} error
   */
  async #deafened(error) {
    if (this.#closing !== undefined || this.#child.pid === undefined) return error;
    if (!this.#isOver && !this.#isDeaf && !(await within(this.#lastWords, ENDING)) && !this.#hasEnded()) {
      this.#isDeaf = true;
      this.#reject(() => this.#unheard());
    }
    return this.#unheard();
  }

  #unheard() {
    return this.#ended(this.#hasEnded() ? undefined : "the process has closed its input");
  }

  /**
   * Send a line without a waiting caller. It fails only if the process has ended, which is reported separately.
   *
   * @param {string} line
   */
  #tell(line) {
    this.#send(line).catch(() => {});
  }

  // --- receiving ---

  /** @param {number | undefined} limit */
  async #read(limit) {
    const reader = new TypedReader(this.#child.stdout, this.#root, { limit });
    try {
      for await (const item of reader) {
        const event = item instanceof BadLine ? item : this.#session.receive(item);
        const size = reader.length;
        if (event instanceof BadLine || !this.#handled(event, item, size)) this.#give(event, size);
        if (this.#askers.size > 0 && this.#has(this.#backlog)) this.#reject(() => this.#unreadEvents());
        for (; this.#isFull(); this.#pauses += 1) {
          this.#isPaused = true;
          await new Promise((resolve) => (this.#wake = () => resolve(undefined)));
          this.#isPaused = false;
        }
      }
      // The process must not block if it writes on; what its child processes write may not end.
      await Promise.all([this.#outlast(reader), Promise.race([this.#exit, reader.discard()])]);
      if (!this.#child.stdout.readableEnded) endOf(this.#child.stdout);
    } catch (error) {
      await reader.close().catch(() => {});
      if (this.#closing === undefined) this.#failure ??= error;
    }
  }

  /**
   * End the events of a process whose output has ended, and that goes on.
   *
   * @param {{ readonly closed: boolean }} reader
   */
  async #outlast(reader) {
    if ((await within(this.#exit, ENDING)) || this.#closing !== undefined) return;
    this.#muted = reader.closed ? MALFORMED : "the process has closed its output";
    this.#end(undefined);
    this.#reject(() => this.#ended());
  }

  /** Whether enough events are waiting for the program, which may itself be waiting for an answer. */
  #isFull() {
    if (this.#closing !== undefined || this.#isOver || this.#askers.size > 0) return false; // askers take no events
    return this.#has(Math.min(WAITING, this.#backlog));
  }

  /**
   * Whether `count` events and calls are in progress, or their lines have reached the size limit.
   *
   * @param {number} count
   */
  #has(count) {
    return this.#events.length - this.#taken + this.#calls >= count || this.#held >= HELD;
  }

  /** Whether new events are discarded: after their end, or because the process is being ended and enough are waiting. */
  #isDropped() {
    return this.#isOver || (this.#closing !== undefined && this.#has(WAITING));
  }

  #unreadEvents() {
    const waiting = `${this.#events.length - this.#taken} events wait and ${this.#calls} functions are called (${this.#held} bytes of lines)`;
    const message = `${waiting}, so that no answer can be read: take events while a request awaits its answer`;
    return new ProcessError(message, null, null, this.#stderr);
  }

  /**
   * Whether an event was consumed: a caller was waiting for it, or a function answers it.
   *
   * @param {any} event
   * @param {unknown} message
   * @param {number} size
   */
  #handled(event, message, size) {
    const { id } = event;
    const asker = this.#askers.get(id);
    switch (event.event) {
      case "request":
        this.#running.delete(id); // a call for a cancelled request, whose id this one has now
        if (!this.#answers.has(event.kind)) return false;
        if (!this.#isDropped()) this.#answer(event, size);
        return true;
      case "unknown_request":
        if (event.line === undefined) return false;
        this.#reply(event.line);
        return true;
      case "cancellation":
        this.#running.get(id)?.abort();
        return this.#running.has(id);
      case "answer":
        asker?.resolve(event.result);
        break;
      case "failure":
        asker?.reject(new ControlError(event.message, message, { code: event.code, data: event.data }));
        break;
      case "invalid_answer":
        asker?.reject(event.error);
        break;
      default:
        return false;
    }
    return this.#askers.delete(id);
  }

  /** Whether requests of the process are still answered; a request that is not stays unanswered. */
  #isAnswering() {
    return this.#closing === undefined && !this.#isOver;
  }

  /**
   * Send an answer without a waiting caller; a process that sends requests but does not read is ended.
   *
   * @param {string} line
   */
  #reply(line) {
    if (!this.#isAnswering()) return;
    this.#unread += line.length;
    const read = () => (this.#unread -= line.length);
    this.#send(line).then(read, read);
    if (this.#unread <= UNREAD) return;
    const error = new ProcessError("the process does not read the answers to its requests", null, null, this.#stderr);
    this.#end(error);
    this.#reject(() => error);
    this.#child.kill("SIGKILL");
  }

  /** Answer a request with its function. @param {any} event @param {number} size */
  async #answer({ kind, id, payload, envelope }, size) {
    this.#calls += 1;
    this.#held += size;
    const running = new AbortController();
    this.#running.set(id, running);
    try {
      const result = await this.#answers.get(kind)?.(payload, { id, signal: running.signal });
      if (this.#isAnswering()) this.#reply(this.#session.reply(envelope, result));
    } catch (error) {
      const event = { event: "failed_answer", kind, id, payload, error };
      if (this.#isAnswering() && this.#refused(envelope, error) && !running.signal.aborted) this.#give(event, size);
    }
    if (this.#running.get(id) === running) this.#running.delete(id);
    this.#calls -= 1;
    this.#held -= size;
    this.#wake();
  }

  /**
   * Refuse a request whose function failed, unless it no longer needs an answer.
   *
   * @type {(envelope: any, error: unknown) => boolean} Whether it is refused.
   */
  #refused(envelope, error) {
    try {
      this.#reply(this.#session.refuse(envelope, textOf(error, "message")));
      return true;
    } catch (other) {
      if (!(other instanceof SessionError)) this.#fail(error);
      return false;
    }
  }

  /** @param {any} event @param {number} size */
  #give(event, size) {
    const taker = this.#takers.shift();
    if (taker !== undefined) taker.resolve({ done: false, value: event });
    else if (!this.#isDropped()) {
      this.#events.push({ event, size });
      this.#held += size;
    }
  }

  /** The exit status; Node has the number of an error there if the program could not be started. */
  get #exitCode() {
    return this.#child.pid === undefined ? null : this.#child.exitCode;
  }

  #hasEnded() {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The error of whatever needs a process that goes on. @param {string} [message] */
  #ended(message) {
    const { signalCode } = this.#child;
    const exitCode = this.#exitCode;
    const why =
      (this.#hasEnded() ? undefined : this.#muted) ?? message ?? `the process ended (${signalCode ?? exitCode})`;
    return new ProcessError(why, exitCode, signalCode, this.#stderr);
  }

  /** End the output of a process that has ended; what comes later is not the process's. */
  #endOutput() {
    for (const each of [this.#child.stdout, this.#child.stderr]) endOf(each);
  }

  /**
   * End the output of a process that has ended when nothing has come for a while. The standard error has no say: child
   * processes that log may never be silent.
   */
  async #awaitSilence() {
    const progress = () => this.#child.stdout.bytesRead + this.#pauses;
    let before = progress();
    // the timer keeps no program running whose events nobody takes
    while (!(await within(this.exited, ENDING, true))) {
      const now = progress();
      if (now === before && !this.#isPaused) this.#endOutput();
      before = now;
    }
  }

  /** End the events. @param {unknown} failure */
  #end(failure) {
    this.#failure ??= failure;
    this.#isOver = true;
    this.#wake();
    for (const { resolve, reject } of this.#takers.splice(0)) {
      if (failure === undefined) resolve({ done: true, value: undefined });
      else reject(failure);
    }
  }

  /** End the events with the error of a function of the program, which pending requests report. @param {unknown} error */
  #fail(error) {
    if (this.#isOver) return;
    const failure = error ?? new Error(`a function threw ${error}`); // without one, the events would end as usual
    this.#end(failure);
    this.#reject(() => this.#ended(textOf(failure)));
  }

  /** Fail all callers that wait for answers. @param {() => unknown} error */
  #reject(error) {
    for (const { reject } of this.#askers.values()) reject(error());
    this.#askers.clear();
  }

  /** @returns {Promise<IteratorResult<any, undefined>>} */
  async next() {
    if (this.#taken < this.#events.length) {
      const { event: value, size } = /** @type {{ event: any, size: number }} */ (this.#events[this.#taken]);
      this.#events[this.#taken++] = { event: undefined, size: 0 };
      this.#held -= size;
      if (this.#taken > WAITING && this.#taken * 2 > this.#events.length) {
        this.#events.splice(0, this.#taken);
        this.#taken = 0;
      }
      this.#wake();
      return { done: false, value };
    }
    if (!this.#isOver) return new Promise((resolve, reject) => this.#takers.push({ resolve, reject }));
    if (this.#failure !== undefined) throw this.#failure;
    return { done: true, value: undefined };
  }

  /** The remaining events. Leaving a loop over them leaves the process running. */
  [Symbol.asyncIterator]() {
    return { next: () => this.next() };
  }

  // --- ending ---

  /**
   * End the process: close its input, wait, terminate it, wait, kill it.
   *
   * @param {{ readonly grace?: number | undefined, readonly patience?: number | undefined }} [options]
   * How many milliseconds the process may take to end by itself, and again after it is terminated.
   */
  close(options) {
    this.#closing ??= this.#closed(options?.grace ?? 5000, options?.patience ?? 5000);
    return this.#closing;
  }

  /** @type {(grace: number, patience: number) => Promise<any>} */
  async #closed(grace, patience) {
    const child = this.#child;
    this.#wake();
    child.stdin.end();
    if (!(await within(this.#exit, grace))) {
      child.kill("SIGTERM");
      if (!(await within(this.#exit, patience))) child.kill("SIGKILL");
      await this.#exit;
    }
    // child processes may keep its output open
    if (!(await within(this.exited, Math.min(patience, ENDING)))) this.#endOutput();
    return this.exited;
  }
}

/**
 * End a stream; data that comes later is an error, which nobody needs.
 *
 * @param {any} stream
 */
function endOf(stream) {
  stream.on("error", () => {}).push(null);
}

/**
 * Whether something completes within a number of milliseconds.
 *
 * @type {(done: Promise<unknown>, limit: number, isIdle?: boolean) => Promise<boolean>}
 */
async function within(done, limit, isIdle) {
  /** @type {any} */
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(() => resolve(false), limit)));
  if (isIdle) timer.unref?.();
  try {
    return await Promise.race([done.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * What a function has thrown as a text; it can be anything, even something that cannot be converted to a text.
 *
 * @param {any} thrown
 * @param {string} [part] The member to take of an error.
 */
function textOf(thrown, part) {
  try {
    return String(part !== undefined && thrown instanceof Error ? /** @type {any} */ (thrown)[part] : thrown);
  } catch {
    return "the function threw a value that has no text";
  }
}

/** @param {Launched["environment"]} environment */
function environmentOf(environment) {
  if (environment === undefined) return process.env;
  const { inherit, set, defaults, unset } = environment;
  const found = new Map(Object.entries({ ...(inherit ? process.env : {}), ...set }));
  for (const [name, text] of Object.entries(defaults)) if (!found.get(name)) found.set(name, text);
  return Object.fromEntries([...found].filter(([name]) => !unset.includes(name)));
}

/**
 * Returns the function that starts processes that speak a protocol.
 *
 * @param {new (peer: string, options?: object) => any} Session
 * @param {Type} root The type of messages.
 * @param {boolean} cancels Whether the protocol has cancellations.
 * @param {string} by The discriminator of requests.
 */
export function starter(Session, root, cancels, by) {
  return (/** @type {string} */ peer, /** @type {Launched} */ launched, /** @type {Options} */ options = {}) =>
    new PeerProcess(new Session(peer, { refuseUnknown: options.refuseUnknown }), root, cancels, by, launched, options);
}
