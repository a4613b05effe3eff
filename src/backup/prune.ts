import type { Digest } from "../domain/contents/content.ts";
import { readContentList } from "./contents.ts";
import { type KeptBackup, keptBackups, MANIFEST, manifestOf, nameOfPart, PARTS } from "./manifest.ts";
import { BackupError, type BackupPlace, CONTENTS, digestOfName } from "./place.ts";

export interface Pruned {
  readonly backups: number;
  readonly contents: number;
}

/** Removes the backups that were not finished. None may be running. */
export async function removeUnfinished(place: BackupPlace): Promise<void> {
  for (const backup of await keptBackups(place)) if (!backup.isComplete) await place.remove(backup.names);
  await place.sync();
}

/**
 * Removes all but the newest `keep` backups: their manifests first, then contents that only they named. So it may be
 * killed anywhere: each remaining backup is whole. Throws BackupError if one cannot be read: then no content is
 * removed.
 */
export async function prune(place: BackupPlace, keep: number): Promise<Pruned> {
  const complete = (await keptBackups(place)).filter(({ isComplete }) => isComplete);
  const old = complete.slice(0, -keep);
  for (const backup of old) await removeBackup(place, backup);
  const named = await digestsIn(place, complete.slice(-keep));
  const names: string[] = [];
  for await (const { name } of place.list(CONTENTS)) {
    const digest = digestOfName(name);
    if (digest !== null && !named.has(digest)) names.push(name);
  }
  await place.remove(names);
  await place.sync();
  return { backups: old.length, contents: names.length };
}

async function removeBackup(place: BackupPlace, { id, names }: KeptBackup): Promise<void> {
  const manifest = nameOfPart(id, MANIFEST);
  await place.remove([manifest]);
  await place.sync();
  await place.remove(names.filter((name) => name !== manifest));
}

async function digestsIn(place: BackupPlace, backups: readonly KeptBackup[]): Promise<Set<Digest>> {
  const named = new Set<Digest>();
  for (const { id } of backups) {
    const manifest = await manifestOf(place, id);
    const part = manifest?.parts.find(({ name }) => name === PARTS.contents);
    const bytes = await place.read(nameOfPart(id, PARTS.contents));
    const hash = new Bun.CryptoHasher("sha256");
    if (bytes !== null)
      for await (const { digest } of readContentList(hashed(bytes, hash))) named.add(digest);
    if (part === undefined || hash.digest("hex") !== part.sha256) {
      throw new BackupError(
        `The list of contents of the backup ${id} is damaged, so no content was removed. Remove that backup.`,
      );
    }
  }
  return named;
}

async function* hashed(bytes: AsyncIterable<Uint8Array>, hash: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
}
