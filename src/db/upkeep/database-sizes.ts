import { fileSize } from "../engine/file-size.ts";
import { indexPathOf } from "../search/index-tables.ts";
import { vectorPathOf } from "../search/vector-file.ts";

/** The sizes of a database's files, in bytes; 0 for one that is not there. @param path of the database */
export function databaseSizes(path: string) {
  return {
    database: fileSize(path),
    /** What was written last, and is not in the database's file yet. */
    log: fileSize(`${path}-wal`),
    searchIndex: withLog(indexPathOf(path)),
    vectors: withLog(vectorPathOf(path)),
  };
}

function withLog(path: string): number {
  return fileSize(path) + fileSize(`${path}-wal`);
}
