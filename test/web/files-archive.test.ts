import { expect, test } from "bun:test";
import { archiveAddress, folderArchiveAddress } from "../../web/lib/files/archive.ts";

const DRIVE = "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f";

/** As many different paths as wanted, of at least this length. */
function paths(count: number, length: number): string[] {
  return Array.from({ length: count }, (_, index) => String(index).padStart(length, "ü"));
}

test("an archive's address names the drive and what is wanted of it", () => {
  const address = archiveAddress(DRIVE, ["a & b.txt", "ünï/=?#/"]) ?? "";
  const query = new URL(address, "http://localhost").searchParams;
  expect([query.get("drive_id"), query.getAll("path")]).toEqual([DRIVE, ["a & b.txt", "ünï/=?#/"]]);
});

test.each([
  ["as many as the server takes", 200, 1, true],
  ["more than the server takes", 201, 1, false],
  ["few, but of long names", 10, 255, false],
  ["few, of names that just fit", 5, 255, true],
])("%s can be named: %i of %i characters", (_, count, length, fits) => {
  expect(archiveAddress(DRIVE, paths(count, length)) !== null).toBe(fits);
});

test.each([
  ["a drive", "", []],
  ["a folder", "notes/2030/", ["notes/2030/"]],
])("%s can always be had whole", (_, folder, named) => {
  const query = new URL(folderArchiveAddress(DRIVE, folder), "http://localhost").searchParams;
  expect([query.get("drive_id"), query.getAll("path")]).toEqual([DRIVE, named]);
});
