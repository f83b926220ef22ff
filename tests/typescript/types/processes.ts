// A process is a session with I/O: requests return answers of the matching types.

import {
  BadLine,
  launch,
  type Closed,
  type PermissionResult,
  type SessionEvent,
  type SDKControlSetPermissionModeResponse,
} from "agentlines";
import { ProcessError, start, type FailedAnswer, type ProcessEnd } from "agentlines/node";

import { typed } from "./expect.js";

const launched = launch({ model: "small", pathToClaudeCodeExecutable: "cli.js" });
const running = start("sdk", launched, {
  program: "node",
  answers: {
    can_use_tool(asked, { id, signal }) {
      typed(asked.tool_name)<string>();
      typed(id)<string>();
      typed(signal)<AbortSignal>();
      return { behavior: "allow", updatedInput: asked.input };
    },
    // @ts-expect-error: a value is misspelt
    hook_callback: async () => ({ decision: "aprove" }),
    mcp_message: async () => undefined,
  },
  stderr: (text) => console.error(text),
  signal: new AbortController().signal,
});
const [called] = launched.functions;
if (called !== undefined) {
  typed(called.place)<string>();
  typed(called.control)<string | undefined>();
}
// @ts-expect-error: no such request
start("sdk", launched, { answers: { tomorrow: () => undefined } });

export async function used(result: Closed<PermissionResult>): Promise<ProcessEnd> {
  typed(await running.request({ subtype: "set_permission_mode", mode: "plan" }))<
    SDKControlSetPermissionModeResponse | undefined
  >();
  // @ts-expect-error: only the CLI sends this request
  await running.request({ subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t" });
  for await (const event of running) {
    if (event instanceof BadLine) continue;
    typed(event)<SessionEvent | FailedAnswer>();
    if (event.event === "failed_answer") {
      typed(event.id)<string>();
      typed(event.error)<unknown>();
      if (event.kind === "can_use_tool") typed(event.payload.tool_name)<string>();
      continue;
    }
    if (event.event === "request" && event.kind === "can_use_tool") await running.reply(event.envelope, result);
    if (event.event === "request") await running.refuse(event.envelope, "not here");
  }
  try {
    await running.started["initialize"];
  } catch (error) {
    if (error instanceof ProcessError) typed(error.code)<number | null>();
  }
  return running.close({ grace: 100 });
}
