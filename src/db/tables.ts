import { ApiKeysTable } from "./accounts/api-keys.ts";
import { ArchiveLists } from "./files/archive-lists.ts";
import { BackupsTable } from "./upkeep/backups.ts";
import { BlobsTable } from "./contents/blobs.ts";
import { ChangesTable } from "./changes/changes.ts";
import { ClaimTokensTable } from "./accounts/claim-tokens.ts";
import { DamagedContentsTable } from "./contents/damaged-contents.ts";
import type { Database, Within } from "./engine/database.ts";
import { MembersTable } from "./accounts/members.ts";
import { DrivesTable } from "./drives/drives.ts";
import { EndedKeysTable } from "./accounts/ended-keys.ts";
import { FileLists } from "./files/file-lists.ts";
import { FilesTable } from "./files/files.ts";
import { FileVersionsTable } from "./history/file-versions.ts";
import { FolderWorksTable } from "./folders/folder-works.ts";
import { FoldersTable } from "./folders/folders.ts";
import { HeldRows } from "./snapshots/held-rows.ts";
import { IdentitiesTable } from "./accounts/identities.ts";
import { KeptAges } from "./history/kept-ages.ts";
import { KeptContents } from "./history/kept-contents.ts";
import { KnownClientsTable } from "./accounts/known-clients.ts";
import { LinksTable } from "./links/links.ts";
import { OAuthClientsTable } from "./oauth/oauth-clients.ts";
import { OAuthGrantsTable } from "./oauth/oauth-grants.ts";
import { PastFiles } from "./snapshots/past-files.ts";
import { ReleasedContentsTable } from "./contents/released-contents.ts";
import { UsageTable } from "./accounts/usage.ts";
import { IdempotencyTable } from "./idempotency-records.ts";
import { ScrubTable } from "./upkeep/scrub.ts";
import { DocumentRetries } from "./search/document-retries.ts";
import { SearchJobs } from "./search/jobs.ts";
import { Searches } from "./search/searches.ts";
import { SessionsTable } from "./accounts/sessions.ts";
import { SmallContentsTable } from "./contents/small-contents.ts";
import { SnapshotDifferences } from "./snapshots/snapshot-differences.ts";
import { SnapshotLists } from "./snapshots/snapshot-lists.ts";
import { SnapshotsTable } from "./snapshots/snapshots.ts";
import { StoreTable } from "./upkeep/store.ts";
import { Subtrees } from "./folders/subtrees.ts";
import { TrashTable } from "./history/trash.ts";
import { TrashContents } from "./history/trash-contents.ts";
import { TrashLists } from "./history/trash-lists.ts";
import { UsersTable } from "./accounts/users.ts";
import { WebhookDeliveriesTable } from "./webhooks/webhook-deliveries.ts";
import { WebhooksTable } from "./webhooks/webhooks.ts";

/** Every table of one open database. Call methods marked "Inside a write" only in a `write` job. */
export type Tables = ReturnType<typeof openTables>;

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
    links: new LinksTable(database),
    webhooks: new WebhooksTable(database),
    webhookDeliveries: new WebhookDeliveriesTable(database),
    usage: new UsageTable(database),
    write: <T>(job: () => T, within?: Within<T>): Promise<T> => database.write(job, within),
    /**
     * Like `write`, for what must work on a full disk: what frees space, removes access or lets users sign in, and
     * the server's own small records. It may use the reserve.
     */
    writeFromReserve: <T>(job: () => T, within?: Within<T>): Promise<T> =>
      database.write(job, within, { room: "reserve" }),
    /** Like `write`, for what is made again from the rest: resolves before it is durable. */
    writeDerived: <T>(job: () => T): Promise<T> => database.write(job, undefined, { isDurable: false }),
    requireWritable: (): Promise<void> => database.requireWritable(),
    releasePages: (pages: number): number => database.releasePages(pages),
    requireKnownOutcome: (): void => database.requireKnownOutcome(),
    hasSpace: (): Promise<boolean> => database.hasSpace(),
    ping: (): void => database.ping(),
    hasFailed: (): boolean => database.hasFailed,
  };
}
