// Unions are distinguished by their discriminators, with or without unknown variants.

import {
  ContentBlock,
  isKnown,
  isUnknown,
  PERMISSION_MODES,
  type AnyUserMessage,
  type ContentBlockOrUnknown,
  type JSONRPCMessage,
  type KnownPermissionMode,
  type SDKAssistantMessage,
  type SDKControlRequest,
  type SDKControlResponse,
  SDKMessage,
  type SDKMessageOrUnknown,
  type SDKResultError,
  type SDKResultMessage,
  type SDKResultSuccess,
  type SDKSystemMessage,
  type SDKUserMessage,
  type SDKUserMessageReplay,
  type SystemMessage,
  type TextBlock,
  type ToolUseBlock,
  type UnknownBlock,
  type UnknownMessage,
  type WireMessageOrUnknown,
} from "agentlines";

import { typed } from "./expect.js";

export function byType(message: SDKMessage): string {
  switch (message.type) {
    case "assistant":
      typed(message)<SDKAssistantMessage>();
      return message.message.id;
    case "user":
      typed(message)<AnyUserMessage>();
      return message.isReplay ? message.uuid : (message.uuid ?? "");
    case "result":
      typed(message)<SDKResultMessage>();
      return message.total_cost_usd.toFixed(2);
    case "system":
      typed(message)<SystemMessage>();
      return message.session_id;
    case "stream_event":
    case "tool_progress":
    case "auth_status":
    case "tool_use_summary":
    case "rate_limit_event":
    case "prompt_suggestion":
    case "conversation_reset":
      return message.uuid;
    default:
      return message satisfies never;
  }
}

export function bySubtype(message: SDKMessage): string {
  if (message.type === "system" && message.subtype === "init") {
    typed(message)<SDKSystemMessage>();
    return message.claude_code_version;
  }
  if (message.type === "result") {
    if (message.subtype === "success") {
      typed(message)<SDKResultSuccess>();
      return message.result;
    }
    typed(message)<SDKResultError>();
    return message.errors.join();
  }
  return "";
}

export function withTheUnknown(message: SDKMessageOrUnknown): string {
  switch (message.type) {
    case "assistant":
      typed(message)<SDKAssistantMessage>();
      return message.session_id;
    case "system":
      switch (message.subtype) {
        case "init":
          typed(message)<SDKSystemMessage>();
          return message.model;
        case "status":
          return message.status ?? "";
        default:
          return message.subtype;
      }
    case "result":
      return message.subtype === "success" ? message.result : "";
    case "user":
      typed(message)<AnyUserMessage>();
      return message.session_id ?? "";
    case "stream_event":
    case "tool_progress":
    case "auth_status":
    case "tool_use_summary":
    case "rate_limit_event":
    case "prompt_suggestion":
    case "conversation_reset":
      return message.session_id;
    default: {
      const type: string = message.type;
      const field: unknown = message["anything"];
      return `${type} ${String(field)} ${(message.type as string) === "tomorrow"}`;
    }
  }
}

/** To compare with an undeclared tag, the program widens it. */
export function undeclared(message: SDKMessageOrUnknown, block: ContentBlockOrUnknown): unknown {
  if (isUnknown(message)) return (message.type as string) === "zone_entered" ? message["zone"] : undefined;
  if (message.type === "result") {
    if (message.subtype === "error_tomorrow") typed(message)<SDKResultError>();
  }
  return isUnknown(block, ContentBlock) && (block.type as string) === "citation" ? block["cited_text"] : undefined;
}

export function unknownAside(message: SDKMessageOrUnknown, wire: WireMessageOrUnknown): void {
  if (isUnknown(message)) {
    typed(message)<UnknownMessage>();
  } else {
    typed(message)<SDKMessage>();
  }
  if (isUnknown(message, SDKMessage)) return;
  typed(message)<SDKMessage>();
  if (!isUnknown(wire) && wire.type === "control_request") typed(wire)<SDKControlRequest>();
  if (wire.type === "control_response") typed(wire)<SDKControlResponse>();
}

export function blocks(block: ContentBlockOrUnknown): string {
  if (isUnknown(block)) {
    typed(block)<UnknownBlock>();
    return block.type;
  }
  typed(block)<ContentBlock>();
  if (isUnknown(block, ContentBlock)) return block satisfies never;
  switch (block.type) {
    case "text":
      typed(block)<TextBlock>();
      return block.text;
    case "tool_use":
      typed(block)<ToolUseBlock>();
      return block.name;
    default:
      return block.type;
  }
}

export function texts(message: SDKAssistantMessage): string[] {
  return message.message.content.map((block) => (block.type === "text" ? block.text : ""));
}

export function replays(message: AnyUserMessage): void {
  if (message.isReplay) typed(message)<SDKUserMessageReplay>();
  else typed(message)<SDKUserMessage>();
}

export function everyError(message: SDKResultError): void {
  switch (message.subtype) {
    case "error_max_turns":
      break;
    default: {
      const any: `error_${string}` = message.subtype;
      void any;
    }
  }
}

export function openEnums(message: SDKSystemMessage): KnownPermissionMode {
  const mode = message.permissionMode;
  const text: string = mode;
  void text;
  if (isKnown(mode, PERMISSION_MODES)) {
    typed(mode)<KnownPermissionMode>();
    return mode;
  }
  return PERMISSION_MODES[0];
}

export function byKeys(message: JSONRPCMessage): string {
  if ("method" in message) return message.method;
  return "result" in message ? String(message.id) : message.error.message;
}
