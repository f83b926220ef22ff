/**
 * Times the generated package and its peers on the same lines in turn, and counts what the package allocates and does.
 *
 *     bench.mjs ratio PAIR PACKAGE AJV FILE    lines that both accept → {"lines": …, "accepted": …, "ratios": […]}
 *     bench.mjs reject PACKAGE FILE            one fault a line → {"CODE": count, …}; fails on a line that is accepted
 *     bench.mjs bounds PACKAGE FILE            each line in each mode, and its value written →
 *                                              [{"mode": …, "bytes": …, "steps": …}, …];
 *                                              needs --expose-gc and a young generation that holds all that is allocated
 *
 * PACKAGE is the package's folder, AJV a module made by `ajv.mjs`.
 */

import { readFileSync } from "node:fs";
import { Session } from "node:inspector";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { entry } from "./entry.mjs";

/** How many lines one of the two takes before it is the other's turn; the first portion only warms up. */
const PORTION = 500;

/** How many portions' times add up to one ratio. */
const ROUND = 4;

/** The lines of a file, without their ends, each with memory of its own. */
function lines(path) {
  const data = readFileSync(path);
  const found = [];
  for (let at = 0, end; (end = data.indexOf(0x0a, at)) >= 0; at = end + 1) {
    found.push(Buffer.from(data.subarray(at, end)));
  }
  return found;
}

/** Whether the function makes something of the item. */
function accepts(run, item) {
  try {
    run(item);
    return true;
  } catch {
    return false;
  }
}

let kept;

function time(items, run) {
  const start = performance.now();
  for (const item of items) kept = run(item);
  return performance.now() - start;
}

/**
 * Times both functions on their forms of the items, portion by portion, each item once. The collector is left alone: one
 * that is called between portions takes the shapes of objects away, and with them the code that was made for them.
 */
function inTurn(ours, peer, our, their = our, portion = PORTION) {
  const found = [];
  let spent = [0, 0];
  for (let number = 0; (number + 1) * portion <= our.length; number += 1) {
    const part = [our, their].map((all) => all.slice(number * portion, (number + 1) * portion));
    for (const which of [number % 2, 1 - (number % 2)]) spent[which] += time(part[which], [ours, peer][which]);
    if (number % ROUND === 0) {
      if (number > 0) found.push(spent[0] / spent[1]);
      spent = [0, 0];
    }
  }
  return { accepted: our.length, ratios: found };
}

/** What can be compared: each returns the number of lines and the ratios. */
const PAIRS = {
  parse: ({ decode }, _, all) => inTurn((line) => decode(line), JSON.parse, all),
  ajv({ decode }, validate, all) {
    const checked = (line) => {
      const value = JSON.parse(line);
      if (!validate(value)) throw new Error("ajv refuses it");
      return value;
    };
    return inTurn((line) => decode(line), checked, all);
  },
  encode({ decode, encode }, _, all) {
    const messages = all.map((line) => decode(line));
    return inTurn((message) => encode(message), JSON.stringify, messages, all.map(JSON.parse));
  },
  strict({ decode, root }, _, all) {
    const strictly = (line) => decode(line, root, { strict: true });
    return inTurn(strictly, (line) => decode(line, root), all);
  },
  only({ LineDecoder, SDKResultMessage }, _, all) {
    const files = [];
    for (let at = 0; at + PORTION <= all.length; at += PORTION) {
      files.push(Buffer.from(all.slice(at, at + PORTION).join("\n")));
    }
    const read = (file, options) => {
      const lines = new LineDecoder(options);
      return [...lines.feed(file), ...lines.finish()];
    };
    const results = (file) => read(file, { only: [SDKResultMessage] });
    return { ...inTurn(results, (file) => read(file), files, files, 1), accepted: all.length };
  },
};

/** Counts the errors that lines meet by their code. */
function codes({ decode, DecodeError }, all) {
  const counts = {};
  for (const line of all) {
    try {
      decode(line);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      counts[error.code] = (counts[error.code] ?? 0) + 1;
      continue;
    }
    throw new Error(`accepted: ${line}`);
  }
  return counts;
}

/**
 * Counts the bytes allocated for each line in each mode, and for writing its value, and the blocks of the package's code
 * that run.
 */
async function bounds({ decode, encode, examine, root, url }, all) {
  const values = new Map(all.filter((line) => accepts(decode, line)).map((line) => [line, decode(line, root)]));
  const modes = {
    lenient: (line) => decode(line, root),
    strict: (line) => decode(line, root, { strict: true }),
    examine: (line) => examine(line, root),
    encode: (line) => values.has(line) && encode(values.get(line)),
  };
  for (const line of all) for (const run of Object.values(modes)) accepts(run, line); // compiles what is needed
  const bytes = Object.entries(modes).flatMap(([mode, run]) => all.map((line) => [mode, line, allocated(run, line)]));
  const session = new Session();
  session.connect();
  const post = promisify(session.post.bind(session));
  await post("Profiler.enable");
  await post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const found = [];
  for (const [mode, line, size] of bytes) {
    await post("Profiler.takePreciseCoverage");
    accepts(modes[mode], line);
    const { result } = await post("Profiler.takePreciseCoverage");
    const ours = result.filter((script) => script.url.startsWith(url));
    const ranges = ours.flatMap((script) => script.functions.flatMap((each) => each.ranges));
    const steps = ranges.reduce((sum, range) => sum + range.count, 0);
    found.push({ mode, bytes: size, steps });
  }
  return found;
}

/** How many bytes a call allocates, as nothing is collected meanwhile. */
function allocated(run, line) {
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  accepts(run, line);
  return process.memoryUsage().heapUsed - before;
}

/** The package, the type it decodes lines as, and the URL of its folder. */
async function load(folder) {
  const all = await import(pathToFileURL(entry(folder)));
  return { ...all, root: all.WireMessage, url: new URL(".", pathToFileURL(entry(folder))).href };
}

const [action, ...rest] = process.argv.slice(2);
const all = lines(rest.at(-1));

/** What the command line can ask for. */
const ACTIONS = {
  async ratio(pair, folder, ajv) {
    const texts = all.map((line) => line.toString("utf8"));
    const { default: validate } = await import(pathToFileURL(ajv));
    return { lines: texts.length, ...PAIRS[pair](await load(folder), validate, texts) };
  },
  reject: async (folder) => codes(await load(folder), all),
  bounds: async (folder) =>
    bounds(
      await load(folder),
      all.map((line) => line.toString("utf8")),
    ),
};

console.log(JSON.stringify(await ACTIONS[action](...rest)));
