import { BACKUPS, type BackupPlace, readText } from "./place.ts";
import { type BackupId, isBackupId, MANIFEST, type Manifest, nameOfPart, readManifest } from "./manifest.ts";

export interface KeptBackup {
  readonly id: BackupId;
  /** The names of its files in the place. */
  readonly names: readonly string[];
  /** Whether it has its manifest. One that has none was not finished. */
  readonly isComplete: boolean;
}

/** All backups in a place, oldest first. */
export async function keptBackups(place: BackupPlace): Promise<KeptBackup[]> {
  const byId = new Map<BackupId, string[]>();
  for await (const { name } of place.list(BACKUPS)) {
    const [id = ""] = name.slice(BACKUPS.length).split("/");
    if (!isBackupId(id)) continue;
    byId.set(id, [...(byId.get(id) ?? []), name]);
  }
  const backups = [...byId].map(([id, names]) => {
    return { id, names, isComplete: names.includes(nameOfPart(id, MANIFEST)) };
  });
  return backups.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** The manifest of a complete backup; null if it is not there any more. Throws BackupError if it is damaged. */
export async function manifestOf(place: BackupPlace, id: BackupId): Promise<Manifest | null> {
  const text = await readText(place, nameOfPart(id, MANIFEST));
  return text === null ? null : readManifest(text, id);
}
