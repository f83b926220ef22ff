/**
 * Bundles programs with esbuild → the bytes of each, minified and gzipped.
 *
 *     weight.mjs PACKAGE AJV    → {"root": …, "all": …, "constant": …, "guard": …, "ajv": …}
 */

import { gzipSync } from "node:zlib";
import { build } from "esbuild-wasm";
import { entry } from "./entry.mjs";

const [folder, ajv] = process.argv.slice(2);
const source = JSON.stringify(entry(folder));

/** What users write. */
const PROGRAMS = {
  root: `import * as all from ${source}; export const read = (line) => all.decode(line, all.WireMessage);`,
  all: `export * from ${source};`,
  constant: `export { PERMISSION_MODES } from ${source};`,
  guard: `export { isTextDelta } from ${source};`,
  ajv: `export { default } from ${JSON.stringify(ajv)};`,
};

const sizes = {};
for (const [name, contents] of Object.entries(PROGRAMS)) {
  const stdin = { contents, resolveDir: folder };
  const made = await build({ stdin, bundle: true, minify: true, format: "esm", write: false, logLevel: "error" });
  sizes[name] = gzipSync(made.outputFiles[0].contents, { level: 9 }).length;
}
console.log(JSON.stringify(sizes));
