/**
 * Runs cases on the modules of the package in a runtime that has only the language and a few web APIs, but no Node
 * APIs. Code generation from strings is disabled, as on a page whose policy forbids `eval`:
 *
 *     node --experimental-vm-modules vm.mjs PACKAGE CASES    → {"cases": …, "wrong": […]}
 */

import { readFileSync } from "node:fs";
import path from "node:path";
import vm from "node:vm";

const [folder, cases] = process.argv.slice(2).map((each) => path.resolve(each));

const crypto = { randomUUID: () => globalThis.crypto.randomUUID() };
const web = { TextDecoder, TextEncoder, TransformStream, ReadableStream, AbortController, atob, crypto };
const context = vm.createContext(web, { codeGeneration: { strings: false, wasm: false } });
const modules = new Map();

/** The module of a file; modules are linked by the files that they import. */
function load(file) {
  if (!modules.has(file)) {
    modules.set(file, new vm.SourceTextModule(readFileSync(file, "utf8"), { context, identifier: file }));
  }
  return modules.get(file);
}

/** The exports of a module, after it has run. */
async function exported(file) {
  const found = load(file);
  await found.link((name, from) => load(path.resolve(path.dirname(from.identifier), name)));
  await found.evaluate();
  return found.namespace;
}

const { run } = await exported(path.join(import.meta.dirname, "cases.mjs"));
const agent = await exported(path.join(folder, "index.js"));
console.log(JSON.stringify(run(agent, JSON.parse(readFileSync(cases, "utf8")))));
