// Reads a session on standard input, and answers its permission requests on standard output.
//
// Reading files is allowed, everything else is denied. Progress is logged to standard error.

import {
  BadLine,
  encode,
  isPermissionRequest,
  isUnknown,
  type PermissionResult,
  read,
  reply,
  type SDKControlPermissionRequest,
  toolInput,
} from "agentlines";

/** Decides whether the tool may run. Known tools have typed inputs. */
function verdict(asked: SDKControlPermissionRequest): PermissionResult {
  switch (asked.tool_name) {
    case "Read":
      return { behavior: "allow", updatedInput: asked.input };
    case "Bash":
      return { behavior: "deny", message: `No commands here: ${toolInput("Bash", asked.input).command}` };
    default:
      return { behavior: "deny", message: `No ${asked.tool_name} here.` };
  }
}

for await (const item of read(process.stdin)) {
  if (item instanceof BadLine) {
    console.error(`line ${item.line}: ${item.error.code} at ${item.error.path || "the top"}`);
    continue;
  }
  if (isUnknown(item)) {
    console.error(`newer than this client: ${item.type}`);
    continue;
  }
  switch (item.type) {
    case "system":
      if (item.subtype === "init") {
        console.error(`session with ${item.model} and ${item.tools.length} tools`);
      }
      break;
    case "assistant":
      for (const block of item.message.content) {
        if (block.type === "text") {
          console.error(`assistant: ${block.text}`);
        } else if (block.type === "tool_use") {
          console.error(`call of ${block.name}`);
        }
      }
      break;
    case "control_request":
      if (isPermissionRequest(item.request)) {
        const result = verdict(item.request);
        console.log(encode(reply(item, result)));
        console.error(`${item.request.tool_name}: ${result.behavior}`);
      }
      break;
    case "result":
      if (item.subtype === "success") {
        console.error(`done: ${item.result}`);
      }
  }
}
