import type { Bottle, Fruit, ShelfOrUnknown } from "wares";
import { isGlass, isUnknown, Shelf } from "wares";

const drink: Bottle = { kind: "bottle", juice: "apple" };

const told = (fruit: Fruit): string => (fruit === "apple" ? "from a tree" : fruit);

export function shelf(thing: ShelfOrUnknown): string {
  if (isUnknown(thing, Shelf)) return "something new";
  if (isGlass(thing)) return told(thing.jam);
  return thing.kind === "bottle" ? told(thing.juice) : told(drink.juice);
}
