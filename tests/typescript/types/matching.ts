// `match` has a branch for each declared value of a discriminator, and `_` if there can be others.

import {
  match,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKMessageOrUnknown,
  type SDKResultError,
  type SDKResultMessage,
  type SDKResultSuccess,
  type SystemMessage,
  type ThinkingConfig,
  type ThinkingConfigOrUnknown,
  type ThinkingEnabled,
  type UnknownMessage,
  type UnknownThinkingConfig,
} from "agentlines";

import { typed } from "./expect.js";

export function ofClosed(config: ThinkingConfig): number | string | undefined {
  const tokens = match(config, "type", {
    adaptive: () => undefined,
    enabled: (enabled) => {
      typed(enabled)<ThinkingEnabled>();
      return enabled.budgetTokens;
    },
    disabled: () => "none",
  });
  typed(tokens)<number | string | undefined>();
  return tokens;
}

export function ofOpen(config: ThinkingConfigOrUnknown): boolean {
  return match(config, "type", {
    adaptive: () => true,
    enabled: ({ budgetTokens }) => (budgetTokens ?? 1) > 0,
    disabled: () => false,
    _: (other) => {
      typed(other)<UnknownThinkingConfig>();
      return false;
    },
  });
}

export function ofPatterns(result: SDKResultMessage): string {
  return match(result, "subtype", {
    success: (done) => {
      typed(done)<SDKResultSuccess>();
      return done.result;
    },
    error_during_execution: ({ errors }) => errors.join(),
    error_max_turns: ({ errors }) => errors.join(),
    error_max_budget_usd: ({ errors }) => errors.join(),
    error_max_structured_output_retries: ({ errors }) => errors.join(),
    _: (failed) => {
      typed(failed)<SDKResultError>();
      return failed.errors.join();
    },
  });
}

type Rest = Exclude<SDKMessage, SDKAssistantMessage | SystemMessage>;

export function ofUnions(message: SDKMessageOrUnknown): string {
  const other = ({ type }: Rest): string => type;
  return match(message, "type", {
    assistant: (said) => {
      typed(said)<SDKAssistantMessage>();
      return said.uuid;
    },
    system: (told) => {
      typed(told.type)<"system">();
      return "subtype" in told ? "system" : "";
    },
    user: other,
    result: () => "result",
    stream_event: other,
    tool_progress: other,
    auth_status: other,
    tool_use_summary: other,
    rate_limit_event: other,
    prompt_suggestion: other,
    conversation_reset: other,
    _: (unknown: UnknownMessage) => String(unknown["type"]),
  });
}
