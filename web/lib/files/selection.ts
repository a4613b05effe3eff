import type { Entry } from "../files.ts";

/** What is selected, by key, in the order it was chosen. */
export type Selection = ReadonlyMap<string, Entry>;

/** Nothing is selected. */
export const NOTHING: ReadonlyMap<string, Entry> = new Map();

export function only(entry: Entry): Selection {
  return new Map([[entry.key, entry]]);
}

/** The selection with an entry or, where it has it, without. */
export function toggled(selection: Selection, entry: Entry): Selection {
  const next = new Map(selection);
  if (!next.delete(entry.key)) next.set(entry.key, entry);
  return next;
}

/** All of these. */
export function among(entries: readonly Entry[]): Selection {
  return new Map(entries.map((entry) => [entry.key, entry]));
}

/** What is done to a row is done to all that is selected where the row is among it, else to it alone. */
export function withSelected(entry: Entry, selection: Selection): readonly Entry[] {
  return selection.has(entry.key) ? [...selection.values()] : [entry];
}

/** Bytes in these files and folders, as far as their list knew. */
export function bytesIn(entries: Iterable<Entry>): number {
  let bytes = 0;
  for (const entry of entries) bytes += entry.kind === "file" ? entry.file.size : entry.folder.total_size;
  return bytes;
}
