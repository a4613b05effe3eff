import { expect, test } from "bun:test";
import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseReserve } from "../../../src/db/engine/database-reserve.ts";
import { NO_SMALL_DISK, SmallDisk } from "../../support/faults/small-disk.ts";
import { withReason } from "../../support/server/skip.ts";
import { testWith } from "../../support/server/test-with.ts";
import { temporaryDirectory } from "../../support/server/temporary-directory.ts";

const MIB = 1024 * 1024;
const SIZE = 8 * MIB;

const it = testWith(async () => {
  const place = await temporaryDirectory();
  const path = join(place.path, "reserve");
  const reserve = new DatabaseReserve(path);
  return { path, reserve, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
});

it("the reserve takes its room on the disk, for this user alone, and is whole only once it is there", async (opened) => {
  const { path, reserve } = opened;
  expect([reserve.isWhole, await reserve.restore(), reserve.isWhole]).toEqual([false, true, true]);
  const { size, blocks, mode } = statSync(path);
  expect([size, mode & 0o777]).toEqual([SIZE, 0o600]);
  expect(blocks * 512).toBeGreaterThanOrEqual(SIZE);
  // Not on a file system that stores equal pages once, either.
  const bytes = readFileSync(path);
  const pages = Array.from({ length: SIZE / 4096 }, (_, n) =>
    Bun.hash(bytes.subarray(n * 4096, (n + 1) * 4096)),
  );
  expect(new Set(pages).size).toBe(pages.length);
});

it("the reserve is given up in parts, since others take what is freed, and is made again", async (opened) => {
  const { path, reserve } = opened;
  expect(reserve.release()).toBe(false);
  await reserve.restore();
  for (let left = SIZE - MIB; left >= 0; left -= MIB) {
    expect([reserve.release(), reserve.isWhole, statSync(path).size]).toEqual([true, false, left]);
  }
  expect(reserve.release()).toBe(false);
  expect(await Promise.all([reserve.restore(), reserve.restore()])).toEqual([true, true]);
  expect(statSync(path).size).toBe(SIZE);
});

const onSmallDisk = test.skipIf(NO_SMALL_DISK !== "");
const PARTLY = "the reserve that was given up in part takes back what it can on a disk that is nearly full";

onSmallDisk(withReason(PARTLY, NO_SMALL_DISK), async () => {
  await using disk = await SmallDisk.mount(12);
  const path = join(disk.outside, "reserve");
  const reserve = new DatabaseReserve(path);
  expect([await reserve.restore(), statSync(path).size]).toEqual([false, SIZE - MIB]);
  disk.fill();
  for (let times = 0; times < 4; times += 1) reserve.release();
  expect(await reserve.restore()).toBe(false);
  expect([statSync(path).size, disk.freeBytes]).toEqual([SIZE - 2 * MIB, MIB]);
});

it("the reserve that is given up while it is made is not made", async ({ path, reserve }) => {
  const made = reserve.restore();
  reserve.release();
  expect([await made, reserve.isWhole, statSync(path).size]).toEqual([false, false, 0]);
});

test.each(["cut short", "full of holes"])("a reserve that is %s is made anew", async (how) => {
  await using place = await temporaryDirectory();
  const path = join(place.path, "reserve");
  writeFileSync(path, "abc");
  if (how === "full of holes") truncateSync(path, SIZE);
  const reserve = new DatabaseReserve(path);
  expect(await reserve.restore()).toBe(true);
  expect(statSync(path).blocks * 512).toBeGreaterThanOrEqual(SIZE);
});
