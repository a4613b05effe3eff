import { useLayoutEffect, useMemo, useState } from "preact/hooks";
import type { Entry } from "../../../lib/files.ts";
import { NOTHING, type Selection } from "../../../lib/files/selection.ts";
import type { FileRecord, FolderRecord } from "../../../lib/types.ts";
import type { FolderListing } from "./listing.ts";

/** What is selected in a folder. It follows what its list comes to know: another name, or that something is gone. */
export function useSelection(
  listing: FolderListing | null,
): [selection: Selection, set: (selection: Selection) => void] {
  const [chosen, setChosen] = useState(NOTHING);
  const selection = useMemo(
    () => (listing === null ? chosen : asKnown(chosen, listing)),
    [chosen, listing, listing?.revision],
  );
  useLayoutEffect(() => setChosen(selection), [selection]);
  return [selection, setChosen];
}

/** The same selection where nothing of it changed. */
function asKnown(selection: Selection, listing: FolderListing): Selection {
  const known = new Map<string, Entry>();
  let isNews = false;
  for (const [key, entry] of selection) {
    const row = listing.rowOf(key);
    const now = row === undefined ? undefined : listing.at(row);
    if (now !== undefined) known.set(key, now);
    else if (!listing.isWhole) known.set(key, entry);
    isNews ||= now === undefined ? listing.isWhole : recordOf(now) !== recordOf(entry);
  }
  return isNews ? known : selection;
}

function recordOf(entry: Entry): FileRecord | FolderRecord {
  return entry.kind === "file" ? entry.file : entry.folder;
}
