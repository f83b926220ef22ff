import type {
  SDKMessage,
  SDKSystemMessage,
  SDKAssistantMessage,
  SDKUserMessage,
  SDKResultMessage,
  SDKPartialAssistantMessage
} from '@anthropic-ai/claude-agent-sdk';

function isSystemInit(msg: SDKMessage): msg is SDKSystemMessage {
  return msg.type === 'system' && 'subtype' in msg && msg.subtype === 'init';
}

function isAssistant(msg: SDKMessage): msg is SDKAssistantMessage {
  return msg.type === 'assistant';
}

function isUser(msg: SDKMessage): msg is SDKUserMessage {
  return msg.type === 'user';
}

function isResult(msg: SDKMessage): msg is SDKResultMessage {
  return msg.type === 'result';
}

function isSuccess(msg: SDKResultMessage): boolean {
  return msg.subtype === 'success';
}

function isStreamEvent(msg: SDKMessage): msg is SDKPartialAssistantMessage {
  return msg.type === 'stream_event';
}
