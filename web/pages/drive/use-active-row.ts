import { useLayoutEffect } from "preact/hooks";
import { isIndex, useKept } from "../../lib/kept.ts";
import type { FolderListing, RowPlace } from "./folder-listing.ts";

const FIRST: RowPlace = { row: 0, key: null };

/**
 * The row that the keyboard is at. It stays with what stands in it while the list changes, and whoever comes
 * back finds it again.
 */
export function useActiveRow(listing: FolderListing | null): [row: number, set: (row: number) => void] {
  const [place, setPlace] = useKept("row", FIRST, isRowPlace);
  const row = listing?.rowAt(place) ?? place.row;
  useLayoutEffect(() => {
    const now = listing?.placeOf(row);
    // What is not loaded yet may be it.
    if (now === undefined || now.key === null) return;
    if (now.row !== place.row || now.key !== place.key) setPlace(now);
  });
  return [row, (next) => setPlace(listing?.placeOf(next) ?? { row: next, key: null })];
}

function isRowPlace(value: unknown): value is RowPlace {
  if (typeof value !== "object" || value === null || !("row" in value) || !("key" in value)) return false;
  return isIndex(value.row) && (value.key === null || typeof value.key === "string");
}
