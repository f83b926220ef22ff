/** The functions and classes that take a type, without one to fall back to: a program holds what it names. */

export { decode, decodeValue, encode, examine, isUnknown } from "./codec.js";
export {
  decodeStream,
  read,
  TypedLineDecoder as LineDecoder,
  TypedReader as Reader,
  TypedWriter as Writer,
} from "./streams.js";
