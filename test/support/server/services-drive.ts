import type { Caller } from "../../../src/domain/accounts/caller.ts";
import { CofferError } from "../../../src/domain/errors.ts";
import type { File } from "../../../src/domain/files/file.ts";
import type { DriveId } from "../../../src/domain/id.ts";
import { THUMBNAIL_STORE_BYTES } from "../../../src/domain/contents/thumbnail.ts";
import { ThumbnailStore } from "../../../src/thumbnails/thumbnail-store.ts";
import { openServices, type Services } from "../../../src/services/services.ts";
import { newContent } from "../samples/contents.ts";
import { UNCONDITIONAL } from "../samples/unconditional.ts";
import { join } from "node:path";
import { BlobStore } from "../../../src/blobs/blob-store.ts";
import { diskAt } from "../../../src/blobs/disk-paths.ts";
import { Disks } from "../../../src/blobs/disks.ts";
import { Database } from "../../../src/db/engine/database.ts";
import { openTables, type Tables } from "../../../src/db/tables.ts";
import { createLog } from "../../../src/process/log.ts";
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
  /** What was logged. */
  readonly lines: readonly string[];
  /** How many rows there are, of a table or of what else stands after `FROM`. */
  readonly count: (from: string) => number;
}

/** What may differ from one opening to another. */
interface Opening {
  /** Opens the tables. */
  readonly open?: (database: Database) => Tables;
  /** Returns what the services get in the place of the blob store. */
  readonly blobsFor?: (blobs: BlobStore) => BlobStore;
  /** Of an account, in bytes; null for no limit. */
  readonly storageLimit?: number | null;
  readonly keepDays?: number;
  readonly keepVersions?: number;
  readonly pieceRows?: number;
  readonly maxFileSize?: number;
  /** Bytes that must stay free. */
  readonly diskReserve?: number;
}

/** Opens or creates them in a directory. */
export async function openServicesIn(root: string, opening: Opening = {}): Promise<OpenedServices> {
  const { open = openTables, storageLimit = null, keepDays = 30, keepVersions = 50, pieceRows } = opening;
  const { maxFileSize = 1_000_000, diskReserve = 0 } = opening;
  const clock = new FakeClock();
  const storePlaces = { database: join(root, "coffer.db"), blobs: { disks: [root], store: null } };
  const lines: string[] = [];
  const log = createLog({ format: "json", clock, write: (line) => void lines.push(line) });
  const database = Database.open(storePlaces.database, clock);
  const tables = open(database);
  const blobs = new BlobStore({
    place: await Disks.open({ disks: [diskAt(root)], diskReserve }),
    small: tables.smallContents,
    damaged: tables.damagedContents,
  });
  const services = openServices({
    tables,
    blobs: opening.blobsFor?.(blobs) ?? blobs,
    clock,
    log,
    tracer: null,
    secret: new Uint8Array(32),
    keyPrefix: "cof",
    auditDays: 365,
    blobRedirect: "off",
    certificate: null,
    asGiven: [],
    readSettings: () => ({
      settings: {
        name: "Coffer",
        signups: "closed",
        storageLimits: { free: storageLimit, pro: storageLimit, team: storageLimit },
        rateLimits: { free: 60, pro: 300, team: 1000 },
        keepDays,
        keepVersions,
      },
      problems: new Map(),
    }),
    oidc: null,
    embeddings: null,
    program: [process.execPath],
    backupPlan: null,
    storePlaces,
    thumbnailStore: new ThumbnailStore(join(root, "thumbnails"), THUMBNAIL_STORE_BYTES),
    maxFileSize,
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
    lines,
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

/** Who has a key. What is asked in this way counts for no limit. */
export function callerWith({ apiKeys }: Pick<Services, "apiKeys">, key: string): Caller {
  const caller = apiKeys.authenticate(key);
  if (caller === null) throw new Error("the key is not known");
  return caller;
}

/** A new unclaimed drive, and its agent. */
export async function driveIn(services: Pick<Services, "apiKeys" | "drives">) {
  const { apiKey, driveId } = await services.drives.provision("Drive");
  return { key: apiKey, caller: callerWith(services, apiKey), drive: driveId };
}

/** Services in a directory of their own, with a drive in which somebody may do everything. */
export interface OpenedDrive extends OpenedServices {
  readonly caller: Caller;
  readonly drive: DriveId;
}

/** With an unclaimed drive, and its agent. */
export async function openWithDrive(opening?: Opening): Promise<OpenedDrive> {
  const opened = await openOwnServices(opening);
  return { ...opened, ...(await driveIn(opened.services)) };
}

/** With a drive of Ada's, and a key of hers. */
export async function openWithAda(opening?: Opening, keyName?: string): Promise<OpenedDrive> {
  const opened = await openOwnServices(opening);
  const caller = await addCaller(opened.services, "ada", keyName);
  return { ...opened, caller, drive: (await opened.services.drives.create(caller, "Drive", "")).id };
}

/** A new account, and a key of it. */
export async function addCaller(
  services: Pick<Services, "apiKeys" | "users">,
  username: string,
  keyName = "",
): Promise<Caller> {
  await services.users.createFromShell(username, `${username}'s password`);
  const { secret } = await services.apiKeys.createFor(username, keyName, "read-write");
  return callerWith(services, secret);
}

/** Who uploads, and where to. */
interface UploadPlace {
  readonly services: Pick<Services, "uploads">;
  readonly caller: Caller;
  readonly drive: string;
}

/** How many bytes of an upload are written at once. */
const PIECE = 50_000;

/** Uploads a file, or replaces it. */
export async function storeFile(
  { services, caller, drive }: UploadPlace,
  path: string,
  content: Uint8Array | string = "x",
  more: { readonly tags?: readonly string[]; readonly expiresAt?: string | undefined } = {},
): Promise<{ file: File; created: boolean }> {
  const upload = await services.uploads.begin(caller, drive);
  const { tags, expiresAt } = more;
  try {
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length; at += PIECE) await upload.write(bytes.subarray(at, at + PIECE));
    const unset = { filename: undefined, contentType: undefined, metadata: undefined };
    return await upload.finish({ ...unset, driveId: drive, path, tags, expiresAt }, UNCONDITIONAL);
  } finally {
    await upload.abort();
  }
}

/** Uploads a content, or a new one of so many bytes. Resolves with what came of it. */
export async function tryToStore(
  place: UploadPlace,
  path: string,
  content: number | Uint8Array,
): Promise<string> {
  try {
    const bytes = typeof content === "number" ? newContent(content) : content;
    return (await storeFile(place, path, bytes)).created ? "created" : "replaced";
  } catch (error) {
    if (error instanceof CofferError) return error.code;
    throw error;
  }
}

/** Deletes a file. Returns its entry in the trash. */
export async function removeFile({ services, caller, drive }: OpenedDrive, path: string): Promise<string> {
  return (await services.files.remove(caller, { drive, path }, UNCONDITIONAL)).trashId ?? "none";
}

export function removeDrive({ services, caller, drive }: OpenedDrive): Promise<unknown> {
  return services.drives.remove(caller, drive);
}

export function sweep({ services }: Pick<OpenedServices, "services">) {
  return services.sweep.run();
}

/** What a query answers, row by row. */
export function ask({ database }: Pick<OpenedServices, "database">, query: string): unknown[] {
  return database.sql.query(query).values().flat();
}

/** Another drive of the same caller. */
export async function anotherDrive(place: OpenedDrive): Promise<OpenedDrive> {
  return { ...place, drive: (await place.services.drives.create(place.caller, "Another", "")).id };
}

/** An unclaimed drive of somebody else. */
export async function otherDrive(place: OpenedDrive): Promise<OpenedDrive> {
  return { ...place, ...(await driveIn(place.services)) };
}
