// Literals, tuples, bounds, recursive aliases, tags of all kinds, unknown objects with known members.

import {
  Chain,
  Coded,
  decode,
  define,
  encode,
  is,
  isBounds,
  isFailure,
  isTuples,
  isUnknown,
  Numbered,
  Range,
  Tree,
  viewUnknownLine,
  type Bare,
  type Bounds,
  type Closed,
  type CodedOrUnknown,
  type Even,
  type Failure,
  type First,
  type KnownStatusCode,
  type NamedOrUnknown,
  type Negative,
  type NumberedOrUnknown,
  type Others,
  type Literals,
  type Many,
  type Odd,
  type Pace,
  type Pair,
  type Point,
  type Private,
  type Recursion,
  type Rest,
  type Several,
  type Switch,
  type Timestamp,
  type Tuples,
  type UnknownLineView,
  type UnknownNumber,
  type UUID,
  type Vendor,
  type Zero,
  Value,
  type ValueOf,
} from "forms";

import { expect, typed, type Equal } from "./expect.js";

expect<Equal<Literals["either"], "all" | string[]>>();
expect<Equal<Literals["number"], 0 | string>>();
expect<Equal<Literals["fraction"], -0.0015 | boolean>>();
expect<Equal<Literals["maybe"], "sometimes" | undefined>>();
expect<Equal<Literals["null_or"], "none" | null | undefined>>();
expect<Equal<Switch, boolean | "auto">>();
expect<Equal<Many, "many" | 2 | true>>();
expect<Equal<Even, 0 | { [key: string]: Odd }>>();

declare const literals: Literals;
if (typeof literals.either === "string") typed(literals.either)<"all">();
else typed(literals.either)<string[]>();
// @ts-expect-error: misspelt
const either: Literals["either"] = "al";
void either;

expect<Equal<Range, [number, number]>>();
expect<Equal<Pair, [string | null, Point | null]>>();
expect<Equal<Tuples["by_pace"], { [K in Pace]?: [boolean, UUID] } | undefined>>();
expect<Equal<NonNullable<Tuples["mixed"]>[2], Timestamp>>();
expect<Equal<NonNullable<Tuples["mixed"]>[4], "end" | 0 | null>>();

declare const tuples: Tuples;
const [low, high] = tuples.range;
typed(low)<number>();
typed(high)<number>();
// @ts-expect-error: one item only
const range: Range = [1];
// @ts-expect-error: three items
const more: Range = [1, 2, 3];
void range;
void more;
if (typeof tuples.either === "string") typed(tuples.either)<string>();
else if (tuples.either) typed(tuples.either)<[string, number]>();

declare const bounds: Bounds;
typed(bounds.count)<number>();
typed(bounds.key)<string>();
typed(bounds.either)<number | string | Point[] | null | undefined>();

const tree: Tree = ["a", ["b", []]];
encode(tree, Tree);
// @ts-expect-error: a number is not a tree
encode(["a", [1]], Tree);
const chain: Chain = [1, [2, 3]];
encode(chain, Chain);
const value: Value = { a: [null, { b: true }] };
const deep: Closed<Value> = { a: [null, { b: [true, ["c"]] }] };
const far: Closed<Chain> = [1, [2, [3, 4]]];
const tall: Closed<Tree> = [["a"], "b"];
// @ts-expect-error: a boolean is not a tree
const wrong: Closed<Tree> = [["a"], [true]];
encode(deep, Value);
encode(far, Chain);
encode(tall, Tree);
void wrong;
declare const recursion: Recursion;
typed(recursion.value)<Value>();
typed(recursion.pair)<[Tree, Value] | undefined>();
void value;

const closed: Closed<Tuples> = { kind: "tuples", range: [1, 2], single: ["a"], mixed: [1, {}, "t", "fast", "end"] };
encode(closed);
// @ts-expect-error: no such pace
const misspelt: Closed<Tuples> = { kind: "tuples", range: [1, 2], single: ["a"], mixed: [1, {}, "t", "fst", "end"] };
void misspelt;

const item = decode("{}");
if (isTuples(item)) typed(item)<Tuples>();
if (isBounds(item)) typed(item)<Bounds>();
const parsed: unknown = JSON.parse("[]");
if (is(parsed, Range)) typed(parsed)<[number, number]>();

const Stored = define.record("Stored", { range: Range, tree: Tree });
expect<Equal<ValueOf<typeof Stored>["range"], [number, number]>>();

declare const numbered: NumberedOrUnknown;
switch (numbered.n) {
  case 1:
    typed(numbered)<First>();
    break;
  case 0:
    typed(numbered)<Zero>();
    break;
  case 2:
    typed(numbered)<Several>();
    break;
  case -32700:
    typed(numbered)<Negative>();
    break;
}
if (isUnknown(numbered, Numbered)) typed(numbered)<UnknownNumber>();
if ((numbered.n as number) === 99) encode(numbered, Numbered);
// @ts-expect-error: a string is not a valid tag
const textual: First = { n: "1" };
void textual;

declare const coded: CodedOrUnknown;
if (isFailure(coded)) typed(coded)<Failure>();
expect<Equal<Closed<Failure>["code"], KnownStatusCode>>();
const failure: Failure = { code: 418, reason: "a teapot" };
encode(failure, Coded);

declare const named: NamedOrUnknown;
if (named.name === "plain") typed(named)<{ name: "plain" }>();
const own: Private = { name: "_mine", data: 1 };
const vendor: Vendor = { name: "_x_mine", vendor: "v" };
// @ts-expect-error: a different prefix
const other: Private = { name: "mine", data: 1 };
void [own, vendor, other];
expect<Equal<Others["colour"], "red" | "blue" | (string & {})>>();
expect<Equal<Rest["t"], number | undefined>>();
// @ts-expect-error: it has the prefix of a sibling
const bare: Bare = { u: "begun", bare: "b" };
void bare;

if (isUnknown(item)) {
  const view: UnknownLineView = viewUnknownLine(item);
  typed(view.size)<number | undefined>();
  typed(view.range)<[number, number] | undefined>();
  // @ts-expect-error: views are read-only
  view.count = 1;
  // @ts-expect-error: only unknown objects have a view
  viewUnknownLine(tuples);
}
