// A request knows the type of its answer, and a tool that of its input.

import {
  decodeResponse,
  NoAnswerError,
  reply,
  request,
  toolInput,
  type BashInput,
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
  type SDKControlPermissionRequest,
  type SDKControlRequest,
  type SDKControlResponse,
  type SDKControlRewindFilesRequest,
  type SetPermissionModeResponse,
  type ToolInputs,
} from "agentproto";

import { expect, typed, type Equal } from "./expect.js";

declare const response: SDKControlResponse;
declare const received: SDKControlRequest;

const payload: SDKControlInitializeRequest = { subtype: "initialize", sdkMcpServers: ["files"] };
const initialize = request(payload);
typed(initialize.request)<SDKControlInitializeRequest>();
typed(initialize.request_id)<string>();
typed(decodeResponse(initialize, response))<SDKControlInitializeResponse>();
const envelope: SDKControlRequest = initialize;
typed(decodeResponse(envelope, response))<unknown>();
const interrupt = request({ subtype: "interrupt" }, "req_1");
typed(interrupt.type)<"control_request">();
typed(decodeResponse(interrupt, response))<undefined>();

expect<Equal<ResponseTo<SDKControlInitializeRequest>, SDKControlInitializeResponse>>();
expect<Equal<ResponseTo<SDKControlInterruptRequest>, undefined>>();
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
  if (error instanceof NoAnswerError) typed(error.response)<SDKControlResponse>();
}

// @ts-expect-error: no such request
request({ subtype: "tomorrow" });
// @ts-expect-error: the mode is missing
request({ subtype: "set_permission_mode" });
// @ts-expect-error: this answers another request
reply(initialize, { behavior: "allow" });
