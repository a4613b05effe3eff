import { Database as Sqlite } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Database } from "../../src/db/engine/database.ts";
import { MIGRATIONS } from "../../src/db/engine/migrations.ts";
import { startAppliance, type TestAppliance } from "../support/server/appliance.ts";
import { makeOldStore, OLD_CONTENTS } from "../support/faults/old-stores.ts";
import { testWith } from "../support/server/test-with.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";

const OLD = MIGRATIONS.length - 1;

/** Closed, with a store of the version before the newest one in its place. */
const it = testWith(async () => {
  const coffer = await startAppliance();
  await coffer.close();
  await rm(coffer.dataDir, { recursive: true });
  const old = await makeOldStore(OLD, coffer.dataDir);
  return { coffer, old, [Symbol.asyncDispose]: () => coffer[Symbol.asyncDispose]() };
});

function versionOf(coffer: TestAppliance, name = "coffer.db"): unknown {
  using sql = new Sqlite(join(coffer.dataDir, name), { readonly: true });
  return sql.query("SELECT max(version) FROM schema_migration").values()[0]?.[0];
}

test("a new store needs no copy, nor does one that is upgraded already", async () => {
  await using coffer = await startAppliance();
  await coffer.restart();
  expect(existsSync(join(coffer.dataDir, "before-upgrade"))).toBe(false);
});

it("without room for the copy the start is refused, with what to do, and the database stays old", async ({
  coffer,
}) => {
  const refusal = await coffer.restart({ "disk-reserve": "1000TiB" }).catch(String);
  expect(refusal).toMatch(
    /from schema version \d+ to \d+\. Before, it is copied to \S+schema-\d+\.db, .* 0 are free beyond COFFER_DISK_RESERVE\. Nothing has been changed.* --upgrade-without-copy\.$/,
  );
  expect(versionOf(coffer)).toBe(OLD);
  expect(await readdir(join(coffer.dataDir, "before-upgrade"))).toEqual([]);
  await coffer.restart({ "disk-reserve": "1000TiB" }, { upgradeWithoutCopy: true });
  expect(versionOf(coffer)).toBe(MIGRATIONS.length);
  expect(await readdir(join(coffer.dataDir, "before-upgrade"))).toEqual([]);
});

it("a copy that fails stops the start, with what to do, and the database stays old", async ({ coffer }) => {
  await writeFile(join(coffer.dataDir, "before-upgrade"), "no directory");
  expect(await coffer.restart().catch(String)).toMatch(
    /that failed: .*Nothing has been changed.* mend what is wrong/,
  );
  expect(versionOf(coffer)).toBe(OLD);
});

it("only the copy of the last upgrade is kept, and none that is half there", async ({ coffer }) => {
  const folder = join(coffer.dataDir, "before-upgrade");
  await mkdir(folder);
  const names = ["schema-3.db", "unfinished.db", "unfinished.db-journal"];
  for (const name of names) await writeFile(join(folder, name), "half");
  await coffer.restart();
  expect(await readdir(folder)).toEqual([`schema-${OLD}.db`]);
  expect(versionOf(coffer, `before-upgrade/schema-${OLD}.db`)).toBe(OLD);
});

it("with the copy in its place the store is as it was before the upgrade", async ({ coffer, old }) => {
  await coffer.restart();
  const put = (path: string) => coffer.client(old.key).put(old.drive, path, "new");
  await put("later.txt");
  await coffer.close();
  for (const name of await readdir(coffer.dataDir)) {
    if (name.startsWith("coffer.db")) await rm(join(coffer.dataDir, name));
  }
  await rename(join(coffer.dataDir, `before-upgrade/schema-${OLD}.db`), join(coffer.dataDir, "coffer.db"));
  expect(versionOf(coffer)).toBe(OLD);
  await coffer.restart();
  const { data } = await coffer
    .client(old.key)
    .get<{ data: { id: string; path: string }[] }>(`/v0/files?drive_id=${old.drive}&limit=1000`);
  expect(data.map(({ path }) => path)).not.toContain("later.txt");
  const letter = data.find(({ path }) => path === "notes/deep/letter.txt");
  const answer = await coffer.client(old.key).send("GET", `/v0/files/${letter?.id}/download`);
  expect(answer.text).toBe(OLD_CONTENTS.letter);
});

test("a command leaves an older database as it is: a server of the older version may be using it", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const dataDir = join(place.path, "data");
  await makeOldStore(OLD, dataDir);
  const path = join(dataDir, "coffer.db");
  expect(() => Database.open(path, { now: () => 0 })).toThrow(
    `has schema version ${OLD}, and this executable reads version ${MIGRATIONS.length}. Use the executable of the server`,
  );
  using sql = new Sqlite(path, { readonly: true });
  expect(sql.query("SELECT max(version) FROM schema_migration").values()).toEqual([[OLD]]);
});
