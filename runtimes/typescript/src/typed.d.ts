/**
 * The functions of a package with a required type. A bundle with `typed.decode(line, T)` contains the types that `T`
 * reaches; one with `decode(line, T)` also contains those that messages reach, as their type is the default.
 */

import type { Examined, ItemOf, LineDecoder as Lines, Reader as ReaderOf, Wanted, Writer as WriterOf } from "./api.js";
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

export declare function decode<T>(
  data: string | Uint8Array,
  type: TypeToken<T>,
  options: DecodeOptions & { strict: true },
): Known<T>;
export declare function decode<T>(data: string | Uint8Array, type: TypeToken<T>, options?: DecodeOptions): T;
export declare function decodeValue<T>(
  value: unknown,
  type: TypeToken<T>,
  options: DecodeOptions & { strict: true },
): Known<T>;
export declare function decodeValue<T>(value: unknown, type: TypeToken<T>, options?: DecodeOptions): T;
export declare function examine<T>(data: string | Uint8Array, type: TypeToken<T>, options?: DecodeOptions): Examined<T>;
export declare function encode<K extends TypeToken<unknown>>(
  value: ValueOf<K>,
  type: K,
  options?: EncodeOptions,
): string;
export declare function isUnknown<U>(value: unknown, type: UnionToken<unknown, U>): value is U;
export declare function safeDecode<T>(
  data: string | Uint8Array,
  type: TypeToken<T>,
  options?: DecodeOptions,
): Decoded<T>;
export declare function read<W extends Wanted>(
  source: ByteSource,
  type: TypeToken<unknown>,
  options: FilterOptions<W>,
): AsyncIterableIterator<ItemOf<W> | BadLine>;
export declare function read<T>(
  source: ByteSource,
  type: TypeToken<T>,
  options?: StreamOptions,
): AsyncIterableIterator<T | BadLine>;
export declare function decodeStream<W extends Wanted>(
  type: TypeToken<unknown>,
  options: FilterOptions<W>,
): TransformStream<Uint8Array, ItemOf<W> | BadLine>;
export declare function decodeStream<T>(
  type: TypeToken<T>,
  options?: StreamOptions,
): TransformStream<Uint8Array, T | BadLine>;
export declare const LineDecoder: {
  new <W extends Wanted>(type: TypeToken<unknown>, options: FilterOptions<W>): Lines<ItemOf<W>>;
  new <T>(type: TypeToken<T>, options?: StreamOptions): Lines<T>;
};
export declare const Reader: {
  new <W extends Wanted>(source: ByteSource, type: TypeToken<unknown>, options: FilterOptions<W>): ReaderOf<ItemOf<W>>;
  new <T>(source: ByteSource, type: TypeToken<T>, options?: StreamOptions): ReaderOf<T>;
};
export declare const Writer: new <T>(sink: ByteSink, type: TypeToken<T>) => WriterOf<T>;

export {};
