/** Prints what TypeScript's language service shows for the expressions that stand alone on a line of a file, as JSON. */

import ts from "typescript";

const [, , file] = process.argv;
const options = { strict: true, target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, types: [] };
const { fileExists, readFile, directoryExists, getDirectories, realpath, getCurrentDirectory } = ts.sys;
const service = ts.createLanguageService({
  ...{ fileExists, readFile, directoryExists, getDirectories, realpath, getCurrentDirectory },
  getScriptFileNames: () => [file],
  getScriptVersion: () => "1",
  getScriptSnapshot: (path) => ts.ScriptSnapshot.fromString(readFile(path) ?? ""),
  getCompilationSettings: () => options,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
});
const text = readFile(file);
const shown = [...text.matchAll(/^ *([\w.]+);$/gm)].map(({ 0: line, 1: expression, index }) => {
  const info = service.getQuickInfoAtPosition(file, index + line.length - 2);
  return [expression, ts.displayPartsToString(info?.displayParts)];
});
console.log(JSON.stringify(Object.fromEntries(shown)));
