/** Prints what a language server finds: node client.mjs PYTHON SERVER [broken] */

import { BadLine, launch } from "lsp-wire";
import { ProcessError, start } from "lsp-wire/node";

const TEXT = "a wrong word é\nno\nwrong wrong";

const [program, ...arguments_] = process.argv.slice(2);
const server = start("client", launch({ program, arguments: arguments_ }));
const about = { processId: null, rootUri: null, capabilities: {} };
const answer = await server.request({ method: "initialize", params: about });
console.log(answer.serverInfo?.name);
await server.notify({ method: "initialized", params: {} });
const textDocument = { uri: "file:///é", languageId: "words", version: 1, text: TEXT };
await server.notify({ method: "textDocument/didOpen", params: { textDocument } });
for await (const event of server) {
  if (event instanceof BadLine) {
    console.log(`message ${event.line}: ${event.error.code} ${new TextDecoder().decode(event.raw)}`);
    continue;
  }
  if (event.event !== "notification") continue;
  if (event.payload.method === "textDocument/publishDiagnostics") {
    for (const { range, message } of event.payload.params.diagnostics)
      console.log(`${range.start.line}:${range.start.character} '${message.replace("\n", "\\n")}'`);
  }
  if (event.payload.method === "window/logMessage") {
    console.log(event.payload.params.message);
    break;
  }
}
try {
  await server.request({ method: "shutdown" });
  await server.notify({ method: "exit" });
  console.log((await server.close()).code);
} catch (error) {
  if (!(error instanceof ProcessError)) throw error;
  console.log(error.message.includes("behind a malformed header"));
  console.log((await server.close()).code);
}
