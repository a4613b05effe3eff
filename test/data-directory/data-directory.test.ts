import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type DataDirectory,
  loadSecret,
  lockDataDirectory,
  openDataDirectory,
} from "../../src/data-directory/data-directory.ts";
import { closeToOthers } from "../../src/data-directory/other-users.ts";
import { DataDirectoryError } from "../../src/data-directory/data-directory-error.ts";
import { startAppliance } from "../support/server/appliance.ts";
import { Output } from "../support/server/executable.ts";
import { withReason } from "../support/server/skip.ts";

let scratch: string;
let directory: DataDirectory;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), "coffer-data-"));
  directory = openDataDirectory(join(scratch, "data"));
});

afterEach(() => {
  chmodSync(scratch, 0o700);
  rmSync(scratch, { recursive: true });
});

function refusal(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof DataDirectoryError) return error.message;
    throw error;
  }
  throw new Error("nothing was refused");
}

/** A second process that takes the lock, says so on its standard output and keeps it until it is killed. */
async function holderProcess(root: string) {
  const script = `
    import { lockDataDirectory, openDataDirectory } from ${JSON.stringify(join(import.meta.dir, "../../src/data-directory/data-directory.ts"))};
    lockDataDirectory(openDataDirectory(${JSON.stringify(root)}));
    // The lock is dropped here on purpose: it must outlive the garbage collector.
    Bun.gc(true);
    setInterval(() => Bun.gc(true), 20);
    console.log("held");
  `;
  const child = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  expect(await new Output(child.stdout).until(/held/)).not.toBeNull();
  const kill = async () => {
    child.kill("SIGKILL");
    await child.exited;
  };
  return { pid: child.pid, kill, [Symbol.asyncDispose]: kill };
}

describe("the directory", () => {
  test("is made with its parents, for this user alone, and names what lies in it", () => {
    const root = join(scratch, "a", "b");
    expect(openDataDirectory(root)).toEqual({
      root,
      database: join(root, "coffer.db"),
      blobs: join(root, "blobs"),
      tmp: join(root, "tmp"),
      disksFile: join(root, "disks"),
      thumbnails: join(root, "thumbnails"),
      blobCache: join(root, "cache"),
      leases: join(root, "leases"),
      secretFile: join(root, "secret"),
      acme: join(root, "acme"),
      reserveFile: join(root, "reserve"),
      lockFile: join(root, "lock"),
      addressFile: join(root, "address"),
      backupLockFile: join(root, "backup-lock"),
      migrationLockFile: join(root, "migration-lock"),
      restoringFile: join(root, "restoring"),
      beforeUpgrade: join(root, "before-upgrade"),
    });
    expect(statSync(root).mode & 0o777).toBe(0o700);
    expect(readdirSync(root)).toEqual([]);
  });

  test("keeps the mode it has", () => {
    chmodSync(directory.root, 0o750);
    openDataDirectory(directory.root);
    expect(statSync(directory.root).mode & 0o777).toBe(0o750);
  });

  test("that is a file, or below one, is refused", () => {
    const file = join(scratch, "file");
    writeFileSync(file, "");
    for (const root of [file, join(file, "data")]) {
      expect(refusal(() => openDataDirectory(root))).toBe(
        `${root} is not a directory, or is below a file. ` +
          "Choose another directory with --data-dir or COFFER_DATA_DIR.",
      );
    }
  });

  test("that holds something, and no Coffer, is refused, and its names are shown", () => {
    for (const name of ["e", "d", "c", "b", "tmp", "thumbnails"])
      writeFileSync(join(directory.root, name), "");
    expect(refusal(() => openDataDirectory(directory.root))).toContain(
      `The directory ${directory.root} holds b, c, d and 3 more, but no Coffer data.`,
    );
  });

  test.each([
    ["nothing but what a fresh disk has", ["lost+found/"]],
    ["what a start made that was cut off before the database", ["lock", "lock-journal"]],
    ["a database, and something else", ["coffer.db", "notes.txt"]],
    ["a copy from before an upgrade", ["before-upgrade/"]],
    // Refused later, with better advice.
    ["contents, something else and no database", ["blobs/7f/", "tmp/", "notes.txt"]],
    ["a list of disks, an index and no database", ["disks", "search.db"]],
    ["a store's identity, something else and no database", ["blobs/", "blobs/identity", "tmp/", "notes.txt"]],
  ])("with %s is not refused as foreign", (_, names) => {
    for (const name of names) {
      if (name.endsWith("/")) mkdirSync(join(directory.root, name), { recursive: true });
      else writeFileSync(join(directory.root, name), "");
    }
    expect(openDataDirectory(directory.root)).toEqual(directory);
  });

  const noLimits = process.getuid?.() === 0 ? "root may write everywhere" : "";
  test.skipIf(noLimits !== "")(withReason("that cannot be written is refused", noLimits), () => {
    chmodSync(scratch, 0o500);
    expect(refusal(() => openDataDirectory(join(scratch, "other")))).toContain(
      "cannot be read and written by",
    );
  });
});

describe("the lock", () => {
  test("refuses a second server in the same process until it is released", () => {
    const first = lockDataDirectory(directory);
    expect(refusal(() => lockDataDirectory(directory))).toContain(`in use by process ${process.pid} on `);
    first.release();
    lockDataDirectory(directory).release();
  });

  test("refuses a second process, also once the directory is moved, and none in a copy of it", async () => {
    await using holder = await holderProcess(directory.root);
    expect(refusal(() => lockDataDirectory(directory))).toContain(
      `The data directory ${directory.root} is in use by process ${holder.pid} on `,
    );
    const [moved, copy] = [join(scratch, "moved"), join(scratch, "copy")];
    renameSync(directory.root, moved);
    expect(refusal(() => lockDataDirectory(openDataDirectory(moved)))).toContain(`process ${holder.pid} `);
    cpSync(moved, copy, { recursive: true });
    lockDataDirectory(openDataDirectory(copy)).release();
    await holder.kill();
    lockDataDirectory(openDataDirectory(moved)).release();
  });

  test("of a damaged file says what to do", () => {
    writeFileSync(directory.lockFile, "this is not what a lock file holds");
    expect(refusal(() => lockDataDirectory(directory))).toContain(
      "delete it while no server uses the directory",
    );
  });
});

describe("the secret", () => {
  test("is made once, for this user alone, stays, and is another one in another directory", () => {
    const secret = loadSecret(directory);
    expect(secret.reveal()).toHaveLength(32);
    expect(statSync(directory.secretFile).mode & 0o777).toBe(0o600);
    expect(loadSecret(directory).reveal()).toEqual(secret.reveal());
    expect(readdirSync(directory.root)).toEqual(["secret"]);
    const other = openDataDirectory(join(scratch, "other"));
    expect(loadSecret(other).reveal()).not.toEqual(secret.reveal());
  });

  test("is made anew over what a crash left of a first attempt", () => {
    writeFileSync(`${directory.secretFile}.new`, "half");
    expect(loadSecret(directory).reveal()).toHaveLength(32);
    expect(readdirSync(directory.root)).toEqual(["secret"]);
  });

  test("that is damaged is refused, not replaced", () => {
    writeFileSync(directory.secretFile, "short");
    expect(refusal(() => loadSecret(directory))).toContain("does not hold 32 bytes");
    expect(statSync(directory.secretFile).size).toBe(5);
  });
});

function modeOf(path: string): number {
  return statSync(path).mode & 0o7777;
}

/** Makes a data directory that others may read and write. */
function openToOthers(dataDir: string): Promise<number> {
  mkdirSync(join(dataDir, "blobs"), { recursive: true });
  writeFileSync(join(dataDir, "secret"), new Uint8Array(32));
  for (const name of ["", "blobs"]) chmodSync(join(dataDir, name), 0o2775);
  chmodSync(join(dataDir, "secret"), 0o644);
  return Promise.resolve(Date.UTC(2026, 0, 1));
}

/** Makes an empty data directory that everybody may write to, as a volume of the image is. */
function openEmpty(dataDir: string): Promise<number> {
  mkdirSync(dataDir, { recursive: true });
  chmodSync(dataDir, 0o777);
  return Promise.resolve(Date.UTC(2026, 0, 1));
}

describe("other users", () => {
  test("can reach a directory no more once a server has started there, which is told once", async () => {
    await using coffer = await startAppliance({}, { prepare: openToOthers });
    const told = () => coffer.lines.filter((line) => line.includes("other users"));
    expect(told()).toHaveLength(1);
    for (const name of ["", "/blobs", "/secret"]) expect(told()[0]).toContain(`"${coffer.dataDir}${name}"`);
    expect(modeOf(coffer.dataDir)).toBe(0o2700);
    expect(modeOf(join(coffer.dataDir, "blobs"))).toBe(0o2700);
    expect(modeOf(join(coffer.dataDir, "secret"))).toBe(0o600);
    await coffer.restart();
    await coffer.restart();
    expect(told().filter((line) => line.includes(`"${coffer.dataDir}"`))).toHaveLength(1);
  });

  test("could reach an empty directory, which is closed and not told", async () => {
    await using coffer = await startAppliance({}, { prepare: openEmpty });
    expect(modeOf(coffer.dataDir)).toBe(0o700);
    expect(coffer.lines.join("\n")).not.toContain("other users");
  });

  const isRoot = process.getuid?.() === 0;
  const why = isRoot ? "" : "only root gives files away";
  test.skipIf(!isRoot)(
    withReason("keep what belongs to one of them, which is told with what to do", why),
    async () => {
      const theirs = 65_534;
      const prepare = (dataDir: string) => {
        mkdirSync(dataDir, { recursive: true });
        chownSync(dataDir, theirs, theirs);
        chmodSync(dataDir, 0o755);
        return Promise.resolve(Date.UTC(2026, 0, 1));
      };
      await using coffer = await startAppliance({}, { prepare });
      expect(coffer.lines.join("\n")).toContain(`Take it from them: chmod -R go= ${coffer.dataDir}`);
      expect(modeOf(coffer.dataDir)).toBe(0o755);
      chownSync(coffer.dataDir, 0, 0);
      const { closed, open } = closeToOthers(coffer.dataDir);
      expect([closed[0], open]).toEqual([coffer.dataDir, []]);
    },
  );
});
