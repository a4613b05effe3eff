import { expect, test } from "bun:test";
import { mkdtempSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rowsIn } from "../../support/faults/change-database.ts";
import { verified } from "../../support/faults/verified.ts";
import type { Client } from "../../support/server/client.ts";
import { type Agent, provision, run, serve, type Server, signUp } from "../../support/server/executable.ts";
import { runHere } from "../../support/server/run-here.ts";
import { eventually } from "../../support/server/scenario.ts";
import { settledIndex } from "../../support/server/settled-index.ts";
import { withReason } from "../../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

/** Preloaded into a process by `faketime`; Debian's package `libfaketime` has it. */
const LIBRARY = findLibrary();

/** Why tests that set the clock of the executable are skipped; empty if they can run. */
const NO_FAKETIME = LIBRARY === null ? "faketime is not installed" : "";

function findLibrary(): string | null {
  if (Bun.which("faketime") === null) return null;
  const { stdout } = Bun.spawnSync(["faketime", "-f", "+0", "sh", "-c", 'echo "$LD_PRELOAD"']);
  const path = stdout.toString().trim().split(":").at(-1) ?? "";
  return path === "" ? null : path;
}

/** A clock for the executable, which can be set while that runs: to an offset, as for `faketime -f`, such as `+31d`. */
function executableClock(directory: string) {
  const file = join(mkdtempSync(join(directory, "clock-")), "offset");
  const setTo = (offset: string) => {
    writeFileSync(`${file}.new`, `${offset}\n`);
    renameSync(`${file}.new`, file);
  };
  setTo("+0");
  return {
    setTo,
    env: {
      LD_PRELOAD: LIBRARY ?? "",
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      // Timers, and the times of files, are as they are.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      NO_FAKE_STAT: "1",
    },
  };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** What the server writes and checks by itself is due all the time. */
const BUSY = { COFFER_SWEEP_INTERVAL: "10ms" };

function put(client: Client, drive: string, path: string): Promise<number> {
  return client.status("PUT", `/v0/files?drive_id=${drive}&path=${path}`, { body: path });
}

async function timeOf(server: Server): Promise<number> {
  const { data } = await server
    .client()
    .post<{ data: { expires_at: string } }>("/v0/drives/provision", { name: "Time" });
  return Date.parse(data.expires_at) - 30 * DAY_MS;
}

/** Waits until a sweep has removed what may be removed: a drive that is deleted by hand. */
async function sweep(dataDir: string, { client, drive }: Agent): Promise<void> {
  await client.delete(`/v0/drives/${drive}`);
  await eventually(() => countIn(dataDir, "SELECT count(*) FROM drive WHERE deleted_at IS NOT NULL") === 0);
}

function countIn(dataDir: string, query: string): unknown {
  return rowsIn(dataDir, query)[0]?.[0];
}

test.skipIf(NO_FAKETIME !== "")(
  withReason(
    "a clock that is a month ahead for a while, at a start or later, costs nobody a file",
    NO_FAKETIME,
  ),
  async () => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    const clock = executableClock(place.path);
    const start = () => serve({ dataDir: place.dataDir, env: { ...BUSY, ...clock.env } });
    await using first = await start();
    const agent = await provision(first);
    await sweep(place.dataDir, await provision(first));
    expect(await put(agent.client, agent.drive, "kept.txt")).toBe(201);
    clock.setTo("+31d");
    expect(await put(agent.client, agent.drive, "late.txt")).toBe(401);
    await first.stdout.until(/the clock was set forward/);
    await sweep(place.dataDir, await provision(first));
    expect(await first.stop()).toBe(0);
    // The doubt outlives another start.
    for (let n = 0; n < 2; n += 1) {
      await using server = await start();
      await server.stdout.until(/no server ran for long, or the clock is wrong/);
      await sweep(place.dataDir, await provision(server));
      expect(await server.stop()).toBe(0);
    }
    clock.setTo("-1d");
    await using server = await start();
    const client = server.client(agent.key);
    const { total } = await client.get<{ total: number }>(`/v0/files?drive_id=${agent.drive}`);
    expect(total).toBe(1);
    expect(await put(client, agent.drive, "again.txt")).toBe(201);
    expect(await verified(place.dataDir)).toEqual([]);
  },
);

test.skipIf(NO_FAKETIME !== "")(
  withReason(
    "a clock that jumps while the server runs blocks nobody, and what is written stays in order",
    NO_FAKETIME,
  ),
  async () => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    const { dataDir } = place;
    const clock = executableClock(place.path);
    const env = { ...BUSY, ...clock.env, COFFER_RATE_LIMITS: "free=12,pro=300,team=12" };
    await using server = await serve({ dataDir, env });
    const { client, drive } = await signUp(server, "ada");
    for (const [index, offset] of ["+0", "+31d", "-1d", "+0"].entries()) {
      clock.setTo(offset);
      const days = Number.parseInt(offset, 10) * DAY_MS;
      expect(
        Math.abs((await timeOf(server)) - Date.now() - days * (offset.endsWith("d") ? 1 : 0)),
      ).toBeLessThan(DAY_MS / 24);
      // Each is a window of its own for the rate limit, whatever the clock says.
      for (let n = 0; n < 3; n += 1) expect(await put(client, drive, `${index}-${n}.txt`)).toBe(201);
      await settledIndex(dataDir);
      const found = await client.get<{ total: number }>(`/v0/search?drive_id=${drive}&q=${index}-2`);
      expect(found.total).toBe(1);
      const backup = await run(["backup", `${dataDir}-backups`], { dataDir, env: clock.env });
      expect([offset, backup.code, backup.stderr]).toEqual([offset, 0, ""]);
    }
    const names = [0, 1, 2, 3].flatMap((index) => [0, 1, 2].map((n) => `${index}-${n}.txt`));
    expect(await client.paths(`/v0/files?drive_id=${drive}`)).toEqual(names);
    const restored = `${dataDir}-restored`;
    expect((await runHere(["restore", `${dataDir}-backups`], restored)).code).toBe(0);
    expect(countIn(restored, "SELECT count(*) FROM file")).toBe(12);
    expect(await server.stop()).toBe(0);
    expect(server.stdout.text).not.toContain('"level":"error"');
    expect(await verified(dataDir)).toEqual([]);
  },
);
