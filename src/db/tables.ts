import { apiKeys, endedKeys } from "./accounts/api-keys.ts";
import { archiveLists } from "./files/archive-lists.ts";
import { backups, scrub, store } from "./upkeep/store.ts";
import { settings } from "./upkeep/settings.ts";
import { databaseSizes } from "./upkeep/database-sizes.ts";
import { blobs, damagedContents, releasedContents, smallContents } from "./contents/blobs.ts";
import { auditEvents } from "./audit/audit-events.ts";
import { knownKeys } from "./audit/known-keys.ts";
import { batches } from "./changes/batches.ts";
import { changes } from "./changes/changes.ts";
import { claimTokens } from "./accounts/claim-tokens.ts";
import { comments } from "./comments/comments.ts";
import type { Database, Within } from "./engine/database.ts";
import { nameKeys } from "./upkeep/name-keys.ts";
import { members } from "./accounts/members.ts";
import { drives } from "./drives/drives.ts";
import { driveSizes } from "./drives/drive-sizes.ts";
import { fileLists } from "./files/file-lists.ts";
import { files } from "./files/files.ts";
import { fileTypes } from "./files/file-types.ts";
import { fileVersions } from "./history/file-versions.ts";
import { versionLabels } from "./history/version-labels.ts";
import { folderWorks } from "./folders/folder-works.ts";
import { folders, subtrees } from "./folders/folders.ts";
import { heldRows, snapshots } from "./snapshots/snapshots.ts";
import { identities, users } from "./accounts/users.ts";
import { keptAges, keptContents, keptPages } from "./history/kept.ts";
import { knownClients, sessions } from "./accounts/sign-ins.ts";
import { links } from "./links/links.ts";
import { oauthClients, oauthGrants } from "./oauth/oauth.ts";
import { pastFiles, snapshotDifferences } from "./snapshots/snapshot-differences.ts";
import { usage } from "./accounts/usage.ts";
import { usageDays } from "./accounts/usage-days.ts";
import { idempotencyRecords } from "./idempotency-records.ts";
import { documentRetries, searchJobs } from "./search/jobs.ts";
import { Searches } from "./search/searches.ts";
import { snapshotLists } from "./snapshots/snapshot-lists.ts";
import { trash, trashContents, trashLists } from "./history/trash.ts";
import { visits } from "./changes/visits.ts";
import { webhookDeliveries, webhooks } from "./webhooks/webhooks.ts";

/** Every table. Call what `sql.write` and its like made, or is marked "Inside a write", only in a `write` job. */
export type Tables = ReturnType<typeof openTables>;

export function openTables(database: Database) {
  return {
    users: users(database),
    identities: identities(database),
    sessions: sessions(database),
    knownClients: knownClients(database),
    drives: drives(database),
    driveSizes: driveSizes(database),
    members: members(database),
    claimTokens: claimTokens(database),
    apiKeys: apiKeys(database),
    endedKeys: endedKeys(database),
    oauthClients: oauthClients(database),
    oauthGrants: oauthGrants(database),
    folders: folders(database),
    files: files(database),
    fileTypes: fileTypes(database),
    fileVersions: fileVersions(database),
    versionLabels: versionLabels(database),
    trash: trash(database),
    trashContents: trashContents(database),
    trashLists: trashLists(database),
    keptAges: keptAges(database),
    keptContents: keptContents(database),
    keptPages: keptPages(database),
    subtrees: subtrees(database),
    changes: changes(database),
    batches: batches(database),
    visits: visits(database),
    comments: comments(database),
    folderWorks: folderWorks(database),
    snapshots: snapshots(database),
    pastFiles: pastFiles(database),
    snapshotDifferences: snapshotDifferences(database),
    snapshotLists: snapshotLists(database),
    heldRows: heldRows(database),
    nameKeys: nameKeys(database),
    fileLists: fileLists(database),
    archiveLists: archiveLists(database),
    blobs: blobs(database),
    smallContents: smallContents(database),
    damagedContents: damagedContents(database),
    scrub: scrub(database),
    releasedContents: releasedContents(database),
    store: store(database),
    backups: backups(database),
    settings: settings(database),
    auditEvents: auditEvents(database),
    knownKeys: knownKeys(database),
    searchJobs: searchJobs(database),
    documentRetries: documentRetries(database),
    searches: new Searches(database),
    idempotencyRecords: idempotencyRecords(database),
    links: links(database),
    webhooks: webhooks(database),
    webhookDeliveries: webhookDeliveries(database),
    usage: usage(database),
    usageDays: usageDays(database),
    write: <T>(job: () => T, within?: Within<T>): Promise<T> => database.write(job, within),
    /** Like `write`, from the reserve, on a full disk: to free space, remove access, sign in, and small records. */
    writeFromReserve: <T>(job: () => T, within?: Within<T>): Promise<T> =>
      database.write(job, within, { room: "reserve" }),
    /** Like `write`, for what is made again from the rest: resolves before it is durable. */
    writeDerived: <T>(job: () => T): Promise<T> => database.write(job, undefined, { isDurable: false }),
    requireWritable: (): Promise<void> => database.requireWritable(),
    releasePages: (pages: number): number => database.sql.releasePages(pages),
    requireKnownOutcome: (): void => database.requireKnownOutcome(),
    hasSpace: (): Promise<boolean> => database.hasSpace(),
    sizes: () => databaseSizes(database.sql.filename),
    writes: () => database.writes,
    ping: (): void => database.ping(),
    hasFailed: (): boolean => database.hasFailed,
  };
}
