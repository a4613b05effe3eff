import type { Digest } from "../domain/contents/content.ts";
import { DamagedList, readContentList } from "./contents.ts";
import {
  type BackupId,
  keptBackups,
  MANIFEST,
  manifestOf,
  nameOfPart,
  type Part,
  PARTS,
} from "./manifest.ts";
import { BackupError, type BackupPlace, CONTENTS, digestOfName, wholeAtLast } from "./place.ts";

/** Ends the lease of a backup that is no more, if it has one. Before the rest of it goes: then it is done again after a kill. */
export type Release = (id: BackupId) => Promise<void>;

/** Removes the backups that were not finished; none may be running. Returns those that were, the newest last. */
export async function removeUnfinished(place: BackupPlace, release: Release): Promise<BackupId[]> {
  const complete: BackupId[] = [];
  for (const { id, names, isComplete } of await keptBackups(place)) {
    if (isComplete) {
      complete.push(id);
      continue;
    }
    await release(id);
    await place.remove(names);
  }
  await place.sync();
  return complete;
}

/**
 * Removes all but the newest `keep` backups: their manifests first, then their leases, then contents that only they
 * named. So it may be killed anywhere: each remaining backup is whole. Throws BackupError if one cannot be read, or is not listed: then no
 * content is removed.
 *
 * @param known some that are there: contents would be lost if the place lists fewer
 */
export async function prune(
  place: BackupPlace,
  { keep, known, release }: { keep: number; known: readonly BackupId[]; release: Release },
) {
  const complete = (await keptBackups(place)).filter(({ isComplete }) => isComplete);
  const missing = known.find((id) => !complete.some((backup) => backup.id === id));
  if (missing !== undefined) {
    throw new BackupError(
      `The place of the backups does not list the backup ${missing}, which is there, so nothing was removed. Run the ` +
        "backup again.",
    );
  }
  const old = complete.slice(0, -keep);
  for (const { id, names } of old) {
    const manifest = nameOfPart(id, MANIFEST);
    await place.remove([manifest]);
    await place.sync();
    await release(id);
    await place.remove(names.filter((name) => name !== manifest));
  }
  const named = await digestsIn(
    place,
    complete.slice(-keep).map(({ id }) => id),
  );
  const names: string[] = [];
  for await (const { name } of place.list(CONTENTS)) {
    const digest = digestOfName(name);
    if (digest !== null && !named.has(digest)) names.push(name);
  }
  await place.remove(names);
  await place.sync();
  return { backups: old.length, contents: names.length };
}

async function digestsIn(place: BackupPlace, backups: readonly BackupId[]): Promise<Set<Digest>> {
  const named = new Set<Digest>();
  for (const id of backups) {
    const manifest = await manifestOf(place, id);
    const part = manifest?.parts.find(({ name }) => name === PARTS.contents);
    // What a damaged list names besides does no harm.
    if (part !== undefined && (await wholeAtLast(() => addDigests(named, place, id, part)))) continue;
    throw new BackupError(
      `The list of contents of the backup ${id} is damaged, so no content was removed. Remove that backup.`,
    );
  }
  return named;
}

/** Returns whether the list of contents was whole. */
async function addDigests(named: Set<Digest>, place: BackupPlace, id: BackupId, { sha256 }: Part) {
  const bytes = await place.read(nameOfPart(id, PARTS.contents));
  if (bytes === null) return false;
  const hash = new Bun.CryptoHasher("sha256");
  try {
    for await (const { digest } of readContentList(hashed(bytes, hash))) named.add(digest);
  } catch (error) {
    if (error instanceof DamagedList) return false;
    throw error;
  }
  return hash.digest("hex") === sha256;
}

async function* hashed(bytes: AsyncIterable<Uint8Array>, hash: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    hash.update(piece);
    yield piece;
  }
}
