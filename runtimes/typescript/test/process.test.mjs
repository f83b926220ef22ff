import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { afterEach, test } from "node:test";

import { ControlError } from "../src/controls.js";
import * as t from "../src/engine.js";
import { ProcessError, starter } from "../src/process.js";
import { sessionOf } from "../src/session.js";
import { BadLine } from "../src/streams.js";
import { Line, session as protocol } from "./sample.mjs";

const Session = sessionOf(() => protocol);
const begin = starter(Session, Line, true, "of");

/** The processes that a test has started, to be ended even if it fails. */
const started = [];
afterEach(async () => {
  for (const each of started.splice(0)) await each.close({ grace: 0, patience: 0 });
});

function start(...values) {
  const running = begin(...values);
  started.push(running);
  return running;
}

/** A time limit that is reached only if something hangs. */
const LONG = 600_000;

/** The beginning of each test program: functions to send objects and receive lines. */
const PROGRAM = `
const say = (...objects) => process.stdout.write(objects.map((each) => JSON.stringify(each) + "\\n").join(""));
const ask = (id, of) => say({ kind: "ask", id, what: { of } });
const reply = (id, value) => say({ kind: "reply", id, body: { ok: true, value } });
const hear = (each) => require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => each(JSON.parse(line)));
`;

/** Starts a JavaScript program. */
const run = (code, options, launched) =>
  start("here", { program: process.execPath, programArguments: ["-e", PROGRAM + code], ...launched }, options);

/** All events until the end. */
async function all(running) {
  const found = [];
  for await (const event of running) found.push(event);
  return found;
}

const failed = (promise) =>
  promise.then(
    () => assert.fail("nothing failed"),
    (error) => error,
  );

const ANSWERS = `hear(({ id, what, kind }) => {
  if (kind !== "ask") say({ kind: "heard", what });
  else if (what.of === "area") reply(id, 1.5);
  else if (what.of === "name") say({ kind: "failure", id, why: "no", code: 7, data: { right: "r" } });
  else reply(id, { left: 1 });
});`;

test("a request gets its answer, or the error that came instead", async () => {
  const running = run(ANSWERS);
  const [area, name, side] = [{ of: "area" }, { of: "name" }, { of: "side" }].map((each) => running.request(each));
  assert.equal(await area, 1.5);
  const error = await failed(name);
  assert.equal(error instanceof ControlError, true);
  assert.deepEqual([error.message, error.code, error.data, error.response.id], ["no", 7, { right: "r" }, "r2"]);
  assert.equal((await failed(side)).code, "wrong_type");
  assert.equal((await failed(running.request({ of: "stop" }))).code, "wrong_direction");
  assert.deepEqual(running.session.pending(), []);
  await running.notify({ of: "ready" });
  await running.write({ kind: "tell", what: { of: "ready", more: 1 } });
  const wanted = [{ of: "ready" }, { of: "ready", more: 1 }].map((what) => ({ kind: "heard", what }));
  for (const message of wanted) assert.deepEqual((await running.next()).value, { event: "message", message });
  const end = await running.close({ grace: LONG });
  assert.deepEqual(end, { code: 0, signal: null, stderr: "", error: undefined });
  assert.deepEqual(await all(running), []);
});

test("functions answer requests, and what they throw refuses them", async () => {
  const signals = [];
  const answers = {
    stop: (payload, { id }) => (id === "a" ? undefined : Promise.reject(new Error("not now"))),
    side: (payload, { id, signal }) => {
      signals.push(signal);
      return id === "c" ? { left: 1 } : new Promise((resolve) => signal.addEventListener("abort", () => resolve(null)));
    },
  };
  const running = run(
    `ask("a", "stop"); ask("b", "stop"); ask("c", "side"); ask("d", "new"); ask("e", "side"); say({ kind: "drop", id: "e" });
     let left = 4;
     hear((line) => { say({ kind: "heard", line }); if (--left === 0) process.exit(); });`,
    { answers },
  );
  const events = await all(running);
  const failures = events.filter(({ event }) => event === "failed_answer");
  const what = { event: "failed_answer", kind: "stop", id: "b", payload: { of: "stop" } };
  assert.deepEqual(failures[0], { ...what, error: new Error("not now") });
  const { id, kind, payload, error } = failures[1];
  assert.deepEqual([id, kind, payload, error.code], ["c", "side", { of: "side" }, "wrong_type"]);
  assert.equal(failures.length, 2);
  const heard = events.filter((each) => !failures.includes(each)).map(({ message }) => message.line);
  const byId = Object.fromEntries(heard.map((line) => [line.id, line.why ?? line.body]));
  assert.deepEqual(byId, {
    a: { ok: true },
    b: "not now",
    c: "expected string, got integer at /body/value/left",
    d: "unknown request",
  });
  assert.deepEqual([signals.length, signals.at(-1).aborted, running.session.unanswered()], [2, true, []]);
});

test("a request whose function returns after the end stays unanswered", async () => {
  const answers = {
    stop: (_, { signal }) => failure(aborted(signal)),
    side: async (_, { signal }) => void (await aborted(signal)),
  };
  const running = run(`ask("a", "stop"); ask("b", "side"); ask("c", "new"); hear(() => process.exit());`, { answers });
  assert.deepEqual(await all(running), []);
  await running.exited;
  await new Promise(setImmediate);
  assert.deepEqual(
    running.session.unanswered().map(({ id }) => id),
    ["a", "b"],
  );
});

test("a function that goes on takes no cancellation of a later request with its id", async () => {
  const drop = 'say({ kind: "drop", id: "a" });';
  const running = run(`ask("a", "stop"); ${drop} ask("a", "side"); ${drop} hear(() => {});`, {
    answers: { stop: () => new Promise(() => {}) },
  });
  const events = [await running.next(), await running.next()].map(({ value }) => [value.event, value.payload.of]);
  assert.deepEqual(events, [
    ["request", "side"],
    ["cancellation", "side"],
  ]);
  await running.close({ grace: LONG });
});

test("what functions throw refuses requests, whatever it is", async () => {
  const text = { toString: () => "a text" };
  const thrown = [Object.create(null), Object.assign(new Error(), { message: text }), Symbol("s"), undefined];
  thrown.push(Object.defineProperty(new Error(), "message", { get: () => assert.fail("no") }));
  const asks = thrown.map((_, at) => `ask("${at}", "stop");`);
  const running = run(
    `${asks.join(" ")} let left = ${asks.length};
     hear((line) => { say({ kind: "heard", line }); if (--left === 0) process.exit(); });`,
    { answers: { stop: (_, { id }) => Promise.reject(thrown[id]) } },
  );
  const events = await all(running);
  const failures = events.filter(({ event }) => event === "failed_answer");
  assert.equal(
    failures.every(({ id, error }) => error === thrown[id]),
    true,
  );
  const heard = events.flatMap(({ message }) => (message === undefined ? [] : [message.line]));
  const none = "the function threw a value that has no text";
  const whys = heard.sort((one, other) => one.id - other.id).map(({ why }) => why);
  assert.deepEqual(whys, [none, "a text", "Symbol(s)", "undefined", none]);
});

test("the failure of a function whose request was cancelled is no event", async () => {
  const running = run(
    `ask("a", "stop"); say({ kind: "drop", id: "a" }); ask("b", "stop"); hear(({ id }) => say({ kind: "heard", id }));`,
    { answers: { stop: (_, { id, signal }) => failure(id === "a" ? aborted(signal) : undefined) } },
  );
  const found = [await running.next(), await running.next()].map(({ value }) => value.id ?? value.message.id);
  assert.deepEqual(found, ["b", "b"]);
  assert.equal((await running.close({ grace: LONG })).code, 0);
});

/** Fails after something else. */
async function failure(before) {
  await before;
  throw new Error("no");
}

const aborted = (signal) => new Promise((resolve) => signal.addEventListener("abort", resolve));

// --- functions in the options ----------------------------------------------------------------------------------------

/** A function in the options that answers requests for sides. */
const option = (called, more) => ({ place: "/call", control: "side", row: {}, function: called, ...more });

/** The answers to requests with a member each, by their ids, and the failures. */
async function answersOf(functions, requests, options) {
  const asks = requests.map(([of, more], id) => ({ kind: "ask", id: `${id}`, what: { of, ...more } }));
  const code = `say(...${JSON.stringify(asks)}); let left = ${asks.length};
    hear((line) => { say({ kind: "heard", line }); if (--left === 0) process.exit(); });`;
  const events = await all(run(code, options, { functions }));
  const failures = events.filter(({ event }) => event === "failed_answer");
  const lines = events.flatMap(({ message }) => (message === undefined ? [] : [message.line]));
  const answers = lines.sort((one, other) => Number(one.id) - Number(other.id));
  return [answers.map(({ why, body }) => why ?? body.value), failures];
}

test("functions in the options answer the requests with their ids", async () => {
  const row = { id: ["to", "name"] };
  const functions = ["0", "b"].map((id) => option(() => ({ left: id }), { id, row }));
  const requests = [{ name: 0 }, { name: "b" }, { name: "c" }, undefined].map((to) => ["side", { to }]);
  const [answers, failures] = await answersOf(functions, requests);
  const missing = ["c", "undefined"].map((id) => `no function has the id "${id}"`);
  assert.deepEqual(answers, [{ left: "0" }, { left: "b" }, ...missing]);
  assert.deepEqual(
    failures.map(({ kind, id, error }) => [kind, id, error.message]),
    [
      ["side", "2", missing[0]],
      ["side", "3", missing[1]],
    ],
  );
});

test("functions in the options take parts of the request, and the rest with a signal", async () => {
  const called = [];
  const call = (...values) => {
    called.push(values);
    return { left: "a" };
  };
  const parts = option(call, { row: { params: [["one"], ["two", "deep"], ["three"]] } });
  await answersOf([parts], [["side", { one: 1, two: { deep: [2], more: 0 }, four: 4 }]]);
  await answersOf([parts], [["side", { one: null, two: 2 }]]);
  await answersOf([option(call, { row: { params: [[]] } })], [["side", { one: 1 }]]);
  const signals = called.map((values) => values.at(-1).signal);
  assert.equal(
    signals.every((each) => each instanceof AbortSignal),
    true,
  );
  assert.deepEqual(called, [
    [1, [2], undefined, { four: 4, signal: signals[0] }],
    [undefined, undefined, undefined, { signal: signals[1] }],
    [{ of: "side", one: 1 }, { signal: signals[2] }],
  ]);
});

test("the value of a function in the options is the result, or a member of it", async () => {
  const values = [{ left: "r" }, Promise.resolve({ left: "s" })];
  for (const value of values) {
    assert.deepEqual((await answersOf([option(() => value)], [["side"]]))[0], [await value]);
  }
  const inside = option(async () => "l", { row: { result: ["left"] } });
  assert.deepEqual((await answersOf([inside], [["side"]]))[0], [{ left: "l" }]);
});

test("a function in the options that returns nothing has the value of its row, or no result", async () => {
  for (const nothing of [undefined, null]) {
    const none = option(() => nothing, { row: { result: ["left"], none: "n" } });
    assert.deepEqual((await answersOf([none], [["side"]]))[0], [{ left: "n" }]);
  }
  const [answers, failures] = await answersOf([option(() => undefined, { row: { result: ["left"] } })], [["side"]]);
  assert.deepEqual([answers, failures.length], [[undefined], 0]);
  const required = { ...protocol, answers: () => [["side", "there", [t.string]]] };
  const strict = starter(
    sessionOf(() => required),
    Line,
    true,
    "of",
  );
  const launched = { program: process.execPath, functions: [option(() => undefined)] };
  const code = `${PROGRAM} ask("a", "side"); hear((line) => { say({ kind: "heard", line }); process.exit(); });`;
  const running = strict("here", { ...launched, programArguments: ["-e", code] });
  started.push(running);
  const [{ error }, { message }] = await all(running);
  assert.deepEqual([error.code, message.line.why], ["missing_field", error.message]);
});

test("a cancelled request cancels its function in the options", async () => {
  const code = `ask("a", "side"); say({ kind: "drop", id: "a" }); hear(() => {});`;
  let signal;
  const done = new Promise((resolve) => {
    const call = async (...values) => {
      signal = values.at(-1).signal;
      await aborted(signal);
      resolve();
    };
    run(code, {}, { functions: [option(call)] });
  });
  await done;
  assert.equal(signal.aborted, true);
});

test("a function in the options gets the standard error", async () => {
  const told = [];
  const functions = [option((text) => told.push(text), { control: undefined, receives: "stderr" })];
  const running = run(`process.stderr.write("it broke");`, {}, { functions });
  assert.equal((await running.exited).stderr, "it broke");
  assert.equal(told.join(""), "it broke");
});

test("an error of the function for the standard error ends the events and fails requests", async () => {
  let calls = 0;
  const stderr = () => {
    calls += 1;
    throw new Error("the disk is full");
  };
  const running = run(`process.stderr.write("it"); hear(() => process.stderr.write(" broke"));`, { stderr });
  const answer = failed(running.request({ of: "area" }));
  const error = await failed(all(running));
  assert.equal(error.message, "the disk is full");
  assert.equal((await answer).message, "Error: the disk is full");
  assert.equal((await running.close()).stderr, "it broke");
  assert.equal(calls, 1);
});

test("the events end with an error even if the function for the standard error threw nothing", async () => {
  const stderr = () => {
    throw undefined;
  };
  const running = run(`process.stderr.write("it broke"); hear(() => {});`, { stderr });
  assert.equal((await failed(all(running))).message, "a function threw undefined");
  await running.close();
});

test("functions in the options that conflict or that nothing calls are errors at the start", () => {
  const call = () => undefined;
  const program = "/nowhere/at/all"; // it is not started
  for (const [functions, options, message] of [
    [[option(call)], { answers: { side: call } }, "both answers and the option /call answer side; give one of them"],
    [
      [option(call), option(call, { place: "/other" })],
      {},
      "the options /call and /other both answer side; give one of them",
    ],
    [
      [option(call, { id: "a" }), option(call, { place: "/other", id: "a" })],
      {},
      "the options /call and /other both answer side; give one of them",
    ],
    [
      [option(call, { control: undefined, receives: "stderr" })],
      { stderr: call },
      "both stderr and the option /call receive it; give one of them",
    ],
    [
      [option(call, { control: undefined })],
      {},
      "the function in the option /call is not used by a process; leave it out",
    ],
    [
      [option({}, { control: undefined, live: true })],
      {},
      "the object in the option /call is not used by a process; leave it out",
    ],
    [[option({})], {}, "expected a function in the option /call"],
  ]) {
    assert.throws(() => start("here", { functions }, { program, ...options }), { name: "TypeError", message });
  }
});

test("answers that are undefined answer nothing, and others are called as methods", async () => {
  const answers = {
    side: undefined,
    left: "x",
    stop() {
      return this.left === "x" ? undefined : Promise.reject(new Error("no this"));
    },
  };
  const [found] = await answersOf([option(() => ({ left: "a" }))], [["side"], ["stop"]], { answers });
  assert.deepEqual(found, [{ left: "a" }, undefined]);
});

test("requests without a function are handed out", async () => {
  const running = run(`ask("a", "stop"); ask("b", "stop"); hear((line) => say({ kind: "heard", line }));`);
  const [{ value: one }, { value: two }] = [await running.next(), await running.next()];
  assert.deepEqual([one.event, one.kind, two.id], ["request", "stop", "b"]);
  await running.reply(one.envelope);
  await running.refuse(two.envelope, "no");
  const lines = [(await running.next()).value.message.line, (await running.next()).value.message.line];
  assert.deepEqual(lines, [
    { kind: "reply", id: "a", body: { ok: true } },
    { kind: "failure", id: "b", why: "no", code: 1 },
  ]);
  await running.close({ grace: LONG });
});

test("a program without functions for what every object has is not called", async () => {
  const running = run(`ask("a", "toString"); hear((line) => say({ kind: "heard", line }));`, { refuseUnknown: false });
  const { value } = await running.next();
  assert.deepEqual([value.event, value.kind], ["request", "toString"]);
  await running.close({ grace: LONG });
});

test("a process is started as the launch says, with its requests", async () => {
  process.env.LAUNCHED_TAKEN = process.env.LAUNCHED_KEPT = process.env.LAUNCHED_THERE = "mine";
  try {
    const names = "Object.fromEntries(Object.entries(process.env).filter(([name]) => name.startsWith('LAUNCHED_')))";
    const code = `hear(({ id }) => reply(id, 1)); say({ kind: "told", values: process.argv.slice(1), cwd: process.cwd(), env: ${names} });`;
    const environment = {
      inherit: true,
      set: { LAUNCHED_SET: "x" },
      defaults: { LAUNCHED_THERE: "d", LAUNCHED_ELSE: "d" },
      unset: ["LAUNCHED_TAKEN"],
    };
    const launched = { arguments: ["--", "a b", '"'], cwd: "/", environment, requests: { area: { of: "area" } } };
    const running = run(code, {}, launched);
    const { message } = (await running.next()).value;
    assert.deepEqual(message.values, ["a b", '"']);
    assert.equal(message.cwd, "/");
    const env = { LAUNCHED_KEPT: "mine", LAUNCHED_THERE: "mine", LAUNCHED_ELSE: "d", LAUNCHED_SET: "x" };
    assert.deepEqual(message.env, env);
    assert.equal(await running.started.area, 1);
    await running.close({ grace: LONG });
    const bare = run(code, {}, { environment: { inherit: false, set: {}, defaults: {}, unset: [] } });
    assert.deepEqual((await bare.next()).value.message.env, {});
    await bare.close({ grace: LONG });
  } finally {
    for (const name of ["TAKEN", "KEPT", "THERE"]) delete process.env[`LAUNCHED_${name}`];
  }
});

test("a process that ends in the middle of a line takes nothing along", async () => {
  const told = [];
  const running = run(
    `say({ kind: "first" }); process.stderr.write("it broke"); process.stdout.write('{"kind":"rep');
     hear(() => process.exit(3));`,
    { stderr: (text) => told.push(text) },
  );
  const asked = failed(running.request({ of: "area" }));
  const [first, broken, ...more] = await all(running);
  assert.deepEqual([first.message, broken instanceof BadLine, more.length], [{ kind: "first" }, true, 0]);
  assert.equal(new TextDecoder().decode(broken.raw), '{"kind":"rep');
  const error = await asked;
  assert.equal(error instanceof ProcessError, true);
  assert.deepEqual([error.message, error.code, error.stderr], ["the process ended (3)", 3, "it broke"]);
  assert.deepEqual(await running.exited, { code: 3, signal: null, stderr: "it broke", error: undefined });
  assert.deepEqual([told.join(""), running.stderr], ["it broke", "it broke"]);
  assert.deepEqual(running.session.pending(), [{ id: "r1", request: { of: "area" } }]);
  assert.equal((await failed(running.request({ of: "area" }))).name, "ProcessError");
  await failed(running.write({ kind: "tell", what: { of: "ready" } }));
});

test("a program that is not there is an error of whatever waits for it", async () => {
  const running = start("here", { requests: { area: { of: "area" } } }, { program: "/nowhere/at/all" });
  assert.equal((await failed(running.next())).code, "ENOENT");
  assert.equal((await failed(running.started.area)).name, "ProcessError");
  const { code, error } = await running.exited;
  assert.deepEqual([code, error.code], [null, "ENOENT"]);
  await running.close();
  assert.throws(() => start("here", {}), /^TypeError: expected a program/);
});

test("a process is closed, told to end, and killed", async () => {
  const stubborn = "process.stdin.resume(); setInterval(() => {}, 1000); ";
  const ready = 'say({ kind: "ready" });';
  for (const [code, limits, wanted] of [
    [`process.stdin.resume().on("end", () => process.exit(4)); ${ready}`, { grace: LONG }, [4, null]],
    [`${stubborn} process.on("SIGTERM", () => process.exit(5)); ${ready}`, { grace: 0, patience: LONG }, [5, null]],
    [`${stubborn} process.on("SIGTERM", () => {}); ${ready}`, { grace: 0, patience: 0 }, [null, "SIGKILL"]],
  ]) {
    const running = run(code);
    await running.next();
    const asked = failed(running.request({ of: "area" }));
    const closing = running.close(limits);
    assert.equal(running.close(), closing);
    const { code: status, signal } = await closing;
    assert.deepEqual([status, signal], wanted);
    assert.equal((await asked).name, "ProcessError");
    assert.deepEqual(await running.next(), { done: true, value: undefined });
  }
});

test("an abort ends the process and whatever waits", async () => {
  const abort = new AbortController();
  const running = run('say({ kind: "ready" }); process.stdin.resume();', { signal: abort.signal });
  await running.next();
  const [next, asked] = [failed(running.next()), failed(running.request({ of: "area" }))];
  abort.abort(new Error("enough"));
  assert.equal((await next).message, "enough");
  assert.equal((await asked).message, "enough");
  assert.equal((await running.exited).code === 0, false);
  assert.equal((await failed(running.next())).message, "enough");
  assert.throws(() => run("", { signal: abort.signal }), /enough/);
});

test("a request can be cancelled, and its late answer is handed out", async () => {
  const running = run(
    'let asked; hear((line) => { if (line.kind === "ask") { asked = line.id; say({ kind: "got" }); } else reply(asked, 1); });',
  );
  const abort = new AbortController();
  const asked = failed(running.request({ of: "area" }, { signal: abort.signal }));
  assert.equal((await running.next()).value.message.kind, "got");
  abort.abort("changed my mind");
  assert.equal(await asked, "changed my mind");
  const { value } = await running.next();
  assert.deepEqual([value.event, value.reason, value.id], ["stray", "late", "r1"]);
  assert.equal(await failed(running.request({ of: "area" }, { signal: abort.signal })), "changed my mind");
  await running.close({ grace: LONG });
});

test("an answer comes behind more events than wait without it, and none of them is lost", async () => {
  const count = 3000;
  const running = run(
    `hear(({ id }) => { for (let n = 0; n < ${count}; n++) say({ kind: "news", n }); reply(id, 1); });`,
  );
  assert.equal(await running.request({ of: "area" }), 1);
  for (let n = 0; n < count; n += 1) assert.equal((await running.next()).value.message.n, n);
  await running.close({ grace: LONG });
});

test("a request fails if too many events come before its answer, and nothing is lost", async () => {
  const code = `let first = true;
    hear(({ id }) => { if (first) for (let n = 0; n < 1000; n++) say({ kind: "news", n }); first = false; reply(id, 1); });`;
  const running = run(code, { backlog: 300 });
  for (let n = 0; n < 2; n += 1) {
    // the second is not sent
    const error = await failed(running.request({ of: "area" }));
    assert.deepEqual([error.name, error.code], ["ProcessError", null]);
    assert.match(error.message, /^300 events wait and 0 functions are called \(\d+ bytes of lines\), /);
  }
  assert.deepEqual(running.session.pending(), [{ id: "r1", request: { of: "area" } }]);
  for (let n = 0; n < 1000; n += 1) assert.equal((await running.next()).value.message.n, n);
  const { value } = await running.next();
  assert.deepEqual([value.event, value.id, value.result], ["answer", "r1", 1]);
  assert.equal(await running.request({ of: "area" }), 1);
  await running.close({ grace: LONG });
});

test("a request of the start fails like others", async () => {
  const code = 'hear(({ id }) => { for (let n = 0; n < 1000; n++) say({ kind: "news", n }); reply(id, 1); });';
  const running = run(code, { backlog: 300 }, { requests: { area: { of: "area" } } });
  assert.match((await failed(running.started.area)).message, /^300 events wait/);
  await running.close({ grace: 0 });
});

test("calls of functions count as events do, even if their requests are cancelled", async () => {
  let open = () => {};
  const gate = new Promise((resolve) => (open = resolve));
  const code = `hear(({ id, kind }) => {
    if (kind !== "ask") return;
    for (let n = 0; n < 40; n++) { ask("a", "stop"); say({ kind: "drop", id: "a" }); }
    reply(id, 1); say({ kind: "done" });
  });`;
  const running = run(code, { backlog: 20, answers: { stop: () => gate } });
  const error = await failed(running.request({ of: "area" }));
  assert.match(error.message, /^0 events wait and 20 functions are called /);
  open();
  const events = [];
  do events.push((await running.next()).value);
  while (events.at(-1).event !== "message");
  assert.deepEqual([events.at(-2).event, events.at(-1).message], ["answer", { kind: "done" }]);
  await running.close({ grace: LONG });
});

test("events that wait have 64 MiB at most", async () => {
  const MiB = 1024 * 1024;
  const code = `const text = "x".repeat(8 * ${MiB}); for (let n = 0; n < 12; n++) say({ kind: "news", n, text }); hear(({ id }) => reply(id, 1));`;
  const running = run(code);
  assert.match((await failed(running.request({ of: "area" }))).message, /^8 events wait /);
  for (let n = 0; n < 12; n += 1) assert.equal((await running.next()).value.message.n, n);
  assert.equal((await running.next()).value.event, "answer");
  await running.close({ grace: LONG });
});

test("no more is read than 256 events ahead of the program", async () => {
  let [received, enough] = [0, () => {}];
  const full = new Promise((resolve) => (enough = resolve));
  class Counting extends Session {
    receive(message) {
      received += 1;
      if (received === 256) enough();
      return super.receive(message);
    }
  }
  // so few bytes that they arrive at once, and all lines would be read in the same turn
  const code = `process.stdout.write('{"kind":"x"}\\n'.repeat(300)); process.stdin.resume();`;
  const running = starter(
    Counting,
    Line,
    true,
    "of",
  )("here", { program: process.execPath, programArguments: ["-e", code] });
  started.push(running);
  await full;
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  await turn();
  assert.equal(received, 256);
  for (let taken = 1; taken <= 3; taken += 1) {
    await running.next();
    await turn();
    assert.equal(received, 256 + taken);
  }
  assert.equal((await running.close({ grace: LONG })).code, 0);
});

test("what nobody takes does not keep a process from ending", async () => {
  const running = run(
    'for (let n = 0; n < 20000; n++) say({ kind: "news", n, text: "x".repeat(100) }); hear(() => {});',
  );
  await running.next();
  assert.equal((await running.close({ grace: LONG })).code, 0);
});

test("a process that asks without reading is ended", async () => {
  const running = run(
    'let n = 0; (function more() { for (let at = 0; at < 1000; at++) ask(String(n++), "new"); setImmediate(more); })();',
  );
  const error = await failed(running.next());
  assert.deepEqual(
    [error.name, error.message],
    ["ProcessError", "the process does not read the answers to its requests"],
  );
  assert.equal((await running.exited).signal, "SIGKILL");
  await running.close();
});

/** A program that goes on until it is ended. */
const GO_ON = "setInterval(() => {}, 1000);";

test("the end of the output ends the session of a process that goes on", async () => {
  const running = run(`hear(() => { say({ kind: "heard", what: 1 }); require("node:fs").closeSync(1); }); ${GO_ON}`);
  const asked = failed(running.request({ of: "area" }));
  assert.equal((await all(running)).length, 1);
  for (const late of [asked, failed(running.request({ of: "area" }))]) {
    const error = await late;
    assert(error instanceof ProcessError);
    assert.deepEqual([error.message, error.code], ["the process has closed its output", null]);
  }
  assert.equal((await running.close({ grace: 0 })).signal, "SIGTERM");
});

test("the end of the input fails the requests to a process that goes on", async () => {
  const code = `hear(() => { require("node:fs").closeSync(0); say({ kind: "heard", what: 1 }); });
    setInterval(() => say({ kind: "heard", what: 2 }), 10);`;
  const running = run(code);
  const asked = failed(running.request({ of: "area" }));
  await running.next();
  for (;;) {
    // what is written before the system has closed the pipe may still be taken
    const error = await running.write({ kind: "heard", what: 3 }).catch((reason) => reason);
    if (error === undefined) continue;
    assert.deepEqual([error.message, error.code], ["the process has closed its input", null]);
    break;
  }
  assert.equal((await asked).message, "the process has closed its input");
  assert.equal((await running.next()).done, false);
});

test("whatever notices first that a process fails has its status and its last words", async () => {
  const code = `require("node:fs").closeSync(0); process.stderr.write("no such session"); process.exitCode = 1;`;
  const requests = { ask: { of: "area" } };
  for (let wait = 0; wait < 100; wait += 20) {
    const running = run(code, {}, { requests });
    await new Promise((resolve) => setTimeout(resolve, wait));
    // a line that the system takes before the process has closed its input is written
    const written = running.write({ kind: "heard", what: 1 }).then(() => running.started.ask);
    const late = running.exited.then(() => running.write({ kind: "heard", what: 2 }));
    for (const each of [running.started.ask, written, late]) {
      const error = await failed(each);
      assert(error instanceof ProcessError);
      assert.deepEqual([error.message, error.code, error.stderr], ["the process ended (1)", 1, "no such session"]);
    }
  }
});

test("a write that fails because the process ends says how it ended", async () => {
  const code = `process.on("SIGTERM", () => { process.stderr.write("told to end"); process.exitCode = 3; clearInterval(own); });
    const own = setInterval(() => {}, 1000); require("node:fs").closeSync(0); say({ kind: "heard", what: process.pid });`;
  const running = run(code);
  const { value } = await running.next();
  const written = failed(running.write({ kind: "heard", what: 1 }));
  process.kill(value.message.what);
  const error = await written;
  assert(error instanceof ProcessError);
  assert.deepEqual([error.code, error.stderr], [3, "told to end"]);
});

test("a program that takes no events of an ended process may end", async () => {
  const here = new URL("./", import.meta.url);
  const program = PROGRAM + 'for (let n = 0; n < 1000; n += 1) say({ kind: "heard", what: n });';
  const code = `(async () => {
    const { starter } = await import("${new URL("../src/process.js", here)}");
    const { sessionOf } = await import("${new URL("../src/session.js", here)}");
    const { Line, session } = await import("${new URL("sample.mjs", here)}");
    const begin = starter(sessionOf(() => session), Line, true);
    await begin("here", { program: process.execPath, programArguments: ["-e", ${JSON.stringify(program)}] }).next();
  })();`;
  const found = spawnSync(process.execPath, ["-e", code], { timeout: LONG, encoding: "utf8" });
  assert.deepEqual([found.status, found.stderr], [0, ""]);
});

test("nothing is lost and nothing waited for if a child holds the output of a process", async () => {
  const code = `const child = require("node:child_process").spawn(process.execPath, ["-e", "${GO_ON}"], { stdio: "inherit" });
    child.unref(); say({ kind: "heard", what: child.pid });
    for (let number = 0; number < 1000; number += 1) say({ kind: "heard", what: number });`;
  const running = run(code);
  const { value: first } = await running.next();
  try {
    const found = [];
    for await (const event of running) {
      if (found.length === 300) await new Promise((resolve) => setTimeout(resolve, 2500)); // longer than silence lasts
      found.push(event.message.what);
    }
    assert.deepEqual(
      found,
      Array.from({ length: 1000 }, (_, number) => number),
    );
    assert.equal((await running.exited).code, 0);
  } finally {
    process.kill(first.message.what);
  }
});
