import { SETTINGS } from "../config/settings.ts";
import { systemClock } from "../process/clock.ts";
import { type Command, CommandError, requireConfig } from "./command.ts";

export const doctor: Command = {
  name: "doctor",
  flags: ["--json", ...Object.values(SETTINGS).map(({ flag }) => flag)],
  summary: "Look for what is wrong with the machine, the data directory and the server, and say what to do",
  help: `  --json            Print each line as JSON.
  --data-dir PATH   The data directory. Works while the server runs, and without it.
                    Give all other flags and variables as for serve: they are looked at too.

Each line begins with ok, warning or error. Contents are not read: for that there is coffer verify.

Exit code: 0 without errors, 1 with some, 2 if nothing could be looked at.`,
  failureCode: 2,
  async run({ values, switches }, terminal) {
    await using opened = new AsyncDisposableStack();
    const config = requireConfig(values, terminal);
    const { openToRead } = await import("../data-directory/read-only-directory.ts");
    const { examine } = await import("../doctor/doctor.ts");
    const checks = await examine(config, await openToRead(config.dataDir, opened), systemClock);
    for (const check of checks) {
      const { level, name, found, advice } = check;
      const line = `${level.padEnd(8)} ${`${name}:`.padEnd(12)} ${found}${advice === null ? "" : `. ${advice}`}`;
      terminal.out(switches.has("json") ? JSON.stringify(check) : line);
    }
    const errors = checks.filter(({ level }) => level === "error").length;
    if (errors > 0) throw new CommandError(`errors: ${errors}. Each line says what to do.`, { exitCode: 1 });
  },
};
