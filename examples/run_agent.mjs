// An agent with its own tool: it runs a CLI, allows only that tool, and prints the agent's messages.
//
//     node run_agent.mjs cli "How long is this sentence?"

import { BadLine, isJSONRPCRequest, launch } from "agentlines";
import { start } from "agentlines/node";

const ABOUT = { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: { name: "own", version: "1" } };
const SCHEMA = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
const TOOL = { name: "count", description: "Counts the characters of a text.", inputSchema: SCHEMA };

/**
 * Returns the MCP server's answer.
 *
 * @param {string} method
 * @param {{ readonly [key: string]: unknown } | undefined} params
 * @returns {{ [key: string]: unknown }}
 */
function serve(method, params) {
  if (method === "initialize") return ABOUT;
  if (method === "tools/list") return { tools: [TOOL] };
  const given = params?.["arguments"];
  if (method === "tools/call" && given instanceof Object && "text" in given) {
    return { content: [{ type: "text", text: String([...String(given.text)].length) }] };
  }
  throw new Error(`this server does not handle ${method} with these parameters`);
}

/**
 * The MCP server. A notification has no answer.
 *
 * @param {import("agentlines").JSONRPCMessageOrUnknown} message
 * @returns {import("agentlines").JSONRPCMessage | null}
 */
function instance(message) {
  if (!isJSONRPCRequest(message)) return null;
  return { jsonrpc: "2.0", id: message.id, result: serve(message.method, message.params) };
}

/**
 * Allows only the tool.
 *
 * @param {string} name
 * @returns {import("agentlines").Closed<import("agentlines").PermissionResult>}
 */
const canUseTool = (name) =>
  name === "mcp__counter__count" ? { behavior: "allow" } : { behavior: "deny", message: "Only counting." };

const [program = "", content = "Hello."] = process.argv.slice(2);
const agent = start(
  "sdk",
  launch({ mcpServers: { counter: { type: "sdk", name: "counter", instance } }, canUseTool }),
  {
    program,
  },
);
await agent.write({ type: "user", message: { role: "user", content }, parent_tool_use_id: null, session_id: "" });
for await (const event of agent) {
  if (event instanceof BadLine || event.event !== "message") continue;
  if (event.message.type === "assistant") {
    for (const block of event.message.message.content) if (block.type === "text") console.log(block.text);
  } else if (event.message.type === "result") {
    console.error(`the turn ended: ${event.message.subtype}`);
    await agent.close();
  }
}
