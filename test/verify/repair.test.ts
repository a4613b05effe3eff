import { afterAll, expect, test } from "bun:test";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { flipped } from "../support/samples/blob-store-contract.ts";
import { changeDatabase, rowsIn } from "../support/faults/change-database.ts";
import { type Stored, stoppedStore } from "../support/faults/stopped-store.ts";
import { verified } from "../support/faults/verified.ts";
import { fileOf } from "../support/samples/contents.ts";
import { failureOf } from "../support/samples/failure.ts";

const store = await stoppedStore();
afterAll(() => store[Symbol.asyncDispose]());

/** The condition for the bytes of a content in the database, whatever they are now. */
function isSmall({ digest }: Stored): string {
  return `blob = (SELECT pk FROM blob WHERE digest = '${digest}')`;
}

/** A directory of backups with the whole store in it. */
async function backedUp(): Promise<string> {
  const backups = store.path("backups");
  await cp(join(store.whole, "blobs"), join(backups, "blobs"), { recursive: true });
  await mkdir(join(backups, "backups/1"), { recursive: true });
  await cp(join(store.whole, "coffer.db"), join(backups, "backups/1/coffer.db"));
  return backups;
}

/** What the audit log says of repairs. */
const REPAIRS =
  "SELECT actor_name, subject_kind, subject_name, detail FROM audit_event WHERE action = 'store.repaired'";

test.each([
  ["another data directory", () => store.whole],
  ["a directory of backups", backedUp],
])("contents are repaired from %s", async (_, source) => {
  const dataDir = await store.copied();
  await rm(dirname(fileOf(dataDir, store.large.digest)), { recursive: true });
  changeDatabase(dataDir, `UPDATE small_content SET bytes = x'00' WHERE ${isSmall(store.small)}`);
  const from = await source();
  const lines = await verified(dataDir, { repairFrom: from });
  expect(lines.map((line) => line.split(" ")[0])).toEqual(["repaired", "repaired"]);
  expect(await verified(dataDir)).toEqual([]);
  expect(rowsIn(dataDir, REPAIRS)).toEqual([["verify --repair-from", "backup", from, '{"contents":2}']]);
});

test("nothing is repaired with bytes that are wrong too", async () => {
  const [dataDir, other] = [await store.copied(), await store.copied()];
  await writeFile(fileOf(other, store.large.digest), flipped(store.large.content));
  changeDatabase(other, `UPDATE small_content SET bytes = x'01' WHERE ${isSmall(store.small)}`);
  await writeFile(fileOf(dataDir, store.large.digest), "short");
  changeDatabase(dataDir, `UPDATE small_content SET bytes = x'00' WHERE ${isSmall(store.small)}`);
  const lines = await verified(dataDir, { repairFrom: other });
  expect(lines).toHaveLength(2);
  for (const line of lines) {
    expect(line).toStartWith("content-damaged ");
    expect(line).toEndWith("there are no right bytes to repair it from");
  }
  expect(rowsIn(dataDir, REPAIRS)).toEqual([]);
  expect(await readFile(fileOf(dataDir, store.large.digest), "utf8")).toBe("short");
  expect(rowsIn(dataDir, `SELECT 1 FROM small_content WHERE bytes = x'00'`)).toHaveLength(1);
});

test("a directory without contents or backups is refused", async () => {
  const nothing = store.path("nothing");
  expect(await failureOf(verified(await store.copied(), { repairFrom: nothing }))).toHaveProperty(
    "message",
    expect.stringContaining("holds neither backups nor contents"),
  );
});
