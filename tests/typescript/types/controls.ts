// The type of a request determines the type of its answer, and the name of a tool the type of its input.

import {
  decodeResponse,
  ControlError,
  reply,
  request,
  toolInput,
  isRequestOf,
  refuse,
  Session,
  SessionError,
  type BashInput,
  type Closed,
  type HookJSONOutput,
  type McpInput,
  type PermissionResult,
  type PermissionResultOrUnknown,
  type Responses,
  type ResponseTo,
  type RewindFilesResult,
  type SDKControlInitializeRequest,
  type SDKControlInitializeResponse,
  type SDKControlInterruptRequest,
  type SDKControlInterruptResponse,
  type SDKControlMcpReconnectRequest,
  type SDKControlPermissionRequest,
  type SDKControlRequest,
  type SDKControlResponse,
  type SDKControlRewindFilesRequest,
  type SDKMessageOrUnknown,
  type SessionEvent,
  type SessionRequest,
  type SDKControlSetPermissionModeResponse,
  type ToolInputs,
} from "agentlines";

import { expect, typed, type Equal } from "./expect.js";

declare const response: SDKControlResponse;
declare const received: SDKControlRequest;

const payload: Closed<SDKControlInitializeRequest> = { subtype: "initialize", sdkMcpServers: ["files"] };
const initialize = request(payload);
typed(initialize.request)<Closed<SDKControlInitializeRequest>>();

// Decoded values have the forms of all releases; new values have the form of the newest.
typed(("" as unknown as SDKControlInitializeRequest).systemPrompt)<string | string[] | undefined>();
typed(payload.systemPrompt)<string[] | undefined>();
request({ subtype: "initialize", systemPrompt: ["Be brief."] });
// @ts-expect-error: up to 0.2.90
request({ subtype: "initialize", systemPrompt: "Be brief." });
typed(initialize.request_id)<string>();
typed(decodeResponse(initialize, response))<SDKControlInitializeResponse>();
const envelope: SDKControlRequest = initialize;
typed(decodeResponse(envelope, response))<unknown>();
const interrupt = request({ subtype: "interrupt" }, "req_1");
typed(interrupt.type)<"control_request">();
typed(decodeResponse(interrupt, response))<SDKControlInterruptResponse | undefined>();
const reconnect = request({ subtype: "mcp_reconnect", serverName: "files" });
typed(decodeResponse(reconnect, response))<undefined>();

expect<Equal<ResponseTo<SDKControlInitializeRequest>, SDKControlInitializeResponse>>();
expect<Equal<ResponseTo<SDKControlInterruptRequest>, SDKControlInterruptResponse | undefined>>();
expect<Equal<ResponseTo<SDKControlMcpReconnectRequest>, undefined>>();
expect<Equal<ResponseTo<SDKControlRewindFilesRequest>, RewindFilesResult>>();
expect<Equal<Responses["set_permission_mode"], SDKControlSetPermissionModeResponse | undefined>>();
expect<Equal<Responses["hook_callback"], HookJSONOutput>>();

if (received.request.subtype === "can_use_tool") {
  const asked: SDKControlPermissionRequest = received.request;
  const allow: PermissionResult = { behavior: "allow", updatedInput: asked.input };
  typed(reply(received, allow))<SDKControlResponse>();
  typed(decodeResponse(asked, response))<PermissionResultOrUnknown>();
  if (asked.tool_name === "Bash") typed(toolInput(asked.tool_name, asked.input))<BashInput>();
  typed(toolInput(asked.tool_name, asked.input))<unknown>();
}

typed(toolInput("mcp__files__list", {}))<McpInput>();
expect<Equal<ToolInputs["Bash"], BashInput>>();

try {
  decodeResponse(initialize, response);
} catch (error) {
  if (error instanceof ControlError) typed(error.response)<SDKControlResponse>();
}

export function answer(item: SDKControlRequest): SDKControlResponse {
  if (isRequestOf(item, "can_use_tool")) {
    typed(item.request)<SDKControlPermissionRequest>();
    // @ts-expect-error: a value is misspelt
    reply(item, { behavior: "alow" });
    // @ts-expect-error: it has to be answered
    reply(item);
    // @ts-expect-error: the message is missing
    reply(item, { behavior: "deny" });
    return reply(item, { behavior: "deny", message: "no" });
  }
  if (isRequestOf(item, "set_permission_mode")) return reply(item);
  if (isRequestOf(item, "interrupt")) {
    // @ts-expect-error: the newest release always answers it
    reply(item);
    return reply(item, { still_queued: [] });
  }
  // @ts-expect-error: a refusal has a text
  refuse(item);
  return refuse(item, "not here");
}

// @ts-expect-error: no such request
request({ subtype: "tomorrow" });
// @ts-expect-error: the mode is missing
request({ subtype: "set_permission_mode" });
// @ts-expect-error: the mode is misspelt
request({ subtype: "set_permission_mode", mode: "aceptEdits" });
request({ subtype: "set_permission_mode", mode: "acceptEdits" });
// @ts-expect-error: this answers another request
reply(initialize, { behavior: "allow" });

// Each side of a connection can send only its own requests, and answers those of the other side.

const session = new Session("sdk", { refuseUnknown: true });
typed(session.request({ subtype: "interrupt" }))<{ id: string; line: string }>();
typed(session.request({ subtype: "set_permission_mode", mode: "plan" }, "req_1").line)<string>();
// @ts-expect-error: the CLI asks this
session.request({ subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t" });
// @ts-expect-error: the mode is misspelt
session.request({ subtype: "set_permission_mode", mode: "plam" });
new Session("cli").request({ subtype: "can_use_tool", tool_name: "Bash", input: {}, tool_use_id: "t" });
// @ts-expect-error: no such peer
new Session("server");
// @ts-expect-error: the protocol has no notifications
session.notify;

export function handled(message: SDKMessageOrUnknown): string | undefined {
  const event = session.receive(message);
  expect<Equal<typeof event, SessionEvent<SDKMessageOrUnknown>>>();
  switch (event.event) {
    case "message":
      typed(event.message)<SDKMessageOrUnknown>();
      return undefined;
    case "request":
      typed(event.id)<string>();
      if (event.kind === "can_use_tool") {
        typed(event.payload)<SDKControlPermissionRequest>();
        // @ts-expect-error: the message is missing
        session.reply(event.envelope, { behavior: "deny" });
        // @ts-expect-error: it has to be answered
        session.reply(event.envelope);
        return session.reply(event.envelope, { behavior: "deny", message: "no" });
      }
      if (isRequestOf(event.envelope, "set_permission_mode")) return session.reply(event.envelope);
      return session.refuse(event.envelope, "not here");
    case "unknown_request":
      return event.line;
    case "answer":
      if (event.kind === "set_permission_mode") typed(event.result)<SDKControlSetPermissionModeResponse | undefined>();
      if (event.kind === "mcp_reconnect") typed(event.result)<undefined>();
      if (event.kind === "initialize") typed(event.request)<SDKControlInitializeRequest>();
      return undefined;
    case "failure":
      typed(event.id)<string | undefined>();
      typed(event.message)<string>();
      return undefined;
    case "invalid_answer":
      typed(event.error.path)<string>();
      typed(event.message)<SDKMessageOrUnknown>();
      return undefined;
    case "cancellation":
      return event.payload.subtype;
    case "stray":
      typed(event.reason)<"unknown" | "late" | "repeated" | "reused">();
      return undefined;
  }
}

typed(session.pending()[0]?.id)<string | undefined>();
typed(session.unanswered())<SessionRequest[]>();
typed(session.cancel("req_1"))<string>();
try {
  session.cancel("req_2");
} catch (error) {
  if (error instanceof SessionError && error.code === "not_pending") typed(error.message)<string>();
}
