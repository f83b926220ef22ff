/** The functions and classes that read and write messages of the protocol unless they are given another type. */

import type {
  BadLine,
  ByteSink,
  ByteSource,
  Decoded,
  DecodeOptions,
  EncodeOptions,
  FilterOptions,
  Known,
  StreamOptions,
  TypeToken,
  UnionToken,
  ValueOf,
} from "./index.js";
import type { Root, Types, Unknown, Unknowns } from "./root.js";

export * from "./index.js";
export * as typed from "./typed.js";

// --- decoding and encoding ------------------------------------------------------------------------------------------

/**
 * Decodes one JSON text, such as a line without its end. Throws a `DecodeError`.
 *
 * @param data The text, or its bytes in UTF-8.
 * @param type The type to decode; the default is the type of messages.
 */
export declare function decode(data: string | Uint8Array, options: DecodeOptions & { strict: true }): Known<Root>;
export declare function decode(data: string | Uint8Array, options?: DecodeOptions): Root;
export declare function decode<T>(
  data: string | Uint8Array,
  type: TypeToken<T>,
  options: DecodeOptions & { strict: true },
): Known<T>;
export declare function decode<T>(data: string | Uint8Array, type: TypeToken<T>, options?: DecodeOptions): T;

/** Decodes like `decode`, and returns the error instead of throwing it. */
export declare function safeDecode(data: string | Uint8Array, options?: DecodeOptions): Decoded<Root>;
export declare function safeDecode<T>(
  data: string | Uint8Array,
  type: TypeToken<T>,
  options?: DecodeOptions,
): Decoded<T>;

/** Decodes a parsed JSON value, which is not changed. Throws a `DecodeError`. */
export declare function decodeValue(value: unknown, options: DecodeOptions & { strict: true }): Known<Root>;
export declare function decodeValue(value: unknown, options?: DecodeOptions): Root;
export declare function decodeValue<T>(
  value: unknown,
  type: TypeToken<T>,
  options: DecodeOptions & { strict: true },
): Known<T>;
export declare function decodeValue<T>(value: unknown, type: TypeToken<T>, options?: DecodeOptions): T;

/** The result of `examine`. */
export interface Examined<T> {
  readonly value: T;
  /** The name of the innermost selected type. */
  readonly variant: keyof Types | "Unknown";
  /** JSON Pointers to the unknown content that was tolerated, sorted. */
  readonly unknown: string[];
}

/** Decodes like `decode`, and also returns the selected type and the locations of unknown content. */
export declare function examine(data: string | Uint8Array, options?: DecodeOptions): Examined<Root>;
export declare function examine<T>(data: string | Uint8Array, type: TypeToken<T>, options?: DecodeOptions): Examined<T>;

/**
 * Encodes a value as one line of JSON, without the line end: tags, declared members in declared order, then all others in
 * their original order, unless the option `order` is "keep". Throws an `EncodeError` if the value is invalid.
 */
export declare function encode(value: Root, options?: EncodeOptions): string;
export declare function encode<K extends TypeToken<unknown>>(
  value: ValueOf<K>,
  type: K,
  options?: EncodeOptions,
): string;

/**
 * Whether an object matches no variant of its union, for any union that it was decoded as. An object that was not
 * decoded, such as a copy, is one if it matches no variant of the union of messages; give the type of another union.
 */
export declare function isUnknown(value: unknown): value is Unknown;
export declare function isUnknown<U>(value: unknown, type: UnionToken<unknown, U>): value is U;

// --- streams --------------------------------------------------------------------------------------------------------

/** What `only` of a reader contains: types, or their names. */
export type Wanted = TypeToken<unknown> | keyof Types | keyof Unknowns;

/** The values of the types in `only`. */
export type ItemOf<W> =
  W extends TypeToken<unknown>
    ? ValueOf<W>
    : W extends keyof Types
      ? Types[W]
      : W extends keyof Unknowns
        ? Unknowns[W]
        : never;

/**
 * Bytes in chunks of any size → values, and a `BadLine` for each line that does not decode. Blank lines are skipped.
 * Items are decoded when they are consumed; the next call returns those that are left.
 */
export interface LineDecoder<T = Root> {
  /** The number of the last completed line, counting blank lines. */
  readonly line: number;
  /** The number of lines that were skipped because `only` does not contain their types. */
  readonly skipped: number;
  /** Adds bytes, which are copied; returns the items that they complete. */
  feed(chunk: Uint8Array): IterableIterator<T | BadLine>;
  /** Ends the stream; returns the remaining items. */
  finish(): IterableIterator<T | BadLine>;
  /** The next item; undefined if more bytes are needed. */
  next(): T | BadLine | undefined;
}
export declare const LineDecoder: {
  new <W extends Wanted>(options: FilterOptions<W>): LineDecoder<ItemOf<W>>;
  new <W extends Wanted>(type: TypeToken<unknown>, options: FilterOptions<W>): LineDecoder<ItemOf<W>>;
  new (options?: StreamOptions): LineDecoder;
  new <T>(type: TypeToken<T>, options?: StreamOptions): LineDecoder<T>;
};

/**
 * Reads the lines of a stream. After a cancelled read, an abandoned loop or a temporary error of the source, the next
 * read continues at the same position.
 */
export interface Reader<T = Root> {
  /** The number of the last completed line, counting blank lines. */
  readonly line: number;
  /** The number of lines that were skipped because `only` does not contain their types. */
  readonly skipped: number;
  /** The next item. `signal` cancels only this call. */
  next(options?: { readonly signal?: AbortSignal | undefined }): Promise<IteratorResult<T | BadLine, undefined>>;
  /** Closes the source. Pending reads end without an item. */
  close(): Promise<void>;
  /** The remaining items. Leaving a loop over them leaves the reader open. */
  [Symbol.asyncIterator](): AsyncIterator<T | BadLine, undefined>;
}
export declare const Reader: {
  new <W extends Wanted>(source: ByteSource, options: FilterOptions<W>): Reader<ItemOf<W>>;
  new <W extends Wanted>(source: ByteSource, type: TypeToken<unknown>, options: FilterOptions<W>): Reader<ItemOf<W>>;
  new (source: ByteSource, options?: StreamOptions): Reader;
  new <T>(source: ByteSource, type: TypeToken<T>, options?: StreamOptions): Reader<T>;
};

/** Reads the lines of a stream as they arrive. Leaving the loop, or aborting, closes the source. */
export declare function read<W extends Wanted>(
  source: ByteSource,
  options: FilterOptions<W>,
): AsyncIterableIterator<ItemOf<W> | BadLine>;
export declare function read<W extends Wanted>(
  source: ByteSource,
  type: TypeToken<unknown>,
  options: FilterOptions<W>,
): AsyncIterableIterator<ItemOf<W> | BadLine>;
export declare function read(source: ByteSource, options?: StreamOptions): AsyncIterableIterator<Root | BadLine>;
export declare function read<T>(
  source: ByteSource,
  type: TypeToken<T>,
  options?: StreamOptions,
): AsyncIterableIterator<T | BadLine>;

/** A web stream that transforms bytes to the items of a `LineDecoder`: `body.pipeThrough(decodeStream())`. */
export declare function decodeStream<W extends Wanted>(
  options: FilterOptions<W>,
): TransformStream<Uint8Array, ItemOf<W> | BadLine>;
export declare function decodeStream<W extends Wanted>(
  type: TypeToken<unknown>,
  options: FilterOptions<W>,
): TransformStream<Uint8Array, ItemOf<W> | BadLine>;
export declare function decodeStream(options?: StreamOptions): TransformStream<Uint8Array, Root | BadLine>;
export declare function decodeStream<T>(
  type: TypeToken<T>,
  options?: StreamOptions,
): TransformStream<Uint8Array, T | BadLine>;

/** Writes values as lines, each as a whole, in order. */
export declare class Writer<T = Root> {
  constructor(sink: ByteSink, type?: TypeToken<T>);
  /** Writes a value as a line; resolves when the sink has accepted it. Throws an `EncodeError` for an invalid value. */
  write(value: T): Promise<void>;
  /** Writes a value that is encoded already, without line feeds, such as a line of a session. */
  writeLine(line: string): Promise<void>;
  /** Closes the sink after everything is written. */
  close(): Promise<void>;
}

export {};
