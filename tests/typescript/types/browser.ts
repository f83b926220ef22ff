// Browser streams are accepted.

import { SDKMessage, BadLine, decodeStream, read, type SDKMessageOrUnknown } from "agentlines";

import { typed } from "./expect.js";

export async function ofTheWeb(response: Response): Promise<void> {
  if (response.body === null) return;
  const [one, other] = response.body.tee();
  for await (const item of read(one, SDKMessage)) typed(item)<SDKMessageOrUnknown | BadLine>();
  const reader = other.pipeThrough(decodeStream(SDKMessage)).getReader();
  const { value } = await reader.read();
  typed(value)<SDKMessageOrUnknown | BadLine | undefined>();
}
