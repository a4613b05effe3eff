import type { Config } from "../config.ts";
import { allDisksOf } from "../data-directory/disks-file.ts";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { Database } from "../db/engine/database.ts";
import { openTables } from "../db/tables.ts";
import { nameOfBackupAddress } from "../domain/upkeep/backup-address.ts";
import { localAddress } from "../network/local-address.ts";
import type { Clock } from "../process/clock.ts";
import { addressChecks } from "./address-checks.ts";
import type { Check } from "./check.ts";
import { clockCheck, directoryCheck, diskChecks } from "./directory-checks.ts";
import { askServer, whereItListens } from "./running-server.ts";
import { backupCheck, indexCheck, openFilesCheck, serverChecks } from "./server-checks.ts";

/** More waiting files than this are told as so many. */
const MOST_WAITING = 10_000;

/** Looks at a store and what is around it, whether or not a server runs. Throws an Error for the operator. */
export async function examine(config: Config, directory: DataDirectory, clock: Clock): Promise<Check[]> {
  const { backup, backupIntervalMs, baseUrl, diskReserve, tls } = config;
  const url = localAddress(whereItListens(directory, config));
  const server = await askServer(directory, url);
  const { trustedAt, waiting, lastSuccessAt } = await recorded(
    directory,
    clock,
    backup && nameOfBackupAddress(backup),
  );
  const disks = new Set([directory.root, ...(await allDisksOf(directory))]);
  const now = clock.now();
  return [
    directoryCheck(directory),
    ...diskChecks([...disks], diskReserve),
    clockCheck(directory, trustedAt, now),
    openFilesCheck(server),
    ...serverChecks(server, url, tls),
    ...(await addressChecks(baseUrl, now)),
    backupCheck(backup && { intervalMs: backupIntervalMs, lastSuccessAt }, now),
    indexCheck(waiting),
  ];
}

/** What the database tells. @param place of backups, if there is one */
async function recorded({ database: path }: DataDirectory, clock: Clock, place: string | null) {
  await using opened = new AsyncDisposableStack();
  const database = opened.adopt(Database.open(path, clock), (db) => db.close());
  const { store, searchJobs, backups } = openTables(database);
  return {
    trustedAt: store.trustedAt(),
    waiting: searchJobs.count(MOST_WAITING),
    lastSuccessAt: place === null ? null : backups.succeededAt(place),
  };
}
