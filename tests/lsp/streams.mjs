/** Prints what readers of web streams do behind a malformed header: they end, and cancel a source that goes on. */

import { BadLine, decodeStream, read } from "lsp-wire";

/** A stream without an end. */
const garbage = () =>
  new ReadableStream({
    pull: (controller) => controller.enqueue(new TextEncoder().encode("garbage\n")),
    cancel: () => console.log("cancelled"),
  });

for await (const item of garbage().pipeThrough(decodeStream())) console.log(item instanceof BadLine);
const source = garbage();
for await (const item of read(source)) console.log(item instanceof BadLine);
console.log(source.locked);
