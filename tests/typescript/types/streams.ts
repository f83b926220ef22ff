// Node streams and web streams are accepted, if the environment has them.

import { createReadStream } from "node:fs";
import { stdin } from "node:process";
import { ReadableStream as NodeStream } from "node:stream/web";

import { BadLine, decodeStream, read, SDKMessage, type SDKMessageOrUnknown } from "agentlines";

import { typed } from "./expect.js";

export async function ofNode(path: string, web: NodeStream<Uint8Array>): Promise<void> {
  for (const source of [createReadStream(path), stdin, web]) {
    for await (const item of read(source, SDKMessage)) typed(item)<SDKMessageOrUnknown | BadLine>();
  }
  for await (const item of new NodeStream<Uint8Array>().pipeThrough(decodeStream(SDKMessage))) {
    typed(item)<SDKMessageOrUnknown | BadLine>();
  }
}
