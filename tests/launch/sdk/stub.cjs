/**
 * What an SDK starts in place of the CLI: says how it was started, and ends when its input does.
 *
 * It answers every request with success. After the first prompt it writes a message of the kind `system`, which both
 * SDKs hand on, with its name, arguments, environment, working directory and the lines that it has read.
 */

const argv = process.argv.slice(1);
const lines = [];
let rest = "";

const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

// Without these the SDKs end a session whose CLI may be too old for some options.
const applied = {
  hook_on_failure_supported: true,
  hooks_applied: true,
  mcp_servers_applied: true,
  plugins_applied: true,
};

function take(line) {
  const { type, request_id } = JSON.parse(line);
  lines.push(line);
  if (type === "control_request") {
    write({ type: "control_response", response: { subtype: "success", request_id, response: applied } });
  } else if (type === "user") {
    write({ type: "system", subtype: "started", argv, env: process.env, cwd: process.cwd(), lines });
  }
}

process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => {
  const found = (rest + text).split("\n");
  rest = found.pop();
  found.forEach(take);
});
process.stdin.on("end", () => process.exit(0));
