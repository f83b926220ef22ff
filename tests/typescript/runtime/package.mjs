/**
 * The packages under test: the one generated in this checkout; in PARCEL, that of a spec with everything that the spec
 * language can express; in SHELF, that of a JSON-RPC protocol; in FORMS, that of a spec with every form of type.
 */

import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

export const GENERATED = path.join(root, "generated", "typescript");

/** The folder of the spec that the package is generated from. */
export const SPEC = path.join(root, "spec");

const load = (folder) => import(pathToFileURL(path.join(folder, "index.js")).href);

export const agent = await load(GENERATED);
export const parcel = process.env.PARCEL === undefined ? undefined : await load(process.env.PARCEL);
export const forms = process.env.FORMS === undefined ? undefined : await load(process.env.FORMS);
export const shelf = process.env.SHELF === undefined ? undefined : await load(process.env.SHELF);

/** Every captured line. */
export function captured() {
  const captures = path.join(root, "tests", "captures");
  return readdirSync(captures)
    .sort()
    .flatMap((version) => readdirSync(path.join(captures, version)).map((name) => path.join(captures, version, name)))
    .filter((file) => file.endsWith(".ndjson"))
    .flatMap((file) => readFileSync(file, "utf8").split("\n"))
    .filter((line) => line.trim() !== "");
}

/** The result of a turn, as a program would create one. */
export function success(changes = {}) {
  return {
    type: "result",
    subtype: "success",
    is_error: false,
    duration_ms: 2,
    duration_api_ms: 1,
    num_turns: 1,
    result: "done",
    stop_reason: null,
    session_id: "s",
    total_cost_usd: 0.5,
    usage: {
      input_tokens: 1,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 1,
      server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
      service_tier: "standard",
      cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    },
    modelUsage: {},
    permission_denials: [],
    uuid: "6ba7b810-9dad-41d1-80b4-00c04fd430c8",
    ...changes,
  };
}

/** The error that a call throws. */
export function thrown(call) {
  try {
    call();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}
