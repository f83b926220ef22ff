/**
 * Compares the declarations of a package with the published ones, by the compiler, and prints what it found as JSON.
 *
 *     main.mjs FOLDER INDEX_D_TS PREFIX…
 *
 * Types are paired by name, with or without the prefix of the published name; the types that these refer to are
 * compared with the ones in the same location.
 */

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

import ts from "typescript";

import { closed, listed } from "./closed.mjs";
import { Comparison } from "./compare.mjs";
import { dangling, files, options, published } from "./published.mjs";

const [index, ...prefixes] = process.argv.slice(3);

/** Where the compiler finds our closed declarations: beside the open ones, whose imports they share. */
const ours = resolve(dirname(index), "ours.d.ts");

/** A program with the published files and ours, which are closed when read. */
function program() {
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (file) => (resolve(file) === ours ? closed(readFileSync(index, "utf8")) : readFile(file));
  host.fileExists = (file) => resolve(file) === ours || fileExists(file);
  return ts.createProgram([...files, ours], options, host);
}

/** Our types, by name. */
function own(found) {
  const file = found.getSourceFile(ours);
  const exported = found.getTypeChecker().getExportsOfModule(file.symbol);
  return new Map(listed(file).map((name) => [name, exported.find((each) => each.name === name)]));
}

function problems(found) {
  const told = found.getSemanticDiagnostics(found.getSourceFile(ours));
  return told.map((each) => ts.flattenDiagnosticMessageText(each.messageText, " "));
}

const found = program();
const [mine, theirs] = [own(found), published(found)];
const names = (types) => new Map([...types].map(([name, symbol]) => [symbol, name]));
const called = new Map();
for (const [name, symbol] of mine) {
  const other = ["", ...prefixes].map((prefix) => theirs.get(prefix + name)).find(Boolean);
  if (other) called.set(other, symbol);
}
const comparison = new Comparison(found.getTypeChecker(), { ours: names(mine), published: names(theirs) }, called);
comparison.run();
const counts = comparison.assignability();
const { met } = comparison;
const pairs = [...met.ours].map(([name, others]) => [name, [...others].filter(Boolean).sort()]);
console.log(
  JSON.stringify({
    counts: { ...counts, ours: met.ours.size, published: met.published.size },
    problems: problems(found),
    differences: [...comparison.differences].sort(),
    pairs: Object.fromEntries(pairs.sort()),
    alone: {
      ours: [...mine.keys()].filter((name) => !met.ours.has(name)).sort(),
      published: [...theirs.keys()].filter((name) => !met.published.has(name)).sort(),
    },
    dangling: dangling(found),
  }),
);
