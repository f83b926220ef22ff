/** The functions and classes that read and write messages of the protocol unless they are given another type. */

import * as codec from "./codec.js";
import { ROOT } from "./root.js";
import * as streams from "./streams.js";

export * from "./index.js";
export * as typed from "./typed.js";

// --- values --------------------------------------------------------------------------------------------------------

export const decode = /* @__PURE__ */ codec.withRoot(codec.decode, ROOT);
export const decodeValue = /* @__PURE__ */ codec.withRoot(codec.decodeValue, ROOT);
export const safeDecode = /* @__PURE__ */ codec.withRoot(codec.safeDecode, ROOT);
export const examine = /* @__PURE__ */ codec.withRoot(codec.examine, ROOT);
export const encode = /* @__PURE__ */ codec.withRoot(codec.encode, ROOT);
export const isUnknown = /* @__PURE__ */ codec.isUnknownOf(ROOT);

// --- streams -------------------------------------------------------------------------------------------------------

export const LineDecoder = /* @__PURE__ */ streams.lineDecoderOf(ROOT);
export const Reader = /* @__PURE__ */ streams.readerOf(ROOT);
export const Writer = /* @__PURE__ */ streams.writerOf(ROOT);
export const decodeStream = /* @__PURE__ */ streams.decodeStreamOf(ROOT);
export const read = /* @__PURE__ */ codec.withRoot(streams.read, ROOT);
