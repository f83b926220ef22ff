/** A client that runs misbehaving programs, and prints what it sees of each. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { setImmediate } from "node:timers/promises";

import { BadLine, ControlError, DecodeError, encode, launch } from "agentlines";
import { ProcessError, start } from "agentlines/node";

const LIMIT = 1 << 20;

/** The milliseconds until whatever is left counts as left for good. */
const LONG = 60_000;

/** The threads, resources, descriptors and child processes there are. */
function left() {
  const threads = readdirSync("/proc/self/task");
  const children = threads.map((each) => readFileSync(`/proc/self/task/${each}/children`, "utf8"));
  return {
    threads: threads.length,
    tasks: process.getActiveResourcesInfo().filter((each) => each !== "Timeout" && each !== "Immediate").length,
    descriptors: readdirSync("/proc/self/fd").length,
    children: children.join("").split(" ").length - 1,
  };
}

/** @param {number | null} code @param {string | null} signal */
function statusOf(code, signal) {
  return signal === null ? code : -constants.signals[/** @type {NodeJS.Signals} */ (signal)];
}

/** The outcome of a request. @param {Promise<unknown> | undefined} answer */
async function outcome(answer) {
  try {
    await answer;
    return { outcome: "answered" };
  } catch (error) {
    const { message } = /** @type {Error} */ (error);
    if (error instanceof ProcessError) {
      const { code, signal, stderr } = error;
      return { outcome: "process", message, status: statusOf(code, signal), stderr: stderr.slice(-40) };
    }
    if (error instanceof ControlError) return { outcome: "refused", message };
    if (error instanceof DecodeError) return { outcome: "invalid", message };
    throw error;
  }
}

/** @param {{ kind: string, program: string, first: string, size: number, grace: number, patience: number }} asked */
async function run({ kind, program, first, size, grace, patience }) {
  const before = left();
  /** @type {[string, number][]} */
  const events = [];
  const told = { kind, events, request: /** @type {unknown} */ (null), end: /** @type {string | null} */ (null) };

  /** @param {import("agentlines/node").ProcessEvent | BadLine} event */
  function record(event) {
    let name;
    if (event instanceof BadLine) name = `bad ${event.line} ${event.error.code}`;
    else name = event.event === "stray" ? `stray ${event.reason}` : event.event;
    const last = events.at(-1);
    if (last?.[0] === name) last[1] += 1;
    else events.push([name, 1]);
  }

  const started = start("sdk", launch({ systemPrompt: "x".repeat(size) }), { program, limit: LIMIT });
  /** @param {boolean} closed Whether the events are taken to the end. */
  async function rest(closed) {
    try {
      for await (const event of started) {
        record(event);
        if (closed || event instanceof BadLine || event.event !== "message") continue;
        if (encode(event.message).includes('"close"')) return;
      }
    } catch (error) {
      told.end = /** @type {Error} */ (error).message;
    }
  }
  if (first === "answer") told.request = await outcome(started.started.initialize);
  await rest(false);
  const { code, signal, stderr } = await started.close({ grace: grace * 1000, patience: patience * 1000 });
  await rest(true);
  if (first === "events") told.request = await outcome(started.started.initialize);
  const end = { status: statusOf(code, signal), stderr: stderr.slice(-40) };

  const deadline = performance.now() + LONG;
  for (;;) {
    const now = left();
    const pairs = Object.entries(before).map(([name, count]) => [name, [count, now[/** @type {"tasks"} */ (name)]]]);
    if (pairs.every(([, [was, is]]) => was === is) || performance.now() > deadline) {
      console.log(JSON.stringify({ ...told, ...end, left: Object.fromEntries(pairs) }));
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

await once(spawn("true"), "close"); // the first child process opens descriptors for good
for (let turn = 0; turn < 2; turn += 1) await setImmediate(); // its handles are closed in between
for (const each of JSON.parse(process.argv[2] ?? "[]")) await run(each);
