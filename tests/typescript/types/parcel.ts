// Features of another protocol: other discriminators, nested objects, integers with names.

import {
  decode,
  FLOORS,
  isCrate,
  isUnknown,
  Weight,
  Anything,
  type Box,
  type Circle,
  type Closing,
  type Desk,
  type Failed,
  type Free,
  type Gift,
  Item,
  type ItemOrUnknown,
  type KnownOutcome,
  type Label,
  type Letter,
  type LineOrUnknown,
  type Maybe,
  type Moods,
  type Opening,
  type Parcel,
  type PlainGift,
  type Point,
  Reach,
  type ReachOrUnknown,
  type Shape,
  type Sizes,
  type Tube,
  type UnknownReach,
  type Wrap,
  type WrappedGift,
} from "parcel";

import { typed } from "./expect.js";

// Tags with several values, or none.
export function items(item: ItemOrUnknown): number {
  switch (item.kind) {
    case "tube":
    case "roll":
      typed(item)<Tube>();
      return item.length;
    case "letter":
      typed(item)<Letter>();
      return item.pages;
    case "crate":
      return item.items.length;
    default:
      return item.kind.length;
  }
}

export function gifts(gift: Gift): void {
  if (gift.isWrapped) typed(gift)<WrappedGift>();
  else typed(gift)<PlainGift>();
}

export function shapes(shape: Shape): void {
  if (shape.form !== "square") typed(shape)<Circle>();
}

export function moods(mood: Moods): string | number | undefined {
  return mood.about === "weather" ? mood.degrees : mood.word;
}

export function parcels(parcel: Parcel): void {
  if (parcel.event !== "sent" && parcel.event !== "arrived") {
    typed(parcel)<Failed>();
    typed(parcel.event)<KnownOutcome | (`error_${string}` & {})>();
  }
}

export function reached(how: ReachOrUnknown): void {
  if (isUnknown(how, Reach)) typed(how)<UnknownReach>();
  else typed(how)<Reach>();
}

// Flattened objects.
export const box: Box = { mark: "x", x: 1, y: 2 };
export const point: Point = box;
export const none: Maybe = { mark: "x" };
export const all: Maybe = { mark: "x", x: 1, y: 2 };
// @ts-expect-error: all members or none
export const half: Maybe = { mark: "x", x: 1 };
// @ts-expect-error: the place is missing
export const noPlace: Box = { mark: "x" };
export const letter: Wrap = { wrapped: true, kind: "letter", pages: 1 };
export function wraps(wrap: Wrap): void {
  if (isCrate(wrap)) typed(wrap.wrapped)<boolean>();
  if (wrap.kind === "roll") typed(wrap.length)<number>();
}

// Other content, and members that are included and replaced.
export const free: Free = { kept: "x", other: 1 };
export function others(one: Free, closing: Closing, opening: Opening): void {
  typed(one["another"])<string | number | undefined>();
  typed(closing.desk)<Desk[] | undefined>();
  typed(opening.desk)<Desk>();
  typed(opening.event)<"opening" | "opened">();
}

// Named numbers, maps by enums.
typed(Weight.Heavy)<10>();
typed(FLOORS)<readonly [-1, 0]>();
export const sizes: Sizes = { small: 1, huge: 2 };
// @ts-expect-error: counts are numbers
export const noSizes: Sizes = { small: "1" };
export const sides: Label["sides"] = { left: { x: 1, y: 2 } };
// @ts-expect-error: there are two sides
export const noSides: Label["sides"] = { top: { x: 1, y: 2 } };

typed(decode("{}"))<LineOrUnknown>();
typed(decode("{}", Anything))<Anything>();
typed(decode("{}", Item, { strict: true }))<Item>();
