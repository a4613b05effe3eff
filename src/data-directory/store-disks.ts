import { existsSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { countBlobs, hasBlobs } from "../blobs/blob-directory.ts";
import { readIdentity, readOwner } from "../blobs/disk-marks.ts";
import { diskAt } from "../blobs/disk-paths.ts";
import { ifPresent } from "../blobs/system-error.ts";
import { messageOf } from "../domain/errors.ts";
import { type DataDirectory, pathsIn } from "./data-directory.ts";
import { DataDirectoryError, explained, explaining } from "./data-directory-error.ts";
import { isBucket, recordedDisks } from "./disks-file.ts";

/** A disk, or what is used like one, before it is used. */
export interface FoundDisk {
  readonly root: string;
  readonly blobsDir: string;
  /** As its file holds it; null if there is none. */
  readonly identity: string | null;
  /** Why it cannot be used, though the store has used it; null if it can. */
  readonly away: string | null;
  readonly hasBlobs: () => Promise<boolean>;
  /** Slow if there are many. */
  readonly countBlobs: () => Promise<number>;
}

/** The disks of a store at a start. */
export interface FoundDisks {
  /** Those to use, in order. */
  readonly listed: readonly FoundDisk[];
  /** Others that the store has used: they may still hold contents. */
  readonly former: readonly FoundDisk[];
}

interface LookedFor {
  readonly directory: DataDirectory;
  /** The roots of those to use. */
  readonly roots: readonly string[];
  /** Whether the operator wants to start without what is recorded of disks. */
  readonly forget: boolean;
}

/** What may be on a new disk: what a start makes that was cut off, and what a file system has. */
const NOTHING: ReadonlySet<string> = new Set(["blobs", "tmp", "lost+found"]);

/** Looks at the disks to use, and at those that were used before. Throws DataDirectoryError for any that is not as it must be. */
export async function findDisks(lookedFor: LookedFor): Promise<FoundDisks> {
  const { directory, roots, forget } = lookedFor;
  const recorded = forget ? [] : await everRecorded(directory);
  await requireDistinct(roots);
  const listed: FoundDisk[] = [];
  for (const root of roots) {
    const disk = await look(root, recorded.includes(root));
    await requireUsable(disk, directory, forget);
    listed.push(disk);
  }
  if (listed.every(({ away }) => away !== null)) throw allAway(listed);
  return { listed, former: await findFormer(lookedFor) };
}

/** All disks that a start has used, or a bucket. */
export async function everRecorded(directory: DataDirectory): Promise<string[]> {
  const recorded = await recordedDisks(directory);
  return recorded === null ? [] : [...recorded.current, ...recorded.former];
}

/** The disks that are not to be used any more. Throws DataDirectoryError for one of another data directory. */
export async function findFormer({ directory, roots, forget }: LookedFor): Promise<FoundDisk[]> {
  if (forget) return [];
  const recorded = await everRecorded(directory);
  const former: FoundDisk[] = [];
  const used = new Set(await Promise.all(roots.map(keyOf)));
  // The data directory was never recorded if it was the only disk.
  for (const root of new Set([...recorded, directory.root])) {
    const key = await keyOf(root);
    // One that is listed by another name now is in use.
    if (isBucket(root) || roots.includes(root) || (key !== null && used.has(key))) continue;
    const disk = await look(root, recorded.includes(root));
    if (disk.away === null) {
      if (root !== directory.root) await requireOwn(disk, directory);
      if (disk.identity === null && !(await disk.hasBlobs())) continue;
    }
    former.push(disk);
  }
  return former;
}

/** What is known of a directory that is to get contents. Throws DataDirectoryError unless it is new, or the store's. */
export async function findNewDisk(root: string, directory: DataDirectory): Promise<FoundDisk> {
  const disk = await look(root, false);
  await requireUsable(disk, directory, false);
  return disk;
}

async function requireUsable(disk: FoundDisk, directory: DataDirectory, forget: boolean): Promise<void> {
  if (disk.away !== null || disk.root === directory.root) return;
  if (disk.identity === null) await requireNew(disk.root);
  else await requireOwn(disk, directory, forget);
}

async function look(root: string, isRecorded: boolean): Promise<FoundDisk> {
  const { blobsDir } = diskAt(root);
  const disk = {
    root,
    blobsDir,
    hasBlobs: () => explaining(blobsDir, hasBlobs(blobsDir)),
    countBlobs: () => countBlobs(blobsDir),
  };
  try {
    const identity = await readIdentity(blobsDir);
    const away = isRecorded && identity === null ? "it is missing, or not mounted" : null;
    return { ...disk, identity, away };
  } catch (error) {
    if (!isRecorded) throw explained(blobsDir, error);
    return { ...disk, identity: null, away: messageOf(error) };
  }
}

/** One directory under two names would be taken for two disks. */
async function requireDistinct(roots: readonly string[]): Promise<void> {
  const seen = new Map<string, string>();
  for (const root of roots) {
    const key = await keyOf(root);
    if (key === null) continue;
    const other = seen.get(key);
    if (other !== undefined) {
      throw new DataDirectoryError(
        `${other} and ${root} are the same directory. Leave one out of COFFER_BLOBS.`,
      );
    }
    seen.set(key, root);
  }
}

/** What a directory has under all its names; null if it cannot be reached, which is told of by others. */
async function keyOf(root: string): Promise<string | null> {
  const found = await stat(root, { bigint: true }).catch(() => null);
  return found === null ? null : `${found.dev} ${found.ino}`;
}

async function requireNew(root: string): Promise<void> {
  const names = await explaining(root, ifPresent(readdir(root)));
  if (names === null) {
    throw new DataDirectoryError(
      `The directory ${root} for contents does not exist. Make it, or mount its disk, then try again.`,
    );
  }
  const foreign = names.filter((name) => !NOTHING.has(name)).toSorted();
  if (foreign[0] === undefined) return;
  throw new DataDirectoryError(
    `The directory ${root} for contents holds ${foreign[0]}, but no contents of Coffer. Nothing has been changed. ` +
      "Choose an empty directory.",
  );
}

/** Refuses a disk that another data directory uses: it would remove what this one does not know. Throws DataDirectoryError. */
export async function requireOwn(
  { root, blobsDir }: Pick<FoundDisk, "root" | "blobsDir">,
  directory: DataDirectory,
  forget = false,
): Promise<void> {
  if (existsSync(pathsIn(root).database)) {
    throw new DataDirectoryError(
      `The directory ${root} for contents is another data directory. Only that of this server may be a disk.`,
    );
  }
  const owner = await explaining(blobsDir, readOwner(blobsDir));
  if (forget || owner === null || owner === (await realpath(directory.root))) return;
  throw new DataDirectoryError(
    `The disk ${root} is used by the data directory ${owner}. If that was moved here, or is gone, run coffer serve ` +
      "--forget-disks once. Else choose other disks: a copy or a restored backup would remove contents that the other needs.",
  );
}

function allAway(disks: readonly FoundDisk[]): DataDirectoryError {
  const each = disks.map(({ root, away }) => `${root}: ${away}`).join("; ");
  return new DataDirectoryError(
    `None of the disks of this store can be used (${each}). Mount one at least, or restore a backup of this data directory.`,
  );
}
