import { BlobStore } from "./blobs/blob-store.ts";
import type { Clock } from "./clock.ts";
import { type Config, linkBases } from "./config.ts";
import { lockDataDirectory, openDataDirectory } from "./data-directory.ts";
import { Database } from "./db/database.ts";
import { openTables } from "./db/tables.ts";
import { apiKeys } from "./http/api-keys.ts";
import { createApp } from "./http/app.ts";
import { downloads } from "./http/downloads.ts";
import { drives } from "./http/drives.ts";
import { files } from "./http/files.ts";
import { folders } from "./http/folders.ts";
import { startServer } from "./http/server.ts";
import { uploads } from "./http/uploads.ts";
import { localAddress } from "./local-address.ts";
import type { Log } from "./log.ts";
import { repeat } from "./repeat.ts";
import { openServices, type Services } from "./services/services.ts";
import { VERSION } from "./version.ts";

export interface ApplianceOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
}

/** A running Coffer. */
export interface Appliance {
  /** Where it listens, for callers on this machine; without a trailing slash. */
  readonly url: string;
  /** What links begin with; without a trailing slash. */
  readonly baseUrl: string;
  readonly services: Services;
  /** Lets requests in flight finish for up to `deadlineMs` milliseconds, then closes everything. */
  close(deadlineMs: number): Promise<void>;
}

/**
 * Opens everything, in order, and serves. What was opened is closed again when a later step fails.
 *
 * @throws Error whose message tells the operator what to do
 */
export async function openAppliance({ config, clock, log }: ApplianceOptions): Promise<Appliance> {
  await using opened = new AsyncDisposableStack();
  const directory = openDataDirectory(config.dataDir);
  opened.adopt(lockDataDirectory(directory), (lock) => lock.release());
  const database = opened.adopt(Database.open(directory.database, clock), (db) => db.close());
  const blobs = await BlobStore.open({
    blobsDir: directory.blobs,
    tmpDir: directory.tmp,
    diskReserve: config.diskReserve,
  });
  const services = openServices({ ...config, tables: openTables(database), blobs, clock, log });
  opened.defer(() => services.apiKeys.flushUse());

  let links = linkBases(config, config.port);
  const { rateLimits, provisionsPerHour, maxFileSize } = config;
  const handler = createApp({
    clock,
    log,
    authenticate: (key) => services.apiKeys.authenticate(key),
    holdSnapshot: () => database.holdSnapshot(),
    ready: async () => {
      database.ping();
      await blobs.freeBytes();
    },
    rateLimits,
    // Relative where nothing is configured, so that the page works under whatever name it was opened.
    baseUrl: config.baseUrl ?? "/",
    version: VERSION,
    trustedProxies: config.trustedProxies.map(({ address, prefix }) => `${address}/${prefix}`),
    api: [
      drives({
        drives: services.drives,
        clock,
        provisioning: config.provisioning === "on",
        provisionsPerHour,
        claimBaseUrl: () => links.claimBaseUrl,
      }),
      files(services.files, services.listings),
      uploads(services.uploads, maxFileSize),
      downloads(services.files),
      folders(services.folders),
      apiKeys(services.apiKeys),
    ],
  });
  const sweeping = repeat(
    config.sweepIntervalMs,
    async () => {
      await services.sweep.run();
      await services.apiKeys.flushUse();
    },
    log,
  );
  opened.defer(async () => {
    services.sweep.stop();
    await sweeping.stop();
  });
  const server = startServer({ host: config.host, port: config.port, handler, log });
  links = linkBases(config, server.port);

  const owned = opened.move();
  return {
    url: localAddress(config.host, server.port),
    baseUrl: links.baseUrl,
    services,
    close: async (deadlineMs) => {
      await server.stop(deadlineMs);
      await owned.disposeAsync();
    },
  };
}
