import type { Entry } from "./files.ts";

/** What is selected, by key, in the order it was chosen. */
export type Selection = ReadonlyMap<string, Entry>;

export const NOTHING: Selection = new Map();

export function only(entry: Entry): Selection {
  return new Map([[entry.key, entry]]);
}

export function toggled(selection: Selection, entry: Entry): Selection {
  const next = new Map(selection);
  if (!next.delete(entry.key)) next.set(entry.key, entry);
  return next;
}

export function among(entries: readonly Entry[]): Selection {
  return new Map(entries.map((entry) => [entry.key, entry]));
}

/** Bytes in the selected files; folders do not say what they hold. */
export function selectedBytes(selection: Selection): number {
  let bytes = 0;
  for (const entry of selection.values()) if (entry.kind === "file") bytes += entry.file.size;
  return bytes;
}
