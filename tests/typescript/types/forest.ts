// Trees of entries: decoded ones, and those of any type.

import { decode, Entry, Forest, isNote, Stairs, type EntryOrUnknown, type Note, type Step } from "forest";

import { expect, typed, type Equal } from "./expect.js";

const forest = new Forest();
typed(forest.add(decode('{"type":"note","id":"a"}', Entry)))<boolean>();
forest.add({ type: "note", id: "b", parent: "a" });
typed(forest.path())<EntryOrUnknown[]>();
typed(forest.path({ leaf: "a", history: true }).filter(isNote))<Note[]>();
typed(forest.leaves())<EntryOrUnknown[]>();
typed(forest.children())<EntryOrUnknown[]>();

const stairs: Stairs = new Stairs();
typed(stairs.children(1))<Step[]>();
const leaf: number | undefined = stairs.leaves()[0]?.key.number;
typed(stairs.path({ leaf }))<Step[]>();

const plain = new Forest<{ id: string }>();
plain.add({ id: "a" });
typed(plain.path())<{ id: string }[]>();
new Forest<unknown>().add(JSON.parse("{}"));

class Counted extends Forest {
  count = 0;
  override add(entry: EntryOrUnknown): boolean {
    const added = super.add(entry);
    if (added) this.count += 1;
    return added;
  }
}
expect<Equal<ReturnType<Counted["path"]>, EntryOrUnknown[]>>();

// @ts-expect-error: an entry of this tree has a type
forest.add({ id: "a" });
// @ts-expect-error: an id is a text or a number
forest.children(null);
// @ts-expect-error: the leaf is an option
forest.path("a");
