import { systemClock } from "../../../src/process/clock.ts";
import { loadConfig } from "../../../src/config.ts";
import { migrate } from "../../../src/migration/migrate.ts";

/**
 * `coffer blobs migrate` without its pause, in a process that a test kills: `bun migration-process.ts DATA_DIR RATE [TO]`.
 * How a bucket is reached, says its environment. It prints all that it does, and what came of it.
 */
const [, , dataDir = "", rate, to = null] = process.argv;
const say = (what: object) => void process.stdout.write(`${JSON.stringify(what)}\n`);
const loaded = loadConfig({ flags: { "data-dir": dataDir }, isTerminal: false });
if (!loaded.ok) throw new Error(loaded.problems.join("\n"));
const migrated = await migrate({
  dataDir,
  to,
  diskReserve: 0,
  s3: loaded.config.s3,
  rate: Number(rate),
  isFull: false,
  isDryRun: false,
  lingerMs: 0,
  clock: systemClock,
  signal: new AbortController().signal,
  tell: say,
});
say(migrated);
