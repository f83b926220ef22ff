/** Checks that the declarations in `src/index.d.ts` match the code in `src/*.js`. Only compiled, never run. */

import { isKnown } from "../src/codec.js";
import { DecodeError, EncodeError } from "../src/errors.js";
import type * as declared from "../src/index.js";
import { BadLine } from "../src/streams.js";
import { treeOf } from "../src/tree.js";
import type { Tree } from "../src/trees.js";
import { NULLS } from "../src/values.js";

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

/** An error of the code must match its declaration, except for the list of codes. */
type Loose<E> = Omit<E, "code" | "name"> & { code: string; name: string };

export const errors: [
  Same<Loose<DecodeError>, Loose<declared.DecodeError>>,
  Same<Loose<EncodeError>, Loose<declared.EncodeError>>,
] = [true, true];
export const parameters: Same<
  ConstructorParameters<typeof BadLine>,
  [line: number, raw: Uint8Array, error: DecodeError]
> = true;
export const items: Same<Omit<BadLine, "error">, Omit<declared.BadLine, "error">> = true;
export const known: (value: unknown, values: readonly string[]) => boolean = isKnown;
export const symbol: symbol = NULLS;

type Methods<C> = { [K in keyof C]: C[K] };
export const tree: Same<Methods<InstanceType<ReturnType<typeof treeOf>>>, Methods<Tree<unknown>>> = true;
