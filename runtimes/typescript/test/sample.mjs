/**
 * A small protocol by hand, in place of a generated one: shapes by `kind`, requests and their answers, an enum, an alias,
 * structs with extra members and with one flattened into the other.
 */

import { Engine } from "../src/engine.js";
import { had, isRecord, isTaken, jsonLeast, matches, objectLeast, undeclared } from "../src/guards.js";

const [REQUIRED, NULLABLE, FLATTEN] = [1, 2, 4];

const ROWS = [
  ["Size", ["enum", "string", true, ["small", "large"]]],
  ["Level", ["enum", "integer", false, [1, 2]]],
  ["Name", ["alias", "string"]],
  [
    "Circle",
    [
      "struct",
      [["kind", false, "circle"]],
      [["version", 1]],
      [
        ["id", "uuid", 0],
        ["radius", "number", REQUIRED],
        ["count", "integer", 0],
        ["size", "Size", 0],
        ["note", "string", NULLABLE],
        ["at", "timestamp", 0],
        ["points", ["[]", "number", 2, 3], 0],
        ["inner", "Shape", 0],
        ["data", "json", 0],
      ],
      null,
    ],
  ],
  ["Group", ["struct", [["kind", false, "group"]], [], [["shapes", ["[]", "Shape", null, null], REQUIRED]], null]],
  ["Other", ["struct", [["kind", false, null, ["x_one"], "x_*"]], [], [["text", "string", REQUIRED]], null]],
  [
    "Shape",
    [
      "union",
      true,
      [
        "switch",
        "Shape",
        "kind",
        [
          ["circle", "Circle"],
          ["group", "Group"],
          ["x_one", "Other"],
        ],
        [["x_*", "Other"]],
        null,
      ],
    ],
  ],
  ["Scores", ["struct", [], [], [["total", "integer", REQUIRED]], "integer"]],
  ["Labels", ["alias", ["{}", "Level", "Size"]]],
  [
    "Either",
    [
      "alias",
      [
        "|",
        [
          ["string", "string"],
          ["array", ["[]", "Name", null, null]],
          ["null", "null"],
        ],
      ],
    ],
  ],
  ["Left", ["struct", [], [], [["left", "string", REQUIRED]], null]],
  ["Right", ["struct", [], [], [["right", "string", REQUIRED]], null]],
  [
    "Side",
    [
      "union",
      false,
      [
        "keys",
        "Side",
        [
          [["left"], ["right"], "Left"],
          [["right"], [], "Right"],
        ],
      ],
    ],
  ],
  [
    "Ask",
    [
      "struct",
      [["kind", false, "ask"]],
      [],
      [
        ["id", "string", REQUIRED],
        ["what", "Question", REQUIRED],
      ],
      null,
    ],
  ],
  ["Question", ["struct", [], [], [["of", "string", REQUIRED]], null]],
  [
    "Reply",
    [
      "struct",
      [["kind", false, "reply"]],
      [],
      [
        ["id", "string", REQUIRED],
        ["body", "Body", REQUIRED],
      ],
      null,
    ],
  ],
  [
    "Body",
    [
      "union",
      true,
      [
        "switch",
        "Body",
        "ok",
        [
          [true, "Good"],
          [false, "Bad"],
        ],
        [],
        null,
      ],
    ],
  ],
  ["Good", ["struct", [["ok", false, true]], [], [["value", "json", 0]], null]],
  ["Bad", ["struct", [["ok", false, false]], [], [["why", "string", REQUIRED]], null]],
  ["Flat", ["struct", [["kind", false, "flat"]], [], [["rest", "Left", FLATTEN | REQUIRED]], null]],
];

export const engine = new Engine(() => ROWS);

/** Guards as they are generated, of a type that has one of each part; of the others, the engine's verdict. */
function fitsShape(d) {
  if (typeof d !== "object" || d === null) return 0;
  switch (d.kind) {
    case "circle":
      return isTaken(engine, d, "Circle") ? 2 : 0;
    case "group":
      return bodyGroup(d);
    case "x_one":
      return isTaken(engine, d, "Other") ? 2 : 0;
    default:
      if (typeof d.kind === "string" && matches(d.kind, "x_*")) return isTaken(engine, d, "Other") ? 2 : objectLeast(d);
      return typeof d.kind === "string" ? objectLeast(d) : 0;
  }
}

function bodyGroup(d) {
  const { shapes } = d;
  if (!Array.isArray(shapes)) return 0;
  let n = 1 + '"kind":"group"'.length + '"shapes":'.length + 2;
  for (const each of shapes) {
    const x = fitsShape(each);
    if (x === 0) return 0;
    n += x;
  }
  return n;
}

function fitsScores(d) {
  if (!isRecord(d) || !Number.isSafeInteger(d.total)) return 0;
  return undeclared(engine, d, "Scores").every(Number.isSafeInteger) ? 1 : 0;
}

function fitsSide(d) {
  if (!isRecord(d)) return 0;
  if (had(d, "left") && !had(d, "right")) return typeof d.left === "string" ? 1 : 0;
  return typeof d.right === "string" ? 1 : 0;
}

const byHand = { Shape: fitsShape, Scores: fitsScores, Side: fitsSide };

/** Name in the package → guard. Types are named as in the tables, but for one. */
const fits = new Map(
  ROWS.map(([name]) => [name, byHand[name] ?? ((x) => (jsonLeast(x) !== 0 && isTaken(engine, x, name) ? 1 : 0))]),
);
fits.set("Name_", fits.get("Name"));
fits.delete("Name");

export const protocol = {
  root: "Shape",
  names: Object.fromEntries([...fits.keys()].map((name) => [name, name === "Name_" ? "Name" : name])),
  fits,
  knows: new Map([["Shape", ({ kind }) => ["circle", "group", "x_one"].includes(kind)]]),
  spare: 0,
  engine,
};

export const controls = {
  request: "Ask",
  response: "Reply",
  payload: ["what"],
  holder: ["body"],
  holders: [["Good", "Good"]],
  result: "value",
  pointer: "/body/value",
  by: "of",
  answers: new Map([
    ["area", ["number", false]],
    ["name", ["Name", true]],
    ["stop", [null, true]],
  ]),
};

export const tools = {
  exact: new Map([["measure", "Scores"]]),
  patterns: [["x_*", "Side"]],
};

/** What a call throws. */
export function thrown(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

/** The code and path of the error that a call throws. */
export function fault(call) {
  const { code, path } = thrown(call);
  return [code, path];
}
