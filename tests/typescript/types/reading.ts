// A decoded value has the type that its name refers to.

import {
  AccountInfo,
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
  Reader,
  TYPES,
  typed as required,
  BashInput,
  type ByteSource,
  ContentBlock,
  type ContentBlockOrUnknown,
  type ErrorCode,
  HookInput,
  type HookInputOrUnknown,
  type Known,
  Options,
  PermissionMode,
  SDKAssistantMessage,
  SDKMessage,
  type SDKMessageOrUnknown,
  SDKResultError,
  SDKResultMessage,
  type SDKResultMessageOrUnknown,
  SDKResultSuccess,
  SDKUserMessage,
  type Types,
  type UnknownMessage,
  WireMessage,
  type WireMessageOrUnknown,
  type WithNulls,
} from "agentlines";

import { expect, typed, type Equal } from "./expect.js";

declare const line: string;
declare const bytes: Uint8Array;

typed(decode(line))<WireMessageOrUnknown>();
typed(decode(bytes, SDKMessage))<SDKMessageOrUnknown>();
typed(decode(bytes, HookInput))<HookInputOrUnknown>();
typed(decode(bytes, HookInput, { strict: false }))<HookInputOrUnknown>();
typed(decode(bytes, HookInput, { strict: true }))<HookInput>();
typed(decode(line, WireMessage, { strict: true }))<WireMessage>();
typed(decode(line, { strict: true }))<WireMessage>();
typed(decodeValue({}, { strict: true }))<WireMessage>();
typed(decode(line, TYPES.Options))<Options>();
typed(decode(line, Options))<Options>();
typed(decode(line, PermissionMode))<PermissionMode>();
typed(decodeValue({}, BashInput))<BashInput>();
typed(decodeValue(JSON.parse(line)))<WireMessageOrUnknown>();
typed(examine(line, ContentBlock).value)<ContentBlockOrUnknown>();
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
encode(prompt, SDKUserMessage);
encode({ command: "ls" }, BashInput);
encode(decode(line));

declare const value: unknown;
if (is(value, HookInput)) typed(value)<HookInputOrUnknown>();
if (is(value, BashInput)) typed(value.command)<string>();

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
const account = decode(line, AccountInfo);
typed((account as typeof account & WithNulls)[NULLS])<string[] | undefined>();

typed(required.decode(line, HookInput))<HookInputOrUnknown>();
typed(required.decode(line, HookInput, { strict: true }))<HookInput>();
typed(new required.LineDecoder(SDKMessage).next())<SDKMessageOrUnknown | BadLine | undefined>();

const lines = new LineDecoder();
for (const item of [...lines.feed(bytes), ...lines.finish()]) {
  if (item instanceof BadLine) typed(item.error)<DecodeError>();
  else typed(item)<WireMessageOrUnknown>();
}
typed(new LineDecoder(SDKMessage, { limit: 1000 }).finish())<IterableIterator<SDKMessageOrUnknown | BadLine>>();

export async function reading(source: ByteSource): Promise<SDKMessage[]> {
  const found: SDKMessage[] = [];
  for await (const item of read(source, SDKMessage, { strict: true })) {
    if (item instanceof BadLine) {
      typed(item.line)<number>();
    } else {
      typed(item)<SDKMessageOrUnknown>();
    }
  }
  return found;
}

const results = new LineDecoder({ only: [SDKResultSuccess, "SDKResultError"] });
typed(results.next())<SDKResultSuccess | SDKResultError | BadLine | undefined>();
typed(results.skipped)<number>();
typed(new LineDecoder(SDKMessage, { only: [SDKAssistantMessage], strict: true }).finish())<
  IterableIterator<SDKAssistantMessage | BadLine>
>();
typed(new LineDecoder(SDKMessage, { only: [SDKResultMessage] }).next())<
  SDKResultMessageOrUnknown | BadLine | undefined
>();
typed(new LineDecoder({ only: ["UnknownMessage"], limit: 1000 }).next())<UnknownMessage | BadLine | undefined>();
typed(new required.LineDecoder(SDKMessage, { only: [SDKAssistantMessage] }).next())<
  SDKAssistantMessage | BadLine | undefined
>();

export async function costs(source: ByteSource): Promise<number> {
  let sum = 0;
  for await (const item of read(source, { only: [SDKResultSuccess, SDKResultError] })) {
    if (!(item instanceof BadLine)) sum += item.total_cost_usd;
  }
  const reader = new Reader(source, SDKMessage, { only: ["SDKAssistantMessage", "UnknownMessage"] });
  for await (const item of reader) typed(item)<SDKAssistantMessage | UnknownMessage | BadLine>();
  typed(new required.Reader(source, SDKMessage, { only: [SDKAssistantMessage] }))<Reader<SDKAssistantMessage>>();
  const plain: Reader = new Reader(source, { limit: 1000 });
  typed((await plain.next()).value)<WireMessageOrUnknown | BadLine | undefined>();
  return sum + reader.skipped;
}

/** What libraries infer from a Standard Schema. */
type Output<S extends { readonly "~standard": { readonly types?: { readonly output: unknown } | undefined } }> =
  NonNullable<S["~standard"]["types"]>["output"];
expect<Equal<Output<typeof SDKMessage>, SDKMessageOrUnknown>>();
expect<Equal<Output<typeof PermissionMode>, PermissionMode>>();
