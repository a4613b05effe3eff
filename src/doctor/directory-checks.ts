import { lstatSync, readdirSync, type Stats, statfsSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../domain/errors.ts";
import { isBucket } from "../data-directory/disks-file.ts";
import type { DataDirectory } from "../data-directory/data-directory.ts";
import { openPaths } from "../data-directory/other-users.ts";
import { type Check, gibibytes, ok, warning, wrong } from "./check.ts";

/** How far files may be from the future, in milliseconds: some file systems keep times that another machine gave. */
const FUTURE_MS = 60_000;
/** How many paths are named. */
const NAMED = 3;

/** What others may do with a directory so that its owner says nothing of whose files are in it. */
const OTHERS_WRITE = 0o022;

/** Who owns the data directory, and who else may reach it. @param own the user who asks; undefined without users */
export function directoryCheck(directory: DataDirectory, own = process.getuid?.()): Check {
  const { root } = directory;
  const owner = ownerOf(directory);
  if (own !== undefined && own !== owner && own !== 0) {
    return wrong(
      "directory",
      `${root} belongs to user ${owner}, and this is user ${own}`,
      "Run Coffer as its owner.",
    );
  }
  const foreign = [...filesOf(directory)].filter(([, found]) => found.uid !== owner).map(([path]) => path);
  if (foreign.length > 0) {
    const found = `${named(foreign)} not of user ${owner}, who owns ${root}`;
    return wrong("directory", found, `Run chown -R ${owner} ${root}, and all commands as that user.`);
  }
  const open = openPaths(root);
  if (open.length > 0) {
    const advice =
      lstatSync(root).uid === owner
        ? `Start the server, which closes them, or run chmod -R go= ${root}.`
        : `Run chown ${owner} ${root}, and start the server, which closes it.`;
    return warning("directory", `other users can reach ${named(open)}`, advice);
  }
  return ok("directory", `${root} belongs to user ${owner}, and nobody else can reach it`);
}

/** Who owns what is in it: not always who owns the directory, as with the volume of a container. */
function ownerOf({ root, database }: DataDirectory): number {
  const directory = lstatSync(root);
  const isShared = (directory.mode & OTHERS_WRITE) !== 0;
  const inside = isShared ? lstatSync(database, { throwIfNoEntry: false }) : undefined;
  return (inside ?? directory).uid;
}

/** Whether there is room on each disk. @param reserve bytes that uploads leave free */
export function diskChecks(paths: readonly string[], reserve: number): Check[] {
  return paths
    .filter((path) => !isBucket(path))
    .map((path) => {
      try {
        const { bavail, bsize } = statfsSync(path);
        return diskCheck(path, bavail * bsize, reserve);
      } catch (error) {
        return wrong("disk", `${path}: ${messageOf(error)}`, "Mount the disk again.");
      }
    });
}

function diskCheck(path: string, free: number, reserve: number): Check {
  const found = `${path} has ${gibibytes(free)} free`;
  const advice = "Make room, or set a smaller COFFER_DISK_RESERVE or COFFER_KEEP_DAYS.";
  if (free < reserve)
    return wrong("disk", `${found}, uploads are refused below ${gibibytes(reserve)}`, advice);
  return free < 2 * reserve ? warning("disk", `${found}, which is little`, advice) : ok("disk", found);
}

/** Whether the clock is behind what was written before. @param trustedAt when it was last right, in milliseconds */
export function clockCheck(directory: DataDirectory, trustedAt: number, now: number): Check {
  const newest = [...filesOf(directory)].reduce((latest, [, { mtimeMs }]) => Math.max(latest, mtimeMs), 0);
  const behind = Math.max(newest, trustedAt) - now;
  if (behind <= FUTURE_MS) return ok("clock", "no file and no record is from the future");
  const found = `the clock is ${Math.round(behind / 1000)} seconds behind what was written before`;
  return wrong("clock", found, "Set it right, and have it kept so, such as by chrony or systemd-timesyncd.");
}

/** The files and directories that the server works with, without the contents themselves: these may be millions. */
function* filesOf({ root, blobs, tmp }: DataDirectory): Generator<[path: string, found: Stats]> {
  for (const parent of [root, blobs, tmp]) {
    if (lstatSync(parent, { throwIfNoEntry: false })?.isDirectory() !== true) continue;
    for (const name of readdirSync(parent)) {
      const path = join(parent, name);
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found !== undefined) yield [path, found];
    }
  }
}

function named(paths: readonly string[]): string {
  const more = paths.length > NAMED ? ` and ${paths.length - NAMED} more` : "";
  return `${paths.slice(0, NAMED).join(", ")}${more}`;
}
