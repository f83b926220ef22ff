/** The type of messages. Packages have a generated file in place of this one. */

export { json as ROOT } from "./define.js";
