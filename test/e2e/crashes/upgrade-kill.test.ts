import { Database as Sqlite } from "bun:sqlite";
import { expect, test } from "bun:test";
import { cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { MIGRATIONS } from "../../../src/db/engine/migrations.ts";
import { serve } from "../../support/server/executable.ts";
import { heldBy, NO_STRACE } from "../../support/faults/faults.ts";
import { makeOldStore, type OldStore } from "../../support/faults/old-stores.ts";
import { withReason } from "../../support/server/skip.ts";
import { isThorough } from "../../support/server/thorough.ts";
import { eventually } from "../../support/server/scenario.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

/** The version of the schema that is upgraded: the one before full-text search was written anew, and links. */
const OLD = 5;
/** What changes files. */
const CALLS = "pwrite64,fsync,fdatasync,rename,unlink";

/** A system call of the main thread: the Nth of its kind, as strace counts. */
interface Call {
  readonly name: string;
  readonly when: number;
}

/** Between two writes at which a thorough run kills: most are alike. It tries every other call. */
const STRIDE = 4;

test.skipIf(NO_STRACE !== "")(
  withReason("an upgrade that is killed leaves the old database or the new one, and a whole copy", NO_STRACE),
  async () => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    const prepared = join(place.path, "prepared");
    const old = await makeOldStore(OLD, prepared);
    const calls = await callsOf(place.path, prepared);
    expect(calls.length).toBeGreaterThan(50);
    const some = [0.2, 0.5, 0.8, 0.99].map((share) => Math.floor(calls.length * share));
    for (const [at, call] of calls.entries()) {
      const isTried = call.name !== "pwrite64" || call.when % STRIDE === 0;
      if (isThorough() ? isTried : some.includes(at)) await killAt(call, place.path, prepared, old);
    }
  },
  300_000,
);

/** strace is not the parent: the server gets the signals. */
function traced(log: string, ...more: readonly string[]): string[] {
  return ["strace", "-D", "-f", "-q", "-y", "-o", log, "-e", `trace=${CALLS}`, ...more];
}

/** What changes files until the contents get an identity, which comes after the upgrade; in order. */
async function callsOf(place: string, prepared: string): Promise<Call[]> {
  const [log, dataDir] = [join(place, "log"), join(place, "counted")];
  await cp(prepared, dataDir, { recursive: true });
  {
    await using server = await serve({ dataDir, wrapper: traced(log) });
    await server.stop();
  }
  let lines: string[] = [];
  let main = "";
  await eventually(async () => {
    lines = (await Bun.file(log).text()).split("\n");
    main = threadOf(lines[0] ?? "");
    return lines.some((line) => threadOf(line) === main && line.includes("+++ exited"));
  });
  await rm(dataDir, { recursive: true });
  const upTo = lines.findIndex((line) => line.includes("identity"));
  const counts = new Map<string, number>();
  return lines.slice(0, upTo).flatMap((line) => {
    const name = /^\d+ +(\w+)\(/.exec(line)?.[1];
    if (threadOf(line) !== main || name === undefined) return [];
    const when = (counts.get(name) ?? 0) + 1;
    counts.set(name, when);
    return [{ name, when }];
  });
}

function threadOf(line: string): string {
  return /^\d+/.exec(line)?.[0] ?? "";
}

/** Kills a start at a call; checks what it left, and that the next start has everything. */
async function killAt(call: Call, place: string, prepared: string, old: OldStore): Promise<void> {
  const [log, dataDir] = [join(place, "log"), join(place, `killed-${call.name}-${call.when}`)];
  await cp(prepared, dataDir, { recursive: true });
  const wrapper = traced(log, "-e", `inject=${call.name}:signal=SIGKILL:when=${call.when}`);
  const end = await serve({ dataDir, wrapper }).then(
    async (server) => {
      await server.kill();
      return "ready";
    },
    () => "killed",
  );
  expect([call, end]).toEqual([call, "killed"]);
  const [version] = checkDatabase(join(dataDir, "coffer.db"));
  expect([call, [OLD, MIGRATIONS.length]]).toEqual([call, expect.arrayContaining([version])]);
  const copy = join(dataDir, "before-upgrade", `schema-${OLD}.db`);
  if (await Bun.file(copy).exists()) expect([call, checkDatabase(copy)]).toEqual([call, [OLD]]);
  else expect([call, version]).toEqual([call, OLD]);
  await using server = await serve({ dataDir });
  expect(Object.keys(await heldBy(server.client(old.key), old.drive))).toHaveLength(6);
  expect([call, await readdir(join(dataDir, "before-upgrade"))]).toEqual([call, [`schema-${OLD}.db`]]);
  expect(checkDatabase(copy)).toEqual([OLD]);
  await server.kill();
  await rm(dataDir, { recursive: true });
}

/** The version of a database that is whole. */
function checkDatabase(path: string): unknown[] {
  using sql = new Sqlite(path, { readwrite: true, create: false });
  expect(sql.query("PRAGMA integrity_check").values()).toEqual([["ok"]]);
  return sql.query("SELECT max(version) FROM schema_migration").values().flat();
}
