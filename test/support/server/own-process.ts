import { readArguments } from "../../../src/commands/command.ts";
import { drawThumbnail, extractText } from "../../../src/commands/own-processes.ts";
import { processTerminal } from "../../../src/commands/terminal.ts";

// What the server starts for a document or a picture, as `main.ts` runs it, but without the server: to load that from
// its source takes ten times as long.

const [name, ...args] = process.argv.slice(2);
const command = [extractText, drawThumbnail].find((one) => one.name === name);
if (command === undefined) throw new Error(`the server starts no "${name}" in tests`);
Bun.unsafe.setJITPolicy(1);
const terminal = processTerminal();
await command.run(readArguments(command, args), terminal);
await terminal.finish();
process.exit(0);
