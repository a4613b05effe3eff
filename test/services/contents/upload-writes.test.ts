import { expect } from "bun:test";
import { join } from "node:path";
import { type OpenedDrive, openWithDrive, storeFile } from "../../support/server/services-drive.ts";
import { testWith } from "../../support/server/test-with.ts";

/** Of a frame of the log, before its page. */
const HEADER_BYTES = 24;

/** The tables and indexes that a work writes in a database so small that each is a single page. */
async function written({ database, root }: OpenedDrive, work: () => Promise<unknown>): Promise<string[]> {
  const trees = database.sql.query<{ page: number; name: string }, []>(
    "SELECT rootpage AS page, name FROM sqlite_schema WHERE rootpage > 0",
  );
  const pageBytes = database.sql.query<{ page_size: number }, []>("PRAGMA page_size").get()?.page_size ?? 0;
  const log = Bun.file(join(root, "coffer.db-wal"));
  const before = log.size;
  await work();
  const added = Buffer.from(
    await Bun.file(log.name ?? "")
      .slice(before)
      .arrayBuffer(),
  );
  const pages = new Set<number>();
  for (let at = 0; at < added.length; at += HEADER_BYTES + pageBytes) pages.add(added.readUInt32BE(at));
  const names = trees.all().filter(({ page }) => pages.has(page));
  return names.map(({ name }) => name).toSorted();
}

const it = testWith(() => openWithDrive());

// What stands here is paid with every upload: add to it only what must be written in the same commit.
it("an upload of a small file writes no more tables, indexes and rows than it must", async (opened) => {
  const rows = () =>
    opened.database.sql.query<{ n: number }, []>("SELECT total_changes() AS n").get()?.n ?? 0;
  await storeFile(opened, "a/first.txt", "first");
  const before = rows();
  const trees = await written(opened, () => storeFile(opened, "a/second.txt", "second"));
  expect(trees).toEqual(
    [
      ["drive", "folder", "file", "file_path", "file_folder", "file_blob", "sqlite_autoindex_file_1"],
      ["file_size", "file_type", "file_updated", "file_folder_size", "file_folder_updated"],
      ["file_folder_name"],
      ["blob", "sqlite_autoindex_blob_1", "blob_orphan", "small_content"],
      ["change", "change_drive"],
      ["search_job", "sqlite_autoindex_search_job_1", "search_job_drive"],
      // The last numbers of changes and of search jobs.
      ["sqlite_sequence"],
    ]
      .flat()
      .toSorted(),
  );
  // Of these, the drive has three, and its folders one each.
  expect(rows() - before).toBe(11);
});
