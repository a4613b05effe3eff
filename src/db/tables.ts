import { ApiKeys } from "./api-keys.ts";
import { ArchiveLists } from "./archive-lists.ts";
import { Blobs } from "./blobs.ts";
import { ClaimTokens } from "./claim-tokens.ts";
import type { Database, Within } from "./database.ts";
import { Drives } from "./drives.ts";
import { FileLists } from "./file-lists.ts";
import { Files } from "./files.ts";
import { FolderWorks } from "./folder-works.ts";
import { Folders } from "./folders.ts";
import { Identities } from "./identities.ts";
import { KnownClients } from "./known-clients.ts";
import { PresignedLinks } from "./presigned-links.ts";
import { ReleasedContents } from "./released-contents.ts";
import { UsageRecords } from "./usage.ts";
import { IdempotencyRecords } from "./idempotency-records.ts";
import { SearchIndex } from "./search/text-index.ts";
import { Searches } from "./search/searches.ts";
import { Sessions } from "./sessions.ts";
import { Store } from "./store.ts";
import { Subtrees } from "./subtrees.ts";
import { SetupTokens } from "./setup-tokens.ts";
import { Users } from "./users.ts";

/** Every table, over one open database. Methods marked "Inside a write" belong into a `write` job. */
export type Tables = ReturnType<typeof openTables>;

/** Prepares every statement there is; throws where one does not fit the schema. */
export function openTables(database: Database) {
  return {
    users: new Users(database),
    identities: new Identities(database),
    sessions: new Sessions(database),
    knownClients: new KnownClients(database),
    setupTokens: new SetupTokens(database),
    drives: new Drives(database),
    claimTokens: new ClaimTokens(database),
    apiKeys: new ApiKeys(database),
    folders: new Folders(database),
    files: new Files(database),
    subtrees: new Subtrees(database),
    folderWorks: new FolderWorks(database),
    fileLists: new FileLists(database),
    archiveLists: new ArchiveLists(database),
    blobs: new Blobs(database),
    releasedContents: new ReleasedContents(database),
    store: new Store(database),
    searchIndex: new SearchIndex(database),
    searches: new Searches(database),
    idempotencyRecords: new IdempotencyRecords(database),
    presignedLinks: new PresignedLinks(database),
    usage: new UsageRecords(database),
    /** See `Database.write`. */
    write: <T>(job: () => T, within?: Within<T>): Promise<T> => database.write(job, within),
    /**
     * Like `write`, for what must be possible on a full disk: what frees room, takes access away or lets
     * people in, and the server's own small records. It may use the room that is kept for that.
     */
    writeFromReserve: <T>(job: () => T, within?: Within<T>): Promise<T> =>
      database.write(job, within, "reserve"),
    /** See `Database.requireSpace`. */
    requireSpace: (): Promise<void> => database.requireSpace(),
    /** See `Database.hasSpace`. */
    hasSpace: (): Promise<boolean> => database.hasSpace(),
    /** See `Database.hasFailed`. */
    hasFailed: (): boolean => database.hasFailed,
  };
}
