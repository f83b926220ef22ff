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
    true,
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
  t.byTag(true, "ok", [
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
  t.byTag(true, "kind", [
    ["ask", Ask],
    ["reply", Reply],
    ["failure", Failure],
  ]),
);

const good = {
  envelope: Reply,
  when: [],
  within: [[["body"], Body, [Good]]],
  holder: ["body"],
  result: "value",
  holders: [Good],
  beside: [],
  pointer: "/body/value",
  none: null,
};
const bad = {
  envelope: Reply,
  when: [],
  within: [[["body"], Body, [Bad]]],
  holder: ["body"],
  message: ["body", "why"],
  code: [],
  data: [],
  codes: [null, null],
  types: () => [],
};

/** Errors are a form of the envelope of answers. */
export const controls = {
  by: "of",
  request: Ask,
  payload: ["what"],
  id: ["id"],
  lines: [Reply],
  response: good,
  error: bad,
  answers: () => [
    ["area", t.number, false],
    ["name", Name, true],
    ["side", t.either({ object: Left, null: t.nothing }), true, Left],
    ["stop", null, true],
  ],
};

/** Errors have their own envelope, with a code and data. */
export const coded = {
  ...controls,
  lines: [Message],
  error: {
    envelope: Failure,
    when: [],
    within: [],
    holder: [],
    message: ["why"],
    code: ["code"],
    data: ["data"],
    codes: [1, 2],
    types: () => [[7, Right]],
  },
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
  t.byTag(true, "kind", [
    ["ask", Ask],
    ["tell", Tell],
    ["reply", Reply],
    ["failure", Failure],
    ["drop", Drop],
  ]),
);

const around = (envelope) => ({
  envelope,
  when: [],
  within: [],
  holder: [],
  result: "what",
  holders: [envelope],
  beside: [],
});

/** A session: `here` requests areas, names and sides, `there` requests stops and sides. */
export const session = {
  controls: coded,
  union: Line,
  request: around(Ask),
  notify: { ...around(Tell), by: "of" },
  answered: ["id"],
  failed: ["id"],
  cancel: { form: { envelope: Drop, when: [], within: [], holder: [] }, notice: null, id: ["id"], answered: false },
  draw: "text",
  prefix: "r",
  announced: null,
  requests: { here: ["area", "name", "side"], there: ["stop", "side"] },
  notifications: { here: ["ready"], there: ["closed", "dropped"] },
};

/** The functions that wrap values in envelopes for the session. */
export const makers = {
  request: (what, id) => ({ kind: "ask", id, what }),
  respond: ({ id, result }) => ({
    kind: "reply",
    id,
    body: { ok: true, ...(result === undefined ? {} : { value: result }) },
  }),
  refuse: (request, why, { code = 1, data } = {}) => ({ kind: "failure", id: request.id, why, code, data }),
  notify: (what) => ({ kind: "tell", what }),
  cancel: ({ id }) => ({ kind: "drop", id }),
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
