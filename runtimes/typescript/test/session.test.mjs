import assert from "node:assert/strict";
import { test } from "node:test";

import { decode } from "../src/codec.js";
import * as t from "../src/engine.js";
import { SessionError, sessionOf } from "../src/session.js";
import { cancel, notify, refuse, reply as replied, request as requested } from "../src/controls.js";
import {
  Ask,
  Circle,
  Drop,
  Failure,
  fault,
  Line,
  Question,
  Reply,
  session as protocol,
  Shape,
  Tell,
  thrown,
} from "./sample.mjs";

const Session = sessionOf(() => protocol);
const here = (options) => new Session("here", options);
const codeOf = (call) => {
  const error = thrown(call);
  assert.equal(error instanceof SessionError, true, String(error));
  return error.code;
};

const ask = (of, id = "1") => ({ kind: "ask", id, what: { of } });
const reply = (id, value) => ({ kind: "reply", id, body: { ok: true, ...(value === undefined ? {} : { value }) } });
const failure = (id, parts) => ({ kind: "failure", id, why: "no", code: 1, ...parts });
const drop = (id) => ({ kind: "drop", id });
const ids = (list) => list.map(({ id }) => id);

/** An event without redundant members. */
const brief = ({ event, id, result, reason }) => [event, id, result ?? reason].filter((each) => each !== undefined);

// --- requests of this side -------------------------------------------------------------------------------------------

test("an answer finds its request, in any order", () => {
  const session = here();
  const area = { of: "area" };
  assert.deepEqual(session.request(area, "a"), { id: "a", line: '{"kind":"ask","id":"a","what":{"of":"area"}}' });
  session.request({ of: "name" }, "b");
  assert.deepEqual(session.pending(), [
    { id: "a", request: area },
    { id: "b", request: { of: "name" } },
  ]);
  assert.deepEqual(brief(session.receive(reply("b"))), ["answer", "b"]);
  const event = session.receive(reply("a", 1.5));
  assert.deepEqual(event, { event: "answer", kind: "area", id: "a", request: area, result: 1.5 });
  assert.deepEqual(session.pending(), []);
});

test("ids are counted in each session, and skip those that are pending", () => {
  const session = here();
  const id = () => session.request({ of: "area" }).id;
  session.request({ of: "area" }, "r2");
  assert.deepEqual([id(), id(), here().request({ of: "area" }).id], ["r1", "r3", "r1"]);
  session.receive(reply("r1", 1));
  assert.equal(id(), "r4");
});

test("ids are numbers or UUIDs where the protocol says so", () => {
  const drawn = (draw) => {
    const Numbered = t.struct("Numbered", () => [
      ["id", t.either({ string: t.string, number: t.integer }), 1],
      ["what", Question, 1],
    ]);
    const request = { ...protocol.request, envelope: Numbered, new: protocol.request.new.slice(1) };
    const session = new (sessionOf(() => ({ ...protocol, request, draw, prefix: "" })))("here");
    return [session.request({ of: "area" }).id, session.request({ of: "area" }).id, session];
  };
  assert.deepEqual(drawn("number").slice(0, 2), [1, 2]);
  const [first, second] = drawn("uuid");
  assert.match(first, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.notEqual(first, second);
  const [, , session] = drawn("number");
  assert.equal(session.request({ of: "area" }, "1").id, "1");
  assert.equal(
    codeOf(() => session.request({ of: "area" }, 1.0)),
    "id_in_use",
  );
  assert.deepEqual(ids(session.pending()), [1, 2, "1"]);
});

test("an id in use is refused, and free again when the request has ended", () => {
  const session = here();
  session.request({ of: "area" }, "a");
  assert.equal(
    codeOf(() => session.request({ of: "name" }, "a")),
    "id_in_use",
  );
  session.receive(reply("a", 1));
  session.request({ of: "name" }, "a");
  assert.deepEqual(brief(session.receive(reply("a", "x"))), ["answer", "a", "x"]);
});

test("what does not encode is not pending, and takes no id", () => {
  const session = here();
  assert.equal(thrown(() => session.request({ of: "area", more: Number.NaN })).name, "EncodeError");
  assert.equal(thrown(() => session.request({ of: "area" }, {})).name, "EncodeError");
  assert.deepEqual(session.pending(), []);
  assert.equal(session.request({ of: "area" }).id, "r1");
});

test("a session sends what its side sends, and nothing else", () => {
  const session = here();
  for (const of of ["stop", "new", "toString", undefined]) {
    assert.equal(
      codeOf(() => session.request({ of })),
      "wrong_direction",
    );
  }
  for (const of of ["closed", "new"]) {
    assert.equal(
      codeOf(() => session.notify({ of })),
      "wrong_direction",
    );
  }
  assert.equal(session.notify({ of: "ready" }), '{"kind":"tell","what":{"of":"ready"}}');
  assert.equal(session.request({ of: "side" }).id, "r1");
});

test("an answer that does not fit ends its request", () => {
  const session = here();
  for (const [of, value, code, path] of [
    ["area", "x", "wrong_type", ""],
    ["area", undefined, "missing_field", ""],
    ["side", { left: 1 }, "wrong_type", "/left"],
  ]) {
    const { id } = session.request({ of });
    const { event, error, request, message } = session.receive(reply(id, value));
    assert.deepEqual([event, error.name, error.code, error.path], ["invalid_answer", "DecodeError", code, path]);
    assert.deepEqual([request, message], [{ of }, reply(id, value)]);
    assert.deepEqual(session.pending(), []);
    assert.deepEqual(brief(session.receive(reply(id, 1))), ["stray", id, "repeated"]);
  }
});

test("an error ends its request, with data of the type that belongs to it or as it came", () => {
  const session = here();
  for (const data of [undefined, null, { left: "a", id: 1 }, { left: 1 }]) {
    const { id } = session.request({ of: "side" });
    const event = session.receive(failure(id, { code: 7, ...(data === undefined ? {} : { data }) }));
    assert.deepEqual(event, { event: "failure", id, request: { of: "side" }, message: "no", code: 7, data });
  }
  assert.deepEqual(session.pending(), []);
});

test("an error that belongs to no request ends none", () => {
  const session = here();
  session.request({ of: "area" });
  const event = session.receive(failure(null));
  assert.deepEqual(event, {
    event: "failure",
    id: undefined,
    request: undefined,
    message: "no",
    code: 1,
    data: undefined,
  });
  assert.deepEqual(ids(session.pending()), ["r1"]);
});

test("answers that fit nothing are told apart", () => {
  const session = here();
  session.request({ of: "area" }, "a");
  session.request({ of: "area" }, "b");
  assert.equal(session.cancel("b"), '{"kind":"drop","id":"b"}');
  assert.deepEqual(ids(session.pending()), ["a"]);
  session.receive(reply("a", 1));
  const reasons = [reply("a", 1), failure("a"), reply("b", 1), reply("b", 1), reply("c", 1), failure("c")].map(
    (message) => {
      const event = session.receive(message);
      assert.deepEqual([event.event, event.id, event.message], ["stray", message.id, message]);
      return event.reason;
    },
  );
  assert.deepEqual(reasons, ["repeated", "repeated", "late", "late", "unknown", "unknown"]);
  for (const id of ["a", "b", "c"]) {
    assert.equal(
      codeOf(() => session.cancel(id)),
      "not_pending",
    );
  }
});

test("a session remembers the last 1,024 ids that are no longer pending", () => {
  const session = here();
  for (let at = 0; at < 1025; at += 1) {
    session.request({ of: "area" }, `${at}`);
    session.receive(reply(`${at}`, 1));
  }
  const reason = (id) => session.receive(reply(id, 1)).reason;
  assert.deepEqual([reason("0"), reason("1"), reason("1024")], ["unknown", "repeated", "repeated"]);
  for (let at = 0; at < 2000; at += 1) reason(`x${at}`);
  assert.equal(reason("1"), "repeated");
  session.request({ of: "area" }, "1");
  session.receive(reply("1", 1));
  session.request({ of: "area" }, "next");
  session.cancel("next");
  assert.deepEqual([reason("2"), reason("1"), reason("next")], ["unknown", "repeated", "late"]);
});

test("where cancelled requests are answered, they stay pending until then", () => {
  const session = new (sessionOf(() => ({ ...protocol, answered: true })))("here");
  session.request({ of: "area" }, "a");
  session.cancel("a");
  assert.deepEqual(ids(session.pending()), ["a"]);
  assert.deepEqual(brief(session.receive(reply("a", 1))), ["stray", "a", "late"]);
  assert.deepEqual(session.pending(), []);
  session.receive(ask("stop", "b"));
  assert.equal(session.receive(drop("b")).event, "cancellation");
  const [{ envelope }] = session.unanswered();
  assert.equal(session.reply(envelope), '{"kind":"reply","id":"b","body":{"ok":true}}');
});

// --- requests of the peer --------------------------------------------------------------------------------------------

test("a request of the peer is answered once", () => {
  const session = here();
  const envelope = ask("side", "a");
  const event = session.receive(envelope);
  assert.deepEqual(event, { event: "request", kind: "side", id: "a", payload: { of: "side" }, envelope });
  assert.deepEqual(session.unanswered(), [event]);
  assert.deepEqual(brief(session.receive(ask("stop", "a"))), ["stray", "a", "reused"]);
  assert.equal(thrown(() => session.reply(envelope, { left: 1 })).code, "wrong_type");
  assert.deepEqual(session.unanswered(), [event]);
  assert.equal(session.reply(envelope, null), '{"kind":"reply","id":"a","body":{"ok":true,"value":null}}');
  assert.deepEqual(session.unanswered(), []);
  const again = { ...envelope };
  for (const act of [() => session.reply(envelope), () => session.refuse(envelope, "no")]) {
    assert.equal(codeOf(act), "not_open");
    session.receive(again);
    assert.equal(codeOf(act), "not_open");
    session.reply(again);
  }
  for (const other of [undefined, null, {}, { id: "b" }]) {
    assert.equal(
      codeOf(() => session.reply(other)),
      "not_open",
    );
  }
});

test("a refusal has its own code or that of refusals", () => {
  const session = here();
  const line = (of, details) => session.refuse(session.receive(ask(of)).envelope, "no", details);
  assert.equal(line("stop"), '{"kind":"failure","id":"1","why":"no","code":1}');
  assert.equal(
    line("stop", { code: 3, data: [null] }),
    '{"kind":"failure","id":"1","why":"no","code":3,"data":[null]}',
  );
  const { envelope } = session.receive(ask("stop"));
  assert.equal(thrown(() => session.refuse(envelope, "no", { code: "x" })).name, "EncodeError");
  assert.deepEqual(ids(session.unanswered()), ["1"]);
});

test("a request that the peer cancels is not answered", () => {
  const session = here();
  const { envelope } = session.receive(ask("stop", "a"));
  assert.deepEqual(session.receive(drop("a")), { event: "cancellation", id: "a", payload: { of: "stop" } });
  assert.equal(
    codeOf(() => session.reply(envelope)),
    "not_open",
  );
  const stray = session.receive(drop("a"));
  assert.deepEqual(stray, { event: "stray", id: "a", reason: "unknown", message: drop("a") });
});

test("a request that is not known is refused at once", () => {
  const session = here();
  for (const of of ["new", "area", "toString"]) {
    const envelope = ask(of);
    const line = '{"kind":"failure","id":"1","why":"unknown request","code":2}';
    assert.deepEqual(session.receive(envelope), { event: "unknown_request", id: "1", payload: { of }, envelope, line });
  }
  assert.deepEqual(session.unanswered(), []);
});

test("a program may answer requests that are not known, with any JSON", () => {
  const session = here({ refuseUnknown: false });
  for (const [of, result] of [
    ["new", { any: [null] }],
    ["area", "no number"],
    ["new", undefined],
  ]) {
    const { event, kind, envelope } = session.receive(ask(of));
    assert.deepEqual([event, kind], ["request", of]);
    assert.deepEqual(JSON.parse(session.reply(envelope, result)), reply("1", result));
  }
  const { envelope } = session.receive(ask("area"));
  assert.equal(JSON.parse(session.refuse(envelope, "no")).code, 2);
});

// --- messages --------------------------------------------------------------------------------------------------------

test("what is no part of the control protocol is a message", () => {
  const session = here();
  const third = { kind: "reply", id: "r1", body: { ok: false, why: "." } };
  session.request({ of: "area" });
  for (const message of [{ kind: "other" }, { kind: "ask" }, third, null, 1, [], "x", {}]) {
    assert.deepEqual(session.receive(message), { event: "message", message });
  }
  assert.deepEqual(ids(session.pending()), ["r1"]);
});

test("a union tells what its envelopes cannot", () => {
  const Plain = t.struct("Plain", () => [["what", Question, 1]]);
  const Other = t.struct("Other", () => [["other", t.json, 1]]);
  const union = t.union("Either", true, () =>
    t.byKeys("UnknownEither", "Either", [
      [["what"], ["other"], Plain],
      [["other"], [], Other],
    ]),
  );
  const notify = { ...protocol.notify, envelope: Plain };
  const session = new (sessionOf(() => ({ ...protocol, notify, union })))("here");
  const [one, both] = [{ what: { of: "closed" } }, { what: { of: "closed" }, other: 1 }];
  assert.deepEqual(session.receive(one), { event: "notification", payload: { of: "closed" } });
  assert.deepEqual(session.receive(both), { event: "message", message: both });
});

test("a notification has its payload, and may be a cancellation", () => {
  const news = (what) => ({ kind: "tell", what });
  assert.deepEqual(here().receive(news({ of: "closed", more: 1 })), {
    event: "notification",
    payload: { of: "closed", more: 1 },
  });
  const members = [
    ["of", "fixed", "dropped"],
    ["at", "given", "id"],
  ];
  const cancel = { envelope: Question, at: { id: ["at"] }, when: [], new: members };
  const session = new (sessionOf(() => ({ ...protocol, cancel, cancel_notice: true })))("here");
  session.receive(ask("stop", "a"));
  assert.deepEqual(brief(session.receive(news({ of: "dropped", at: "a" }))), ["cancellation", "a"]);
  assert.deepEqual(brief(session.receive(news({ of: "dropped", at: "a" }))), ["stray", "a", "unknown"]);
  session.request({ of: "area" }, "b");
  assert.equal(session.cancel("b"), '{"kind":"tell","what":{"of":"dropped","at":"b"}}');
});

test("members that are flattened into an envelope are the payload alone", () => {
  const Inner = t.struct("Inner", () => [["of", t.string, 1]]);
  const Outer = t.flat("Outer", () => [
    ["id", t.string, 1],
    ["rest", Inner, 4 | 1],
  ]);
  const members = [
    ["id", "given", "id"],
    [null, "given", "payload"],
  ];
  const request = { envelope: Outer, at: { id: ["id"], payload: [[null, null, [Outer]]] }, when: [], new: members };
  const session = new (sessionOf(() => ({ ...protocol, request, union: null })))("here");
  const envelope = JSON.parse('{"id": "a", "of": "stop", "more": 1, "__proto__": 2}');
  const { kind, payload } = session.receive(envelope);
  assert.deepEqual([kind, JSON.stringify(payload)], ["stop", '{"of":"stop","more":1,"__proto__":2}']);
  assert.equal(session.reply(envelope), '{"kind":"reply","id":"a","body":{"ok":true}}');
  const area = JSON.parse('{"of": "area", "__proto__": 2}');
  assert.equal(session.request(area, "b").line, '{"id":"b","of":"area","__proto__":2}');
});

test("ids are compared as they are, whatever they are called", () => {
  const session = here();
  for (const id of ["__proto__", "constructor", "", "\u0000", "\u00e9", "e\u0301"]) {
    session.request({ of: "area" }, id);
    session.receive(decode(JSON.stringify(ask("stop", id)), Line));
  }
  assert.deepEqual(ids(session.pending()), ["__proto__", "constructor", "", "\u0000", "\u00e9", "e\u0301"]);
  assert.deepEqual(ids(session.unanswered()), ids(session.pending()));
  assert.deepEqual(brief(session.receive(reply("__proto__", 1))), ["answer", "__proto__", 1]);
});

test("what a protocol does not have cannot be asked for", () => {
  const session = new (sessionOf(() => ({ ...protocol, error: null, notify: null, cancel: null })))("here");
  const { envelope } = session.receive(ask("stop"));
  session.request({ of: "area" });
  for (const [act, what] of [
    [() => session.notify({ of: "ready" }), "notifications"],
    [() => session.cancel("r1"), "cancellation"],
    [() => session.refuse(envelope, "no"), "errors"],
  ]) {
    assert.throws(act, new TypeError(`the protocol has no ${what}`));
  }
  const { event, line } = session.receive(ask("new", "2"));
  assert.deepEqual([event, line], ["unknown_request", undefined]);
  assert.deepEqual(ids(session.unanswered()), ["1"]);
});

test("a session is of one of the protocol's peers", () => {
  for (const peer of ["nowhere", "toString", undefined]) {
    assert.throws(() => new Session(peer), /^TypeError: expected a peer \(here, there\), got/);
  }
  assert.equal(new Session("there").request({ of: "stop" }).id, "r1");
});

test("errors of another copy of the package are told as such", async () => {
  const copy = await import("../src/session.js?copy");
  assert.notEqual(copy.SessionError, SessionError);
  assert.equal(new copy.SessionError("not_open", "") instanceof SessionError, true);
  assert.equal(new Error("") instanceof SessionError, false);
});

// --- all together ----------------------------------------------------------------------------------------------------

/** Returns a generator of numbers below a bound, the same for the same seed. */
function drawing(seed) {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

test("whatever comes in whatever order, every request ends once", () => {
  for (let seed = 1; seed <= 40; seed += 1) {
    const draw = drawing(seed);
    const session = here();
    const [asked, ended, open] = [new Set(), new Map(), new Map()];
    const steps = {
      request() {
        const id = `${draw(8)}`;
        if (asked.has(id)) {
          const code = codeOf(() => session.request({ of: "area" }, id));
          assert.equal(code, "id_in_use");
        } else {
          session.request({ of: "area" }, id);
          asked.add(id);
          ended.delete(id);
        }
      },
      cancel() {
        const id = `${draw(8)}`;
        if (!asked.delete(id)) {
          const code = codeOf(() => session.cancel(id));
          assert.equal(code, "not_pending");
        } else {
          session.cancel(id);
          ended.set(id, "late");
        }
      },
      answer() {
        const id = `${draw(8)}`;
        const message = [reply(id, 1), reply(id, "x"), failure(id)][draw(3)];
        const { event, reason } = session.receive(message);
        if (asked.delete(id)) {
          assert.equal(
            event,
            message.kind === "failure" ? "failure" : message.body.value === 1 ? "answer" : "invalid_answer",
          );
          ended.set(id, "repeated");
        } else {
          assert.deepEqual([event, reason], ["stray", ended.get(id) ?? "unknown"]);
        }
      },
      asked() {
        const envelope = ask(["stop", "side", "new"][draw(3)], `${draw(4)}`);
        const { event, reason } = session.receive(envelope);
        if (open.has(envelope.id)) assert.deepEqual([event, reason], ["stray", "reused"]);
        else if (envelope.what.of === "new") assert.equal(event, "unknown_request");
        else open.set(envelope.id, envelope);
      },
      dropped() {
        const id = `${draw(4)}`;
        assert.equal(session.receive(drop(id)).event, open.delete(id) ? "cancellation" : "stray");
      },
      reply() {
        const [[id, envelope] = []] = open;
        if (envelope === undefined) return;
        if (draw(2)) session.reply(envelope);
        else session.refuse(envelope, "no");
        open.delete(id);
      },
    };
    const all = Object.values(steps);
    for (let at = 0; at < 400; at += 1) {
      all[draw(all.length)]();
      assert.deepEqual(new Set(ids(session.pending())), asked);
      assert.deepEqual(ids(session.unanswered()), [...open.keys()]);
    }
  }
});

test("a hundred thousand requests are pending, and each finds its answer", () => {
  const session = here();
  const count = 100_000;
  for (let at = 0; at < count; at += 1) session.request({ of: "area" });
  for (let at = count; at > 0; at -= 1) {
    assert.equal(session.receive(reply(`r${at}`, at)).result, at);
  }
  assert.deepEqual(session.pending(), []);
});

// --- members that are filled from the request ------------------------------------------------------------------------

/** Requests whose answers are shapes, which get a member of the request if they are circles. */
const way = (...keys) => keys.map((key) => [key, Shape, [Circle]]);
const filling = (...fill) => ({ ...protocol, answers: () => [["shape", "there", [Shape], null, null, fill]] });
const FILLED = filling([way("count"), ["n"]], [way("inner", "data"), ["more", "deep"]]);

/** The value that answers a request by each way to answer. */
function answered(value, asked, table = FILLED) {
  const envelope = { kind: "ask", id: "1", what: { of: "shape", ...asked } };
  const session = new (sessionOf(() => table))("here");
  session.receive(envelope);
  const found = replied(table, envelope, value);
  assert.deepEqual(JSON.parse(session.reply(envelope, value)), JSON.parse(JSON.stringify(found)));
  return found.body.value;
}

const circle = (more) => ({ kind: "circle", version: 1, radius: 1, ...more });

test("an answer gets the members that it lacks from its request, as they were received", () => {
  const inner = circle();
  const given = circle({ inner });
  const deep = { a: [null, { b: {} }] };
  assert.deepEqual(answered(given, { n: 7, more: { deep } }), circle({ count: 7, inner: circle({ data: deep }) }));
  assert.deepEqual([given, inner], [circle({ inner: circle() }), circle()]);
  assert.deepEqual(answered(circle({ count: undefined }), { n: 7 }), circle({ count: 7 }));
});

test("an answer keeps the members that it has", () => {
  const full = circle({ count: 0, inner: circle({ data: {} }) });
  assert.equal(answered(full, { n: 7, more: { deep: 1 } }), full);
  const nulls = [circle({ count: null }), circle({ inner: circle({ count: null }) })];
  const deep = filling([way("count"), ["n"]], [way("inner", "count"), ["n"]]);
  for (const [at, path] of ["/count", "/inner/count"].entries()) {
    assert.deepEqual(
      fault(() => answered(nulls[at], { n: 7 }, deep)),
      ["wrong_type", `/body/value${path}`],
    );
  }
  assert.deepEqual(answered(circle({ size: null }), { n: 7 }), circle({ size: null, count: 7 }));
});

test("an answer gets no member that its request does not have, and none inside an object that it lacks", () => {
  assert.deepEqual(answered(circle(), { more: { deep: 1 } }), circle());
  assert.deepEqual(answered(circle({ inner: circle() }), { more: 1 }), circle({ inner: circle() }));
});

test("a variant that does not have the member stays as it is, and so does an unknown one", () => {
  const other = { kind: "group", shapes: [circle()] };
  for (const each of [other, { kind: "new" }]) assert.equal(answered(each, { n: 7 }), each);
  assert.deepEqual(answered(circle({ inner: { kind: "new" } }), { n: 1, more: { deep: 1 } }).inner, { kind: "new" });
});

test("a value from a request must be valid in the answer", () => {
  assert.deepEqual(
    fault(() => answered(circle(), { n: "7" })),
    ["wrong_type", "/body/value/count"],
  );
});

test("a member of an object that is no variant of a union is filled", () => {
  const row = ["shape", "there", [Circle], null, null, [[["count"], ["n"]]]];
  const table = { ...protocol, answers: () => [row] };
  assert.deepEqual(answered(circle(), { n: 7 }, table), circle({ count: 7 }));
});

test("the sample is what is sent", () => {
  for (const [line, type] of [
    [requested(protocol, { of: "area" }, "1"), Ask],
    [replied(protocol, ask("area"), 1), Reply],
    [refuse(protocol, ask("stop"), "no"), Failure],
    [notify(protocol, { of: "ready" }), Tell],
    [cancel(protocol, "1"), Drop],
  ]) {
    assert.doesNotThrow(() => decode(JSON.stringify(line), type));
  }
});
