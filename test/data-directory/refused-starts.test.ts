import { afterAll, describe, expect } from "bun:test";
import { mkdir, readdir, rename, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openAccounts } from "../../src/accounts.ts";
import { loadConfig } from "../../src/config.ts";
import { Database } from "../../src/db/engine/database.ts";
import { SMALL_CONTENT_BYTES } from "../../src/domain/limits.ts";
import { changeDatabase } from "../support/faults/change-database.ts";
import { fileOf, filesIn } from "../support/samples/contents.ts";
import { refusalOf } from "../support/samples/failure.ts";
import { startAppliance } from "../support/server/appliance.ts";
import { contentsOnDisk, provision } from "../support/server/scenario.ts";
import { testWith } from "../support/server/test-with.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../support/server/temporary-directory.ts";

/** It is started on one directory after another. */
const coffer = await startAppliance();
afterAll(() => coffer[Symbol.asyncDispose]());

const it = testWith(() => temporaryDirectory(FAST_DIRECTORY));

/** Starts and stops. */
async function startOn(dataDir: string): Promise<void> {
  await coffer.restart({ "data-dir": dataDir });
  await coffer.close();
}

/** Why a server does not start, in one line. */
async function refusal(dataDir: string): Promise<string> {
  const refused = await refusalOf(startOn(dataDir));
  expect(refused).not.toContain("\n");
  return refused;
}

/** Why a command does not open it that would make it. */
function refusalOfCommand(dataDir: string): Promise<string> {
  const loaded = loadConfig({ flags: { "data-dir": dataDir }, env: {}, isTerminal: false });
  if (!loaded.ok) throw new Error(loaded.problems.join("\n"));
  return refusalOf(openAccounts(loaded.config, "make"));
}

async function everythingIn(directory: string): Promise<string[]> {
  return (await readdir(directory, { recursive: true })).toSorted();
}

type Spoil = (dataDir: string) => Promise<unknown>;

const UNUSABLE: readonly (readonly [what: string, spoil: Spoil, advice: RegExp])[] = [
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
    "a directory in the place of the reserve",
    (dataDir) => mkdir(join(dataDir, "reserve")),
    /\/reserve is a directory, and must be a file\. Move it away/,
  ],
  [
    "a database that a newer version has upgraded",
    async (dataDir) => {
      await Database.open(join(dataDir, "coffer.db"), { now: () => 0 }).close();
      const step = "(version, name, checksum, applied_at, coffer) VALUES (99, 'next', 'c', 0, '9.8.7')";
      changeDatabase(dataDir, `INSERT INTO schema_migration ${step}`);
    },
    /schema version 99, .* was upgraded by a newer Coffer, 9\.8\.7: start that one, or a newer one still\. To go back .* copy .* before the upgrade/,
  ],
];

for (const [what, spoil, advice] of UNUSABLE) {
  it(`${what} stops the start with one line that says what to do`, async ({ path }) => {
    await spoil(path);
    expect(await refusal(path)).toMatch(advice);
  });
}

it("an address that this machine does not have stops the start with what to choose instead", async ({
  path,
}) => {
  // Of a block that is kept for examples (RFC 5737).
  const refused = await refusalOf(coffer.restart({ "data-dir": path, host: "203.0.113.7" }));
  expect(refused).toMatch(/^Cannot listen on 203\.0\.113\.7, port 0 .*COFFER_HOST/);
});

/** By what they are: the files, with directories for them, and symbolic links. */
const HOMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "a home with a tmp": { "tmp/letter.txt": "", "tmp/project/notes.txt": "", ".profile": "" },
  "a home whose tmp is a symbolic link": { "scratch/letter.txt": "", tmp: "scratch" },
  "a directory with nothing but a tmp": { [`tmp/${crypto.randomUUID()}`]: "" },
};
for (const [what, names] of Object.entries(HOMES)) {
  it(`a start on ${what} is refused and changes nothing`, async ({ path }) => {
    for (const [name, target] of Object.entries(names)) {
      if (target === "") await Bun.write(join(path, name), "dear friend");
      else await symlink(join(path, target), join(path, name));
    }
    const before = await everythingIn(path);
    const foreign = /^The directory .* holds .*(\.profile|scratch|tmp).*no Coffer.*--data-dir/;
    expect(await refusal(path)).toMatch(foreign);
    expect(await refusalOfCommand(path)).toMatch(foreign);
    expect(await everythingIn(path)).toEqual(before);
  });
}

it("a start removes only its own temporary files from its tmp", async ({ path, dataDir }) => {
  const tmp = join(dataDir, "tmp");
  await startOn(dataDir);
  await Bun.write(join(tmp, "project/notes.txt"), "notes");
  await writeFile(join(tmp, "letter.txt"), "dear friend");
  await writeFile(join(path, "precious"), "dear friend");
  await symlink(join(path, "precious"), join(tmp, `coffer-${crypto.randomUUID()}.tmp`));
  const before = await everythingIn(tmp);
  await writeFile(join(tmp, `coffer-${crypto.randomUUID()}.tmp`), "half an upload");
  await writeFile(join(tmp, crypto.randomUUID()), "half an upload to an earlier version");
  await startOn(dataDir);
  expect(await everythingIn(tmp)).toEqual(before);
  expect(await Bun.file(join(path, "precious")).text()).toBe("dear friend");
});

const FILES = 40;
/** Each looks through a part of the store for strays. */
const SWEEPS_FOR_ALL_SHARDS = 64;

/** A content that is a file of its own. */
function contentOf(n: number): string {
  return `content ${n}`.padEnd(SMALL_CONTENT_BYTES + 1);
}

/** Makes a data directory with some files, whose contents are older than a sweep has to leave alone. */
async function store(dataDir: string, content = contentOf): Promise<void> {
  await coffer.restart({ "data-dir": dataDir });
  const { id, client } = await provision(coffer);
  for (let n = 0; n < FILES; n++) await client.put(id, `${n}.txt`, content(n));
  await coffer.close();
  for (const { digest } of filesIn(dataDir)) await utimes(fileOf(dataDir, digest), 1, 1);
}

/** Sweeps every part of the store, after which all contents must be there. */
async function sweep(dataDir: string): Promise<void> {
  for (let n = 0; n <= SWEEPS_FOR_ALL_SHARDS; n++) await coffer.appliance.services.sweep.run();
  expectAllThere(dataDir);
}

function expectAllThere(dataDir: string): void {
  const there = new Set(filesIn(dataDir).map(({ digest }) => digest));
  for (let n = 0; n < FILES; n++) {
    expect([n, there.has(Bun.SHA256.hash(contentOf(n), "hex"))]).toEqual([n, true]);
  }
}

async function loseDatabase(dataDir: string): Promise<void> {
  for (const end of ["", "-wal", "-shm"]) await rm(join(dataDir, `coffer.db${end}`), { force: true });
}

const LOSSES: Readonly<Record<string, Spoil>> = {
  missing: loseDatabase,
  empty: async (dataDir) => {
    await loseDatabase(dataDir);
    await writeFile(join(dataDir, "coffer.db"), "");
  },
  "cut to nothing": (dataDir) => truncate(join(dataDir, "coffer.db"), 0),
};

// All of these twice: the first refusal must not make what lets the second start succeed.
describe("a lost database", () => {
  for (const [what, lose] of Object.entries(LOSSES)) {
    it(`a ${what} coffer.db stops the start and takes no content, nor does a command make one`, async ({
      dataDir,
    }) => {
      await store(dataDir);
      await lose(dataDir);
      const before = await readdir(dataDir);
      for (let time = 0; time < 2; time++) {
        for (const said of [await refusal(dataDir), await refusalOfCommand(dataDir)])
          expect(said).toMatch(/blobs holds 40 contents.*coffer\.db.*restore.*--adopt-empty/i);
        expectAllThere(dataDir);
      }
      expect(await readdir(dataDir)).toEqual(before);
    });
  }

  it("a missing coffer.db stops the start although all contents were in it, until it is back", async ({
    path,
    dataDir,
  }) => {
    await store(dataDir, (n) => `content ${n}`);
    await rename(join(dataDir, "coffer.db"), join(path, "kept.db"));
    for (let time = 0; time < 2; time++)
      expect(await refusal(dataDir)).toMatch(/blobs belongs to a store.*coffer\.db.*restore.*--adopt-empty/i);
    await rename(join(path, "kept.db"), join(dataDir, "coffer.db"));
    await startOn(dataDir);
    expect((await contentsOnDisk(dataDir)).blobs).toHaveLength(FILES);
  });

  it("a new coffer.db with nothing in it stops the start and takes no content", async ({ path, dataDir }) => {
    const other = join(path, "other");
    await store(dataDir);
    await startOn(other);
    await loseDatabase(dataDir);
    await rename(join(other, "coffer.db"), join(dataDir, "coffer.db"));
    for (let time = 0; time < 2; time++) {
      expect(await refusal(dataDir)).toMatch(/do not belong together.*--adopt-empty/);
      expectAllThere(dataDir);
    }
  });

  it("with --adopt-empty it starts without coffer.db and keeps all contents, then and later", async ({
    dataDir,
  }) => {
    await store(dataDir);
    await loseDatabase(dataDir);
    await coffer.restart({ "data-dir": dataDir }, { adoptEmpty: true });
    await sweep(dataDir);
    // Now the database knows most of what is there.
    const { id, client } = await provision(coffer);
    for (let n = 0; n < 2 * FILES; n++) await client.put(id, `${n}.txt`, `new content ${n}`);
    await sweep(dataDir);
    // It was needed once.
    await coffer.restart({ "data-dir": dataDir });
    await sweep(dataDir);
    await coffer.close();
  });
});
