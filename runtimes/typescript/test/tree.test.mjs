import assert from "node:assert/strict";
import { test } from "node:test";

import { decode } from "../src/codec.js";
import * as t from "../src/engine.js";
import { treeOf } from "../src/tree.js";
import { NULLS, UNFIT } from "../src/values.js";
import { Line } from "./sample.mjs";

const IDS = {
  id: [["id", "name"]],
  parent: [["up"]],
  attached: [["host", "data"], ["id"]],
  previous: [["before"]],
};
const Forest = treeOf("Forest", IDS);

/** An entry as plain JSON. */
const entry = (id, up, host, before) => ({ id, up, host: { id: host }, before });

/** A tree with some entries. */
function grown(entries, tree = new Forest()) {
  for (const each of entries) tree.add(each);
  return tree;
}

const ids = (entries) => entries.map(({ id }) => id);
const numbers = (count) => Array.from({ length: count }, (_, number) => number);

/** Everything that a tree tells about itself, with entries as their places among those that were added. */
function results(tree, added) {
  const known = [...numbers(8), "1"];
  const lists = [
    tree.path(),
    tree.path({ history: true }),
    tree.leaves(),
    tree.children(),
    ...known.flatMap((id) => [tree.path({ leaf: id }), tree.path({ leaf: id, history: true }), tree.children(id)]),
  ];
  return lists.map((list) => list.map((each) => added.indexOf(each)));
}

/** The number of steps of a function, as far as they use maps: trees look up every entry in one. */
function steps(work) {
  const names = ["get", "has", "set", "delete"];
  const methods = names.map((name) => Map.prototype[name]);
  let count = 0;
  names.forEach((name, at) => {
    Map.prototype[name] = function (...values) {
      count += 1;
      return Reflect.apply(methods[at], this, values);
    };
  });
  try {
    work();
  } finally {
    names.forEach((name, at) => (Map.prototype[name] = methods[at]));
  }
  return count;
}

test("decoded objects, unknown ones and plain JSON are entries of one tree", () => {
  const circle = decode('{"kind":"circle","version":1,"radius":1,"id":"a"}', Line);
  const unknown = decode('{"kind":"new","id":"b","up":"a"}', Line);
  const plain = { name: "c", up: "b" };
  const tree = grown([circle, unknown, plain]);
  assert.deepEqual(tree.path(), [circle, unknown, plain]);
  assert.equal(tree.path()[0], circle);
  assert.deepEqual(tree.children("a"), [unknown]);
  assert.deepEqual(tree.children(), [circle]);
  assert.deepEqual(tree.leaves(), [plain]);
});

test("a member has the value that it has in JSON, also if a repair removed it", () => {
  const Repaired = t.struct("Repaired", () => [
    ["id", t.string, 1],
    ["up", t.repairing(t.boolean, "absent"), 0],
    ["before", t.string, 0],
  ]);
  const value = decode('{"id":"b","up":"a","before":null}', Repaired);
  assert.deepEqual([value.up, value[UNFIT].length, value[NULLS].length], [undefined, 1, 1]);
  assert.deepEqual(ids(grown([entry("a"), value]).path({ history: true })), ["a", "b"]);
});

test("a member has the first of its names that is neither absent nor null", () => {
  const tree = grown([
    { id: null, name: "a" },
    { id: "b", name: "c", up: "a" },
  ]);
  assert.equal(tree.path().length, 2);
  assert.deepEqual(tree.children("c"), []);
  assert.equal(tree.path({ leaf: "b" }).length, 2);
});

test("inherited properties are no members", () => {
  const tree = grown([Object.create({ id: "a" }), { id: "b", up: "toString" }, { id: "__proto__", up: "b" }]);
  assert.deepEqual(ids(tree.path()), ["b", "__proto__"]);
  const Odd = treeOf("Odd", { id: [["constructor"], ["name"]], parent: [["toString"]] });
  assert.equal(new Odd().add({}), false);
});

for (const value of [undefined, null, true, 1.5, 2 ** 53, NaN, Infinity, 1n, [], {}, Symbol("a"), () => "a"]) {
  test(`${typeof value === "object" ? JSON.stringify(value) : String(value)} is no id`, () => {
    const tree = new Forest();
    assert.equal(tree.add(entry(value)), false);
    assert.equal(tree.add(value), false);
    assert.deepEqual([tree.path(), tree.leaves(), tree.children()], [[], [], []]);
    const only = entry("a", value, value, value);
    assert.equal(tree.add(only), true);
    assert.deepEqual([tree.path({ history: true }), tree.children()], [[only], [only]]);
    if (value !== undefined) assert.deepEqual([tree.path({ leaf: value }), tree.children(value)], [[], []]);
  });
}

test("1 and its digits are two ids, and 0 and -0 are one", () => {
  const tree = grown([entry(1), entry("1"), entry(2, 1), entry("b", "1"), entry(-0), entry(3, 0, -0)]);
  assert.deepEqual(ids(tree.children(1)), [2]);
  assert.deepEqual(ids(tree.children("1")), ["b"]);
  assert.deepEqual(ids(tree.children(0)), [3]);
});

test("an entry with the id of an earlier one takes its position", () => {
  const tree = grown([entry("a"), entry("b", "a"), entry("c", "a")]);
  assert.deepEqual(ids(tree.children("a")), ["b", "c"]);
  assert.equal(tree.add(entry("b")), true);
  assert.deepEqual(ids(tree.children()), ["a", "b"]);
  assert.deepEqual(ids(tree.children("a")), ["c"]);
  assert.deepEqual(ids(tree.path()), ["a", "c"]);
});

test("attached entries stand where they were added, behind their hosts", () => {
  const entries = [entry("call 1"), entry("call 2", "call 1"), entry("result 1", "call 1", "call 1")];
  const tree = grown([...entries, entry("result 2", "call 2", "call 2")]);
  assert.deepEqual(ids(tree.path()), ["call 1", "call 2", "result 1", "result 2"]);
  assert.deepEqual(ids(tree.leaves()), ["call 2"]);
  tree.add(entry("next", "result 2"));
  assert.deepEqual(ids(tree.path()), ["call 1", "call 2", "result 1", "result 2", "next"]);
});

test("a tree without attached and previous entries has neither", () => {
  const Plain = treeOf("Plain", { id: IDS.id, parent: IDS.parent });
  const tree = grown([entry("a"), entry("b", undefined, "a", "a")], new Plain());
  assert.deepEqual(ids(tree.path({ history: true })), ["b"]);
});

test("a class of trees has the name that is given, and can be extended", () => {
  assert.equal(Forest.name, "Forest");
  class Own extends Forest {
    add(added) {
      return added !== null && super.add(added);
    }
  }
  const tree = new Own();
  assert.deepEqual([tree.add(null), tree.add(entry("a")), ids(tree.path())], [false, true, ["a"]]);
});

test("after each entry, a tree is like a new one", () => {
  let seed = 7;
  const draw = (list) => {
    seed = (seed * 48271) % 2147483647;
    return list[seed % list.length];
  };
  const options = [undefined, "1", ...numbers(8)];
  for (let round = 0; round < 300; round++) {
    const [tree, added] = [new Forest(), []];
    for (let left = draw(numbers(15)); left >= 0; left--) {
      added.push(entry(draw(options), draw(options), draw(options), draw(options)));
      assert.equal(tree.add(added.at(-1)), added.at(-1).id !== undefined);
      // whether or not anything was asked in between
      if (draw([true, true, false])) assert.deepEqual(results(tree, added), results(grown(added), added));
    }
    assert.deepEqual(results(tree, added), results(grown(added), added));
  }
});

test("long branches and many children take no recursion and linear time", () => {
  const ask = (count) => {
    const all = numbers(count);
    const chain = all.map((n) => entry(n, n - 1, undefined, n - 2));
    assert.deepEqual(ids(grown(chain).path()), all);
    assert.deepEqual(ids(grown([...chain].reverse()).path()), all);
    // Each attached entry was added before its host, which makes a search from the host on take quadratic time.
    const late = all.slice(1).map((n) => entry(`late ${n}`, undefined, n));
    assert.equal(grown([...[...late].reverse(), ...chain]).path().length, 2 * count - 1);
    const ends = grown([...chain, ...late]).path({ leaf: count - 1 });
    assert.deepEqual(ids(ends.slice(count)), ids(late));
    const wide = grown([entry("root"), ...all.map((n) => entry(n, "root", "root"))]);
    assert.equal(wide.children("root").length, count);
    assert.deepEqual(ids(wide.leaves()), ["root"]);
    assert.equal(wide.path().length, count + 1);
    const ring = grown(all.map((n) => entry(n, (n + 1) % count)));
    assert.equal(ring.path().length, count);
    assert.deepEqual(ring.leaves(), []);
  };
  assert.ok(steps(() => ask(20_000)) < 11 * steps(() => ask(2_000)));
});

test("adding takes no longer for a larger tree", () => {
  const added = (count) => {
    const tree = grown(numbers(count).map((n) => entry(n, n >> 1)));
    tree.leaves();
    return steps(() => grown([entry(count, 0), entry(0, 1)], tree));
  };
  assert.equal(added(10), added(10_000));
});
