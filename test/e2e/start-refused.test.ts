import { expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Database } from "../../src/db/database.ts";
import { changeDatabase } from "../support/change-database.ts";
import { run } from "../support/executable.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/temporary-directory.ts";

type Break = (dataDir: string) => Promise<unknown>;

const UNUSABLE: readonly (readonly [what: string, spoil: Break, advice: RegExp])[] = [
  [
    "a database that is none",
    (dataDir) => writeFile(join(dataDir, "coffer.db"), "This is a letter to a friend. ".repeat(40)),
    /coffer\.db cannot be used: .*restore the data directory from a backup/,
  ],
  [
    "a directory in the database's place",
    (dataDir) => mkdir(join(dataDir, "coffer.db")),
    /coffer\.db cannot be used: .*readable and writable for this user/,
  ],
  [
    "a file in the place of the contents' directory",
    (dataDir) => writeFile(join(dataDir, "blobs"), ""),
    /blobs and .*tmp cannot be used: .*must belong to the user/,
  ],
  [
    "a database that a newer version has upgraded",
    async (dataDir) => {
      await Database.open(join(dataDir, "coffer.db"), { now: () => 0 }).close();
      const step = "(version, name, checksum, applied_at, coffer) VALUES (99, 'next', 'c', 0, '9.8.7')";
      changeDatabase(dataDir, `INSERT INTO schema_migration ${step}`);
    },
    /schema version 99, .* was upgraded by a newer Coffer, 9\.8\.7: start that one\. To go back .* copy .* before the upgrade/,
  ],
];

test.each(UNUSABLE)("%s stops the start with one line that says what to do", async (_, spoil, advice) => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await spoil(place.path);
  const { code, stderr } = await run(["serve"], { env: { COFFER_DATA_DIR: place.path, COFFER_PORT: "0" } });
  expect(code).toBe(1);
  expect(stderr).toMatch(advice);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("an address that this machine does not have stops the start with what to choose instead", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const { code, stderr } = await run(["serve"], {
    // Of a block that is kept for examples (RFC 5737).
    env: { COFFER_DATA_DIR: join(place.path, "data"), COFFER_HOST: "203.0.113.7", COFFER_PORT: "0" },
  });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^coffer: Cannot listen on 203\.0\.113\.7, port 0 .*COFFER_HOST/);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});
