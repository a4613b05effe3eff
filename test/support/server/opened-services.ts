import { join } from "node:path";
import { BlobStore } from "../../../src/blobs/blob-store.ts";
import { Database } from "../../../src/db/engine/database.ts";
import { openTables, type Tables } from "../../../src/db/tables.ts";
import { createLog } from "../../../src/process/log.ts";
import { openServices, type Services } from "../../../src/services/services.ts";
import { FakeClock } from "./fake-clock.ts";
import { FAST_DIRECTORY, temporaryDirectory } from "./temporary-directory.ts";

/** The services over a real database and real files, without a server and without background work. */
export interface OpenedServices extends AsyncDisposable {
  /** The data directory. */
  readonly root: string;
  readonly clock: FakeClock;
  readonly database: Database;
  readonly tables: Tables;
  readonly services: Services;
  /** How many rows there are, of a table or of what else stands after `FROM`. */
  readonly count: (from: string) => number;
}

/** What may differ from one opening to another. */
export interface Opening {
  /** Opens the tables. */
  readonly open?: (database: Database) => Tables;
  /** Returns what the services get in the place of the blob store. */
  readonly blobsFor?: (blobs: BlobStore) => BlobStore;
  /** Of an account, in bytes; null for no limit. */
  readonly storageLimit?: number | null;
  readonly keepDays?: number;
  readonly pieceRows?: number;
}

/** Opens or creates them in a directory. */
export async function openServicesIn(
  root: string,
  {
    open = openTables,
    blobsFor = (blobs) => blobs,
    storageLimit = null,
    keepDays = 30,
    pieceRows,
  }: Opening = {},
): Promise<OpenedServices> {
  const clock = new FakeClock();
  const storePlaces = { database: join(root, "coffer.db"), blobsDir: join(root, "blobs") };
  const log = createLog({ format: "json", clock, write: () => {} });
  const database = Database.open(storePlaces.database, clock);
  const tables = open(database);
  const blobs = await BlobStore.open({
    blobsDir: storePlaces.blobsDir,
    tmpDir: join(root, "tmp"),
    diskReserve: 0,
    small: tables.smallContents,
    damaged: tables.damagedContents,
  });
  const services = openServices({
    tables,
    blobs: blobsFor(blobs),
    clock,
    log,
    secret: new Uint8Array(32),
    keyPrefix: "cof",
    storageLimits: { free: storageLimit, pro: storageLimit, team: storageLimit },
    rateLimits: { free: 60, pro: 300, team: 1000 },
    signups: "closed",
    oidc: null,
    program: [process.execPath],
    backupPlan: null,
    storePlaces,
    maxFileSize: 1_000_000,
    keepDays,
    keepVersions: 50,
    webhookAddresses: [],
    scrubIntervalMs: 0,
    pieceRows,
  });
  return {
    root,
    clock,
    database,
    tables,
    services,
    count: (from) => Number(database.sql.query(`SELECT count(*) FROM ${from}`).values()[0]?.[0]),
    [Symbol.asyncDispose]: async () => {
      await services.folderWorks.stop();
      // Nobody waits for changes any more: who is woken would ask the closed database.
      services.feed.stop();
      await services.webhookOutbox.stop();
      await database.close();
    },
  };
}

/** Opens them in a directory that is removed with them. */
export async function openOwnServices(opening?: Opening): Promise<OpenedServices> {
  const directory = await temporaryDirectory(FAST_DIRECTORY);
  const opened = await openServicesIn(directory.path, opening);
  return {
    ...opened,
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await directory[Symbol.asyncDispose]();
    },
  };
}
