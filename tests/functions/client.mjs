/** A client whose functions are all in its options; it prints what it was told besides. */

import { BadLine, isJSONRPCRequest, launch } from "agentlines";
import { start } from "agentlines/node";

/** @satisfies {import("agentlines").Options["canUseTool"]} */
const mayRun = async (toolName, _, { signal }) => {
  if (toolName === "Bash") return { behavior: "allow" };
  if (toolName === "Write") return { behavior: "allow", updatedInput: {} };
  if (toolName === "Wait") await new Promise((_, reject) => signal.addEventListener("abort", reject));
  if (toolName === "Raise") throw new Error("broken");
  return { behavior: "deny", message: "no" };
};

/** @param {number} number */
const hook = (number) => (/** @type {unknown} */ _, /** @type {string | undefined} */ toolUseId) => ({
  systemMessage: `${number} ${toolUseId ?? "none"}`,
});

/** @param {string} name @returns {import("agentlines").McpSdkServerConfigWithInstance} */
const server = (name) => ({
  type: "sdk",
  name,
  instance: async (message) =>
    isJSONRPCRequest(message) ? { jsonrpc: "2.0", id: message.id, result: { server: name } } : null,
});

let stderr = "";
const options = {
  canUseTool: mayRun,
  hooks: { PreToolUse: [{ hooks: [hook(0), hook(1)] }, { hooks: [hook(2)] }] },
  mcpServers: { first: server("first"), second: server("second") },
  onElicitation: () => ({ action: /** @type {const} */ ("decline") }),
  onUserDialog: () => ({ behavior: /** @type {const} */ ("cancelled") }),
  stderr: (/** @type {string} */ text) => void (stderr += text),
};
const failed = [];
let others = 0;
const process_ = start("sdk", launch(options), { program: process.argv[2] });
for await (const event of process_) {
  if (event instanceof BadLine) continue;
  if (event.event === "failed_answer") failed.push(/** @type {Error} */ (event.error).message);
  if (event.event === "request") others += 1;
}
await process_.exited;
console.log(JSON.stringify({ failed, stderr, others }));
