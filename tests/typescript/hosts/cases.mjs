/**
 * Runs cases on a package, using only what every JavaScript runtime has, and reports those with a different outcome.
 */

/** The outcomes that differ from the expected ones; a case whose type is not in the package is skipped. */
export function run(agent, cases) {
  const types = new Map(Object.entries(agent.SPEC_NAMES).map(([name, spec]) => [spec, agent.TYPES[name]]));
  const own = cases.filter(({ type }) => types.has(type));
  const wrong = [];
  for (const { name, type, strict, data, chunks, limit, only, ...outcomes } of own) {
    const options = { strict, limit, only: only?.map((each) => types.get(each) ?? each) };
    const wanted = (TELLS_SOURCE && outcomes.exactly) || outcomes.wanted;
    const found = chunks
      ? streamed(agent, chunks.map(bytes), types.get(type), options)
      : outcome(agent, typeof data === "string" ? data : bytes(data.base64), types.get(type), options);
    if (found !== wanted) wrong.push(`${name}: ${found}, not ${wanted}`);
  }
  return { cases: own.length, wrong };
}

/** Whether the engine provides the source text of a number, and can write a number by its text. */
const TELLS_SOURCE =
  typeof JSON.rawJSON === "function" && JSON.parse("1", (_, value, context) => context?.source) === "1";

const bytes = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));

function outcome(agent, data, type, { strict }) {
  try {
    const value = agent.decode(data, type, { strict });
    const line = agent.encode(value, type);
    return agent.encode(agent.decode(line, type), type) === line && agent.is(value, type) ? "ok" : "not stable";
  } catch (error) {
    return error instanceof agent.DecodeError ? `${error.code} ${error.path}` : String(error);
  }
}

function streamed(agent, chunks, type, options) {
  const decoder = new agent.LineDecoder(type, options);
  const items = [...chunks.flatMap((chunk) => [...decoder.feed(chunk)]), ...decoder.finish()];
  const told = items.map((item) =>
    item instanceof agent.BadLine ? `${item.line} ${item.error.code} ${item.error.path}` : "ok",
  );
  return told.join(", ");
}
