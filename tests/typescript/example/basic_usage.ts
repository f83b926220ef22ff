// Reads a session as users of the agent SDK do: `type` selects a message, and its members are there without casts.

import { query } from "@anthropic-ai/claude-agent-sdk";

for await (const message of query({ prompt: "Which pears are ripe?" })) {
  switch (message.type) {
    case "system":
      if (message.subtype === "init") console.log("session", message.session_id);
      break;
    case "assistant":
      console.log("response", message.message.content);
      break;
    case "user":
      console.log("tool result");
      break;
    case "result":
      console.log("cost", message.total_cost_usd);
      break;
  }
}
