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

/**
 * A type of this package, as an argument for `decode` and others. A bundle contains only the types that it uses.
 */
export interface TypeToken<T> {
  readonly name: string;
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
 * The value of a discriminator that no variant has: a string other than the declared ones, `T`. `switch` distinguishes
 * known from unknown variants, and comparing with an undeclared string compiles.
 *
 * The type contains strings that differ from every declared one within the first three characters. A string that starts
 * like a declared one is more likely a typo, so it does not compile. To compare with such a string, widen the value:
 * `(value.tag as string) === "…"`.
 */
export type UnknownTag<T extends string> = Beside<T, Character<T>, "", "12">;

/** A string that starts like a declared one and continues differently; `Ahead` has a character for each equal one. */
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

/** The characters that tags start with; without capital letters if no declared string has one. */
type Character<T extends string> = Small | "_" | ([T] extends [Lowercase<T>] ? never : Uppercase<Small>);
type Small = Letter<"abcdefghijklmnopqrstuvwxyz">;
type Letter<T extends string> = T extends `${infer Character}${infer Text}` ? Character | Letter<Text> : never;

/** A type that cannot be compared with an integer, although its values are numbers. */
declare enum Undeclared {
  integer = 0.5,
}

/**
 * The value of an integer discriminator that no variant has. It differs from all declared ones, so `switch` distinguishes
 * known from unknown variants. To compare it with another number, widen it: `(value.tag as number)`.
 */
export type UnknownInteger = Undeclared;

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
