/** The types of a protocol to which `api.d.ts` refers. Packages have a generated file in place of this one. */

import type { UnknownObject } from "./index.js";
import type { Type } from "./run.js";

export declare const ROOT: Type;

/** The type of messages. */
export type Root = unknown;

/** The type of a value by the name of its type. */
export interface Types {}

/** The types of unknown objects by name. */
export interface Unknowns {}

/** Any object that matches no variant of its union. */
export type Unknown = UnknownObject;
