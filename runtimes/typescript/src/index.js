/** The part of a package's interface that does not depend on its protocol. */

export { is, isKnown } from "./codec.js";
export * as define from "./define.js";
export { DecodeError, EncodeError } from "./errors.js";
export { BadLine } from "./streams.js";
export { match, NULLS, UNFIT } from "./values.js";
