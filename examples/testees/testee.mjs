import * as port from "agentlines";

const types = new Map(Object.entries(port.SPEC_NAMES).map(([own, declared]) => [declared, port.TYPES[own]]));
const limits = ["indices", "integers"]; // what JavaScript cannot do
const failed = ({ code, path, message }) => ({ ok: false, code, path, message });

function decoded(data, name, strict) {
  try {
    const { value, variant, unknown } = port.examine(data, name, { strict });
    return { ok: true, variant: port.SPEC_NAMES[variant] ?? variant, json: port.encode(value, name), unknown };
  } catch (error) {
    return error instanceof port.DecodeError ? failed(error) : { problem: error.stack };
  }
}

function* items(chunks, limit, name, strict) {
  const decoder = new port.LineDecoder(name, { strict, limit });
  const item = (found) =>
    found instanceof port.BadLine
      ? { line: found.line, raw: Buffer.from(found.raw).toString("base64"), ...failed(found.error) }
      : { line: decoder.line, ...decoded(port.encode(found, name), name, strict) };
  const bytes = chunks.flatMap((chunk) => [...Buffer.from(chunk, "base64")]);
  for (const byte of bytes) for (const each of decoder.feed(Uint8Array.of(byte))) yield item(each); // one at a time, for `line`
  for (const each of decoder.finish()) yield item(each);
}

function answer({ op, type, mode, json, bytes, chunks, limit }) {
  if (op === "describe") return { language: "typescript", spec: port.SPEC_HASH, limits, types: [...types.keys()] };
  if (!types.has(type)) return { problem: `no type ${type}` };
  if (op === "stream") return { ok: true, items: [...items(chunks, limit, types.get(type), mode === "strict")] };
  return decoded(json ?? Buffer.from(bytes, "base64"), types.get(type), mode === "strict");
}

let rest = ""; // not readline, for which U+2028 ends a line too
for await (const text of process.stdin.setEncoding("utf8")) {
  const lines = (rest + text).split("\n");
  rest = lines.pop();
  for (const line of lines) console.log(JSON.stringify({ id: JSON.parse(line).id, ...answer(JSON.parse(line)) }));
}
