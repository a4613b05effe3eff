import { once } from "../domain/once.ts";
import { sealingKey } from "../domain/sealing.ts";
import { Access } from "./access.ts";
import { ApiKeys } from "./accounts/api-keys.ts";
import { Audit } from "./audit/audit.ts";
import { AuditLog } from "./audit/audit-log.ts";
import { RefusedAttempts } from "./audit/refused-attempts.ts";
import { Archives } from "./contents/archives.ts";
import { Backups } from "./upkeep/backups.ts";
import { BatchUploads } from "./contents/batch-uploads.ts";
import { BlobChecks, DamagedBlobs } from "./contents/blob-checks.ts";
import { Batches } from "./changes/batches.ts";
import { Changes } from "./changes/changes.ts";
import { Feed } from "./changes/feed.ts";
import { Visits } from "./changes/visits.ts";
import { Claims } from "./accounts/claims.ts";
import { ContentsSizes } from "./upkeep/contents-size.ts";
import { CommentPlaces } from "./comments/comment-places.ts";
import { Comments } from "./comments/comments.ts";
import { ClockWatch } from "./upkeep/clock-watch.ts";
import { Drives } from "./drives/drives.ts";
import { EndedKeys } from "./accounts/ended-keys.ts";
import { EarlyRemoval } from "./upkeep/early-removal.ts";
import { DocumentReader } from "./extraction/document-reader.ts";
import { Documents } from "./extraction/documents.ts";
import { Edits } from "./contents/edits.ts";
import { HeldContents } from "./contents/held-contents.ts";
import { Extracts } from "./contents/extracts.ts";
import { Files } from "./files/files.ts";
import { FolderChanges } from "./folders/folder-changes.ts";
import { FolderLocks } from "./folders/folder-locks.ts";
import { FolderPieces } from "./folders/folder-pieces.ts";
import { FolderWorks } from "./folders/folder-works.ts";
import { WorkNotices } from "./folders/work-notices.ts";
import { WorksUnderWay } from "./folders/works-under-way.ts";
import { Folders } from "./folders/folders.ts";
import { Forks } from "./snapshots/forks.ts";
import { Grep } from "./grep/grep.ts";
import { Health } from "./upkeep/health.ts";
import { Embedder } from "./search/embedder.ts";
import { Indexer } from "./search/indexer.ts";
import { HistoryRemoval } from "./history/history-removal.ts";
import { MissingContents } from "./upkeep/missing-contents.ts";
import { ManyTexts } from "./contents/many-texts.ts";
import { Members } from "./accounts/members.ts";
import { UserRemoval } from "./accounts/user-removal.ts";
import { Links } from "./links/links.ts";
import { LiveSettings } from "./upkeep/live-settings.ts";
import { FileLinks } from "./links/file-links.ts";
import { LinkLists, LinkUses } from "./links/link-lists.ts";
import { Listings } from "./files/listings.ts";
import { ManyPaths } from "./files/many-paths.ts";
import { Paths } from "./files/paths.ts";
import { Walks } from "./files/walks.ts";
import { Authorizations } from "./oauth/authorizations.ts";
import { OAuthClients } from "./oauth/clients.ts";
import { OAuthGrants } from "./oauth/grants.ts";
import { OwnProcesses } from "./own-processes.ts";
import { Oidc } from "./accounts/oidc.ts";
import { KnownClients, Passwords } from "./accounts/passwords.ts";
import { Problems } from "./upkeep/problems.ts";
import { Pruning } from "./history/pruning.ts";
import { Quota } from "./quota.ts";
import { Redirects } from "./contents/redirects.ts";
import { Refusals } from "./upkeep/refusals.ts";
import { Scrub } from "./upkeep/scrub.ts";
import { ServerCare } from "./upkeep/server.ts";
import { ServerFigures } from "./upkeep/server-figures.ts";
import { Sessions } from "./accounts/sessions.ts";
import { SharedThings } from "./links/shared.ts";
import { SignIn } from "./accounts/sign-in.ts";
import { QueryVectors } from "./search/query-vectors.ts";
import { Search } from "./search/search.ts";
import { SnapshotViews } from "./snapshots/snapshot-views.ts";
import { SnapshotRemoval } from "./snapshots/snapshot-removal.ts";
import { Snapshots } from "./snapshots/snapshots.ts";
import { StoredSizes } from "./upkeep/stored-sizes.ts";
import { Sweep } from "./upkeep/sweep.ts";
import { LineIndexes, Texts } from "./contents/texts.ts";
import { Thumbnails } from "./contents/thumbnails.ts";
import { ManyEntries } from "./history/many-entries.ts";
import { Trash } from "./history/trash.ts";
import { Tree } from "./files/tree.ts";
import { BatchReversal } from "./history/batch-reversal.ts";
import { BatchUndo } from "./history/batch-undo.ts";
import { Undo } from "./history/undo.ts";
import { Uploads } from "./contents/uploads.ts";
import { UsageMeter } from "./accounts/usage.ts";
import { UsageDays } from "./accounts/usage-days.ts";
import { UsageDrives } from "./accounts/usage-drives.ts";
import { UsageKinds } from "./accounts/usage-kinds.ts";
import { VersionDiffs } from "./history/version-diffs.ts";
import { Versions } from "./history/versions.ts";
import { Accounts } from "./accounts/accounts.ts";
import { Users } from "./accounts/users.ts";
import { openWebhooks } from "./webhooks/open-webhooks.ts";
import type { ServiceParts } from "./service-parts.ts";

export type Services = ReturnType<typeof openServices>;

/** Creates the use cases. Nothing runs until it is started. */
export function openServices(opened: ServiceParts) {
  const settings = new LiveSettings(opened);
  const { rateLimits, storageLimits, retention } = settings;
  const given = { ...opened, settings, rateLimits, storageLimits, retention };
  const access = new Access(given);
  const audit = new Audit(given);
  const damaged = new DamagedBlobs(given);
  const missingContents = new MissingContents({ ...given, damaged });
  given.blobs.place.onDamage((damage) => void damaged.report(damage));
  const blobChecks = new BlobChecks({ ...given, damaged });
  const ownProcesses = new OwnProcesses(given);
  const documentReader = new DocumentReader({ ownProcesses });
  const indexer = new Indexer({ ...given, damaged, documentReader });
  const embedder = new Embedder(given);
  const locks = new FolderLocks(given);
  const passwords = new Passwords(given);
  // Others, so that those who guess at links keep nobody from signing in.
  const linkPasswords = new Passwords(given);
  const linkUses = new LinkUses(given);
  const quota = new Quota({ ...given, removeEarly: (releaser) => early.ask(releaser) });
  const changes = new Changes(given);
  const batches = new Batches({ ...given, access, changes, reverse: (batch) => reversal.run(batch) });
  const endedKeys = new EndedKeys({ ...given, changes });
  const historyRemoval = new HistoryRemoval(given);
  const snapshotRemoval = new SnapshotRemoval({ ...given, changes });
  const removals = { historyRemoval, snapshotRemoval };
  const pruning = new Pruning({ ...given, ...removals, quota });
  const early = new EarlyRemoval({ ...given, quota, pruning, forget: (contents) => sweep.forget(contents) });
  const changed = () => {
    indexer.wake();
    embedder.wake();
  };
  const tree = new Tree({ ...given, quota, locks, changes, changed });
  const reversal = new BatchReversal({ ...given, tree, changes });
  const watch = new ClockWatch(given);
  const sweep = new Sweep({ ...given, ...removals, tree, early, endedKeys, watch });
  const usage = new UsageMeter({ ...given, access, quota });
  const pieces = new FolderPieces({ ...given, tree, quota, changes });
  const notices = new WorkNotices({ ...given, changes });
  const works = new FolderWorks({ ...given, locks, pieces, snapshotRemoval, notices });
  const worksUnderWay = new WorksUnderWay({ ...given, access, pieces, works, notices });
  const folderChanges = new FolderChanges({ ...given, access, batches, quota, tree, locks, pieces, works });
  const parts = {
    ...given,
    damaged,
    blobChecks,
    access,
    audit,
    quota,
    locks,
    changes,
    batches,
    tree,
    usage,
  };
  const files = new Files(parts);
  const trash = new Trash({ ...parts, folderChanges });
  const versions = new Versions(parts);
  const indexes = new LineIndexes();
  const versionDiffs = new VersionDiffs({ ...parts, versions, indexes });
  const places = new CommentPlaces({ versions, versionDiffs });
  const feed = new Feed({ ...parts, worksUnderWay });
  const heldContents = new HeldContents(parts);
  const documents = new Documents({ ...given, heldContents, documentReader });
  const extracts = new Extracts({ files, documents, heldContents });
  const thumbnails = new Thumbnails({ ...parts, ownProcesses });
  const texts = new Texts({ ...parts, indexes });
  const uploads = new Uploads(parts);
  const links = new Links({
    ...parts,
    linkPasswords,
    linkKey: once(() => sealingKey(given.secret, "link")),
  });
  const archives = new Archives(parts);
  const listings = new Listings(parts);
  const walks = new Walks(parts);
  const folders = new Folders({ ...parts, folderChanges });
  const paths = new Paths({ ...parts, files, folders });
  const undo = new Undo({ ...parts, feed, files, folders, versions, trash });
  const users = new Users({ ...parts, passwords });
  const refusedAttempts = new RefusedAttempts(parts);
  const sessions = new Sessions({ ...parts, watch });
  const apiKeys = new ApiKeys({ ...parts, endedKeys });
  const oauthClients = new OAuthClients(given);
  const authorizations = new Authorizations({ ...parts, apiKeys, oauthClients });
  const snapshots = new Snapshots({ ...parts, folderChanges, snapshotRemoval });
  const webhooks = openWebhooks(parts);
  const search = new Search({ ...parts, indexer, queryVectors: new QueryVectors(given) });
  const health = new Health({ ...given, missingContents });
  const backups = new Backups(given);
  const scrub = new Scrub(parts);
  const refusals = new Refusals(given);
  const contentsSizes = new ContentsSizes(given);
  const problems = new Problems({ ...given, health, backups, indexer, embedder, refusals });
  const upkeepParts = { ...parts, problems, backups, scrub, indexer, refusals, contentsSizes };
  return {
    changes,
    batches,
    feed,
    visits: new Visits(parts),
    undo,
    batchUndo: new BatchUndo({ ...parts, undo, versions, trash }),
    drives: new Drives(parts),
    members: new Members(parts),
    files,
    blobChecks,
    redirects: new Redirects(parts),
    archives,
    ownProcesses,
    extracts,
    thumbnails,
    texts,
    manyTexts: new ManyTexts({ ...parts, files, texts }),
    edits: new Edits({ ...parts, indexes, uploads }),
    links,
    linkLists: new LinkLists({ ...parts, linkUses }),
    linkUses,
    fileLinks: new FileLinks({ ...parts, links, uploads }),
    shared: new SharedThings({
      ...parts,
      listings,
      folders,
      archives,
      extracts,
      thumbnails,
      linkPasswords,
      links,
    }),
    uploads,
    batchUploads: new BatchUploads({ ...parts, uploads }),
    listings,
    walks,
    paths,
    manyEntries: new ManyEntries({ ...parts, trash }),
    manyPaths: new ManyPaths({ ...parts, files, folders, paths, walks }),
    indexer,
    embedder,
    search,
    grep: new Grep(parts),
    folders,
    folderWorks: works,
    worksUnderWay,
    trash,
    snapshots,
    forks: new Forks({ ...parts, snapshots, snapshotRemoval, folderChanges }),
    snapshotViews: new SnapshotViews(parts),
    apiKeys,
    endedKeys,
    oauthClients,
    authorizations,
    oauthGrants: new OAuthGrants({ ...parts, apiKeys, authorizations, endedKeys }),
    audit,
    auditLog: new AuditLog({ ...parts, users, refusedAttempts }),
    refusedAttempts,
    users,
    userRemoval: new UserRemoval({ ...parts, users, endedKeys }),
    versions,
    versionDiffs,
    comments: new Comments({ ...parts, indexes, places }),
    ...webhooks,
    sessions,
    knownClients: new KnownClients(given),
    settings,
    signIn: new SignIn({ ...parts, users, sessions, passwords }),
    oidc: given.oidc === null ? null : new Oidc({ ...given, provider: given.oidc }),
    claims: new Claims(parts),
    accounts: new Accounts({ ...parts, passwords }),
    usage,
    usageDays: new UsageDays({ ...parts, users }),
    usageDrives: new UsageDrives({ ...parts, users }),
    usageKinds: new UsageKinds({ ...parts, users }),
    quota,
    missingContents,
    health,
    backups,
    sweep,
    scrub,
    refusals,
    contentsSizes,
    serverCare: new ServerCare({ ...upkeepParts, users }),
    serverFigures: new ServerFigures({
      ...upkeepParts,
      feed,
      search,
      webhookSender: webhooks.webhookSender,
      storedSizes: new StoredSizes(given),
    }),
  };
}
