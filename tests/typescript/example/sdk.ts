// Replaces the agent SDK in the examples: our types, and a captured session.

import { createReadStream } from "node:fs";

import { BadLine, isUnknown, read, SDKMessage } from "agentlines";

export type * from "agentlines";

export async function* query(_: { prompt: string }): AsyncGenerator<SDKMessage, void> {
  for await (const message of read(createReadStream(process.argv[2] ?? ""), SDKMessage)) {
    if (message instanceof BadLine) throw message.error;
    if (!isUnknown(message, SDKMessage)) yield message;
  }
}
