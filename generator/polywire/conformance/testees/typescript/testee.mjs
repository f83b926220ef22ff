/**
 * The testee for the generated TypeScript package: decodes as a user would, and answers with the outcome.
 *
 *     node testee.mjs FOLDER
 *
 * FOLDER is the generated package.
 */

import path from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";

const [folder] = process.argv.slice(2);
const agent = await import(pathToFileURL(path.resolve(folder, "index.js")).href);

/** Name in the spec → type. */
const types = new Map(Object.entries(agent.SPEC_NAMES).map(([name, spec]) => [spec, agent.TYPES[name]]));

/** Whether the engine gives the source text of numbers, and can write it. */
const TELLS_SOURCE =
  typeof JSON.rawJSON === "function" && JSON.parse("1", (_, value, context) => context?.source) === "1";

const PARSER_CODES = new Set(["too_long", "invalid_utf8", "invalid_json", "too_deep"]);

/** The first disagreement between the functions that read and write a value, if there is one. */
function problemOf(value, line, found, type) {
  const { decode, decodeValue, encode, examine, is, isUnknown } = agent;
  const same = (what, one, other) => (isDeepStrictEqual(one, other) ? "" : `${what} has another result`);
  const again = decode(line, type);
  return [
    same("examine", found.value, value),
    is(value, type) ? "" : "the guard rejects the result of decode",
    same("decode of the encoded value", again, value),
    same("encode of that", encode(again, type), line),
    same("decodeValue", decodeValue(value, type), value),
    same("the variant of it", examine(line, type).variant, found.variant),
    strictProblem(value, line, found, type),
    found.variant === type.name || unionProblem(value, type, found.variant, isUnknown),
  ].find((problem) => problem !== "" && problem !== true);
}

/** The problem if strict encoding gives another line, or refuses a value in which nothing was tolerated. */
function strictProblem(value, line, { unknown }, type) {
  try {
    return agent.encode(value, type, { strict: true }) === line ? "" : "strict encode gives another line";
  } catch (error) {
    if (!(error instanceof agent.EncodeError)) return error.stack;
    return unknown.length > 0 ? "" : `strict encode refuses ${error.path}, examine reports nothing`;
  }
}

/** The problem if `isUnknown` does not agree with the variant of a union. Other types have no `isUnknown`. */
function unionProblem(value, type, variant, isUnknown) {
  try {
    return isUnknown(value, type) === (variant === "Unknown") ? "" : `isUnknown disagrees with the variant ${variant}`;
  } catch (error) {
    return error instanceof TypeError ? "" : String(error);
  }
}

function decoded(data, { type: name, mode }) {
  const type = types.get(name);
  const options = { strict: mode === "strict" };
  try {
    const value = agent.decode(data, type, options);
    const found = agent.examine(data, type, options);
    const line = agent.encode(value, type);
    const problem = problemOf(value, line, found, type);
    if (problem) return { problem };
    return { ok: true, variant: agent.SPEC_NAMES[found.variant] ?? found.variant, json: line, unknown: found.unknown };
  } catch (error) {
    if (!(error instanceof agent.DecodeError)) return { problem: error.stack };
    const { code, message, path } = error;
    if (!options.strict && !PARSER_CODES.has(code) && agent.is(JSON.parse(textOf(data)), type)) {
      return { problem: `the guard accepts a value that decode rejects (${message})` };
    }
    return { ok: false, code, path, message };
  }
}

const textOf = (data) => (typeof data === "string" ? data : new TextDecoder().decode(data));

/** Answers a stream request: the items with the line numbers of the decoder. */
async function streamed({ chunks, messages, limit, type, mode, only }) {
  const bytes = chunks.map((chunk) => new Uint8Array(Buffer.from(chunk, "base64")));
  const lines = messages?.map((message) => new Uint8Array(Buffer.from(message, "base64"))) ?? linesOf(bytes);
  const wanted = only?.map((name) => types.get(name) ?? name);
  const decoder = new agent.LineDecoder(types.get(type), { strict: mode === "strict", limit, only: wanted });
  const items = [];
  const kept = [];
  let problem;
  const answer = (item) => {
    if (item instanceof agent.BadLine) {
      const { code, path, message } = item.error;
      items.push({ line: item.line, ok: false, raw: Buffer.from(item.raw).toString("base64"), code, path, message });
    } else {
      const found = decoded(lines[decoder.line - 1], { type, mode });
      if (found.ok && found.json !== agent.encode(item, types.get(type))) problem ??= "the stream has another item";
      items.push({ line: decoder.line, ...found });
      kept.push(item);
    }
  };
  for (const chunk of bytes) for (const item of decoder.feed(chunk)) answer(item);
  for (const item of decoder.finish()) answer(item);
  problem ??= await rewritten(kept, types.get(type));
  if (problem) return { problem };
  return { ok: true, items, skipped: only && decoder.skipped };
}

/** The problem that a writer and a reader change values, if they do. */
async function rewritten(values, type) {
  const stream = new TransformStream();
  const writer = new agent.Writer(stream.writable, type);
  for (const value of values) writer.write(value);
  writer.close();
  const again = [];
  for await (const item of agent.read(stream.readable, type)) again.push(item);
  const texts = (of) =>
    JSON.stringify(of.map((each) => (each instanceof agent.BadLine ? each : agent.encode(each, type))));
  return texts(again) === texts(values) ? undefined : `a writer and a reader make ${texts(again)} of ${texts(values)}`;
}

function linesOf(chunks) {
  const all = Buffer.concat(chunks);
  const lines = [];
  for (let start = 0; start <= all.length; start += lines.at(-1).length + 1) {
    const end = all.indexOf(0x0a, start);
    lines.push(all.subarray(start, end < 0 ? all.length : end));
  }
  return lines.map((line) => (line.at(-1) === 0x0d ? line.subarray(0, -1) : line));
}

/** Answers how a process is started: with options as a user writes them, and functions where the request lists them. */
function launched({ type, json, release, functions = {} }) {
  const options = JSON.parse(json);
  for (const [place, count] of Object.entries(functions)) {
    const keys = place
      .split("/")
      .slice(1)
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
    const at = keys.slice(0, -1).reduce((value, key) => value[key], options);
    at[keys.at(-1)] = count === 0 ? () => undefined : Array.from({ length: count }, () => () => undefined);
  }
  try {
    agent.decode(json, types.get(type));
    const {
      arguments: args,
      environment,
      cwd,
      program,
      programArguments,
      script,
      requests,
      functions: found,
    } = agent.launch(options, release);
    const called = ({ place, control, id, receives, live }) => [place, { control, id, receives, live }];
    const started = { arguments: args, environment, program_arguments: programArguments, requests };
    started.functions = Object.fromEntries(found.map(called));
    return { ok: true, json: JSON.stringify({ ...started, cwd, program, script }) };
  } catch (error) {
    if (error instanceof agent.LaunchError) return { ok: false, code: error.code, paths: error.paths };
    if (!(error instanceof agent.DecodeError)) return { problem: error.stack };
    return { ok: false, code: error.code, paths: [error.path] };
  }
}

/** A tree by its name in the spec, which the package may spell in another case, and with a suffix. */
function treeOf(name) {
  const folded = (each) => each.replaceAll("_", "").toLowerCase();
  const near = Object.keys(agent).filter((each) => folded(each).startsWith(folded(name)));
  near.sort((one, other) => (one !== name) - (other !== name) || one.length - other.length);
  return near.map((each) => agent[each]).find((each) => each.prototype?.leaves !== undefined);
}

/** Answers with what a tree has after each entry, which is reported as its number. */
function grown({ tree: name, type, entries, ids }) {
  const tree = new (treeOf(name))();
  const numbers = new Map();
  const reported = (found) => found.map((entry) => numbers.get(entry));
  const steps = entries.map(({ line, json }, number) => {
    const entry = line === undefined ? JSON.parse(json) : agent.decode(line, types.get(type));
    numbers.set(entry, number);
    return {
      added: tree.add(entry),
      path: reported(tree.path()),
      history: reported(tree.path({ history: true })),
      leaves: reported(tree.leaves()),
      roots: reported(tree.children()),
      children: ids.map((id) => reported(tree.children(id))),
      paths: ids.map((leaf) => reported(tree.path({ leaf }))),
      histories: ids.map((leaf) => reported(tree.path({ leaf, history: true }))),
    };
  });
  return { ok: true, steps };
}

/** Runs the steps of a script on a session. */
function scripted({ peer, refuse_unknown: refuseUnknown, steps }) {
  const session = new agent.Session(peer, { refuseUnknown });
  const envelopes = new Map();
  return { ok: true, steps: steps.map((step) => taken(step, session, envelopes)) };
}

function taken(step, session, envelopes) {
  const [what] = Object.keys(STEPS).filter((each) => each in step);
  try {
    return STEPS[what](step, session, envelopes);
  } catch (error) {
    if (error instanceof agent.SessionError || error instanceof agent.EncodeError) return { error: error.code };
    throw error;
  }
}

const STEPS = {
  request(step, session) {
    const { id, line } = session.request(JSON.parse(step.request), step.id);
    return { id, sent: line };
  },
  notify: (step, session) => ({ sent: session.notify(JSON.parse(step.notify)) }),
  cancel: (step, session) => ({ sent: session.cancel(step.cancel) }),
  receive(step, session, envelopes) {
    const event = session.receive(agent.decode(step.receive));
    if (event.event === "request") envelopes.set(event.id, event.envelope);
    return told(event);
  },
  reply(step, session, envelopes) {
    const result = step.result === undefined ? undefined : JSON.parse(step.result);
    return { sent: session.reply(envelopes.get(step.reply), result) };
  },
  refuse(step, session, envelopes) {
    const { code, data } = step;
    const details = { code, data: data === undefined ? undefined : JSON.parse(data) };
    return { sent: session.refuse(envelopes.get(step.refuse), step.message, details) };
  },
  announced: (_, session) => ({ announced: session.announced ?? null }),
  pending(_, session) {
    const ids = (list) => list.map(({ id }) => id);
    return { pending: ids(session.pending()), unanswered: ids(session.unanswered()) };
  },
};

/** An event in the form of results. */
function told({ event, id, payload, request, result, message, code, data, error, reason, line }) {
  const text = (value) => (value === undefined ? undefined : JSON.stringify(value));
  return {
    event,
    id,
    payload: text(payload),
    request: text(request),
    result: text(result),
    message: typeof message === "string" ? message : error ? undefined : message && agent.encode(message),
    code: error?.code ?? code,
    path: error?.path,
    data: text(data),
    reason,
    sent: line,
  };
}

function answerTo(request) {
  switch (request.op) {
    case "describe":
      return {
        language: "typescript",
        version: process.version,
        spec: agent.SPEC_HASH,
        types: Object.values(agent.SPEC_NAMES),
        ops: ["decode", "filter", "stream", "tree", ...(agent.Session === undefined ? [] : ["session"])],
        limits: TELLS_SOURCE ? ["indices"] : ["indices", "integers"],
      };
    case "stream":
      return streamed(request);
    case "launch":
      return launched(request);
    case "session":
      return scripted(request);
    case "tree":
      return grown(request);
    default:
      return decoded(request.json ?? new Uint8Array(Buffer.from(request.bytes, "base64")), request);
  }
}

let pending = Buffer.alloc(0);
for await (const chunk of process.stdin) {
  pending = Buffer.concat([pending, chunk]);
  let end = pending.indexOf(0x0a);
  let answers = "";
  for (; end >= 0; end = pending.indexOf(0x0a)) {
    const request = JSON.parse(pending.subarray(0, end).toString());
    pending = pending.subarray(end + 1);
    answers += `${JSON.stringify({ id: request.id, ...(await answerTo(request)) })}\n`;
  }
  if (answers) process.stdout.write(answers);
}
