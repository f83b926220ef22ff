/** The functions and classes that require a type, without a default: a program contains only the types it names. */

export { decode, decodeValue, encode, examine, isUnknown, safeDecode } from "./codec.js";
export {
  decodeStream,
  read,
  TypedLineDecoder as LineDecoder,
  TypedReader as Reader,
  TypedWriter as Writer,
} from "./streams.js";
