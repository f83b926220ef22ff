// Guards as users of the agent SDK write them: each narrows a message to the interface of its type.

import type {
  SDKAssistantMessage,
  SDKMessage,
  SDKPartialAssistantMessage,
  SDKResultMessage,
  SDKSystemMessage,
  SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";

export const starts = (message: SDKMessage): message is SDKSystemMessage =>
  message.type === "system" && "subtype" in message && message.subtype === "init";

export const isResponse = (message: SDKMessage): message is SDKAssistantMessage => message.type === "assistant";

export const isInput = (message: SDKMessage): message is SDKUserMessage => message.type === "user";

export const ends = (message: SDKMessage): message is SDKResultMessage => message.type === "result";

export const succeeded = (message: SDKResultMessage): boolean => message.subtype === "success";

export const isPart = (message: SDKMessage): message is SDKPartialAssistantMessage => message.type === "stream_event";
