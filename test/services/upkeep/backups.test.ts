import { expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DirectoryPlace } from "../../../src/backup/directory-place.ts";
import { keptBackups } from "../../../src/backup/manifest.ts";
import { startAppliance, type TestAppliance } from "../../support/server/appliance.ts";
import { changeDatabase, rowsIn } from "../../support/faults/change-database.ts";
import { executable } from "../../support/server/executable.ts";
import { eventually } from "../../support/server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

const HOUR_MS = 60 * 60 * 1000;

function runIfDue({ appliance }: TestAppliance): Promise<void> {
  return appliance.services.backups.runIfDue();
}

async function readyz(coffer: TestAppliance): Promise<unknown> {
  const { scrub: _, ...answer } = await coffer.client().get<{ scrub: object }>("/readyz");
  return answer;
}

/** A backup runs by the system's clock: moves its success to the test's. */
function succeedNow({ dataDir, clock }: TestAppliance): void {
  changeDatabase(dataDir, `UPDATE backup_success SET at = ${clock.now()}`);
}

test("a server makes a backup when the last success is older than the interval, also across restarts", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const dest = join(place.path, "dest");
  const settings = { backup: dest, "backup-interval": "24h", "backup-keep": "2" };
  await using coffer = await startAppliance(settings, { program: [await executable()] });
  const backups = async (path = dest) => (await keptBackups(new DirectoryPlace(path))).length;
  const backup = { last_success_at: null, last_failure_at: null };
  expect(await readyz(coffer)).toEqual({ status: "ok", backup });
  await runIfDue(coffer);
  expect(await backups()).toBe(1);
  succeedNow(coffer);
  const at = new Date(coffer.clock.now()).toISOString();
  expect(await readyz(coffer)).toMatchObject({ backup: { ...backup, last_success_at: at } });
  expect(coffer.lines.filter((line) => line.includes("made a backup"))).toHaveLength(1);
  await coffer.restart();
  coffer.clock.advance(24 * HOUR_MS - 1);
  await runIfDue(coffer);
  expect(await backups()).toBe(1);
  coffer.clock.advance(1);
  await runIfDue(coffer);
  expect(await backups()).toBe(2);
  succeedNow(coffer);
  // Another place has no success yet.
  const another = join(place.path, "another");
  await coffer.restart({ backup: another });
  await runIfDue(coffer);
  expect(await backups(another)).toBe(1);
});

test("a failure is logged with its reason, shown, and tried again after an hour", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const dest = join(place.path, "dest");
  await writeFile(dest, "");
  await using coffer = await startAppliance({ backup: dest }, { program: [await executable()] });
  const failures = () => coffer.lines.filter((line) => line.includes("the backup failed"));
  await runIfDue(coffer);
  expect(failures()).toEqual([expect.stringContaining(dest)]);
  const at = new Date(coffer.clock.now()).toISOString();
  const backup = { last_success_at: null, last_failure_at: at };
  expect(await readyz(coffer)).toEqual({ status: "ok", backup });
  coffer.clock.advance(HOUR_MS - 1);
  await runIfDue(coffer);
  expect(failures()).toHaveLength(1);
  coffer.clock.advance(1);
  await runIfDue(coffer);
  expect(failures()).toHaveLength(2);
});

test("a server that stops ends its backup, and waits for that", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const pid = join(place.path, "pid");
  const ended = join(place.path, "ended");
  const trap = `echo ended > "${ended}"; exit 1`;
  // Not `wait`: a shell can miss a signal that comes just before it waits.
  const program = ["sh", "-c", `trap '${trap}' TERM; echo $$ > "${pid}"; while :; do sleep 0.05; done`];
  await using coffer = await startAppliance({ backup: join(place.path, "dest") }, { program });
  const running = runIfDue(coffer);
  await eventually(async () => (await Bun.file(pid).exists()) && (await Bun.file(pid).text()) !== "");
  await coffer.close();
  await running;
  expect(await Bun.file(ended).text()).toBe("ended\n");
  expect(coffer.lines.filter((line) => line.includes("backup"))).toEqual([]);
});

test("a server without the setting makes none, and shows nothing of it", async () => {
  await using coffer = await startAppliance();
  await runIfDue(coffer);
  expect(await readyz(coffer)).toEqual({ status: "ok" });
  expect(rowsIn(coffer.dataDir, "SELECT * FROM backup_success")).toEqual([]);
});
