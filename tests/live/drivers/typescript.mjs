// Drives the CLI with the TypeScript package: reads commands of the test and writes events, both as lines of JSON.
//
//     node typescript.mjs FOLDER
//
// FOLDER is the generated package.

import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${process.argv[2]}/`);
const agent = await import(new URL("./index.js", folder));
const { start } = await import(new URL("./node.js", folder));

const say = (members) => process.stdout.write(`${JSON.stringify(members)}\n`);
const waiting = [];

/** The request whose members, or itself, are passed to a function. */
const requestOf = (values) =>
  cli.session
    .unanswered()
    .map(({ payload }) => payload)
    .find((each) => [each, ...Object.values(each)].some((part) => part instanceof Object && values.includes(part)));

/** Forwards a request to the test, and returns its answer. */
const ask = (...values) =>
  new Promise((resolve) => {
    say({ asked: waiting.push(resolve) - 1, payload: requestOf(values) });
  });

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { options, hooks, release, program } = JSON.parse((await lines.next()).value);
options.canUseTool = ask;
options.onElicitation = ask;
for (const [event, count] of Object.entries(hooks)) (options.hooks ??= {})[event] = [{ hooks: Array(count).fill(ask) }];
for (const server of Object.values(options.mcpServers ?? {})) if (server.type === "sdk") server.instance = ask;
const cli = start("sdk", agent.launch(options, release), { program });

const events = async () => {
  for await (const event of cli) {
    if (event.event === "message") {
      const line = agent.encode(event.message);
      const { unknown } = agent.examine(line, agent.WireMessage);
      say({ message: JSON.parse(line), unknown });
    } else say(event.event === "stray" ? { stray: event.reason } : { event: event.event });
  }
  say({ ended: true });
};

const obey = async (command) => {
  if ("write" in command) await cli.write(agent.decode(JSON.stringify(command.write)));
  else if ("request" in command)
    await cli.request(command.request).then(
      (result) => say({ answered: command.id, result: result ?? null }),
      (error) => {
        if (!(error instanceof agent.ControlError)) throw error;
        say({ failed: command.id, message: error.message });
      },
    );
  else if ("answer" in command) waiting[command.answer](command.result ?? undefined);
  else if ("close" in command) {
    const { code, stderr } = await cli.close({ grace: command.close * 1000 });
    say({ closed: code, stderr });
  }
};

void events();
say({ initialized: await cli.started.initialize });
for await (const line of lines) void obey(JSON.parse(line));
