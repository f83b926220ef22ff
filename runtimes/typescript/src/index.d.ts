/** The part of a package's interface that does not depend on its protocol. */

/** The kind of a fault. If a value has several faults, the first in this list is reported. */
export type ErrorCode =
  | "too_long"
  | "invalid_utf8"
  | "invalid_json"
  | "too_deep"
  | "wrong_type"
  | "missing_field"
  | "unknown_variant"
  | "no_variant"
  | "wrong_constant"
  | "unknown_value"
  | "out_of_range"
  | "bad_format"
  | "out_of_bounds"
  | "unknown_field";

/** Invalid data. */
export declare class DecodeError extends Error {
  readonly name: "DecodeError";
  readonly code: ErrorCode;
  /** The location in the data, as a JSON Pointer; empty for the root. */
  readonly path: string;
  constructor(code: ErrorCode, path: string, message: string);
}

/** A value that cannot be encoded. */
export declare class EncodeError extends Error {
  readonly name: "EncodeError";
  readonly code: ErrorCode;
  /** The location in the value, as a JSON Pointer; empty for the root. */
  readonly path: string;
  constructor(code: ErrorCode, path: string, message: string);
}

/** What libraries that accept any validator need of a type (https://standardschema.dev). */
export interface StandardSchema<T> {
  readonly version: 1;
  readonly vendor: string;
  readonly types?: { readonly input: T; readonly output: T } | undefined;
  /** Decodes a parsed JSON value like `decodeValue`. */
  readonly validate: (
    value: unknown,
  ) =>
    | { readonly value: T; readonly issues?: undefined }
    | { readonly issues: readonly { readonly message: string; readonly path: readonly (string | number)[] }[] };
}

/**
 * A type of this package, as an argument for `decode` and others, and for libraries that accept any Standard Schema. A
 * bundle contains only the types that it uses.
 */
export interface TypeToken<T> {
  readonly name: string;
  readonly "~standard": StandardSchema<T>;
  /** For the compiler only. */
  readonly "~type": T;
}

/** An open union, with the type of an object that matches no variant. */
export interface UnionToken<T, U> extends TypeToken<T> {
  /** For the compiler only. */
  readonly "~unknown": U;
}

/** The values of a type. */
export type ValueOf<K extends TypeToken<unknown>> = K["~type"];

/**
 * Declares types of your program, to decode and encode data that contains values of the protocol:
 *
 *     const Stored = define.record("Stored", { id: define.uuid, message: Message, "cost?": define.number });
 *     type Stored = ValueOf<typeof Stored>;
 */
export declare namespace define {
  const string: TypeToken<string>;
  const boolean: TypeToken<boolean>;
  const number: TypeToken<number>;
  /** A number without a fraction, within ±(2^53 − 1). */
  const integer: TypeToken<number>;
  /** Any JSON value. */
  const json: TypeToken<unknown>;
  /** A string in the format of a UUID; lenient mode accepts others. */
  const uuid: TypeToken<string>;
  /** A string in the format of an RFC 3339 date and time; lenient mode accepts others. */
  const timestamp: TypeToken<string>;
  function nullable<T>(type: TypeToken<T>): TypeToken<T | null>;
  function list<T>(item: TypeToken<T>): TypeToken<T[]>;
  /** An object with any keys and values of a type. */
  function dictionary<T>(value: TypeToken<T>): TypeToken<{ [key: string]: T }>;
  /** An object with the given members; the key of an optional member ends in a question mark. */
  function record<M extends { readonly [key: string]: TypeToken<unknown> }>(
    name: string,
    members: M,
  ): TypeToken<RecordOf<M>>;
}

/** The values of a type that `define.record` creates from members. */
export type RecordOf<M extends { readonly [key: string]: TypeToken<unknown> }> = {
  [K in keyof M as K extends `${string}?` ? never : K]: ValueOf<M[K]>;
} & { [K in keyof M as K extends `${infer Name}?` ? Name : never]?: ValueOf<M[K]> };

/** Whether a value is a valid result of `decode` for a type; for an open union, that includes unknown variants. */
export declare function is<T>(value: unknown, type: TypeToken<T>): value is T;

export interface DecodeOptions {
  /** True to reject unknown content. By default it is kept. */
  strict?: boolean | undefined;
}

/** The result of `safeDecode`. */
export type Decoded<T> =
  | { readonly success: true; readonly value: T; readonly error?: undefined }
  | { readonly success: false; readonly value?: undefined; readonly error: DecodeError };

export interface EncodeOptions {
  /** "keep" to write members in their own order. By default, declared members come first, in declared order. */
  order?: "declared" | "keep" | undefined;
  /** Reject what decoding in strict mode would reject, with the same code and path. */
  strict?: boolean | undefined;
}

/**
 * The key under which an object lists members that were null although the protocol only allows them to be absent. They
 * are absent now, and `encode` writes the nulls back.
 */
export declare const NULLS: unique symbol;

/** Additional content of an object after lenient decoding: `(x as typeof x & WithNulls)[NULLS]`. */
export interface WithNulls {
  [NULLS]?: string[];
}

/**
 * The key under which an object lists members with invalid values, if the protocol treats these as absent. They are
 * absent now, and `encode` writes the values back unless the members are set.
 */
export declare const UNFIT: unique symbol;

/** Additional content of an object after lenient decoding: `(x as typeof x & WithUnfit)[UNFIT]`. */
export interface WithUnfit {
  [UNFIT]?: [key: string, value: unknown][];
}

/**
 * The value of a discriminator that no variant has: a string other than the declared ones. `switch` distinguishes known
 * from unknown variants, and comparing with an undeclared string does not compile, since it is more likely a typo. To
 * compare with one that a newer peer sends, widen the value: `(value.tag as string) === "…"`.
 *
 * It exists only at compile time, as an enum because the compiler compares any other string type with all literals.
 */
export declare const enum UnknownTag {
  "~" = "~",
}

/** The value of an integer discriminator that no variant has, like `UnknownTag`: `(value.tag as number) === 7`. */
export declare const enum UnknownInteger {
  "~" = 0.5,
}

/** The members of a type that differ in new objects, for `Closed`. It exists only at compile time. */
export interface NewMembers<N> {
  readonly "~new": N;
}

/** What every object has that matches no variant of its union. It exists only at compile time. */
export interface UnknownObject {
  readonly "~unknown": true;
}

/** A type without unknown objects: the result of strict decoding. */
export type Known<T> = Exclude<T, UnknownObject>;

/**
 * A type without the values that it allows for newer peers: undeclared values of enums, and undeclared variants.
 * Members are those of the newest release, though earlier releases wrote others.
 * Use it for values that a program writes: a misspelt value is an error.
 */
export type Closed<T> = unknown extends T
  ? T
  : ClosedText<Extract<T, string>> | ClosedNumber<Extract<T, number>> | ClosedValue<Exclude<T, string | number>>;
type ClosedText<T extends string> = [LiteralText<T>] extends [never]
  ? [PatternText<T>] extends [never]
    ? T
    : PatternText<T>
  : LiteralText<T>;
type LiteralText<T extends string> = T extends string ? ({} extends { [K in T]: 1 } ? never : T) : never;
type PatternText<T extends string> = T extends string ? (string extends T ? never : T) : never;
type ClosedNumber<T extends number> = [LiteralNumber<T>] extends [never] ? T : LiteralNumber<T>;
type LiteralNumber<T extends number> = T extends number ? (number extends T ? never : T) : never;
type ClosedValue<T> = T extends UnknownObject
  ? never
  : T extends (...values: never[]) => unknown
    ? T
    : T extends readonly unknown[]
      ? ClosedArray<T>
      : T extends object
        ? "~new" extends keyof T
          ? ClosedNew<T, NonNullable<T["~new"]>>
          : ClosedObject<T>
        : T;
type ClosedNew<T, N> =
  N extends NewMembers<infer M>
    ? { [K in keyof T as Exclude<ClosedKey<K>, keyof M | "~new">]: Closed<T[K]> } & { [K in keyof M]: Closed<M[K]> }
    : ClosedObject<T>;
type ClosedObject<T> = { [K in keyof T as ClosedKey<K>]: Closed<T[K]> };
/** The items are written out so that the compiler resolves them only when needed, as a type may contain itself. */
type ClosedArray<T extends readonly unknown[]> = number extends T["length"]
  ? T extends unknown[]
    ? Closed<T[number]>[]
    : readonly Closed<T[number]>[]
  : T extends [infer A]
    ? [Closed<A>]
    : T extends [infer A, infer B]
      ? [Closed<A>, Closed<B>]
      : T extends [infer A, infer B, infer C]
        ? [Closed<A>, Closed<B>, Closed<C>]
        : T extends [infer A, infer B, infer C, infer D]
          ? [Closed<A>, Closed<B>, Closed<C>, Closed<D>]
          : T extends [infer A, infer B, infer C, infer D, infer E]
            ? [Closed<A>, Closed<B>, Closed<C>, Closed<D>, Closed<E>]
            : T extends [infer A, infer B, infer C, infer D, infer E, infer F]
              ? [Closed<A>, Closed<B>, Closed<C>, Closed<D>, Closed<E>, Closed<F>]
              : T;
/** A key, unless it represents undeclared values of an enum. */
type ClosedKey<K> = (<T>() => T extends K ? 1 : 2) extends <T>() => T extends string & {} ? 1 : 2 ? never : K;

/** The keys of the branches for a discriminator's value: its declared values as texts. */
export type TagKey<V> = V extends UnknownTag | UnknownInteger
  ? never
  : V extends string
    ? LiteralText<V>
    : V extends number
      ? `${LiteralNumber<V>}`
      : V extends boolean
        ? `${V}`
        : never;
/** The variants of a union for a key of `TagKey`. */
export type VariantOf<T, K extends keyof T, B> = T extends unknown ? (B extends TagKey<T[K]> ? T : never) : never;
/** The variants of a union whose discriminator may have an undeclared value, or be absent. */
export type OtherVariant<T, K extends keyof T> = T extends unknown
  ? IsDeclared<T[K]> extends true
    ? never
    : T
  : never;
type IsDeclared<V> = (V extends unknown ? ([TagKey<V>] extends [never] ? false : true) : never) extends true
  ? true
  : false;

/** A function for each declared value of a discriminator and, if others are possible, one for these under `_`. */
export type Branches<T, K extends keyof T> = {
  readonly [B in TagKey<T[K]>]: (value: VariantOf<T, K, B>) => unknown;
} & ([OtherVariant<T, K>] extends [never] ? unknown : { readonly _: (value: OtherVariant<T, K>) => unknown });

/**
 * Calls the function for the value of a discriminator, and returns its result: `match(block, "type", { text: … })`. A
 * missing branch does not compile.
 */
export declare function match<T extends object, K extends keyof T & string, B extends Branches<T, K>>(
  value: T,
  key: K,
  branches: B,
): ReturnType<B[keyof B & keyof Branches<T, K>]>;

/** Whether a value is declared, as in `isKnown(x, VALUES)`. */
export declare function isKnown<T extends string | number>(value: unknown, values: readonly T[]): value is T;

export interface StreamOptions extends DecodeOptions {
  /** The maximum length of a line, in bytes without its end. The default is 64 MiB. */
  limit?: number | undefined;
  /** A signal that ends reading: the next read rejects with its reason. */
  signal?: AbortSignal | undefined;
}

/** Options of a reader that only gives some types of a union. */
export interface FilterOptions<W> extends StreamOptions {
  /**
   * The types that are wanted, of those that the union can have: structs, unions (all of their types and, unless an
   * enclosing union has it, their Unknown) and names of Unknowns. Structs can be named too, as can unions that are a
   * variant of the union.
   *
   * The lines of other types are skipped without decoding them. A line that cannot have a wanted type because the tag is
   * not in it is not even parsed, so faults in it are not reported.
   */
  only: readonly W[];
}

/** An invalid line. It ends no stream, unless it is a malformed header of the framing `content-length`. */
export declare class BadLine {
  /** The line's number, from 1. */
  readonly line: number;
  /** The line without its end, or the first 1024 bytes of a line that is too long, or of a malformed header. */
  readonly raw: Uint8Array;
  readonly error: DecodeError;
  constructor(line: number, raw: Uint8Array, error: DecodeError);
}

/** A source of bytes: a Node stream, a web stream, an async generator of chunks. */
export type ByteSource =
  | AsyncIterable<Uint8Array>
  | {
      getReader(): {
        read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
        cancel(): Promise<unknown>;
        releaseLock(): void;
      };
    };

/** A destination for lines: a Node stream or a web stream. */
export type ByteSink =
  | {
      write(line: string, done: (error?: Error | null) => void): unknown;
      end(done: (error?: Error | null) => void): unknown;
    }
  | {
      getWriter(): {
        readonly ready: Promise<unknown>;
        write(line: Uint8Array): Promise<unknown>;
        close(): Promise<unknown>;
      };
    };

declare global {
  // The real declaration comes from the environment (the library `dom`, or the types of the runtime), to which this
  // adds nothing. This one lets the package compile without it.
  interface TransformStream<I = any, O = any> {}
  interface AbortSignal {}
  interface AbortController {}
}

export {};
