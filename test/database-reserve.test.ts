import { expect, test } from "bun:test";
import { statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseReserve } from "../src/database-reserve.ts";
import { temporaryDirectory } from "./support/temporary-directory.ts";

const SIZE = 8 * 1024 * 1024;

test("the reserve takes its room on the disk, for this user alone, and is whole only once it is there", async () => {
  await using place = await temporaryDirectory();
  const path = join(place.path, "reserve");
  const reserve = new DatabaseReserve(path);
  expect(reserve.isWhole).toBe(false);
  expect(await reserve.restore()).toBe(true);
  expect(reserve.isWhole).toBe(true);
  const { size, blocks, mode } = statSync(path);
  expect([size, mode & 0o777]).toEqual([SIZE, 0o600]);
  expect(blocks * 512).toBeGreaterThanOrEqual(SIZE);
});

test("the reserve that is given up has no room to give a second time, until it is made again", async () => {
  await using place = await temporaryDirectory();
  const path = join(place.path, "reserve");
  const reserve = new DatabaseReserve(path);
  expect(reserve.release()).toBe(false);
  await reserve.restore();
  expect(reserve.release()).toBe(true);
  expect([reserve.isWhole, statSync(path).size]).toEqual([false, 0]);
  expect(reserve.release()).toBe(false);
  expect(await Promise.all([reserve.restore(), reserve.restore()])).toEqual([true, true]);
  expect(statSync(path).size).toBe(SIZE);
});

test("the reserve that is given up while it is made is not made", async () => {
  await using place = await temporaryDirectory();
  const path = join(place.path, "reserve");
  const reserve = new DatabaseReserve(path);
  const made = reserve.restore();
  reserve.release();
  expect(await made).toBe(false);
  expect([reserve.isWhole, statSync(path).size]).toEqual([false, 0]);
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
