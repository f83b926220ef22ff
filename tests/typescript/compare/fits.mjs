/**
 * Reports which published types cannot be assigned to ours, and which of ours, closed, cannot be assigned to the
 * published ones, for every shared name; of published unions, also which of their members cannot.
 *
 *     fits.mjs FOLDER INDEX_D_TS    → {"plain": FOUND, "exact": FOUND}
 *
 *     FOUND    {"names": […], "theirs": [NAME, …], "ours": [NAME, …], "members": {UNION: {MEMBER: FITS, …}, …}}
 *
 * "exact" is the same under `exactOptionalPropertyTypes`.
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

const lines = typesOf(index).map((name) => `export type ${name} = ours.Closed<ours.${name}>;`);
const text = `import type * as ours from "./index.js";\n${lines.join("\n")}\n`;

/** A program with the published files, ours, and a file with ours closed. */
function program(settings) {
  const host = ts.createCompilerHost(settings);
  const { readFile, fileExists } = host;
  host.readFile = (file) => (resolve(file) === probe ? text : readFile(file));
  host.fileExists = (file) => resolve(file) === probe || fileExists(file);
  return ts.createProgram([...files, index, probe], settings, host);
}

/** What fits under the given settings. */
function found(settings) {
  const compared = program(settings);
  const checker = compared.getTypeChecker();
  const types = (file) =>
    new Map(checker.getExportsOfModule(compared.getSourceFile(file).symbol).map((symbol) => [symbol.name, symbol]));
  const [open, closed, upstream] = [types(index), types(probe), published(compared)];
  const names = [...open.keys()].filter((name) => upstream.has(name) && closed.has(name)).sort();
  const declared = (symbol) => checker.getDeclaredTypeOfSymbol(symbol);
  const misfits = (from, to) =>
    names.filter((name) => !checker.isTypeAssignableTo(declared(from.get(name)), declared(to.get(name))));
  const members = names
    .filter((name) => declared(upstream.get(name)).isUnion())
    .map((name) => [name, declared(upstream.get(name)).types, declared(open.get(name))])
    .map(([name, types, whole]) => [
      name,
      Object.fromEntries(types.map((each) => [checker.typeToString(each), checker.isTypeAssignableTo(each, whole)])),
    ]);
  return {
    names,
    theirs: misfits(upstream, open),
    ours: misfits(closed, upstream),
    members: Object.fromEntries(members),
  };
}

console.log(JSON.stringify({ plain: found(options), exact: found({ ...options, exactOptionalPropertyTypes: true }) }));
