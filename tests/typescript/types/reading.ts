// What is read has the type that its name stands for.

import {
  BadLine,
  decode,
  DecodeError,
  decodeValue,
  encode,
  EncodeError,
  examine,
  HOOK_EVENTS,
  is,
  JSONRPCErrorCode,
  LineDecoder,
  NULLS,
  read,
  type BashInput,
  type ByteSource,
  type ContentBlock,
  type ContentBlockOrUnknown,
  type ErrorCode,
  type HookInput,
  type HookInputOrUnknown,
  type Known,
  type Options,
  type PermissionMode,
  type SDKMessage,
  type SDKMessageOrUnknown,
  type SDKUserMessage,
  type Types,
  type WireMessage,
  type WireMessageOrUnknown,
  type WithNulls,
} from "agentproto";

import { expect, typed, type Equal } from "./expect.js";

declare const line: string;
declare const bytes: Uint8Array;

typed(decode(line))<WireMessageOrUnknown>();
typed(decode(bytes, "SDKMessage"))<SDKMessageOrUnknown>();
typed(decode(bytes, "HookInput"))<HookInputOrUnknown>();
typed(decode(bytes, "HookInput", { strict: false }))<HookInputOrUnknown>();
typed(decode(bytes, "HookInput", { strict: true }))<HookInput>();
typed(decode(line, "WireMessage", { strict: true }))<WireMessage>();
typed(decode(line, "Options"))<Options>();
typed(decode(line, "PermissionMode"))<PermissionMode>();
typed(decodeValue({}, "BashInput"))<BashInput>();
typed(decodeValue(JSON.parse(line)))<WireMessageOrUnknown>();
typed(examine(line, "ContentBlock").value)<ContentBlockOrUnknown>();
typed(examine(line).unknown)<string[]>();
typed(examine(line).variant)<keyof Types | "Unknown">();
expect<Equal<Known<ContentBlockOrUnknown>, ContentBlock>>();
expect<Equal<Known<SDKUserMessage>, SDKUserMessage>>();

const prompt: SDKUserMessage = {
  type: "user",
  session_id: "",
  message: { role: "user", content: "Make a folder." },
  parent_tool_use_id: null,
};
typed(encode(prompt))<string>();
encode(prompt, "SDKUserMessage");
encode({ command: "ls" }, "BashInput");
encode(decode(line));

declare const value: unknown;
if (is(value, "HookInput")) typed(value)<HookInputOrUnknown>();
if (is(value, "BashInput")) typed(value.command)<string>();

try {
  decode(line);
} catch (error) {
  if (error instanceof DecodeError || error instanceof EncodeError) {
    typed(error.code)<ErrorCode>();
    typed(error.path)<string>();
    if (error.code === "too_deep") throw error;
  }
}

typed(HOOK_EVENTS[0])<"PreToolUse">();
typed(JSONRPCErrorCode.ParseError)<-32700>();
const account = decode(line, "AccountInfo");
typed((account as typeof account & WithNulls)[NULLS])<string[] | undefined>();

const lines = new LineDecoder();
for (const item of [...lines.feed(bytes), ...lines.finish()]) {
  if (item instanceof BadLine) typed(item.error)<DecodeError>();
  else typed(item)<WireMessageOrUnknown>();
}
typed(new LineDecoder("SDKMessage", { limit: 1000 }).finish())<(SDKMessageOrUnknown | BadLine)[]>();

export async function reading(source: ByteSource): Promise<SDKMessage[]> {
  const found: SDKMessage[] = [];
  for await (const item of read(source, "SDKMessage", { strict: true })) {
    if (item instanceof BadLine) {
      typed(item.line)<number>();
    } else {
      typed(item)<SDKMessageOrUnknown>();
    }
  }
  return found;
}
