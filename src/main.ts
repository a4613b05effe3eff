import { runCli } from "./commands/cli.ts";
import { processTerminal } from "./commands/process-terminal.ts";

// Whatever is made here, the database above all, is for this user alone.
process.umask(0o077);
process.exitCode = await runCli(process.argv.slice(2), processTerminal());
