/**
 * Reports which published types cannot be assigned to ours, and which of ours, closed, cannot be assigned to the
 * published ones, for every shared name.
 *
 *     fits.mjs FOLDER INDEX_D_TS    → {"names": […], "theirs": {NAME: WHY, …}, "ours": {NAME: WHY, …}}
 *
 * A name is listed if a value of one type cannot be assigned to the other, with the compiler's first message.
 */

import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

import ts from "typescript";

import { files, options, published } from "./published.mjs";

const index = resolve(process.argv[3]);
const probe = resolve(dirname(index), "probe.d.ts");

/** The names of the types that a file declares. */
function typesOf(file) {
  const { statements } = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ESNext);
  return statements
    .filter((each) => ts.isInterfaceDeclaration(each) || ts.isTypeAliasDeclaration(each))
    .map(({ name }) => name.text);
}

/** A program with the published files, ours, and a file with the given text. */
function program(text) {
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  host.readFile = (file) => (resolve(file) === probe ? text : readFile(file));
  host.fileExists = (file) => resolve(file) === probe || fileExists(file);
  return ts.createProgram([...files, index, probe], options, host);
}

const lines = typesOf(index).map((name) => `export type ${name} = ours.Closed<ours.${name}>;`);
const found = program(`import type * as ours from "./index.js";\n${lines.join("\n")}\n`);
const checker = found.getTypeChecker();
const types = (file) =>
  new Map(checker.getExportsOfModule(found.getSourceFile(file).symbol).map((symbol) => [symbol.name, symbol]));
const [open, closed, upstream] = [types(index), types(probe), published(found)];
const names = [...open.keys()].filter((name) => upstream.has(name) && closed.has(name)).sort();
const declared = (symbol) => checker.getDeclaredTypeOfSymbol(symbol);

/** The names whose type in one table is not assignable to the one in the other. */
function misfits(from, to) {
  return names.filter((name) => !checker.isTypeAssignableTo(declared(from.get(name)), declared(to.get(name))));
}

console.log(JSON.stringify({ names, theirs: misfits(upstream, open), ours: misfits(closed, upstream) }));
