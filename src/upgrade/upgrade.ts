import { link, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { ReleaseKey } from "../domain/upkeep/release-key.ts";
import { lockDirectory } from "./directory-lock.ts";
import { download, unpack } from "./download.ts";
import type { ReleasePlace } from "./release-place.ts";
import { requireSignature, sumIn } from "./signed-sums.ts";
import { UpgradeError } from "./upgrade-error.ts";

/** How long an executable may take to say its version, in milliseconds. */
const VERSION_MS = 60_000;

/** What to replace, and by what. */
export interface UpgradeOptions {
  /** The executable, absolute and without symbolic links. */
  readonly path: string;
  /** As the files of releases are named after it: `linux-x64`. */
  readonly platform: string;
  /** What the release must be signed with; null to trust the place alone. */
  readonly key: ReleaseKey | null;
  readonly place: ReleasePlace;
  /** Told how much of an archive is there, in bytes. @param size null if it is not known */
  readonly tell: (archive: string, bytes: number, size: number | null) => void;
}

/** What the executable was and is. */
export interface Upgraded {
  readonly from: string;
  /** The same as `from` if nothing was changed. */
  readonly to: string;
  /** Of the newest release. */
  readonly newest: string;
  /** Where the one before is kept. */
  readonly previous: string;
}

/** Whether a version is newer than another one (Semantic Versioning 2.0.0, 11). */
export function isNewer(version: string, other: string): boolean {
  return Bun.semver.order(version, other) > 0;
}

/**
 * Replaces the executable by that of the newest release, if it is newer. Whatever happens, even a power cut, there is a
 * whole executable at its path. Throws UpgradeError, or an error of the file system; then nothing was changed.
 */
export async function upgrade(options: UpgradeOptions): Promise<Upgraded> {
  const { path, place } = options;
  const directory = dirname(path);
  using _ = lockDirectory(directory);
  // Not the version that runs: another upgrade may have replaced it meanwhile.
  const from = await versionOf(path);
  const newest = await place.newestVersion();
  const previous = `${path}.previous`;
  if (!isNewer(newest, from)) return { from, to: from, newest, previous };
  const [archive, unpacked] = [`${path}.download`, `${path}.new`];
  try {
    await rm(archive, { force: true });
    await rm(unpacked, { force: true });
    await fetchExecutable(options, newest, { archive, unpacked });
    const says = await versionOf(unpacked);
    if (says !== newest) throw new UpgradeError(`The release of ${newest} has an executable of ${says}.`);
    await keepPrevious(path, previous);
    await rename(unpacked, path);
    await syncDirectory(directory);
  } finally {
    await rm(archive, { force: true });
    await rm(unpacked, { force: true });
  }
  return { from, to: newest, newest, previous };
}

/** Writes the executable of a release, which is synced, and as accessible as the one before. */
async function fetchExecutable(
  { path, platform, key, place, tell }: UpgradeOptions,
  version: string,
  { archive, unpacked }: { readonly archive: string; readonly unpacked: string },
): Promise<void> {
  const sums = await place.text("SHA256SUMS");
  if (key !== null)
    requireSignature(sums, await place.text("SHA256SUMS.minisig"), { key, comment: `coffer ${version}` });
  const inside = `coffer-${version}-${platform}`;
  const name = `${inside}.tar.gz`;
  const sum = sumIn(sums, name);
  const arriving = await place.open(name);
  const found = await download(arriving, archive, (bytes) => tell(name, bytes, arriving.size));
  if (found !== sum) throw new UpgradeError(`${name} is not the one of the release: its sum is another one.`);
  const { mode, uid, gid } = await stat(path);
  await unpack(archive, `${inside}/coffer`, { path: unpacked, mode: mode & 0o777, uid, gid });
}

/** What an executable says of itself. Throws UpgradeError if it does not run here. */
async function versionOf(path: string): Promise<string> {
  const failed = (reason: string, cause?: unknown) =>
    new UpgradeError(`${path} cannot be run on this machine: ${reason}.`, { cause });
  try {
    const child = Bun.spawn([path, "version"], { stdin: "ignore", stderr: "pipe", timeout: VERSION_MS });
    const [said, why, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    const version = /^coffer (\S+)/.exec(said)?.[1];
    if (code !== 0 || version === undefined)
      throw failed(why.trim().split("\n")[0] || `its exit code is ${code}`);
    return version;
  } catch (cause) {
    throw cause instanceof UpgradeError ? cause : failed(cause instanceof Error ? cause.message : "?", cause);
  }
}

/** Gives the executable a second name, in place of what had it. At no time is there nothing of that name. */
async function keepPrevious(path: string, previous: string): Promise<void> {
  const linked = `${previous}.new`;
  await rm(linked, { force: true });
  await link(path, linked);
  await rename(linked, previous);
  // It is still there if both were the same file already (rename(2)), after an upgrade that was cut off.
  await rm(linked, { force: true });
}

async function syncDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, "r");
  await handle.sync();
}
