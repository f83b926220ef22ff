// Mistakes do not compile. The correct code beside them shows that only the mistake is at fault.

import {
  BashInput,
  decode,
  encode,
  HOOK_EVENTS,
  isAssistant,
  isJSONRPCRequest,
  isUnknown,
  LineDecoder,
  match,
  PERMISSION_MODES,
  type CanUseTool,
  type Closed,
  type ContentBlock,
  type ContentBlockOrUnknown,
  type HookCallback,
  type HookInput,
  type OnElicitation,
  type Options,
  type PermissionMode,
  type SDKHookResponseMessage,
  SDKMessage,
  type SDKMessageOrUnknown,
  type SDKResultError,
  type SDKStatusMessage,
  SDKUserMessage,
  type TextBlock,
  type ThinkingConfigOrUnknown,
  type ThinkingEnabled,
  type Types,
  type UnknownBlock,
  type UnknownTag,
} from "agentlines";

declare const message: SDKMessageOrUnknown;
declare const block: ContentBlockOrUnknown;
declare const hook: SDKHookResponseMessage;

// Tags and members.
export const text: ContentBlockOrUnknown = { type: "text", text: "Hello", citations: null };
// @ts-expect-error: the text is missing
export const noText: ContentBlockOrUnknown = { type: "text" };
// @ts-expect-error: a member is misspelt
export const misspelt: ContentBlockOrUnknown = { type: "text", txt: "Hello" };
// @ts-expect-error: no variant has this tag
export const noVariant: ContentBlockOrUnknown = { type: "tomorrow", text: "Hello" };
// @ts-expect-error: a program cannot create an unknown tag
export const tag: UnknownTag = "image";
// @ts-expect-error: a declared tag is misspelt
export const typo = message.type === "asistant";
// @ts-expect-error: a declared tag is misspelt
export const nested = message.type === "system" && message.subtype === "inti";
// @ts-expect-error: it is one of the declared tags, with another ending
export const ending = block.type === "text_";
// @ts-expect-error: a program cannot create an unknown object
export const unknown: UnknownBlock = { type: "tomorrow" };
// @ts-expect-error: the wrong kind of value
export const kind: TextBlock = { type: "text", text: 1, citations: null };

// Absent and null.
export const plain: SDKUserMessage = {
  type: "user",
  session_id: "",
  message: { role: "user", content: [] },
  parent_tool_use_id: null,
};
// @ts-expect-error: it may be absent but not null
export const nothing: SDKUserMessage = { ...plain, isSynthetic: null };
// @ts-expect-error: it may be absent, but not undefined
export const absent: SDKUserMessage = { ...plain, isSynthetic: undefined };
// @ts-expect-error: it may be null but not absent
export const missing: SDKUserMessage = { type: "user", session_id: "", message: plain.message };
// @ts-expect-error: no such member
export const surplus: SDKUserMessage = { ...plain, priorty: "later" };
// @ts-expect-error: true makes it a replay
export const replay: SDKUserMessage = { ...plain, isReplay: true };
// @ts-expect-error: it may be absent
export const code: number = hook.exit_code;

// Enums.
export const mode: PermissionMode = "tomorrow";
// @ts-expect-error: a number is not a mode
export const number: PermissionMode = 1;
export const status: SDKStatusMessage["status"] = null;
// @ts-expect-error: only strings with the prefix are errors
export const error: SDKResultError["subtype"] = "failure";
export const newer: SDKResultError["subtype"] = "error_tomorrow";
// @ts-expect-error: constants do not change
HOOK_EVENTS.push("Stop");
// @ts-expect-error: there are fewer
PERMISSION_MODES[6].length;

// Keys of a map by an open enum: any key in decoded values, only declared keys in values that a program writes.
export const hooks: Options["hooks"] = { PreToolUsee: [] };
export const closedHooks: Closed<Options>["hooks"] = { PreToolUse: [] };
// @ts-expect-error: the key is misspelt
export const misspeltHooks: Closed<Options>["hooks"] = { PreToolUsee: [] };
export const closedEnv: Closed<Options>["env"] = { ANYTHING: "1" };

// Options that are never sent have types too.
export const options: Options = {
  canUseTool: (tool, input, { tool_use_id, signal }) =>
    tool === "Bash" && tool_use_id !== "" && signal !== undefined
      ? { behavior: "allow", updatedInput: input }
      : { behavior: "deny", message: "no" },
  onElicitation: async (asked) => ({ action: asked.mode === "url" ? "decline" : "accept" }),
  hooks: {
    Stop: [
      { hooks: [(input, id) => ({ systemMessage: id ?? input.hook_event_name }), async () => ({})] },
      { hooks: [async (input: HookInput) => ({ continue: input.hook_event_name !== "Stop" })] },
    ],
  },
  mcpServers: {
    own: {
      type: "sdk",
      name: "own",
      instance: (message, { server_name }) =>
        isJSONRPCRequest(message) ? { jsonrpc: "2.0", id: message.id, result: { server_name } } : null,
    },
  },
  stderr: (text) => void text.length,
  spawnClaudeCodeProcess: (command: { readonly name: string }) => command.name,
};
export const permit: CanUseTool = async (tool, input) =>
  tool === "Bash" ? { behavior: "allow", updatedInput: input } : { behavior: "deny", message: "no" };
export const audit: HookCallback = (input: HookInput, id) => ({ systemMessage: id ?? input.hook_event_name });
export const ask: OnElicitation = ({ mode }, { signal }) => ({ action: mode && !signal ? "accept" : "decline" });
export const named: Options = { canUseTool: permit, onElicitation: ask, hooks: { Stop: [{ hooks: [audit] }] } };
// @ts-expect-error: an answer is missing its message
export const noReason: CanUseTool = () => ({ behavior: "deny" });
// @ts-expect-error: a hook's output is misspelt
export const noMessage: HookCallback = () => ({ systemMessage: 1 });
// @ts-expect-error: the request has no such member
export const noMember: Options = { canUseTool: (_tool, _input, { tool_name }) => void tool_name };
// @ts-expect-error: an answer is missing its message
export const noAnswer: Options = { canUseTool: () => ({ behavior: "deny" }) };
// @ts-expect-error: a name is not a function
export const noHook: Options = { hooks: { Stop: [{ hooks: ["hook_0"] }] } };
// @ts-expect-error: a hook does not take a number
export const noInput: Options = { hooks: { Stop: [{ hooks: [(input: number) => ({ systemMessage: `${input}` })] }] } };
// @ts-expect-error: a hook's output is misspelt
export const noOutput: Options = { hooks: { Stop: [{ hooks: [() => ({ systemMessage: 1 })] }] } };
// @ts-expect-error: a string is not a function
export const noFunction: Options = { spawnClaudeCodeProcess: "node" };

// Unions.
// @ts-expect-error: not every message has one
message.message;
// @ts-expect-error: it may be unknown
export const known: SDKMessage = message;
// @ts-expect-error: it may be unknown
export const knownBlock: ContentBlock = block;
// @ts-expect-error: it may be any kind of block
block.text;
if (isAssistant(message)) {
  // @ts-expect-error: an assistant message has no such member
  message.total_cost_usd;
}
if (message.type === "result" && message.subtype === "success") {
  // @ts-expect-error: only failed results have it
  message.errors;
}
// @ts-expect-error: none of the known messages has that type
export const never: boolean = ({} as SDKMessage).type === "tomorrow";

// Branches.
declare const config: ThinkingConfigOrUnknown;
const branches = { adaptive: () => 0, enabled: () => 1, disabled: () => 2, _: () => 3 };
match(config, "type", branches);
// @ts-expect-error: it may be unknown
match(config, "type", { adaptive: () => 0, enabled: () => 1, disabled: () => 2 });
// @ts-expect-error: a branch is missing
match(config, "type", { adaptive: () => 0, disabled: () => 2, _: () => 3 });
// @ts-expect-error: a branch is misspelt
match(config, "type", { adaptive: () => 0, enabeld: () => 1, disabled: () => 2, _: () => 3 });
// @ts-expect-error: an unknown object has no such member
match(config, "type", { ...branches, _: (other: ThinkingEnabled) => other.budgetTokens });
// @ts-expect-error: another variant has it
match(config, "type", { ...branches, adaptive: ({ budgetTokens }) => budgetTokens });
// @ts-expect-error: no such member
match(config, "kind", branches);

// Functions.
// @ts-expect-error: no such type
decode("{}", "Tomorrow");
// @ts-expect-error: parsed data is for decodeValue
decode({});
// @ts-expect-error: no such option
decode("{}", SDKMessage, { loose: true });
// @ts-expect-error: the command is missing
encode({ timeout: 1 }, BashInput);
// @ts-expect-error: a hook input is not a message
encode({ hook_event_name: "Stop" });
// @ts-expect-error: only unions have an unknown variant
isUnknown(message, SDKUserMessage);
// @ts-expect-error: no such type
new LineDecoder("Tomorrow");
// @ts-expect-error: no such type
new LineDecoder({ only: ["Tomorrow"] });
// @ts-expect-error: types are in an array
new LineDecoder({ only: "SDKUserMessage" });
// @ts-expect-error: only bytes are accepted, so that no character is split
new LineDecoder().feed("{}");
// @ts-expect-error: it may be absent
export const limit: number = ({} as Options).maxTurns;
// @ts-expect-error: there may be no such entry
export const variable: string = ({} as Types["SDKUpdateEnvironmentVariablesMessage"]).variables["HOME"];
