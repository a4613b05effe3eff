import { expect, test } from "bun:test";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { provision, run, serve } from "../../support/server/executable.ts";
import { contentOf, heldBy, put } from "../../support/faults/faults.ts";
import { withReason } from "../../support/server/skip.ts";
import { NO_SMALL_DISK, SmallDisk } from "../../support/faults/small-disk.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

test.skipIf(NO_SMALL_DISK !== "")(
  withReason(
    "on a read-only disk, what commands read has every answered write; others are refused",
    NO_SMALL_DISK,
  ),
  async () => {
    await using disk = await SmallDisk.mount(48);
    await using place = await temporaryDirectory();
    const [scratch, backups] = [join(place.path, "scratch"), join(place.path, "backups")];
    await mkdir(scratch);
    const dataDir = join(disk.path, "data");
    const server = await serve({ dataDir, wrapper: disk.wrapper });
    const ofGrace = { dataDir, wrapper: disk.wrapper, input: "grace's password" };
    await run(["user", "create", "grace", "--password-stdin"], ofGrace);
    const { client, key, drive } = await provision(server);
    for (const size of [1000, 100_000]) {
      expect(await put(client, drive, `${size}.bin`, contentOf("a", size))).toBe(201);
    }
    const held = await heldBy(client, drive);
    // The last writes are in the log alone.
    await server.kill();
    disk.makeReadOnly();

    const env = { COFFER_DATA_DIR: dataDir, TMPDIR: scratch, COFFER_DISK_RESERVE: "0" };
    const command = (...args: string[]) => run(args, { env, wrapper: disk.wrapper, input: "a password" });
    for (const [said, ...args] of [
      ["findings: 0", "verify"],
      ["grace", "user", "list"],
    ] as const) {
      expect(await command(...args)).toMatchObject({ code: 0, stdout: expect.stringContaining(said) });
    }
    expect(await command("backup", backups)).toMatchObject({ code: 0, stderr: "" });
    for (const args of [
      ["serve"],
      ["user", "create", "ada", "--password-stdin"],
      ["user", "reset-password", "grace", "--password-stdin"],
      ["verify", "--repair-from", backups],
    ]) {
      const { code, stderr } = await command(...args);
      expect([args, code === 0]).toEqual([args, false]);
      expect(stderr).toContain(`${dataDir} is on a file system that is mounted read-only.`);
    }
    expect(await readdir(scratch)).toEqual([]);

    const restored = join(place.path, "restored");
    expect(await run(["restore", backups, "--data-dir", restored])).toMatchObject({ code: 0 });
    await using again = await serve({ dataDir: restored });
    expect(await heldBy(again.client(key), drive)).toEqual(held);
  },
);
