import { useLayoutEffect } from "preact/hooks";
import { isIndex, useKept } from "../../../lib/kept.ts";
import type { FolderListing, RowPlace } from "./listing.ts";

const FIRST: RowPlace = { row: 0, key: null };

export interface ActiveRow {
  readonly active: number;
  readonly setActive: (row: number) => void;
  /** Goes on with the entry of this key as soon as it is in the list. */
  readonly follow: (key: string) => void;
}

/**
 * The row that the keyboard is at. It stays with what stands in it while the list changes, and whoever comes
 * back finds it again.
 */
export function useActiveRow(listing: FolderListing | null): ActiveRow {
  const [place, setPlace] = useKept("row", FIRST, isRowPlace);
  const active = listing?.rowAt(place) ?? place.row;
  useLayoutEffect(() => {
    const now = listing?.placeOf(active);
    // What is not loaded yet may be it.
    if (now !== undefined && now.key !== null) setPlace(now);
  }, [listing, listing?.revision]);
  return {
    active,
    setActive: (row) => setPlace(listing?.placeOf(row) ?? { row, key: null }),
    follow: (key) => setPlace({ row: active, key }),
  };
}

function isRowPlace(value: unknown): value is RowPlace {
  if (typeof value !== "object" || value === null || !("row" in value) || !("key" in value)) return false;
  return isIndex(value.row) && (value.key === null || typeof value.key === "string");
}
