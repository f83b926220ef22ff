/** The launch of a fictitious program, with a table written by hand: how options are passed, and which are rejected. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import * as t from "../src/engine.js";
import { EncodeError } from "../src/errors.js";
import { follow, launch, LaunchError } from "../src/launch.js";

/** @param {string} name @param {string} as @param {object} more */
const flag = (name, as = "value", more = {}) => ({ to: "flag", name, as, keep: ["zero"], ...more });

const TABLE = {
  record: "Radio",
  releases: ["1", "2"],
  arguments: ["--json"],
  environment: [
    ["RADIO", "on"],
    ["DEBUG", null],
  ],
  inherit: "unless_given",
  control: "hello",
  by: "kind",
  options: [
    { name: "channel", carry: [flag("--channel")] },
    { name: "search", carry: [flag("--search", "bare")] },
    { name: "tags", carry: [flag("--tags", "join")] },
    { name: "songs", carry: [flag("--tags", "join", { wrap: "Song(*)" })] },
    { name: "plan", carry: [flag("--plan", "json", { at: ["part"] })] },
    { name: "text", carry: [flag("--plan", "json", { at: [] })] },
    { name: "scheme", carry: [flag("--scheme", "json")] },
    {
      name: "stations",
      carry: [
        {
          ...{ to: "control", name: "hello", as: "json", at: ["stations"] },
          ...{ only: [[["kind"], "own"]], except: [[["off"], true]], omit: ["kind"] },
        },
      ],
    },
    { name: "listeners", carry: [{ to: "control", name: "hello", as: "json", at: ["listeners"] }] },
    { name: "args", carry: [{ to: "process", name: "program_arguments", as: "value" }] },
    { name: "rooms", carry: [{ to: "control", name: "hello", as: "keys", at: ["rooms"] }] },
    { name: "newer", carry: [flag("--newer", "value", { releases: [[1, 1]] })] },
    { name: "env", carry: [{ to: "process", name: "environment", as: "value" }] },
    { name: "more", carry: [flag("--", "pairs")] },
    {
      name: "halls",
      carry: [
        flag("--halls", "bare", {
          except: [[["off"], true]],
          with: {
            option: "channel",
            when: [
              ["is", null],
              ["is", 7],
            ],
          },
        }),
      ],
    },
    { name: "own", kept: true },
    { name: "ask", function: true, carry: [flag("--ask", "value", { value: "stdio" })] },
  ],
  conflicts: [
    { fields: ["channel", "search"], message: "A radio that searches has no channel." },
    { fields: ["ask", "own"], message: "Never: the one that is kept does not travel." },
  ],
  functions: [
    { path: ["ask"], control: "ask" },
    { path: ["listeners", "*", "call"], list: true, ids: ["callIds"], wrap: "call-*" },
  ],
};

const Radio = t.struct(
  "Radio",
  () => [
    ["channel", t.json, 0],
    ["scheme", t.json, 0],
    ["listeners", t.json, 0],
  ],
  () => t.json,
);

/** @typedef {readonly (string | number)[]} Path */

/** @param {any} options @param {[Path, any][]} functions @param {string} [release] */
const started = (options, functions = [], release = undefined) =>
  follow(TABLE, options, new Map(functions.map(([path, value]) => [`/${path.join("/")}`, [path, value]])), release);

/** JSON text nested to the given depth. @param {number} levels */
const deep = (levels) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

/** The arguments after those that are always present. @param {any} options */
const given = (options) => started(options).arguments.slice(1);

/** @param {any} options @param {string} code @param {string[]} paths @param {[Path, any][]} functions @param {string} [release] */
function refuses(options, code, paths, functions = [], release = undefined) {
  assert.throws(
    () => started(options, functions, release),
    (error) => {
      assert.ok(error instanceof LaunchError);
      assert.deepEqual([error.code, error.paths, error.path], [code, paths, paths[0] ?? ""]);
      return true;
    },
  );
}

describe("what travels", () => {
  test("without options, only what is always there", () => {
    const found = started({});
    assert.deepEqual(found.arguments, ["--json"]);
    assert.deepEqual(found.requests, { hello: { kind: "hello" } });
    assert.deepEqual(found.environment, { inherit: true, set: {}, defaults: { RADIO: "on" }, unset: ["DEBUG"] });
  });

  test("numbers, as ECMAScript spells them", () => {
    const spelled = [0.1, -0, 1e21, 1e-7, 5e-324].map((channel) => given({ channel })[1]);
    assert.deepEqual(spelled, ["0.1", "0", "1e+21", "1e-7", "5e-324"]);
  });

  test("keys that objects have by themselves", () => {
    for (const key of ["__proto__", "constructor", "toString"]) {
      const map = (/** @type {unknown} */ value) => JSON.parse(JSON.stringify({ x: value }).replace('"x"', `"${key}"`));
      assert.deepEqual(started({ env: map("x") }).environment.set, map("x"));
      assert.deepEqual(given({ more: map("x") }), [`--${key}`, "x"]);
      const { hello } = started({ stations: map({ kind: "own", at: 1 }) }).requests;
      assert.deepEqual(hello.stations, map({ at: 1 }));
      refuses(map(1), "cannot_travel", [`/${key}`]);
    }
  });

  test("a value that looks like a flag", () => {
    assert.deepEqual(given({ channel: "--search", tags: ["-a"] }), ["--channel=--search", "--tags=-a"]);
  });

  test("the JSON of a flag that options share", () => {
    assert.deepEqual(given({ plan: [1], text: '{"a": 1}' }), ["--plan", '{"a":1,"part":[1]}']);
    assert.deepEqual(given({ text: "no JSON" }), ["--plan", "no JSON"]);
    for (const text of ["no JSON", "[]", '{"a":1e400}', `{"a":1${"0".repeat(400)}}`, '{"a":NaN}', deep(129)]) {
      refuses({ plan: [1], text }, "cannot_travel", ["/text"]);
    }
    assert.deepEqual(given({ plan: [1], text: deep(128) })[1], deep(128).replace(/}$/, ',"part":[1]}'));
    assert.deepEqual(given({ plan: [1], text: '{"a":1e400,"a":1}' })[1], '{"a":1,"part":[1]}');
    refuses({ plan: [1], text: '{"part":null}' }, "conflict", ["/text", "/plan"]);
    refuses({ text: "{}", more: { plan: "{}" } }, "conflict", ["/text", "/more/plan"]);
  });

  test("entries without the members that are left out", () => {
    const stations = {
      a: { kind: "own", at: 1 },
      b: { kind: "x" },
      c: { kind: "own" },
      d: { kind: "own", off: true },
      e: 1,
    };
    assert.deepEqual(started({ stations }).requests.hello.stations, { a: { at: 1 } });
  });

  test("functions, by ids in the order of the document", () => {
    const [one, two, three] = [() => 1, () => 2, () => 3];
    const found = launch(TABLE, Radio, { listeners: [{ name: "a", call: [one] }, { call: [two, three] }] });
    const listeners = [{ name: "a", callIds: ["call-0"] }, { callIds: ["call-1", "call-2"] }];
    assert.deepEqual(found.requests.hello.listeners, listeners);
    const called = found.functions.map((each) => [each.place, each.id, each.function]);
    assert.deepEqual(called, [
      ["/listeners/0/call/0", "call-0", one],
      ["/listeners/1/call/0", "call-1", two],
      ["/listeners/1/call/1", "call-2", three],
    ]);
  });

  test("functions without ids, by the key of the map that they are in", () => {
    const call = { path: ["stations", "*", "lines", "*", "call"], control: "call", id: ["station"] };
    const rows = [call, { path: ["ask"], control: "ask" }, { path: ["err"], receives: "stderr" }];
    const live = { path: ["stop"], live: true };
    const table = { ...TABLE, functions: [...rows, live] };
    const [one, two, stop] = [() => 1, () => 2, {}];
    const options = {
      stop,
      ask: one,
      err: two,
      stations: { 0: { lines: [{ call: two }] }, a: { kind: "own", lines: [{}, { call: one }] } },
    };
    const found = launch(table, Radio, options).functions.map(({ row: _, ...each }) =>
      JSON.parse(JSON.stringify(each)),
    );
    assert.deepEqual(found, [
      { place: "/stations/0/lines/0/call", control: "call", id: "0" },
      { place: "/stations/a/lines/1/call", control: "call", id: "a" },
      { place: "/ask", control: "ask" },
      { place: "/err", receives: "stderr" },
      { place: "/stop", live: true, function: {} },
    ]);
    assert.equal(launch(table, Radio, options).functions[4]?.function, stop);
    assert.deepEqual(launch(table, Radio, { ask: null }).functions, []);
  });

  test("functions whose ids a release does not have, without a control", () => {
    const row = { ...TABLE.functions[1], control: "call", id: ["to"], releases: [[1, 1]] };
    const table = { ...TABLE, functions: [row] };
    const calls = ["1", "2"].map((release) => {
      const { requests, functions } = launch(table, Radio, { listeners: [{ call: [() => 1] }] }, release);
      return [requests.hello.listeners, functions[0].control, functions[0].id];
    });
    assert.deepEqual(calls, [
      [[{}], undefined, undefined],
      [[{ callIds: ["call-0"] }], "call", "call-0"],
    ]);
  });
});

describe("what is refused", () => {
  test("a release that is not known", () => refuses({}, "unknown_release", [], [], "3"));

  test("an option that a release does not have, however many releases there are", () => {
    const releases = Array.from({ length: 100 }, (_, n) => `${n}`);
    const carry = [
      flag("--newer", "value", {
        releases: [
          [0, 2],
          [32, 63],
          [99, 99],
        ],
      }),
    ];
    const table = { ...TABLE, releases, options: [{ name: "newer", carry }] };
    const has = releases.filter((release) => {
      try {
        return follow(table, { newer: "x" }, new Map(), release).arguments.length > 1;
      } catch {
        return false;
      }
    });
    assert.deepEqual(has, ["0", "1", "2", ...releases.slice(32, 64), "99"]);
  });

  test("an option that a release does not have", () => {
    assert.deepEqual(started({ newer: "x" }, [], "2").arguments.slice(1), ["--newer", "x"]);
    refuses({ newer: "x" }, "cannot_travel", ["/newer"], [], "1");
    refuses({ "unheard/of~": 1 }, "cannot_travel", ["/unheard~1of~0"]);
  });

  test("options that exclude each other, with both names", () => {
    refuses({ channel: 0, search: true }, "conflict", ["/channel", "/search"]);
    assert.deepEqual(given({ channel: 0, search: false }), ["--channel", "0"]);
    assert.deepEqual(started({ own: 1 }, [[["ask"], () => 1]]).arguments.slice(1), ["--ask", "stdio"]);
  });

  test("an option by the value of another, where null is none, and a flag by what is left", () => {
    const halls = { a: { off: true }, b: {} };
    assert.deepEqual(given({ halls }), ["--halls"]);
    assert.deepEqual(given({ halls: { a: { off: true } } }), []);
    assert.deepEqual(given({ channel: 7, halls }), ["--channel", "7", "--halls"]);
    assert.deepEqual(given({ channel: 8, halls }), ["--channel", "8"]);
  });

  test("a number that JSON cannot spell, with its place", () => {
    for (const number of [NaN, Infinity, -Infinity]) {
      refuses({ scheme: { "a/b": [1, { c: number }] } }, "cannot_travel", ["/scheme/a~1b/1/c"]);
      refuses({ channel: number }, "cannot_travel", ["/channel"]);
      refuses({ plan: [1, number] }, "cannot_travel", ["/plan/1"]);
      refuses({ plan: [1, number], text: "{}" }, "cannot_travel", ["/plan/1"]);
      const isRefused = (/** @type {unknown} */ error) => error instanceof EncodeError && error.path === "/scheme/a";
      assert.throws(() => launch(TABLE, Radio, { scheme: { a: number } }), isRefused);
    }
  });

  test("what no argument can hold, though JSON can", () => {
    for (const text of ["a\0", "\ud800", "\udc00a"]) {
      refuses({ channel: text }, "cannot_travel", ["/channel"]);
      refuses({ tags: ["a", text] }, "cannot_travel", ["/tags/1"]);
      refuses({ env: { A: text } }, "cannot_travel", ["/env/A"]);
      refuses({ env: { [text]: "a" } }, "cannot_travel", [`/env/${text}`]);
      refuses({ more: { [text]: null } }, "cannot_travel", [`/more/${text}`]);
      assert.match(given({ scheme: { x: text } })[1] ?? "", /^\{"x":"(?:\\ud800|\\udc00a|a\\u0000)"\}$/);
    }
  });

  test("a variable without a name", () => {
    for (const name of ["", "a=b", "="]) refuses({ env: { [name]: "x" } }, "cannot_travel", [`/env/${name}`]);
  });

  test("a text that ends what is put around it", () => {
    assert.deepEqual(given({ tags: ["a"], songs: ["b c", "a"] }), ["--tags", "a,Song(b c),Song(a)"]);
    for (const text of ["", " ", " a", "a ", "a,b", "a)", "(a", "a),Song(b", "a\nb"]) {
      refuses({ songs: ["b", text] }, "cannot_travel", ["/songs/1"]);
    }
  });

  test("a null in place of a map or a list", () => {
    for (const name of ["env", "more", "args", "rooms"]) refuses({ [name]: null }, "cannot_travel", [`/${name}`]);
  });

  test("a function in place of a list", () => {
    const call = () => 1;
    refuses({ listeners: [{}] }, "cannot_travel", ["/listeners/0/call"], [[["listeners", 0, "call"], call]]);
  });
});
