/**
 * Starts a stub program with the official TypeScript SDK, once for each record of options.
 *
 *     node run.mjs SDK < RECORDS
 *
 * A record is a line `{id, options, functions}`; `functions` maps places to numbers of functions, where 0 is a single
 * function that is not in a list. Writes the environment of this process, then a line for each record: what the stub
 * received, or the SDK's error.
 */

import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";

/** The number of stubs that run at the same time. */
const AT_ONCE = 2;

const own = { ...process.env };
const sdk = await import(pathToFileURL(process.argv[2]).href);
const records = (await text(process.stdin))
  .split("\n")
  .filter(Boolean)
  .map((line) => JSON.parse(line));

// The SDK may also throw in event handlers after a stub has exited.
process.on("unhandledRejection", () => {});
process.on("uncaughtException", () => {});

function complete({ options, functions }) {
  for (const [place, count] of Object.entries(functions)) {
    const keys = place
      .split("/")
      .slice(1)
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
    const at = keys.slice(0, -1).reduce((value, key) => value[key], options);
    at[keys.at(-1)] = count === 0 ? () => undefined : Array.from({ length: count }, () => () => undefined);
  }
  for (const [name, server] of Object.entries(options.mcpServers ?? {})) {
    if (server.type === "sdk") server.instance = sdk.createSdkMcpServer({ name, tools: [] }).instance;
  }
  return options;
}

async function* prompts() {
  yield { type: "user", session_id: "", message: { role: "user", content: "?" }, parent_tool_use_id: null };
  await new Promise(() => {});
}

async function run(record) {
  const { id } = record;
  let query;
  try {
    query = sdk.query({ prompt: prompts(), options: complete(record) });
    for await (const message of query) {
      if (message.type === "system" && message.subtype === "started") return { id, started: message };
    }
    return { id, error: "the session ended" };
  } catch (error) {
    return { id, error: error.message };
  } finally {
    query?.return?.().catch(() => {});
  }
}

const write = (answer) => process.stdout.write(`${JSON.stringify(answer)}\n`);

async function work() {
  for (let record = records.shift(); record !== undefined; record = records.shift()) write(await run(record));
}

write({ own });
await Promise.all(Array.from({ length: AT_ONCE }, work));
process.stdout.write("", () => process.exit(0));
