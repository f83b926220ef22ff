// Follows a session and reports when it is silent. A read that takes too long is cancelled, and the next one
// continues where it stopped, so that no message is lost.
//
//     node watch_session.mjs [SECONDS] < lines-from-the-cli

import { BadLine, isUnknown, Reader, SDKMessage } from "agentlines";

const patience = Number(process.argv[2] ?? 10) * 1000;
const reader = new Reader(process.stdin, SDKMessage);
/** @type {Map<string, number>} */
const counts = new Map();

for (let ended = false; !ended;) {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), patience);
  try {
    const { done, value: item } = await reader.next({ signal: silent.signal });
    ended = done === true;
    if (item === undefined) continue;
    const kind =
      item instanceof BadLine ? `bad line (${item.error.code})` : isUnknown(item, SDKMessage) ? "unknown" : item.type;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  } catch (error) {
    if (!silent.signal.aborted) throw error;
    console.error(`nothing for ${patience / 1000} s, after line ${reader.line}`);
  } finally {
    clearTimeout(timer);
  }
}
for (const [kind, count] of [...counts].sort()) console.log(`${kind}: ${count}`);
