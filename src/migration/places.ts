import { hasBlobs } from "../blobs/blob-directory.ts";
import { diskAt } from "../blobs/disk-paths.ts";
import { MigrationDisk } from "../blobs/migration/migration-disk.ts";
import { pathInAnother } from "../config/values.ts";
import type { StoreId } from "../domain/id.ts";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { DataDirectoryError, explaining } from "../data-directory/data-directory-error.ts";
import { disksOf, isBucket, type StoreDisks } from "../data-directory/disks-file.ts";
import { findNewDisk, requireOwn } from "../data-directory/store-disks.ts";

interface MigrationPlacesParts {
  readonly directory: DataDirectory;
  readonly store: StoreId;
  /** The root of the disk to copy to; null for the current ones. */
  readonly to: string | null;
  /** Bytes that are to stay free on each disk. */
  readonly diskReserve: number;
}

/** The disks of a migration. */
export class MigrationPlaces {
  readonly #parts: MigrationPlacesParts;
  readonly #recorded: StoreDisks;
  /** Where contents are moved or copied from, those that can be used. */
  readonly sources: readonly MigrationDisk[];
  /** Where they go, those that can be used. */
  readonly targets: readonly MigrationDisk[];
  /** The names of the disks that cannot be used now, and why. */
  readonly away: readonly string[];

  private constructor(
    parts: MigrationPlacesParts,
    recorded: StoreDisks,
    found: Pick<MigrationPlaces, "sources" | "targets" | "away">,
  ) {
    this.#parts = parts;
    this.#recorded = recorded;
    this.sources = found.sources;
    this.targets = found.targets;
    this.away = found.away;
  }

  /** Finds them, and changes nothing. Throws DataDirectoryError unless all that can be used are the store's. */
  static async find(parts: MigrationPlacesParts): Promise<MigrationPlaces> {
    const { directory, to } = parts;
    const recorded = await disksOf(directory);
    if (recorded.current.some(isBucket))
      throw new DataDirectoryError("The contents are in a bucket, from which they cannot be moved.");
    if (to !== null) await requireTarget(to, parts, recorded);
    const all = [...recorded.current, ...recorded.former];
    const away: string[] = [];
    const open = async (roots: readonly string[]) => {
      const disks: MigrationDisk[] = [];
      for (const root of roots) {
        const disk = new MigrationDisk({ ...parts, root });
        // One to copy to may be new.
        const why = all.includes(root) ? await disk.whyAway() : null;
        if (why === null && root !== directory.root) await requireOwn(diskAt(root), directory);
        if (why === null) disks.push(disk);
        else away.push(`${root}: ${why}`);
      }
      return disks;
    };
    const targets = await open(to === null ? recorded.current : [to]);
    const sources = await open(to === null ? recorded.former : all.filter((root) => root !== to));
    return new MigrationPlaces(parts, recorded, { sources, targets, away });
  }

  /** Whether what is at the targets may be removed from a source: a server reads the former, and has left the latter. */
  mayRemoveFrom({ name }: MigrationDisk): boolean {
    const { current, former } = this.#recorded;
    return former.includes(name) && this.targets.every((target) => current.includes(target.name));
  }

  /** Whether a server uses the targets. */
  get areUsed(): boolean {
    return this.targets.every(({ name }) => this.#recorded.current.includes(name));
  }

  /** How many of the disks have gone meanwhile. The server may have forgotten some, which hold nothing any more. */
  async countGone(): Promise<number> {
    const all = [...this.sources, ...this.targets];
    const away = await Promise.all(all.map((disk) => disk.whyAway()));
    // It forgets a disk before it takes away what marks it.
    const { current, former } = await disksOf(this.#parts.directory);
    const names = [...current, ...former, ...this.targets.map(({ name }) => name)];
    return all.filter(({ name }, at) => away[at] !== null && names.includes(name)).length;
  }

  /** Throws DataDirectoryError if a server was started with other disks meanwhile. */
  async requireSame(): Promise<void> {
    const { current } = await disksOf(this.#parts.directory);
    if (JSON.stringify(current) === JSON.stringify(this.#recorded.current)) return;
    throw new DataDirectoryError(
      "The server was started with other disks meanwhile. Nothing is lost; run coffer blobs migrate again.",
    );
  }

  /** Makes the targets ready, and removes what a killed migration left there. None may be running. */
  async prepare(): Promise<void> {
    const { directory } = this.#parts;
    for (const target of this.targets) {
      if (!this.#recorded.current.includes(target.name)) await target.claim(directory.root);
      await target.clear();
      for (const source of this.sources) {
        if (!(await target.isSameAs(source))) continue;
        throw new DataDirectoryError(
          `${source.name} and ${target.name} are the same directory. Start the server with only one of them.`,
        );
      }
    }
  }
}

/** Refuses a directory to copy to that is not new, and none that new contents may go to. */
async function requireTarget(
  to: string,
  { directory, store }: MigrationPlacesParts,
  { current, former }: StoreDisks,
): Promise<void> {
  if (current.includes(to)) return;
  if (former.includes(to)) {
    throw new DataDirectoryError(
      `The disk ${to} is no longer in COFFER_BLOBS. To move contents back, list it there and restart the server; ` +
        "then run coffer blobs migrate without --to.",
    );
  }
  for (const root of [...current, ...former, directory.root]) {
    if (root !== to && pathInAnother([root, to]) !== null)
      throw new DataDirectoryError(`${to} must not be in ${root}, or around it. Choose another directory.`);
  }
  const { blobsDir, identity } = await findNewDisk(to, directory);
  if (identity === store) return;
  if (identity === null && !(await explaining(blobsDir, hasBlobs(blobsDir)))) return;
  throw new DataDirectoryError(
    `${blobsDir} holds contents of another store. Nothing has been changed. Choose an empty directory.`,
  );
}
