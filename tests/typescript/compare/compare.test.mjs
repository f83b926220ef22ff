/** Tests of the comparison: it finds each kind of difference, and nothing if there is none. */

import assert from "node:assert/strict";
import { test } from "node:test";

import ts from "typescript";

import { closed } from "./closed.mjs";
import { Comparison } from "./compare.mjs";

/** The declaration of `T` in ours and published, and the expected findings. */
const CASES = {
  "nothing in what is the same": ["{ a: string; b?: number | null }", "{ b?: number | null; a: string }", []],
  "nothing in what is written otherwise": [
    "{ [key: string]: string[] } & { a?: never }",
    "Record<string, Array<string>> & { a?: never }",
    [],
  ],
  "nothing in a text of a narrower form": ["{ id: string }", "{ id: `${string}-${string}` }", []],
  "nothing in tuples of what is listed": ["{ a: string[] }", "{ a: [string] | [string, string] }", []],
  "a key of ours": ["{ a: 1; b: 2; c?: 3 }", "{ a: 1 }", ["T.b: key only in ours", "T.c: optional key only in ours"]],
  "a key of theirs": ["{ a: 1 }", "{ a: 1; b?: 2 }", ["T.b: key only upstream"]],
  "what may be absent": [
    "{ a?: string; b: string }",
    "{ a: string; b?: string }",
    ["T.a: optional in ours", "T.b: optional upstream"],
  ],
  "what may be null": [
    "{ a: string | null; b: string }",
    "{ a: string; b: string | null }",
    ["T.a: nullable in ours", "T.b: nullable upstream"],
  ],
  "another kind": ["{ a: string }", "{ a: number }", ["T.a: number only upstream", "T.a: string only in ours"]],
  "a value": ['{ a: "x" | "y" }', '{ a: "y" | "z" }', ['T.a: value "x" only in ours', 'T.a: value "z" only upstream']],
  "any text where values are known": ['{ a: "x" }', "{ a: string }", ["T.a: string only upstream"]],
  "known values where any text is": ["{ a: string }", '{ a: "x" }', ["T.a: string only in ours"]],
  "a value that any text swallows": [
    '{ a: string; b: "x" | string; c: "x" }',
    '{ a: "x" | string; b: ("x" | "y") | string; c: "x" | string }',
    ['T.a: value "x" only upstream', 'T.b: value "y" only upstream', "T.c: string only upstream"],
  ],
  "any of ours": ["{ a: any }", "{ a: string }", ["T.a: any in ours"]],
  "any of theirs": ["{ a: unknown }", "{ a: any }", ["T.a: any upstream"]],
  "a list": ["{ a: string }", "{ a: string[] }", ["T.a: array only upstream", "T.a: string only in ours"]],
  "an item": ["{ a: { b: 1 }[] }", "{ a: { b: 1; c: 2 }[] }", ["T.a[].c: key only upstream"]],
  "a value of a map": [
    "{ a: Record<string, number> }",
    "{ a: Record<string, string> }",
    ["T.a{}: number only in ours", "T.a{}: string only upstream"],
  ],
  "any key": ["{ a: 1; [key: string]: unknown }", "{ a: 1 }", ["T{}: any key only in ours"]],
  "a variant": [
    '{ type: "a"; x?: string } | { type: "b" }',
    '{ type: "a" } | { type: "c" }',
    ["T.x: optional key only in ours", 'T: variant type "b" only in ours', 'T: variant type "c" only upstream'],
  ],
  "a function": ["{ a: (x: string) => void }", "{ a: (x: string, y: string) => void }", ["T.a: another function"]],
  "an object of the platform": ["{ a: Date }", "{ a: RegExp }", ["T.a: another kind of object"]],
  "what only the compiler can tell": [
    "{ a: { [key: string]: string } }",
    "{ a: { [key: string]: string | undefined } }",
    ["T.a: does not fit ours"],
  ],
  "the members that a dangling name leaves": [
    '{ type: "a"; x?: 1 }',
    '{ type: "a" } | Nowhere',
    ["T.x: optional key only in ours", "T: any upstream"],
  ],
};

const library = new Map();

/** Compares two declarations of `T`. */
function differences(ours, published) {
  const texts = { "/ours.d.ts": ours, "/published.d.ts": published };
  const options = { strict: true, noEmit: true, types: [] };
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => {
    if (name in texts) return ts.createSourceFile(name, `export type T = ${texts[name]};`, ts.ScriptTarget.ES2022);
    if (!library.has(name)) library.set(name, getSourceFile(name, ...rest));
    return library.get(name);
  };
  const program = ts.createProgram(Object.keys(texts), options, host);
  const checker = program.getTypeChecker();
  const [one, other] = Object.keys(texts).map((name) => program.getSourceFile(name).symbol.exports.get("T"));
  const names = { ours: new Map([[one, "T"]]), published: new Map([[other, "T"]]) };
  const comparison = new Comparison(checker, names, new Map([[other, one]]));
  comparison.run();
  comparison.assignability();
  return [...comparison.differences].sort();
}

for (const [what, [ours, published, expected]] of Object.entries(CASES)) {
  test(`the comparison finds ${what}`, () => assert.deepEqual(differences(ours, published), expected));
}

test("closing takes out what is open, wherever it stands", () => {
  const text = `type Unknown = Lost;
interface Lost { type: string; }
type Shape = Circle | Square;
type ShapeOrUnknown = Shape | Lost;
type Colour = "red" | (string & {});
type Code = "e1" | (\`e\${string}\` & {});
interface Box { sides: (Shape | Lost)[]; colour?: "red" | (string & {}) | null; lost: Lost; }
`;
  assert.equal(
    closed(text).replace(/\s+/g, " "),
    `type Unknown = Lost; interface Lost { type: string; } type Shape = Circle | Square;
type ShapeOrUnknown = Shape; type Colour = "red"; type Code = "e1";
interface Box { sides: (Shape)[]; colour?: "red" | null; lost: Lost; } `.replace(/\s+/g, " "),
  );
});
