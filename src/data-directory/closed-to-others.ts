import { chmodSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** What a group and everybody may do, in a mode of chmod(2). */
const OTHERS = 0o077;

/**
 * Takes from other users what they may do with a directory and with what is directly in it, as far as that belongs to the
 * user of this process and the file system has modes. Links are left as they are. Returns the paths that they cannot
 * reach any more, and those that they still can.
 */
export function closeToOthers(root: string): { readonly closed: string[]; readonly open: string[] } {
  const [closed, open]: [string[], string[]] = [[], []];
  for (const path of [root, ...readdirSync(root).map((name) => join(root, name))]) {
    if (!isOpen(path)) continue;
    close(path);
    (isOpen(path) ? open : closed).push(path);
  }
  // Nobody comes through a closed directory.
  return { closed, open: open.includes(root) ? open : [] };
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
