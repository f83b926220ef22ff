/**
 * Writes a JSON Schema as ajv's standalone validator, one ES module that needs no other.
 *
 *     ajv.mjs SCHEMA OUT
 */

import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild-wasm";

const [schema, out] = process.argv.slice(2);
const ajv = new Ajv2020({ code: { source: true, esm: true }, strict: false });
const validate = ajv.compile(JSON.parse(readFileSync(schema, "utf8")));
const contents = standalone.default(ajv, validate);
const resolveDir = dirname(fileURLToPath(import.meta.url));
const made = await build({ stdin: { contents, resolveDir }, bundle: true, format: "esm", write: false });
writeFileSync(out, made.outputFiles[0].contents);
