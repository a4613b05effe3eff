import { describe, expect, test } from "bun:test";
import { statfs } from "node:fs/promises";
import { SHORTEST_GRACE_MS } from "../../../src/services/upkeep/early-removal.ts";
import { ORPHAN_GRACE_MS } from "../../../src/services/upkeep/sweep.ts";
import { newContent, onDisk } from "../../support/samples/contents.ts";
import { failureOf } from "../../support/samples/failure.ts";
import { UNCONDITIONAL } from "../../support/samples/unconditional.ts";
import { Random } from "../../support/server/random.ts";
import { eventually } from "../../support/server/scenario.ts";
import {
  anotherDrive,
  callerWith,
  type OpenedDrive as Place,
  openWithAda,
  openWithDrive,
  ask,
  otherDrive,
  removeDrive,
  removeFile,
  sweep,
  storeFile,
  tryToStore,
} from "../../support/server/services-drive.ts";
import { FAST_DIRECTORY } from "../../support/server/temporary-directory.ts";
import { testWith } from "../../support/server/test-with.ts";
import { longTest } from "../../support/server/thorough.ts";

const MIB = 1024 * 1024;
const REFUSED = "QUOTA_EXCEEDED";

/** Uploads new contents of so many bytes to one path, one after the other. */
async function replace(place: Place, times: number, bytes: number): Promise<string[]> {
  const outcomes: string[] = [];
  for (let n = 0; n < times; n += 1) outcomes.push(await tryToStore(place, "f", bytes));
  return outcomes;
}

/** Does something that `random` chooses to a drive with few paths and few contents, so that they meet often. */
async function change(place: Place, random: Random): Promise<void> {
  const { services, caller, drive } = place;
  const to = {
    path: `d${random.below(2)}/f${random.below(3)}`,
    driveId: undefined,
    onConflict: "replace" as const,
  };
  const own = `SELECT id FROM file WHERE drive = (SELECT pk FROM drive WHERE id = '${drive}')`;
  const id = String(random.pick([...ask(place, own), "new"]));
  const upload = () => tryToStore(place, to.path, new Uint8Array(100 + random.below(6)));
  const changes = [
    upload,
    () => services.files.remove(caller, { id }, UNCONDITIONAL),
    () => services.files.move(caller, { id }, to, UNCONDITIONAL),
    () => services.files.copy(caller, { id }, to, UNCONDITIONAL),
    () => services.folders.remove(caller, drive, "d0/"),
  ];
  await Promise.allSettled([id === "new" ? upload() : random.pick(changes)()]);
}

/** Every counter of what was let go of, less what it should be. */
function wrongCounts(place: Place): unknown[] {
  return ask(
    place,
    `SELECT released_size - (SELECT ifnull(sum(size), 0) FROM blob WHERE released_drive = drive.pk) FROM drive
     UNION ALL SELECT released_size - (SELECT ifnull(sum(size), 0) FROM blob WHERE released_user = user.pk) FROM user
     UNION ALL SELECT 'referred to' FROM blob WHERE refs > 0 AND (released_drive NOT NULL OR released_user NOT NULL)`,
  ).filter((difference) => difference !== 0);
}

/** A drive of an account that may store 1,000 bytes, and so take 3,000 on the disk. */
const it = testWith(() => openWithAda({ keepDays: 0, storageLimit: 1000 }));

describe("replaces do not fill the disk", () => {
  longTest("of an anonymous drive: 60 MiB again and again take 300 MiB at most, and soon less", async () => {
    await using drive = await openWithDrive({ keepDays: 0, maxFileSize: 60 * MIB });
    const four = Array<string>(4).fill("replaced");
    expect(await replace(drive, 7, 60 * MIB)).toEqual(["created", ...four, REFUSED, REFUSED]);
    expect(onDisk(drive)).toBe(300 * MIB);
    await eventually(() => drive.count("blob WHERE refs = 0 AND orphaned_at IS NULL") === 0);
    drive.clock.advance(SHORTEST_GRACE_MS);
    await sweep(drive);
    expect([onDisk(drive), await replace(drive, 1, 60 * MIB)]).toEqual([120 * MIB, ["replaced"]]);
  });

  it("of an account, in all its drives together, whether they get larger, smaller or stay", async (one) => {
    const two = await anotherDrive(one);
    for (const place of [one, two])
      expect(await replace(place, 3, 500)).toEqual(["created", "replaced", "replaced"]);
    expect(await tryToStore(one, "f", 499)).toBe(REFUSED);
    expect(await tryToStore(one, "f", 500)).toBe(REFUSED);
    expect([await tryToStore(two, "other", new Uint8Array(13)), onDisk(one)]).toEqual([REFUSED, 3000]);
  });

  it("nor do deletions and uploads in turn", async (one) => {
    const outcomes: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      outcomes.push(await tryToStore(one, `f${n}`, 900));
      if (outcomes[n] === "created") await removeFile(one, `f${n}`);
    }
    expect([outcomes, onDisk(one)]).toEqual([["created", "created", "created", REFUSED, REFUSED], 2700]);
  });

  for (const when of ["swept", "not swept yet"])
    it(`nor do drives that are filled and deleted, ${when}`, async (one) => {
      const outcomes: string[] = [];
      for (let n = 0; n < 4; n += 1) {
        const drive = await anotherDrive(one);
        outcomes.push(await tryToStore(drive, "f", 900));
        await removeDrive(drive);
        if (when === "swept") await sweep(one);
      }
      expect(outcomes).toEqual(["created", "created", "created", REFUSED]);
      expect(wrongCounts(one)).toEqual([]);
    });

  test("an account without a limit is never refused", async () => {
    await using one = await openWithAda({ keepDays: 0 });
    expect(await replace(one, 10, 900)).toEqual(["created", ...Array<string>(9).fill("replaced")]);
  });
});

describe("what was let go of is removed early", () => {
  it("as soon as it is more than may be stored, without a sweep: in a minute there is room again", async (one) => {
    await replace(one, 3, 900);
    const before = ask(one, "SELECT id, blob, version FROM file");
    const refused = String(await failureOf(storeFile(one, "f", newContent(900))));
    expect(refused).toContain("try again in a minute");
    // What is refused changes nothing.
    expect([ask(one, "SELECT id, blob, version FROM file"), onDisk(one)]).toEqual([before, 2700]);
    expect(wrongCounts(one)).toEqual([]);
    await eventually(() => one.count("blob WHERE released_user = 1 AND orphaned_at IS NULL") === 0);
    one.clock.advance(SHORTEST_GRACE_MS - 1);
    expect(await replace(one, 1, 900)).toEqual([REFUSED]);
    await sweep(one);
    expect(onDisk(one)).toBe(2700);
    one.clock.advance(1);
    // Refused, and so removed.
    expect(await replace(one, 1, 900)).toEqual([REFUSED]);
    await eventually(() => onDisk(one) === 1800);
    expect(await replace(one, 2, 900)).toEqual(["replaced", REFUSED]);
    // Deleting is never refused.
    await removeFile(one, "f");
  });

  it("the oldest first, and no more than it takes", async (one) => {
    for (const size of [400, 410, 420, 430]) {
      await tryToStore(one, "f", size);
      await sweep(one);
      one.clock.advance(1000);
    }
    one.clock.advance(SHORTEST_GRACE_MS);
    await sweep(one);
    const released = () => ask(one, "SELECT size FROM blob WHERE released_user = 1 ORDER BY size");
    expect(released()).toEqual([410, 420]);
    one.clock.advance(ORPHAN_GRACE_MS);
    await sweep(one);
    expect([released(), wrongCounts(one)]).toEqual([[], []]);
  });

  it("only theirs: what others let go of stays its hour", async (one) => {
    await replace(await otherDrive(one), 3, 777);
    await replace(one, 3, 900);
    await sweep(one);
    one.clock.advance(SHORTEST_GRACE_MS);
    await sweep(one);
    expect(onDisk(one)).toBe(3 * 777 + 2 * 900);
    one.clock.advance(ORPHAN_GRACE_MS);
    await sweep(one);
    expect(onDisk(one)).toBe(777 + 900);
  });

  test("all of it, deleted drives' too, when the disk is near its reserve", async () => {
    const { bavail, frsize } = await statfs(FAST_DIRECTORY);
    await using drive = await openWithDrive({ keepDays: 0, diskReserve: bavail * frsize * 0.75 });
    const deleted = await otherDrive(drive);
    await replace(drive, 2, 777);
    await tryToStore(deleted, "f", 888);
    await removeDrive(deleted);
    await sweep(drive);
    drive.clock.advance(SHORTEST_GRACE_MS - 1);
    await sweep(drive);
    expect(onDisk(drive)).toBe(777 + 777 + 888);
    drive.clock.advance(1);
    await sweep(drive);
    expect(onDisk(drive)).toBe(777);
  });
});

describe("for whom it counts", () => {
  it("whoever let go last of what several had, and nobody once it is in use again", async (one) => {
    const other = await otherDrive(one);
    const shared = newContent(300);
    for (const place of [one, other]) await tryToStore(place, "f", shared);
    const sizes = () =>
      ask(one, "SELECT released_size FROM user UNION ALL SELECT max(released_size) FROM drive");
    await tryToStore(one, "f", 20);
    expect(sizes()).toEqual([0, 0]);
    await tryToStore(other, "f", 20);
    expect(sizes()).toEqual([0, 300]);
    await tryToStore(one, "again", shared);
    expect(sizes()).toEqual([0, 0]);
    expect(wrongCounts(one)).toEqual([]);
  });

  test("a deleted drive's does not count for the next one, which has its row's number", async () => {
    await using drive = await openWithDrive({ keepDays: 0 });
    await replace(drive, 3, 777);
    await removeDrive(drive);
    await sweep(drive);
    await otherDrive(drive);
    expect(ask(drive, "SELECT pk, released_size FROM drive")).toEqual([1, 0]);
    expect(ask(drive, "SELECT count(*), count(released_drive) FROM blob")).toEqual([3, 0]);
  });

  test("a claimed drive's, from then on, for its owner", async () => {
    await using one = await openWithAda({ keepDays: 0 });
    const { driveId, apiKey, claimToken } = await one.services.drives.provision("Claimed");
    const drive = { ...one, drive: driveId, caller: callerWith(one.services, apiKey) };
    await replace(drive, 2, 300);
    await one.services.claims.claim(one.caller, claimToken);
    await replace(drive, 1, 400);
    expect(ask(one, "SELECT released_size FROM user")).toEqual([300]);
    expect(ask(one, "SELECT max(released_size) FROM drive")).toEqual([300]);
    expect(wrongCounts(one)).toEqual([]);
  });

  test("the counters are right whatever happens", async () => {
    await using one = await openWithAda({ keepDays: 0 });
    const two = await anotherDrive(one);
    const drives = [one, two, await otherDrive(one)];
    const random = new Random(1);
    for (let n = 0; n < 150; n += 1) {
      await change(random.pick(drives), random);
      if (random.chance(0.05)) {
        one.clock.advance(ORPHAN_GRACE_MS / 2);
        await sweep(one);
      }
      expect(wrongCounts(one)).toEqual([]);
    }
    await removeDrive(two);
    await sweep(one);
    expect(wrongCounts(one)).toEqual([]);
  });
});
