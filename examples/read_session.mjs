import { BadLine, isSuccess, isUnknown, read } from "agentlines";

for await (const item of read(process.stdin)) {
  if (item instanceof BadLine) {
    console.error(`line ${item.line}: ${item.error.code}: ${item.error.message}`);
  } else if (isUnknown(item)) {
    console.error("newer than this package:", item);
  } else if (item.type === "assistant") {
    console.log(item.message.content);
  } else if (isSuccess(item)) {
    console.log(item.result);
  }
}
