// Assertions about types, which affect only the compiler.

export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** `expect<Equal<A, B>>()` compiles if the types are the same. */
export declare function expect<_ extends true>(): void;

/** `typed(value)<T>()` compiles if the value's type is `T`, no wider and no narrower. */
export declare function typed<V>(value: V): <T>(...same: Equal<V, T> extends true ? [] : [never]) => void;
