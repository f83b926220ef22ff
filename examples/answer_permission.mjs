// Reads what the CLI says, answers each request for a permission, refuses all other requests, and begins with a prompt.
//
//     node answer_permission.mjs "Make a folder." < lines-from-the-cli > lines-for-the-cli
//
// Connected to a CLI in both directions, this is a whole client: it lets tools that only read run, refuses the others, and
// says on standard error what it did.

import { BadLine, isControlRequest, isRequestOf, isResult, read, refuse, reply, toolInput, Writer } from "agentlines";

const READING = new Set(["Glob", "Grep", "Read"]);
const COMMANDS = new Set(["ls", "pwd"]);

/**
 * The verdict on one call of a tool.
 *
 * @param {import("agentlines").SDKControlPermissionRequest} asked
 * @returns {import("agentlines").Closed<import("agentlines").PermissionResult>}
 */
function verdict(asked) {
  if (READING.has(asked.tool_name)) return { behavior: "allow", updatedInput: asked.input };
  if (asked.tool_name !== "Bash") return { behavior: "deny", message: `${asked.tool_name} is not allowed here.` };
  const { command } = toolInput("Bash", asked.input);
  if (COMMANDS.has(command)) return { behavior: "allow", updatedInput: asked.input };
  return { behavior: "deny", message: `Not without a person: ${command}` };
}

const toCli = new Writer(process.stdout);
const content = process.argv[2] ?? "Hello.";
await toCli.write({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" });
for await (const item of read(process.stdin)) {
  if (item instanceof BadLine) {
    console.error(`line ${item.line}: ${item.error.message}`);
  } else if (isRequestOf(item, "can_use_tool")) {
    const result = verdict(item.request);
    await toCli.write(reply(item, result));
    console.error(`${result.behavior}: ${item.request.tool_name}`);
  } else if (isControlRequest(item)) {
    await toCli.write(refuse(item, "not supported by this client"));
    console.error(`refused: ${item.request.subtype}`);
  } else if (isResult(item)) {
    console.error(`the turn ended: ${item.subtype}`);
  }
}
