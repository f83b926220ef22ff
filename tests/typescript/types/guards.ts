// Guards narrow any argument, a value of any type or a union.

import {
  decode,
  isAssistant,
  isContentBlock,
  isHookInput,
  isPreToolUseHookInput,
  isResult,
  isSDKMessage,
  isStreamEvent,
  isSuccess,
  isSystem,
  isSystemInit,
  isTextBlock,
  isUser,
  isUserMessageReplay,
  type AnyUserMessage,
  type ContentBlock,
  type HookInput,
  type PreToolUseHookInput,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKMessageOrUnknown,
  type SDKPartialAssistantMessage,
  type SDKResultError,
  type SDKResultMessage,
  type SDKResultSuccess,
  type SDKSystemMessage,
  type SDKUserMessageReplay,
  type SystemMessage,
  type TextBlock,
} from "agentlines";

import { typed } from "./expect.js";

export function ofAnything(value: unknown): void {
  if (isSystemInit(value)) typed(value)<SDKSystemMessage>();
  if (isAssistant(value)) typed(value)<SDKAssistantMessage>();
  if (isUser(value)) typed(value)<AnyUserMessage>();
  if (isUserMessageReplay(value)) typed(value)<SDKUserMessageReplay>();
  if (isResult(value)) typed(value)<SDKResultMessage>();
  if (isSuccess(value)) typed(value)<SDKResultSuccess>();
  if (isStreamEvent(value)) typed(value)<SDKPartialAssistantMessage>();
  if (isSystem(value)) typed(value)<SystemMessage>();
  if (isSDKMessage(value)) typed(value)<SDKMessage>();
  if (isContentBlock(value)) typed(value)<ContentBlock>();
  if (isHookInput(value)) typed(value)<HookInput>();
  if (isPreToolUseHookInput(value)) typed(value)<PreToolUseHookInput>();
}

export function ofMessages(message: SDKMessage): string {
  if (isResult(message)) {
    if (isSuccess(message)) {
      typed(message)<SDKResultSuccess>();
      return message.result;
    }
    typed(message)<SDKResultError>();
    return message.errors.join();
  }
  typed(message)<Exclude<SDKMessage, SDKResultMessage>>();
  if (isSystemInit(message)) return message.model;
  typed(message)<Exclude<SDKMessage, SDKResultMessage | SDKSystemMessage>>();
  return message.type;
}

export function inLists(messages: SDKMessageOrUnknown[], lines: string[]): void {
  typed(messages.filter(isAssistant))<SDKAssistantMessage[]>();
  typed(lines.map((line) => decode(line)).find(isResult))<SDKResultMessage | undefined>();
  for (const { message } of messages.filter(isAssistant)) {
    typed(message.content.filter(isTextBlock))<TextBlock[]>();
  }
}
