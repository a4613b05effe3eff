import { runCli } from "./commands/cli.ts";
import { processTerminal } from "./commands/process-terminal.ts";

// Whatever is made here, the database above all, is for this user alone.
process.umask(0o077);
const terminal = processTerminal();
const code = await runCli(process.argv.slice(2), terminal);
await terminal.finish();
// Not by itself: lines that nobody reads would keep the process.
process.exit(code);
