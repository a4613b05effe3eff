import { expect, test } from "bun:test";
import { chmod, chown, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Database } from "../../../src/db/engine/database.ts";
import { NEEDED } from "../../../src/process/descriptors.ts";
import { changeDatabase } from "../../support/faults/change-database.ts";
import { inShell, refusedStart, run, serve } from "../../support/server/executable.ts";
import { withReason } from "../../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

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
    /schema version 99, .* was upgraded by a newer Coffer, 9\.8\.7: start that one\. To go back .* copy .* before the upgrade/,
  ],
];

test.each(UNUSABLE)("%s stops the start with one line that says what to do", async (_, spoil, advice) => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await spoil(place.path);
  expect(await refusedStart({ dataDir: place.path })).toMatch(advice);
});

/** Runs a command as a user whom permissions bind: root may read everything. */
const isRoot = process.getuid?.() === 0;
const NOBODY = 65_534;
const bound = isRoot ? ["setpriv", `--reuid=${NOBODY}`, `--regid=${NOBODY}`, "--clear-groups"] : [];
const unbound = isRoot && Bun.which("setpriv") === null ? "setpriv is not installed" : "";

test.skipIf(unbound !== "")(
  withReason(
    "what cannot be read of the data directory stops the start and commands with its path and what to do",
    unbound,
  ),
  async () => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    await mkdir(place.dataDir);
    await chmod(place.path, 0o755);
    if (isRoot) await chown(place.dataDir, NOBODY, NOBODY);
    await using first = await serve({ dataDir: place.dataDir, wrapper: bound });
    expect(await first.stop()).toBe(0);
    const backup = ["backup", join(place.path, "backups")];
    for (const [name, mode, args, refused] of [
      ["reserve", 0o600, ["serve"], 1],
      ["", 0o700, ["verify"], 2],
      ["", 0o700, ["user", "list"], 1],
      ["blobs", 0o700, ["serve"], 1],
      ["blobs", 0o700, ["verify"], 2],
      ["blobs", 0o700, backup, 1],
      ["blobs/identity", 0o600, ["serve"], 1],
      ["blobs/identity", 0o600, ["verify"], 2],
      ["blobs/identity", 0o600, backup, 1],
    ] as const) {
      await chmod(join(place.dataDir, name), 0);
      const env = { COFFER_DATA_DIR: place.dataDir, COFFER_PORT: "0" };
      const { code, stderr } = await run(args, { env, wrapper: bound });
      await chmod(join(place.dataDir, name), mode);
      expect([args, code]).toEqual([args, refused]);
      expect(stderr).toMatch(
        new RegExp(
          `^coffer: ${join(place.dataDir, name)} cannot be read and written by the user with id \\d+\\. Make it belong`,
        ),
      );
      expect(stderr.trim().split("\n")).toHaveLength(1);
    }
  },
);

test("an address that this machine does not have stops the start with what to choose instead", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  // Of a block that is kept for examples (RFC 5737).
  const env = { COFFER_HOST: "203.0.113.7" };
  const said = await refusedStart({ dataDir: place.dataDir, env });
  expect(said).toMatch(/^coffer: Cannot listen on 203\.0\.113\.7, port 0 .*COFFER_HOST/);
});

test.each([
  ["serve", NEEDED.server],
  ["verify", NEEDED.command],
  ["backup", NEEDED.command],
  ["user list", NEEDED.command],
] as const)("%s with fewer than %d open files says how many it needs", async (command, needed) => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  for (const limit of [16, needed - 1]) {
    const { code, stderr } = await run(command.split(" "), {
      env: { COFFER_DATA_DIR: place.dataDir, COFFER_PORT: "0" },
      wrapper: inShell(`ulimit -n ${limit}`),
    });
    expect(code).not.toBe(0);
    expect(stderr).toContain(`at least ${needed} open files, and may have ${limit}. Raise the limit`);
    expect(stderr.trim().split("\n")).toHaveLength(1);
  }
});

/** Why a server does not start; it is an error of the test's if it does. */
async function refusal(dataDir: string): Promise<string> {
  try {
    await using server = await serve({ dataDir });
    return await server.stop().then(() => "it started");
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function everythingIn(directory: string): Promise<string[]> {
  return (await readdir(directory, { recursive: true })).toSorted();
}

const HOMES: readonly (readonly [what: string, furnish: (home: string) => Promise<unknown>])[] = [
  [
    "a home with a tmp",
    async (home) => {
      await mkdir(join(home, "tmp/project"), { recursive: true });
      await writeFile(join(home, "tmp/letter.txt"), "dear friend");
      await writeFile(join(home, "tmp/project/notes.txt"), "notes");
      await writeFile(join(home, ".profile"), "");
    },
  ],
  [
    "a home whose tmp is a symbolic link",
    async (home) => {
      await mkdir(join(home, "scratch"));
      await writeFile(join(home, "scratch/letter.txt"), "dear friend");
      await symlink(join(home, "scratch"), join(home, "tmp"));
    },
  ],
  [
    "a directory with nothing but a tmp",
    async (home) => {
      await mkdir(join(home, "tmp"));
      await writeFile(join(home, "tmp", crypto.randomUUID()), "dear friend");
    },
  ],
];

test.each(HOMES)("a start on %s is refused and changes nothing", async (_, furnish) => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await furnish(place.path);
  const before = await everythingIn(place.path);
  expect(await refusal(place.path)).toMatch(
    /coffer: .* holds .*(\.profile|scratch|tmp).*no Coffer.*--data-dir/,
  );
  expect(await everythingIn(place.path)).toEqual(before);
  const { code } = await run(["user", "create", "ada", "--password-stdin"], {
    dataDir: place.path,
    input: "correct horse battery",
  });
  expect([code, await everythingIn(place.path)]).toEqual([1, before]);
});

test("a start on a fresh mount is no start on a foreign directory", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  await mkdir(join(place.path, "lost+found"));
  expect(await refusal(place.path)).toBe("it started");
  expect(await refusal(place.path)).toBe("it started");
});

test.each(["tmp", "blobs"])("a %s that became a symbolic link stops the start", async (name) => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const [dataDir, elsewhere] = [place.dataDir, join(place.path, "elsewhere")];
  await (await serve({ dataDir })).stop();
  await mkdir(elsewhere);
  await writeFile(join(elsewhere, crypto.randomUUID()), "dear friend");
  const before = await everythingIn(elsewhere);

  await rm(join(dataDir, name), { recursive: true });
  await symlink(elsewhere, join(dataDir, name));
  expect(await refusal(dataDir)).toMatch(/coffer: .*(tmp|blobs) is a symbolic link/);
  expect(await everythingIn(elsewhere)).toEqual(before);
});

test("a start removes only its own temporary files from its tmp", async () => {
  await using place = await temporaryDirectory(FAST_DIRECTORY);
  const tmp = join(place.dataDir, "tmp");
  await (await serve(place)).stop();
  await mkdir(join(tmp, "project"));
  await writeFile(join(tmp, "project/notes.txt"), "notes");
  await writeFile(join(tmp, "letter.txt"), "dear friend");
  await writeFile(join(place.path, "precious"), "dear friend");
  await symlink(join(place.path, "precious"), join(tmp, `coffer-${crypto.randomUUID()}.tmp`));
  const before = await everythingIn(tmp);
  await writeFile(join(tmp, `coffer-${crypto.randomUUID()}.tmp`), "half an upload");
  await writeFile(join(tmp, crypto.randomUUID()), "half an upload to an earlier version");
  expect(await refusal(place.dataDir)).toBe("it started");
  expect(await everythingIn(tmp)).toEqual(before);
  expect(await Bun.file(join(place.path, "precious")).text()).toBe("dear friend");
});
