import { ApiKeysTable } from "./api-keys.ts";
import { ArchiveLists } from "./archive-lists.ts";
import { BackupsTable } from "./backups.ts";
import { BlobsTable } from "./blobs.ts";
import { ChangesTable } from "./changes.ts";
import { ClaimTokensTable } from "./claim-tokens.ts";
import { DamagedContentsTable } from "./damaged-contents.ts";
import type { Database, Within } from "./database.ts";
import { MembersTable } from "./members.ts";
import { DrivesTable } from "./drives.ts";
import { EndedKeysTable } from "./ended-keys.ts";
import { FileLists } from "./file-lists.ts";
import { FilesTable } from "./files.ts";
import { FileVersionsTable } from "./file-versions.ts";
import { FolderWorksTable } from "./folder-works.ts";
import { FoldersTable } from "./folders.ts";
import { HeldRows } from "./held-rows.ts";
import { IdentitiesTable } from "./identities.ts";
import { KeptAges } from "./kept-ages.ts";
import { KeptContents } from "./kept-contents.ts";
import { KnownClientsTable } from "./known-clients.ts";
import { LinksTable } from "./links.ts";
import { OAuthClientsTable } from "./oauth-clients.ts";
import { OAuthGrantsTable } from "./oauth-grants.ts";
import { PastFiles } from "./past-files.ts";
import { PresignedLinksTable } from "./presigned-links.ts";
import { ReleasedContentsTable } from "./released-contents.ts";
import { UploadLinksTable } from "./upload-links.ts";
import { UsageTable } from "./usage.ts";
import { IdempotencyTable } from "./idempotency-records.ts";
import { ScrubTable } from "./scrub.ts";
import { DocumentRetries } from "./search/document-retries.ts";
import { SearchJobs } from "./search/jobs.ts";
import { Searches } from "./search/searches.ts";
import { ShareLinksTable } from "./share-links.ts";
import { SessionsTable } from "./sessions.ts";
import { SmallContentsTable } from "./small-contents.ts";
import { SnapshotDifferences } from "./snapshot-differences.ts";
import { SnapshotLists } from "./snapshot-lists.ts";
import { SnapshotsTable } from "./snapshots.ts";
import { StoreTable } from "./store.ts";
import { Subtrees } from "./subtrees.ts";
import { TrashTable } from "./trash.ts";
import { TrashContents } from "./trash-contents.ts";
import { TrashLists } from "./trash-lists.ts";
import { UsersTable } from "./users.ts";
import { WebhookDeliveriesTable } from "./webhook-deliveries.ts";
import { WebhooksTable } from "./webhooks.ts";

/** Every table of one open database. Call methods marked "Inside a write" only in a `write` job. */
export type Tables = ReturnType<typeof openTables>;

/** Opens every table. */
export function openTables(database: Database) {
  return {
    users: new UsersTable(database),
    identities: new IdentitiesTable(database),
    sessions: new SessionsTable(database),
    knownClients: new KnownClientsTable(database),
    drives: new DrivesTable(database),
    members: new MembersTable(database),
    claimTokens: new ClaimTokensTable(database),
    apiKeys: new ApiKeysTable(database),
    endedKeys: new EndedKeysTable(database),
    oauthClients: new OAuthClientsTable(database),
    oauthGrants: new OAuthGrantsTable(database),
    folders: new FoldersTable(database),
    files: new FilesTable(database),
    fileVersions: new FileVersionsTable(database),
    trash: new TrashTable(database),
    trashContents: new TrashContents(database),
    trashLists: new TrashLists(database),
    keptAges: new KeptAges(database),
    keptContents: new KeptContents(database),
    subtrees: new Subtrees(database),
    changes: new ChangesTable(database),
    folderWorks: new FolderWorksTable(database),
    snapshots: new SnapshotsTable(database),
    pastFiles: new PastFiles(database),
    snapshotDifferences: new SnapshotDifferences(database),
    snapshotLists: new SnapshotLists(database),
    heldRows: new HeldRows(database),
    fileLists: new FileLists(database),
    archiveLists: new ArchiveLists(database),
    blobs: new BlobsTable(database),
    smallContents: new SmallContentsTable(database),
    damagedContents: new DamagedContentsTable(database),
    scrub: new ScrubTable(database),
    releasedContents: new ReleasedContentsTable(database),
    store: new StoreTable(database),
    backups: new BackupsTable(database),
    searchJobs: new SearchJobs(database),
    documentRetries: new DocumentRetries(database),
    searches: new Searches(database),
    idempotencyRecords: new IdempotencyTable(database),
    presignedLinks: new PresignedLinksTable(database),
    uploadLinks: new UploadLinksTable(database),
    shareLinks: new ShareLinksTable(database),
    links: new LinksTable(database),
    webhooks: new WebhooksTable(database),
    webhookDeliveries: new WebhookDeliveriesTable(database),
    usage: new UsageTable(database),
    /** See `Database.write`. */
    write: <T>(job: () => T, within?: Within<T>): Promise<T> => database.write(job, within),
    /**
     * Like `write`, for what must work on a full disk: what frees space, removes access or lets users sign in, and
     * the server's own small records. It may use the reserve.
     */
    writeFromReserve: <T>(job: () => T, within?: Within<T>): Promise<T> =>
      database.write(job, within, { room: "reserve" }),
    /** Like `write`, for what is made again from the rest: resolves before it is durable. */
    writeDerived: <T>(job: () => T): Promise<T> => database.write(job, undefined, { isDurable: false }),
    /** See `Database.requireSpace`. */
    requireSpace: (): Promise<void> => database.requireSpace(),
    /** See `Database.releasePages`. */
    releasePages: (pages: number): number => database.releasePages(pages),
    /** See `Database.requireKnownOutcome`. */
    requireKnownOutcome: (): void => database.requireKnownOutcome(),
    /** See `Database.hasSpace`. */
    hasSpace: (): Promise<boolean> => database.hasSpace(),
    /** See `Database.ping`. */
    ping: (): void => database.ping(),
    /** See `Database.hasFailed`. */
    hasFailed: (): boolean => database.hasFailed,
  };
}
