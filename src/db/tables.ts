import { ApiKeys } from "./api-keys.ts";
import { Blobs } from "./blobs.ts";
import { ClaimTokens } from "./claim-tokens.ts";
import type { Database } from "./database.ts";
import { Drives } from "./drives.ts";
import { FileLists } from "./file-lists.ts";
import { Files } from "./files.ts";
import { Folders } from "./folders.ts";
import { Users } from "./users.ts";

/** Every table, over one open database. Methods marked "Inside a write" belong into a `write` job. */
export type Tables = ReturnType<typeof openTables>;

export function openTables(database: Database) {
  return {
    users: new Users(database),
    drives: new Drives(database),
    claimTokens: new ClaimTokens(database),
    apiKeys: new ApiKeys(database),
    folders: new Folders(database),
    files: new Files(database),
    fileLists: new FileLists(database),
    blobs: new Blobs(database),
    /** See `Database.write`. */
    write: <T>(job: () => T): Promise<T> => database.write(job),
  };
}
