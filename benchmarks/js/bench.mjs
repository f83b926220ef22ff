/**
 * Times the generated package's decode against `JSON.parse` alone, on the same lines, one after the other.
 *
 *     bench.mjs PACKAGE ratio FILE ROUNDS   → {"lines": …, "ratios": [ours / JSON.parse's, …]}
 *     bench.mjs PACKAGE reject FILE         one fault a line → {"CODE": count, …}; fails on a line that is accepted
 */

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join, resolve } from "node:path";

/** How many lines one of the two takes before the other has its turn. */
const PORTION = 500;

/** How many rounds nobody looks at: the engine compiles in the background what has been called for a while. */
const WARM_UP = 4;

const [folder, action, file, rounds] = process.argv.slice(2);
const { default: entry } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).exports["."].import;
const { decode, DecodeError } = await import(pathToFileURL(resolve(folder, entry)));

/** The lines of a file, without their ends, each with memory of its own. */
function lines(path) {
  const data = readFileSync(path);
  const found = [];
  for (let at = 0, end; (end = data.indexOf(0x0a, at)) >= 0; at = end + 1) {
    found.push(Buffer.from(data.subarray(at, end)));
  }
  return found;
}

let kept;

function ours(part) {
  for (const line of part) kept = decode(line);
}

function peer(part) {
  for (const line of part) kept = JSON.parse(line);
}

/**
 * Times both on each portion, now one first, now the other; the first rounds only warm up. The collector is left alone:
 * one that is called between portions takes the shapes of objects away, and with them the code that was made for them.
 */
function ratios(texts, count) {
  const both = [ours, peer];
  const found = [];
  for (let round = -WARM_UP; round < count; round += 1) {
    const spent = [0, 0];
    for (let at = 0; at < texts.length; at += PORTION) {
      const part = texts.slice(at, at + PORTION);
      const first = Math.abs(round + at / PORTION) % 2;
      for (const which of [first, 1 - first]) {
        const start = performance.now();
        both[which](part);
        spent[which] += performance.now() - start;
      }
    }
    if (round >= 0) found.push(spent[0] / spent[1]);
  }
  return found;
}

/** Counts the errors that lines meet by their code. */
function codes(all) {
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

/** What the command line can ask for. */
const ACTIONS = {
  ratio(all) {
    const texts = all.map((line) => line.toString("utf8"));
    return { lines: texts.length, ratios: ratios(texts, Number(rounds)) };
  },
  reject: codes,
};

console.log(JSON.stringify(ACTIONS[action](lines(file))));
