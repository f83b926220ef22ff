// A client that answers requests: it runs a CLI, allows only tools that read, and has a hook that denies network
// access.
//
//     node answer_requests.mjs cli "Make a folder."

import { BadLine, launch, toolInput } from "agentlines";
import { start } from "agentlines/node";

const READING = new Set(["Glob", "Grep", "Read"]);

/**
 * Decides on a tool call.
 *
 * @param {string} name
 * @param {{ [key: string]: unknown }} input
 * @returns {import("agentlines").Closed<import("agentlines").PermissionResult>}
 */
function canUseTool(name, input) {
  if (READING.has(name)) return { behavior: "allow" };
  if (name !== "Bash") return { behavior: "deny", message: `${name} is not allowed here.` };
  const { command } = toolInput("Bash", input);
  return { behavior: "deny", message: `Not without a person: ${command}` };
}

/**
 * The hook. It makes no decision on tools that need no network.
 *
 * @param {import("agentlines").HookInputOrUnknown} event
 * @returns {Promise<import("agentlines").Closed<import("agentlines").HookJSONOutput>>}
 */
async function beforeTool(event) {
  if (event.hook_event_name !== "PreToolUse" || event.tool_name !== "WebFetch") return {};
  const permissionDecisionReason = "WebFetch needs a network.";
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "deny", permissionDecisionReason } };
}

const [program = "", content = "Hello."] = process.argv.slice(2);
const options = { canUseTool, hooks: { PreToolUse: [{ hooks: [beforeTool] }] } };
const agent = start("sdk", launch(options), { program });
await agent.write({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" });
for await (const event of agent) {
  if (event instanceof BadLine || event.event !== "message" || event.message.type !== "result") continue;
  console.error(`the turn ended: ${event.message.subtype}`);
  await agent.close();
}
