import { runCli } from "./commands/cli.ts";
import { processTerminal } from "./commands/terminal.ts";

// Files made here, above all the database, are for this user only.
process.umask(0o077);
const terminal = processTerminal();
const code = await runCli(process.argv.slice(2), terminal);
await terminal.finish();
// Explicitly: unread lines would keep the process running.
process.exit(code);
