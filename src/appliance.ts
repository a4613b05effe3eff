import { BlobStore } from "./blobs/blob-store.ts";
import { backupPlanOf } from "./backup-plan.ts";
import type { SteadyClock } from "./process/clock.ts";
import {
  loadSecret,
  lockDataDirectory,
  openDataDirectory,
  pathsIn,
} from "./data-directory/data-directory.ts";
import type { Config } from "./config.ts";
import { withStored } from "./config/stored.ts";
import { DatabaseReserve } from "./db/engine/database-reserve.ts";
import { explaining } from "./data-directory/data-directory-error.ts";
import { isBucket } from "./data-directory/disks-file.ts";
import { once } from "./domain/once.ts";
import { ownerTokenOf } from "./domain/upkeep/owner-token.ts";
import { explainFailure } from "./db/engine/opening.ts";
import { Database } from "./db/engine/database.ts";
import { openTables } from "./db/tables.ts";
import { createApp } from "./http/app.ts";
import { changeRecord } from "./http/records/records.ts";
import { httpsRedirect } from "./http/gate/https-redirect.ts";
import { Server } from "./http/server.ts";
import { listeningOf, localAddress, networkAddresses, ownAddress } from "./network/local-address.ts";
import type { Log } from "./process/log.ts";
import type { PublicNetwork } from "./network/public-network.ts";
import { openOwnCertificate } from "./own-certificate.ts";
import { repeat } from "./process/repeat.ts";
import type { PassedSockets } from "./process/sockets/passed-sockets.ts";
import { copyBeforeUpgrade } from "./data-directory/schema-copy.ts";
import type { Certificate } from "./services/upkeep/certificate.ts";
import type { GrepBounds } from "./services/grep/request.ts";
import { Idempotency } from "./services/idempotency.ts";
import type { PasswordCost } from "./services/accounts/passwords.ts";
import type { SearchTimes } from "./services/search/search.ts";
import { flushCounts } from "./services/upkeep/last-counts.ts";
import { BUCKET_GRACE_MS } from "./services/upkeep/sweep.ts";
import { openServices } from "./services/services.ts";
import { StoreFailure } from "./data-directory/store-failure.ts";
import { tellOthers } from "./data-directory/other-users.ts";
import { refuseLostDatabase } from "./data-directory/store-identity.ts";
import { StoreOpening } from "./data-directory/store-opening.ts";
import { THUMBNAIL_STORE_BYTES } from "./domain/contents/thumbnail.ts";
import { ThumbnailStore } from "./thumbnails/thumbnail-store.ts";
import { loadTracer } from "./tracing/load.ts";
import type { Tracer } from "./tracing/tracer.ts";
import { VERSION } from "./process/version.ts";

/** How often contents that are due for a check are looked for, in milliseconds. */
const SCRUB_MS = 60_000;
/** How often the free disk space is checked, in milliseconds. */
const WATCH_MS = 2000;
/** How often documents are looked for that are to be read again, in milliseconds. */
const RETRY_MS = 30_000;
/** How often counts of use are written down, at least, in milliseconds: so much of them a crash loses. */
const COUNTS_MS = 60_000;
/** How often it is checked whether a backup is due, in milliseconds. */
const BACKUP_CHECK_MS = 60_000;

/** What an appliance needs. */
export interface ApplianceOptions {
  readonly config: Config;
  readonly clock: SteadyClock;
  readonly log: Log;
  /** Where it listens instead of at the host and the port that are set; by default nowhere else. */
  readonly sockets?: PassedSockets | null;
  /** Overrides the default timeouts of search. */
  readonly searchTimes?: SearchTimes;
  /** Overrides `GREP_BOUNDS`. */
  readonly grepBounds?: GrepBounds;
  /** Overrides `PASSWORD_COST`. */
  readonly passwordCost?: PasswordCost;
  /** Where the metadata of OAuth clients is fetched, and webhooks are; the public internet by default. */
  readonly publicNetwork?: PublicNetwork;
  /** Overrides `ARCHIVE_STALL_MS`, in milliseconds. */
  readonly archiveStallMs?: number;
  /** Overrides `STREAM_COMMENT_MS`, in milliseconds. */
  readonly streamCommentMs?: number;
  /** Overrides how often it is looked for another certificate, in milliseconds. */
  readonly certificateMs?: number;
  /** Whether to start even if the database and the contents do not belong together; see `checkStoreIdentity`. */
  readonly adoptEmpty?: boolean;
  /** Whether to start without what is recorded of the disks of contents; see `findDisks`. */
  readonly forgetDisks?: boolean;
  /** Whether the database is upgraded without a copy of it; see `copyBeforeUpgrade`. */
  readonly upgradeWithoutCopy?: boolean;
  /** The start of a command line of this program, for processes of its own. Overrides the executable. */
  readonly program?: readonly string[];
}

/** A running Coffer. */
export type Appliance = Awaited<ReturnType<typeof openAll>>;

/**
 * Opens everything, in order, and serves. If a step fails, what was opened is closed again. Throws an Error whose
 * message tells the operator what to do.
 */
export async function openAppliance(options: ApplianceOptions): Promise<Appliance> {
  try {
    return await openAll(options);
  } catch (error) {
    throw explainFailure(pathsIn(options.config.dataDir).database, error);
  }
}

async function openAll(given: ApplianceOptions) {
  await using opened = new AsyncDisposableStack();
  const tracer = await loadTracer({ ...given, settings: given.config.traces, version: VERSION });
  opened.defer(() => tracer?.stop());
  const options = { ...given, tracer, log: tracer?.logging(given.log) ?? given.log };
  const { config, log, sockets = null } = options;
  const { tls } = config;
  const own = tls === null ? null : await openOwnCertificate({ ...options, tls });
  const parts = await openParts({ ...options, certificate: own?.certificate ?? null }, opened);
  const { services, database, failure } = parts;
  const at = sockets?.main ?? config;
  let { port } = at;
  const listening = () => listeningOf({ host: at.host, port, tls });
  const baseUrl = () => config.baseUrl ?? ownAddress(listening());
  // Read each time: a machine comes into other networks.
  const addresses = () => (config.baseUrl === null ? networkAddresses(listening()) : []);
  const handler = await createApp({
    ...options,
    ...parts,
    settings: config,
    // Final once the server listens.
    ownUrl: baseUrl,
    addresses,
    version: VERSION,
  });
  // What is opened last is closed first: work that is under way is told to stop, then waited for.
  const again = (intervalMs: number, ...steps: (() => Promise<unknown>)[]) =>
    opened.defer(repeat(intervalMs, steps, log));
  again(
    config.sweepIntervalMs,
    // Before the sweep, which removes drives that may have unwritten counts.
    () => services.usage.flush(),
    () => services.sweep.run(),
    parts.forgetEmptiedDisks,
    () => services.apiKeys.flushUse(),
    () => services.sessions.flushUse(),
    () => services.linkUses.flush(),
    () => services.sessions.removeExpired(),
  );
  opened.defer(() => services.sweep.stop());
  again(
    Math.min(COUNTS_MS, config.sweepIntervalMs),
    () => services.usage.flush(),
    () => services.refusedAttempts.tryFlush(),
  );
  // A round that is shorter has more turns.
  again(Math.min(SCRUB_MS, config.scrubIntervalMs || SCRUB_MS), () => services.scrub.run());
  opened.defer(() => services.scrub.stop());
  again(RETRY_MS, () => services.indexer.retryDocuments());
  again(WATCH_MS, () => services.health.watch());
  again(Math.min(config.backupIntervalMs, BACKUP_CHECK_MS), () => services.backups.runIfDue());
  opened.defer(() => services.backups.stop());
  // In this order: there is a token only while there is no administrator.
  await services.signIn.appoint();
  const setupToken = services.signIn.issueSetupToken();
  if (own !== null && tls !== null && tls.redirectPort !== null) {
    const addressAt = (name: string) => ownAddress({ ...listening(), host: name });
    const redirect = httpsRedirect({ ...own, baseUrl: config.baseUrl, addressAt, ownUrl: baseUrl, log });
    const plainAt = sockets?.redirect ?? { host: config.host, port: tls.redirectPort };
    const plain = await Server.open({ at: plainAt, handler: redirect, log, tls: null });
    opened.defer(() => plain.stop(0));
  }
  const server = await Server.open({ at, handler, log, tls: own?.certificate.pair ?? null });
  port = server.port;
  if (own !== null) opened.defer(own.keep((pair) => server.exchange(pair)));
  opened.defer(() => services.missingContents.stop());
  services.missingContents.start();
  const owned = opened.move();
  return {
    /** Where callers on this machine reach it; without a trailing slash. */
    url: localAddress(listening()),
    /** The address to show to people; without a trailing slash. */
    baseUrl: baseUrl(),
    /** Where other machines may reach it, without trailing slashes; empty if a base URL is configured. */
    addresses: addresses(),
    /** The link to create the administrator account; null if there is one. Secret. */
    setupLink: setupToken === null ? null : `${baseUrl()}/auth/setup?token=${setupToken}`,
    /** Resolves when the data directory is gone: close it then. */
    gone: failure.gone,
    /** Throws if the database does not answer. */
    requireAlive: () => database.ping(),
    services,
    /**
     * Waits up to `deadlineMs` milliseconds for running requests, then closes everything. Rejects after that if the
     * disk had failed, or the data directory is gone.
     */
    close: async (deadlineMs: number): Promise<void> => {
      // Streams have no end of their own.
      services.feed.stop();
      try {
        await server.stop(deadlineMs);
      } finally {
        await owned.disposeAsync();
      }
      failure.requireNone();
    },
  };
}

/** Opens the parts that use the data directory. `opened` closes them in reverse order. */
async function openParts(
  options: ApplianceOptions & { readonly certificate: Certificate | null; readonly tracer: Tracer | null },
  opened: AsyncDisposableStack,
) {
  const {
    config,
    clock,
    log,
    tracer,
    adoptEmpty = false,
    forgetDisks = false,
    program = [process.execPath],
  } = options;
  const directory = openDataDirectory(config.dataDir);
  const reserve = new DatabaseReserve(directory.reserveFile);
  opened.adopt(lockDataDirectory(directory, reserve), (lock) => lock.release());
  tellOthers(directory, log);
  const roots = config.blobs?.kind === "s3" ? [] : (config.blobs?.roots ?? [directory.root]);
  if (!adoptEmpty) await refuseLostDatabase(directory, roots);
  await explaining(directory.reserveFile, reserve.makeRoomToStart());
  const { diskReserve } = config;
  const failure = new StoreFailure(log);
  const copying = { directory, diskReserve, log, isUnwanted: options.upgradeWithoutCopy ?? false };
  const database = opened.adopt(
    Database.open(directory.database, clock, {
      reserve,
      tracer,
      onFailure: (error) => failure.note(error),
      beforeUpgrade: (upgrade) => copyBeforeUpgrade(copying, upgrade),
    }),
    (db) => db.close(),
  );
  const tables = openTables(database);
  const contents = await StoreOpening.check({
    directory,
    roots,
    bucket: config.blobs?.kind === "s3" ? config.blobs : null,
    s3: config.s3,
    cacheBytes: config.blobCacheBytes,
    diskReserve,
    tables,
    clock,
    log,
    tracer,
    adopt: adoptEmpty,
    forget: forgetDisks,
  });
  const [place] = await Promise.all([contents.open(), database.syncLog()]);
  opened.defer(() => place.close());
  await explaining(directory.reserveFile, reserve.restore());
  const places = await contents.mark();
  const secret = loadSecret(directory).reveal();
  const backupPlan = backupPlanOf(config, program);
  const blobs = new BlobStore({
    place,
    small: tables.smallContents,
    damaged: tables.damagedContents,
    tracer,
  });
  const storePlaces = { database: directory.database, blobs: places };
  const thumbnailStore = new ThumbnailStore(directory.thumbnails, THUMBNAIL_STORE_BYTES);
  const stores = { tables, blobs, thumbnailStore, storePlaces };
  const readSettings = (stored: ReadonlyMap<string, string>) => withStored(config, stored);
  const blobGraceMs =
    config.blobGraceMs ?? (place.all.some(({ root }) => isBucket(root)) ? BUCKET_GRACE_MS : undefined);
  const parts = { ...options, ...config, ...stores, blobGraceMs, readSettings, secret, backupPlan, program };
  const services = openServices(parts);
  opened.defer(() => services.ownProcesses.stop());
  opened.defer(() => services.blobChecks.stop());
  opened.defer(() => services.contentsSizes.stop());
  opened.defer(async () => {
    await tables.searches.close();
    await services.grep.close();
    services.versionDiffs.close();
    await services.embedder.stop();
    await services.indexer.stop();
  });
  services.indexer.start();
  services.embedder.start();
  opened.defer(() => services.folderWorks.stop());
  services.folderWorks.start();
  void services.batches.start();
  opened.defer(async () => {
    await services.webhookOutbox.stop();
    await services.webhookSender.stop();
  });
  services.webhookSender.start();
  services.webhookOutbox.start(changeRecord);
  opened.defer(() => flushCounts({ ...services, hasFailed: () => database.hasFailed, log }));
  const idempotency = new Idempotency({ tables, quota: services.quota, clock, secret });
  const ownerToken = once(() => ownerTokenOf(secret));
  const forgetEmptiedDisks = () => contents.forgetEmptied();
  return { database, failure, services, idempotency, ownerToken, forgetEmptiedDisks };
}
