import { chmodSync, existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Log } from "../process/log.ts";
import type { DataDirectory } from "./data-directory.ts";

/** Closes the data directory to other users, and says so; not of a new one, in which there is only our lock. */
export function tellOthers({ root, database, lockFile }: DataDirectory, log: Log): void {
  const heldNothing = existsSync(database) ? [] : [root, lockFile];
  const { closed, open } = closeToOthers(root);
  if (closed.some((path) => !heldNothing.includes(path)))
    log.warn("other users could reach the data directory, and cannot any more", { closed });
  if (open.length > 0) log.warn(`other users can reach the data directory. ${adviceFor(root)}`, { open });
}

/** Only its owner and root can close it, and closed it is of no use to anybody else. */
function adviceFor(root: string): string {
  const own = process.getuid?.() ?? 0;
  const isOurs = own === 0 || lstatSync(root).uid === own;
  return `Take it from them: ${isOurs ? "" : `chown -R ${own} ${root} && `}chmod -R go= ${root}`;
}

/** What a group and everybody may do, in a mode of chmod(2). */
const OTHERS = 0o077;

/** Takes from others what they may do here, as far as it can; not links. Returns what they cannot reach now, and can. */
export function closeToOthers(root: string): { readonly closed: string[]; readonly open: string[] } {
  const [closed, open]: [string[], string[]] = [[], []];
  for (const path of pathsIn(root).filter(isOpen)) {
    close(path);
    (isOpen(path) ? open : closed).push(path);
  }
  // Nobody comes through a closed directory.
  return { closed, open: open.includes(root) ? open : [] };
}

/** What others can reach, if they can come through the directory at all. */
export function openPaths(root: string): string[] {
  return isOpen(root) ? pathsIn(root).filter(isOpen) : [];
}

function pathsIn(root: string): string[] {
  return [root, ...readdirSync(root).map((name) => join(root, name))];
}

function isOpen(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isSymbolicLink() && (found.mode & OTHERS) !== 0;
}

function close(path: string): void {
  const { mode, uid } = lstatSync(path);
  if (uid !== process.getuid?.()) return;
  try {
    chmodSync(path, mode & 0o7777 & ~OTHERS);
  } catch {
    // A file system without modes, as of a network share. It is still open, and that is told.
  }
}
