/**
 * Runs the written cases in a runtime that has the language and a few interfaces of the web, and nothing of Node:
 *
 *     node --experimental-vm-modules run.mjs PACKAGE FIXTURES    → {"cases": …, "wrong": […]}
 *
 * Each case of the spec proper with one right outcome is decoded by its type and mode, and what decodes is written again.
 */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";

const [folder, fixtures] = process.argv.slice(2).map((each) => path.resolve(each));

/** What such runtimes offer besides the language. */
const context = vm.createContext({ TextDecoder, TextEncoder, TransformStream, ReadableStream, crypto: webcrypto() });

function webcrypto() {
  return { randomUUID: () => globalThis.crypto.randomUUID() };
}

const modules = new Map();

/** The module of a file; modules are linked by the files that they name. */
function load(file) {
  if (!modules.has(file)) {
    modules.set(file, new vm.SourceTextModule(readFileSync(file, "utf8"), { context, identifier: file }));
  }
  return modules.get(file);
}

const index = load(path.join(folder, "index.js"));
await index.link((name, from) => load(path.resolve(path.dirname(from.identifier), name)));
await index.evaluate();
const all = index.namespace;
const types = new Map(Object.entries(all.SPEC_NAMES).map(([name, spec]) => [spec, all.TYPES[name]]));

/** The cases of a file; most have one. */
const casesOf = (file) => [JSON.parse(readFileSync(file, "utf8"))].flat();

const files = readdirSync(fixtures, { recursive: true }).filter((name) => name.endsWith(".json"));
const wrong = [];
let cases = 0;
for (const file of files.sort()) {
  for (const { type, mode, expect, deviations, dialect, spec, stream, ...given } of casesOf(
    path.join(fixtures, file),
  )) {
    const wanted = deviations?.typescript?.expect ?? expect;
    if (dialect || spec || stream || !wanted || wanted.any || !types.has(type)) continue;
    cases += 1;
    const text = given.raw ?? (given.bytes ? Buffer.from(given.bytes, "base64") : JSON.stringify(given.input));
    const found = outcome(text, types.get(type), mode === "strict");
    const right = wanted.error ? `${wanted.error.code} ${wanted.error.path}` : "ok";
    if (found !== right) wrong.push(`${file}: ${found}, not ${right}`);
  }
}

function outcome(text, type, strict) {
  try {
    const value = all.decode(text, type, { strict });
    const line = all.encode(value, type);
    return all.encode(all.decode(line, type), type) === line && all.is(value, type) ? "ok" : "not stable";
  } catch (error) {
    return error.name === "DecodeError" ? `${error.code} ${error.path}` : String(error);
  }
}

console.log(JSON.stringify({ cases, wrong }));
