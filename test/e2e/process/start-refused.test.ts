import { expect, test } from "bun:test";
import { chmod, chown, mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { NEEDED } from "../../../src/process/descriptors.ts";
import { inShell, refusedStart, run, serve } from "../../support/server/executable.ts";
import { withReason } from "../../support/server/skip.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "../../support/server/temporary-directory.ts";

// What else a start refuses is in test/data-directory/refused-starts.test.ts.

test.each([
  ["a file", "blobs", /blobs and .*tmp cannot be used: .*must belong to the user/],
  ["a symbolic link", "blobs", /coffer: .*blobs is a symbolic link/],
  ["a symbolic link", "tmp", /coffer: .*tmp is a symbolic link/],
] as const)(
  "%s in the place of %s stops the start with one line that says what to do",
  async (what, name, advice) => {
    await using place = await temporaryDirectory(FAST_DIRECTORY);
    const [dataDir, elsewhere] = [place.dataDir, join(place.path, "elsewhere")];
    await (await serve({ dataDir })).stop();
    const letter = join(elsewhere, crypto.randomUUID());
    await Bun.write(letter, "dear friend");
    await rm(join(dataDir, name), { recursive: true });
    if (what === "a file") await writeFile(join(dataDir, name), "");
    else await symlink(elsewhere, join(dataDir, name));
    expect(await refusedStart({ dataDir })).toMatch(advice);
    expect(await readdir(elsewhere)).toEqual([basename(letter)]);
  },
);

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
