import { join } from "node:path";
import { type Appliance, type ApplianceOptions, openAppliance } from "../../../src/appliance.ts";
import { loadConfig } from "../../../src/config.ts";
import { GREP_BOUNDS } from "../../../src/domain/limits.ts";
import { createLog } from "../../../src/process/log.ts";
import { Client } from "./client.ts";
import { FakeClock } from "./fake-clock.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "./temporary-directory.ts";

/** With `LOG=1`, what servers write is shown while a test runs. */
export const SHOWS_LOG = process.env["LOG"] === "1";

/** The flags of `serve` that are no settings. */
type StartFlags = Pick<ApplianceOptions, "adoptEmpty" | "forgetDisks" | "upgradeWithoutCopy">;

/** A whole Coffer in this process: real database, files and socket; only the clock is the test's. */
export interface TestAppliance extends AsyncDisposable {
  readonly appliance: Appliance;
  readonly clock: FakeClock;
  /** The data directory. */
  readonly dataDir: string;
  /** Every line of the log so far. */
  readonly lines: string[];
  /** A client with this key; without one, anonymous. */
  client(key?: string): Client;
  /** Closes it if it is open, and opens it again on the same data directory, with these additional settings. */
  restart(changes?: Record<string, string>, options?: StartFlags): Promise<void>;
  close(): Promise<void>;
}

/** High limits, for tests that are not about limits. */
const ROOMY = {
  "rate-limits": "free=100000,pro=100000,team=100000",
  "provisions-per-hour": "100000",
  "disk-reserve": "0",
  // The clock is moved while contents arrive.
  "min-upload-speed": "0",
  "sweep-interval": "1h",
};

/** For tests of what goes when it is deleted or replaced. */
export const KEEPS_NOTHING = { "keep-days": "0" };

/** The start of the command line of what the server starts for one content. */
export const OWN_PROCESS = [process.execPath, join(import.meta.dir, "own-process.ts")] as const;

/** What is so unless a test gives another. */
const DEFAULTS = {
  // What a search finds must not depend on how fast the machine is.
  searchTimes: { settle: 60_000, vector: 60_000, budget: 60_000, snippets: 60_000 },
  grepBounds: { ...GREP_BOUNDS, time: 60_000 },
  // Hashes are made by the hundred. One test holds what they cost otherwise.
  passwordCost: { memoryCost: 8, timeCost: 1 },
  program: OWN_PROCESS,
};

/** What a test may give to its Coffer. */
type Given = Pick<
  ApplianceOptions,
  | "archiveStallMs"
  | "certificateMs"
  | "grepBounds"
  | "passwordCost"
  | "program"
  | "publicNetwork"
  | "streamCommentMs"
> & {
  /** Makes the data directory that it opens. Resolves with the time to start at. */
  readonly prepare?: (dataDir: string) => Promise<number>;
  /** The environment of its settings; empty by default. */
  readonly env?: Readonly<Record<string, string>>;
};

/** Opens a Coffer in a temporary directory. `settings` are flags of `serve`, by their names without dashes. */
export async function startAppliance(
  settings: Record<string, string> = {},
  { prepare, env = {}, ...given }: Given = {},
): Promise<TestAppliance> {
  const directory = await temporaryDirectory(FAST_DIRECTORY);
  const dataDir = join(directory.path, "data");
  const startsAt = await prepare?.(dataDir);
  const flags = { host: "127.0.0.1", port: "0", ...ROOMY, ...settings, "data-dir": dataDir };
  const clock = new FakeClock(startsAt);
  const lines: string[] = [];
  const write = (line: string) => {
    lines.push(line);
    if (SHOWS_LOG) process.stderr.write(`${line}\n`);
  };
  const log = createLog({ format: "json", clock, write });
  const open = (changes: Record<string, string>, starting: StartFlags) => {
    const loaded = loadConfig({ flags: { ...flags, ...changes }, env, isTerminal: false });
    if (!loaded.ok) throw new Error(loaded.problems.join("\n"));
    const parts = { config: loaded.config, clock, log };
    return openAppliance({ ...parts, ...DEFAULTS, ...given, ...starting });
  };
  let appliance = await open({}, {});
  let isOpen = true;
  const close = async () => {
    if (isOpen) await appliance.close(1000);
    isOpen = false;
  };
  return {
    get appliance() {
      return appliance;
    },
    clock,
    dataDir,
    lines,
    client: (key) => new Client(appliance.url, key),
    restart: async (changes = {}, starting = {}) => {
      await close();
      appliance = await open(changes, starting);
      isOpen = true;
    },
    close,
    [Symbol.asyncDispose]: async () => {
      await close();
      await directory[Symbol.asyncDispose]();
    },
  };
}
