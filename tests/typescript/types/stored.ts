// A program's own records with messages of the package, as stored by the client of seed 004, one per line.

import {
  decode,
  define,
  encode,
  isAssistant,
  read,
  SDKMessage,
  type BadLine,
  type ByteSource,
  type SDKMessageOrUnknown,
  type TypeToken,
  type ValueOf,
} from "agentlines";

import { expect, typed, type Equal } from "./expect.js";

const stored = <T>(message: TypeToken<T>) =>
  define.record("StoredMessage", {
    id: define.uuid,
    conversationId: define.string,
    agentId: define.string,
    timestamp: define.timestamp,
    claudeMessage: message,
    "costUSD?": define.number,
    "durationMs?": define.nullable(define.integer),
  });

const StoredMessage = stored(SDKMessage);
type StoredMessage = ValueOf<typeof StoredMessage>;

expect<Equal<StoredMessage["claudeMessage"], SDKMessageOrUnknown>>();

export function total(lines: string[]): number {
  const all = lines.map((line) => decode(line, StoredMessage));
  return all.reduce((sum, { costUSD }) => sum + (costUSD ?? 0), 0);
}

export async function texts(source: ByteSource): Promise<string[]> {
  const found: string[] = [];
  for await (const item of read(source, StoredMessage)) {
    typed(item)<StoredMessage | BadLine>();
    if ("claudeMessage" in item && isAssistant(item.claudeMessage)) found.push(item.claudeMessage.message.id);
  }
  return found;
}

const record: StoredMessage = {
  id: "d59d16e8-231a-4cba-b826-a8d57d2b860b",
  conversationId: "c",
  agentId: "a",
  timestamp: "2026-01-01T00:00:00Z",
  claudeMessage: { type: "user", session_id: "", parent_tool_use_id: null, message: { role: "user", content: "Hi" } },
  durationMs: null,
};
encode(record, StoredMessage);
// @ts-expect-error: the agent is missing
encode({ ...record, agentId: undefined }, StoredMessage);
// @ts-expect-error: a string is not a cost
export const cost: StoredMessage["costUSD"] = "1";
