/** How messages are separated on a stream. Packages have a generated file in place of this one. */

export { frame, Framing } from "./ndjson.js";
