import { systemClock } from "../../../src/process/clock.ts";
import { NO_S3 } from "../peers/s3-options.ts";
import { migrate } from "../../../src/migration/migrate.ts";

/**
 * `coffer blobs migrate` without its pause, in a process that a test kills: `bun migration-process.ts DATA_DIR RATE [TO]`.
 * It prints all that it does, and what came of it.
 */
const [, , dataDir = "", rate, to = null] = process.argv;
const say = (what: object) => void process.stdout.write(`${JSON.stringify(what)}\n`);
const migrated = await migrate({
  dataDir,
  to,
  diskReserve: 0,
  s3: NO_S3,
  rate: Number(rate),
  isFull: false,
  isDryRun: false,
  lingerMs: 0,
  clock: systemClock,
  signal: new AbortController().signal,
  tell: say,
});
say(migrated);
