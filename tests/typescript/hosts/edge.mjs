/**
 * Runs cases on a bundle in the runtime of an edge network, which has web APIs but no Node APIs:
 *
 *     edge.mjs BUNDLE CASES    → {"cases": …, "wrong": […]}
 */

import { readFileSync } from "node:fs";

import { EdgeVM } from "@edge-runtime/vm";

const [bundle, cases] = process.argv.slice(2).map((file) => readFileSync(file, "utf8"));
const runtime = new EdgeVM({ codeGeneration: { strings: false, wasm: false } });
if (runtime.evaluate("typeof process + typeof require") !== "undefinedundefined") throw new Error("this is Node");
runtime.evaluate(bundle);
console.log(runtime.evaluate(`JSON.stringify(run(${JSON.stringify(JSON.parse(cases))}))`));
