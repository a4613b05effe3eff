import { describe, expect, test } from "bun:test";
import { statfs } from "node:fs/promises";
import { DAY_MS } from "../../../src/domain/time.ts";
import { HistoryRemoval } from "../../../src/services/history/history-removal.ts";
import { Pruning } from "../../../src/services/history/pruning.ts";
import { SnapshotRemoval } from "../../../src/services/snapshots/snapshot-removal.ts";
import { SHORTEST_GRACE_MS } from "../../../src/services/upkeep/early-removal.ts";
import { ORPHAN_GRACE_MS } from "../../../src/services/upkeep/sweep.ts";
import { rowsIn } from "../../support/faults/change-database.ts";
import { verified } from "../../support/faults/verified.ts";
import { newContent, onDisk } from "../../support/samples/contents.ts";
import { failureOf } from "../../support/samples/failure.ts";
import { startAppliance } from "../../support/server/appliance.ts";
import { eventually, provision } from "../../support/server/scenario.ts";
import {
  type OpenedDrive as Place,
  openServicesIn,
  openWithAda,
  openWithDrive,
  otherDrive,
  removeFile,
  storeFile,
  tryToStore,
} from "../../support/server/services-drive.ts";
import { FAST_DIRECTORY } from "../../support/server/temporary-directory.ts";
import { testWith } from "../../support/server/test-with.ts";

/** The numbers of the versions of a file. */
function numbersOf({ services, caller, drive }: Place, path: string): number[] {
  const { versions } = services.versions.list(caller, { drive, path }, { limit: 50, before: null });
  return versions.map(({ version }) => version);
}

describe("what is kept ends", () => {
  test("after its days, in the sweep, and its contents after that", async () => {
    await using own = await openWithDrive({ keepDays: 2 });
    const { sweep } = own.services;
    for (const bytes of [20_000, 20_001]) await tryToStore(own, "f", bytes);
    await tryToStore(own, "g", 20_002);
    await removeFile(own, "g");
    own.clock.advance(2 * DAY_MS - 1);
    await sweep.run();
    expect(["file_version", "trash_file"].map(own.count)).toEqual([1, 1]);
    own.clock.advance(1);
    await sweep.run();
    expect(["file_version", "trash", "kept_content"].map(own.count)).toEqual([0, 0, 0]);
    expect(numbersOf(own, "f")).toEqual([]);
    own.clock.advance(ORPHAN_GRACE_MS);
    await sweep.run();
    expect([onDisk(own), await verified(own.root)]).toEqual([20_001, []]);
  });

  test("at once after a start that keeps fewer, or nothing", async () => {
    await using own = await openWithDrive();
    for (let n = 1; n <= 6; n += 1) await tryToStore(own, "f", n);
    for (const [keeps, left] of [
      [{ keepVersions: 2 }, 2],
      [{ keepDays: 0 }, 0],
    ] as const) {
      await using again = await openServicesIn(own.root, keeps);
      await again.services.sweep.run();
      expect(again.count("file_version")).toBe(left);
    }
  });

  test("with its file, once that is in no trash any more", async () => {
    await using own = await openWithDrive();
    const { sweep, trash } = own.services;
    for (const bytes of [10, 11]) await tryToStore(own, "f", bytes);
    const left = async () => {
      await sweep.run();
      return ["file_version", "gone_file"].map(own.count);
    };
    const entry = await removeFile(own, "f");
    expect(await left()).toEqual([1, 1]);
    await trash.restore(own.caller, entry, undefined);
    expect(await left()).toEqual([1, 0]);
    await trash.remove(own.caller, await removeFile(own, "f"));
    await sweep.run();
    expect(await left()).toEqual([0, 0]);
  });

  test("also if the file comes back and goes again while the sweep looks at it", async () => {
    await using own = await openWithDrive();
    for (const bytes of [20, 21]) await tryToStore(own, "f", bytes);
    await own.services.trash.restore(own.caller, await removeFile(own, "f"), undefined);
    /** It is deleted before the write that the historyRemoval asks for. */
    const writeFromReserve = async <T>(job: () => T): Promise<T> => {
      await removeFile(own, "f");
      return own.tables.writeFromReserve(job);
    };
    const tables = { ...own.tables, writeFromReserve };
    await new HistoryRemoval({ tables, retention: { days: 1, versions: 1 } }).removeSomeOfGone();
    expect(own.count("gone_file")).toBe(1);
  });

  test("with its drive", async () => {
    await using own = await openWithDrive();
    for (const path of ["f", "g"]) for (const bytes of [10, 11]) await tryToStore(own, path, bytes);
    await removeFile(own, "f");
    await own.services.drives.remove(own.caller, own.drive);
    await own.services.sweep.run();
    expect(["drive", "file_version", "trash", "kept_content"].map(own.count)).toEqual([0, 0, 0, 0]);
  });
});

/** A drive of an account that may store 1,000 bytes. */
const it = testWith(() => openWithAda({ storageLimit: 1000 }));

describe("what is kept goes first where room is needed", () => {
  it("the oldest of it, and no more than is needed; no upload is refused for it", async (own) => {
    const { services, caller, drive, clock } = own;
    const trashed = () => services.trash.list(caller, { driveId: drive, prefix: "", limit: 9, after: null });
    await tryToStore(own, "replaced", 200);
    clock.advance(1000);
    await tryToStore(own, "replaced", 100);
    clock.advance(1000);
    await tryToStore(own, "deleted", 200);
    await removeFile(own, "deleted");
    clock.advance(1000);
    await tryToStore(own, "replaced", 101);
    // 101 stored, 500 kept.
    expect([await tryToStore(own, "large", 350), numbersOf(own, "replaced")]).toEqual(["created", [2, 1]]);
    expect(await tryToStore(own, "larger", 200)).toBe("created");
    await eventually(() => numbersOf(own, "replaced").length === 1);
    expect(await trashed()).toMatchObject({ entries: [{ path: "deleted" }] });
    expect(await tryToStore(own, "largest", 300)).toBe("created");
    await eventually(() => own.count("trash WHERE state = 'kept'") === 0);
    expect(await verified(own.root)).toEqual([]);
  });

  test("but nothing that is deleted in between", async () => {
    await using opened = await openWithDrive();
    const { services, caller } = opened;
    for (const path of ["old", "new"]) await tryToStore(opened, path, 20);
    await removeFile(opened, "old");
    let entry: string | null = null;
    /** Deletes the other file as soon as the first is gone: its entry gets the number of that. */
    const writeFromReserve = async <T>(job: () => T): Promise<T> => {
      const result = await opened.tables.writeFromReserve(job);
      if (entry === null && opened.count("trash") === 0) entry = await removeFile(opened, "new");
      return result;
    };
    const tables = { ...opened.tables, writeFromReserve };
    const { quota, changes } = services;
    const parts = { ...opened, tables, quota, changes, retention: { days: 1, versions: 1 } };
    const removals = {
      historyRemoval: new HistoryRemoval(parts),
      snapshotRemoval: new SnapshotRemoval(parts),
    };
    await new Pruning({ ...parts, ...removals }).pruneForTheDisk(1);
    expect(services.trash.get(caller, entry ?? "")).toMatchObject({ path: "new" });
  });

  it("replaces again and again take three times the limit at most, and are let in again in a minute", async (own) => {
    const outcomes: string[] = [];
    for (let n = 0; n < 12; n += 1) {
      outcomes.push(await tryToStore(own, "f", 600));
      expect(onDisk(own)).toBeLessThanOrEqual(3 * 1000);
    }
    expect([outcomes.at(0), outcomes.at(-1)]).toEqual(["created", "QUOTA_EXCEEDED"]);
    own.clock.advance(SHORTEST_GRACE_MS);
    await own.services.sweep.run();
    expect([await tryToStore(own, "f", 600), await verified(own.root)]).toEqual(["replaced", []]);
  });

  it("but what a snapshot needs counts like files", async (own) => {
    await tryToStore(own, "f", 600);
    await own.services.snapshots.create(own.caller, own.drive, undefined);
    expect(await failureOf(storeFile(own, "f", newContent(601)))).toMatchObject({
      code: "QUOTA_EXCEEDED",
      message: expect.stringContaining("snapshots"),
    });
    expect(await tryToStore(own, "g", 300)).toBe("created");
  });

  it("what others keep stays", async (own) => {
    const other = await otherDrive(own);
    for (const bytes of [500, 501]) await tryToStore(other, "f", bytes);
    for (const bytes of [600, 700]) await tryToStore(own, "f", bytes);
    await eventually(() => own.count("file_version") === 1);
    expect(numbersOf(other, "f")).toEqual([1]);
  });

  test("all of it when the disk is near its reserve, whoever keeps it", async () => {
    const { bavail, frsize } = await statfs(FAST_DIRECTORY);
    await using coffer = await startAppliance({ "disk-reserve": String(Math.floor(bavail * frsize * 0.75)) });
    const { client, id } = await provision(coffer);
    for (const [bytes, status] of [
      [20_000, 201],
      [20_001, 200],
    ] as const)
      await client.put(id, "f", newContent(bytes), status);
    // Said once.
    for (let sweeps = 0; sweeps < 2; sweeps += 1) {
      await coffer.appliance.services.sweep.run();
      expect(rowsIn(coffer.dataDir, "SELECT count(*) FROM file_version")).toEqual([[0]]);
      expect(coffer.lines.filter((line) => line.includes("removed before their time"))).toHaveLength(1);
    }
  });
});
