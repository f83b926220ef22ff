/**
 * A small, hand-written protocol that replaces a generated one: shapes by `kind`, requests and their answers, an enum,
 * an alias, structs with extra members and with one flattened into the other.
 */

import * as t from "../src/engine.js";

const [REQUIRED, NULLABLE, FLATTEN] = [1, 2, 4];

export const Size = t.enumeration("Size", "string", true, ["small", "large"]);
export const Level = t.enumeration("Level", "integer", false, [1, 2]);
export const Name = t.alias("Name", () => t.string);
export const Circle = t.struct("Circle", () => [
  ["kind", "circle", REQUIRED],
  ["version", t.literal(1), REQUIRED],
  ["id", t.uuid, 0],
  ["radius", t.number, REQUIRED],
  ["count", t.integer, 0],
  ["size", Size, 0],
  ["note", t.string, NULLABLE],
  ["at", t.timestamp, 0],
  ["points", t.array(t.number, 2, 3), 0],
  ["inner", Shape, 0],
  ["data", t.json, 0],
]);
export const Group = t.struct("Group", () => [
  ["kind", "group", REQUIRED],
  ["shapes", t.array(Shape), REQUIRED],
]);
export const Other = t.struct("Other", () => [
  ["kind", t.tag(["x_one"], "x_*"), REQUIRED],
  ["text", t.string, REQUIRED],
]);
export const Shape = t.union("Shape", true, () =>
  t.byTag(
    "UnknownShape",
    "kind",
    [
      ["circle", Circle],
      ["group", Group],
      ["x_one", Other],
    ],
    [["x_*", Other]],
  ),
);
export const Scores = t.struct(
  "Scores",
  () => [["total", t.integer, REQUIRED]],
  () => t.integer,
);
export const Labels = t.alias("Labels", () => t.map(Level, Size));
export const Either = t.alias("Either", () => t.either({ string: t.string, array: t.array(Name), null: t.nothing }));
export const Left = t.struct("Left", () => [["left", t.string, REQUIRED]]);
export const Right = t.struct("Right", () => [["right", t.string, REQUIRED]]);
export const Side = t.union("Side", false, () =>
  t.byKeys(false, "Side", [
    [["left"], ["right"], Left],
    [["right"], [], Right],
  ]),
);
export const Ask = t.struct("Ask", () => [
  ["kind", "ask", REQUIRED],
  ["id", t.string, REQUIRED],
  ["what", Question, REQUIRED],
]);
export const Question = t.struct("Question", () => [["of", t.string, REQUIRED]]);
export const Reply = t.struct("Reply", () => [
  ["kind", "reply", REQUIRED],
  ["id", t.string, REQUIRED],
  ["body", Body, REQUIRED],
]);
export const Good = t.struct("Good", () => [
  ["ok", t.literal(true, true), REQUIRED],
  ["value", t.json, NULLABLE],
]);
export const Bad = t.struct("Bad", () => [
  ["ok", t.literal(false, true), REQUIRED],
  ["why", t.string, REQUIRED],
]);
export const Body = t.union("Body", true, () =>
  t.byTag("UnknownBody", "ok", [
    [true, Good],
    [false, Bad],
  ]),
);
export const Flat = t.flat("Flat", () => [
  ["kind", "flat", REQUIRED],
  ["rest", Left, FLATTEN | REQUIRED],
]);

export const Failure = t.struct("Failure", () => [
  ["kind", "failure", REQUIRED],
  ["id", t.string, REQUIRED | NULLABLE],
  ["why", t.string, REQUIRED],
  ["code", t.integer, REQUIRED],
  ["data", t.json, NULLABLE],
]);
export const Message = t.union("Message", true, () =>
  t.byTag("UnknownMessage", "kind", [
    ["ask", Ask],
    ["reply", Reply],
    ["failure", Failure],
  ]),
);

const given = (key, name = key) => [key, "given", name];
const good = {
  envelope: Reply,
  at: { id: ["id"], result: ["body", ["value", Body, [Good]]] },
  when: [],
  new: [
    ["kind", "fixed", "reply"],
    given("id"),
    [
      "body",
      "new",
      [
        ["ok", "fixed", true],
        ["value", "optional", "payload"],
      ],
    ],
  ],
};
const bad = {
  envelope: Reply,
  at: { id: ["id"], message: ["body", ["why", Body, [Bad]]], code: [], data: [] },
  when: [],
  new: [["kind", "fixed", "reply"], given("id"), ["body", "new", [["ok", "fixed", false], given("why", "message")]]],
};

/** Errors are a form of the envelope of answers. */
export const controls = {
  by: "of",
  notice_by: "of",
  peers: ["here", "there"],
  draw: "text",
  prefix: "r",
  request: {
    envelope: Ask,
    at: { id: ["id"], payload: ["what"] },
    when: [],
    new: [["kind", "fixed", "ask"], given("id"), given("what", "payload")],
  },
  notify: null,
  response: good,
  error: bad,
  cancel: null,
  cancel_notice: false,
  answered: false,
  pointer: "/body/value",
  none: null,
  flat: false,
  codes: [null, null],
  data: () => [],
  answers: () => [
    ["area", "here", [t.number, false]],
    ["name", "here", [Name, true]],
    ["side", "both", [t.either({ object: Left, null: t.nothing }), true, true], Left],
    ["stop", "there", [null, true]],
  ],
  notices: [],
  announced: null,
  lines: [Reply],
  union: null,
};

/** Errors have their own envelope, with a code and data. */
export const coded = {
  ...controls,
  lines: [Message],
  error: {
    envelope: Failure,
    at: { id: ["id"], message: ["why"], code: ["code"], data: ["data"] },
    when: [],
    new: [
      ["kind", "fixed", "failure"],
      given("id"),
      given("why", "message"),
      given("code"),
      ["data", "optional", "data"],
    ],
  },
  codes: [1, 2],
  data: () => [[7, Right]],
};

export const Tell = t.struct("Tell", () => [
  ["kind", "tell", REQUIRED],
  ["what", Question, REQUIRED],
]);
export const Drop = t.struct("Drop", () => [
  ["kind", "drop", REQUIRED],
  ["id", t.string, REQUIRED],
]);
export const Line = t.union("Line", true, () =>
  t.byTag("UnknownLine", "kind", [
    ["ask", Ask],
    ["tell", Tell],
    ["reply", Reply],
    ["failure", Failure],
    ["drop", Drop],
  ]),
);

/** A session: `here` requests areas, names and sides, `there` requests stops and sides. */
export const session = {
  ...coded,
  union: Line,
  notify: {
    envelope: Tell,
    at: { payload: ["what"] },
    when: [],
    new: [["kind", "fixed", "tell"], given("what", "payload")],
  },
  cancel: { envelope: Drop, at: { id: ["id"] }, when: [], new: [["kind", "fixed", "drop"], given("id")] },
  notices: [
    ["ready", "here"],
    ["closed", "there"],
    ["dropped", "there"],
  ],
};

export const tools = () => [
  ["measure", Scores],
  ["x_*", Side],
];

/** The error that a call throws. */
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
