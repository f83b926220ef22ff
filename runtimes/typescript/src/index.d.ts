/** The part of a package's interface that does not depend on its protocol. */

/** What is wrong with data or a value. Of several faults at one place, the first of this list is reported. */
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

/** Data that does not decode. */
export declare class DecodeError extends Error {
  readonly name: "DecodeError";
  readonly code: ErrorCode;
  /** Where in the data, as a JSON Pointer; empty for the whole. */
  readonly path: string;
  constructor(code: ErrorCode, path: string, message: string);
}

/** A value that cannot be encoded. */
export declare class EncodeError extends Error {
  readonly name: "EncodeError";
  readonly code: ErrorCode;
  /** Where in the value, as a JSON Pointer; empty for the whole. */
  readonly path: string;
  constructor(code: ErrorCode, path: string, message: string);
}

/**
 * A type of this package, as `decode` and others take it. A program that names it holds what it reaches, and no more.
 */
export interface TypeToken<T> {
  readonly name: string;
  /** For the compiler only. */
  readonly "~type": T;
}

/** An open union, with the type of an object that is none of its variants. */
export interface UnionToken<T, U> extends TypeToken<T> {
  /** For the compiler only. */
  readonly "~unknown": U;
}

/** The values of a type. */
export type ValueOf<K extends TypeToken<unknown>> = K["~type"];

/**
 * Makes types of a program's own, to decode and encode what holds values of the protocol:
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
  /** A text of the form of a UUID; lenient mode admits others. */
  const uuid: TypeToken<string>;
  /** A text of the form of a date and time as in RFC 3339; lenient mode admits others. */
  const timestamp: TypeToken<string>;
  function nullable<T>(type: TypeToken<T>): TypeToken<T | null>;
  function list<T>(item: TypeToken<T>): TypeToken<T[]>;
  /** An object with values of a type under any keys. */
  function dictionary<T>(value: TypeToken<T>): TypeToken<{ [key: string]: T }>;
  /** An object with some members; the key of one that may be absent ends in a question mark. */
  function record<M extends { readonly [key: string]: TypeToken<unknown> }>(
    name: string,
    members: M,
  ): TypeToken<RecordOf<M>>;
}

/** The values of a type that `define.record` makes of members. */
export type RecordOf<M extends { readonly [key: string]: TypeToken<unknown> }> = {
  [K in keyof M as K extends `${string}?` ? never : K]: ValueOf<M[K]>;
} & { [K in keyof M as K extends `${infer Name}?` ? Name : never]?: ValueOf<M[K]> };

/** Whether a value is what `decode` gives for a type; for an open union, that includes the unknown. */
export declare function is<T>(value: unknown, type: TypeToken<T>): value is T;

export interface DecodeOptions {
  /** True to refuse what is unknown. By default it is kept. */
  strict?: boolean | undefined;
}

/**
 * The key under which an object lists the members that came as null where the protocol lets them be absent but not null.
 * They are absent now, and `encode` writes them back.
 */
export declare const NULLS: unique symbol;

/** What an object may have besides its members after lenient decoding: `(x as typeof x & WithNulls)[NULLS]`. */
export interface WithNulls {
  [NULLS]?: string[];
}

/**
 * The key under which an object lists the members that came with a value which does not fit, where the protocol wants them
 * to be absent then. They are absent now, and `encode` writes them back unless they are set.
 */
export declare const UNFIT: unique symbol;

/** What an object may have besides its members after lenient decoding: `(x as typeof x & WithUnfit)[UNFIT]`. */
export interface WithUnfit {
  [UNFIT]?: [key: string, value: unknown][];
}

/**
 * The value of a discriminator that no variant has: a text that differs from all that are declared at its place, which are
 * `T`. So `switch` tells known variants from unknown ones, and a comparison with a text that is not declared compiles.
 *
 * The type has the texts that differ from every declared one within their first three characters. One that starts like a
 * declared text is more often misspelt than new, so it does not compile; each further character also costs the compiler a
 * fifth more. To compare with such a text, widen the value: `(value.tag as string) === "…"`.
 */
export type UnknownTag<T extends string> = Beside<T, Character<T>, "", "12">;

/** What starts like a declared text and goes on differently; `Ahead` has a character for each one that may be the same. */
type Beside<T extends string, C extends string, Start extends string, Ahead extends string> = string extends T
  ? never
  : | `${Start}${Exclude<C, First<T>>}${string}`
    | (Ahead extends `${string}${infer Less}` ? BesideEach<T, C, Start, First<T>, Less> : never);
type BesideEach<
  T extends string,
  C extends string,
  Start extends string,
  Next extends string,
  Ahead extends string,
> = Next extends Next ? Beside<Rest<T, Next>, C, `${Start}${Next}`, Ahead> : never;
type First<T extends string> = string extends T ? string : T extends `${infer Character}${string}` ? Character : never;
type Rest<T extends string, Start extends string> = T extends `${Start}${infer Text}` ? Text : never;

/** The characters that tags start with; without capital letters where no declared text has one. */
type Character<T extends string> = Small | "_" | ([T] extends [Lowercase<T>] ? never : Uppercase<Small>);
type Small = Letter<"abcdefghijklmnopqrstuvwxyz">;
type Letter<T extends string> = T extends `${infer Character}${infer Text}` ? Character | Letter<Text> : never;

/** A type that is comparable with no integer, though its values are numbers. */
declare enum Undeclared {
  integer = 0.5,
}

/**
 * The value of a discriminator that no variant has, of those that are integers. It differs from all that are declared, so
 * that `switch` tells known variants from unknown ones. To compare it with another number, widen it: `(value.tag as number)`.
 */
export type UnknownInteger = Undeclared;

/** Whether a value is one of the declared ones, as in `isKnown(x, VALUES)`. */
export declare function isKnown<T extends string | number>(value: unknown, values: readonly T[]): value is T;

export interface StreamOptions extends DecodeOptions {
  /** The longest line that is read, in bytes without its end. The default is 64 MiB. */
  limit?: number | undefined;
  /** What ends the reading: the next read rejects with its reason. */
  signal?: AbortSignal | undefined;
}

/** A line that did not decode. It never ends a stream. */
export declare class BadLine {
  /** The line's number, from 1. */
  readonly line: number;
  /** The line without its end; of one over the limit, the first 1024 bytes. */
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

/** What takes lines: a Node stream, a web stream. */
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
  // The real declaration comes from the environment (the library `dom`, or the types of the runtime), to which this adds
  // nothing. Without one, this package compiles all the same.
  interface TransformStream<I = any, O = any> {}
  interface AbortSignal {}
  interface AbortController {}
}

export {};
