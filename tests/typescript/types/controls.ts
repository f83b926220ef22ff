// A request knows the type of its answer, and a tool that of its input.

import {
  decodeResponse,
  ControlError,
  reply,
  request,
  toolInput,
  isRequestOf,
  refuse,
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
  type SetPermissionModeResponse,
  type ToolInputs,
} from "agentlines";

import { expect, typed, type Equal } from "./expect.js";

declare const response: SDKControlResponse;
declare const received: SDKControlRequest;

const payload: Closed<SDKControlInitializeRequest> = { subtype: "initialize", sdkMcpServers: ["files"] };
const initialize = request(payload);
typed(initialize.request)<Closed<SDKControlInitializeRequest>>();
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
expect<Equal<Responses["set_permission_mode"], SetPermissionModeResponse | undefined>>();
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
  if (isRequestOf(item, "interrupt")) return reply(item);
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
