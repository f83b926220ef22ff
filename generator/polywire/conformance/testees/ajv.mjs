/**
 * The testee for the JSON Schemas in Node: answers whether the schema of the mode accepts the input, by ajv.
 *
 *     ajv.mjs FOLDER PACKAGES
 *
 * FOLDER has `NAME.schema.json` (open, for lenient cases) and `NAME.strict.schema.json`; PACKAGES has ajv installed.
 */

import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const require = createRequire(join(process.argv[3], "package.json"));
const { default: Ajv2020 } = require("ajv/dist/2020");
const { version } = require("ajv/package.json");

const STRICT = ".strict.schema.json";

/**
 * Moves the schema of a member `__proto__` from `properties` to `patternProperties`. ajv skips this entry of
 * `properties`, because it would set the prototype of an object of its own.
 */
function movedProto(key, value) {
  if (value === null || typeof value !== "object") return value;
  if (!Object.hasOwn(Object(value.properties), "__proto__")) return value;
  const { ["__proto__"]: member, ...properties } = value.properties;
  return { ...value, properties, patternProperties: { "^__proto__$": member, ...value.patternProperties } };
}

/** The parsed schemas by mode. */
function read(folder) {
  const strict = readdirSync(folder).find((name) => name.endsWith(STRICT));
  const parsed = (name) => JSON.parse(readFileSync(join(folder, name), "utf8"), movedProto);
  return { lenient: parsed(strict.replace(STRICT, ".schema.json")), strict: parsed(strict) };
}

/** The name of each type → its key in `$defs`. A comment has the name of a type that the spec renames. */
function keysOf({ $defs }) {
  const keys = new Map(Object.keys($defs).map((key) => [key, key]));
  for (const [key, { $comment }] of Object.entries($defs)) {
    const renamed = /^Declared as (\w+)\./.exec($comment ?? "");
    if (renamed) keys.set(renamed[1], key);
  }
  return keys;
}

/** A schema → a function from the key of a type to its test, which is compiled on first use. */
function tests(schema) {
  const ajv = new Ajv2020({
    strict: true, // a keyword or form that ajv would otherwise ignore is an error
    strictRequired: false, // a variant requires members that the enclosing union describes
    ownProperties: true, // inherited properties are not members
    validateSchema: true,
  });
  ajv.addSchema(schema, "schema");
  const compiled = new Map();
  return (key) => {
    if (!compiled.has(key)) compiled.set(key, ajv.getSchema(`schema#/$defs/${key}`));
    return compiled.get(key);
  };
}

const schemas = read(process.argv[2]);
const keys = keysOf(schemas.strict);
const testOf = { lenient: tests(schemas.lenient), strict: tests(schemas.strict) };
const described = {
  language: "jsonschema",
  version: `ajv ${version}`,
  spec: /sha256 ([0-9a-f]{64})/.exec(schemas.strict.$comment ?? "")?.[1] ?? "",
  ops: ["decode"],
  answers: ["ok"],
};

function answer({ op, type, mode, json }) {
  if (op === "describe") return described;
  if (!keys.has(type)) return { problem: `the schemas have no $defs/${type}` };
  return { ok: testOf[mode](keys.get(type))(JSON.parse(json)) };
}

for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const request = JSON.parse(line);
  process.stdout.write(`${JSON.stringify({ id: request.id, ...answer(request) })}\n`);
}
