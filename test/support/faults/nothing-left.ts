import { readdir, utimes } from "node:fs/promises";
import { join } from "node:path";
import { SMALL_CONTENT_BYTES } from "../../../src/domain/limits.ts";
import { fileOf, filesIn } from "../samples/contents.ts";
import { hashOf } from "../samples/hash.ts";
import { eventually } from "../server/scenario.ts";
import { changeDatabase, rowsIn } from "./change-database.ts";
import { contentOf } from "./faults.ts";

/** The temporary files on a disk, such as the data directory. */
export function temporariesIn(disk: string): Promise<string[]> {
  return readdir(join(disk, "tmp"));
}

/** Makes all contents old that no file uses, so that the next sweep removes them. */
export function ageOrphans(dataDir: string): void {
  changeDatabase(dataDir, "UPDATE blob SET orphaned_at = 1 WHERE orphaned_at IS NOT NULL");
}

/**
 * Makes everything that no file uses old, until sweeps have removed it, and no temporary file is left.
 *
 * @param disk where the contents of a running server are
 */
export async function requireNothingLeft(dataDir: string, disk = dataDir): Promise<void> {
  // A kill leaves one if it comes between a content and its row, which few of them do.
  const stray = contentOf("stray", 20_000);
  await Bun.write(fileOf(disk, hashOf(stray)), stray);
  const named = `SELECT digest FROM blob WHERE size > ${SMALL_CONTENT_BYTES} ORDER BY digest`;
  await eventually(async () => {
    const files = filesIn(disk).map(({ digest }) => digest);
    if (
      rowsIn(dataDir, "SELECT 1 FROM blob WHERE refs = 0").length === 0 &&
      Bun.deepEquals(rowsIn(dataDir, named).flat(), files.toSorted()) &&
      // A content that a sweep removes passes through there.
      (await temporariesIn(disk)).length === 0
    ) {
      return true;
    }
    ageOrphans(dataDir);
    // Not 0: contents up to that time may be older than the database, and are kept. A sweep may just have removed one.
    await Promise.all(files.map((name) => utimes(fileOf(disk, name), 1, 1).catch(() => {})));
    return false;
  });
}
