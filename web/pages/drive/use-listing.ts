import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { BY_NAME, nextSort, type Sort, type SortKey } from "../../lib/files-sort.ts";
import { FolderListing } from "./folder-listing.ts";

export interface ShownListing {
  /** Null until something is known about the folder. */
  readonly listing: FolderListing | null;
  readonly sort: Sort;
  /** Orders by a column; loads the rest first where that needs all. */
  readonly sortBy: (key: SortKey) => void;
  /** Reads the folder again; what was shown stays until the new state is there. */
  readonly reload: () => void;
}

/** A folder's entries for a component; one folder for its whole life. */
export function useListing(drive: string, folder: string): ShownListing {
  const [listing, setListing] = useState<FolderListing | null>(null);
  const [sort, setSort] = useState(BY_NAME);
  const [turn, setTurn] = useState(0);
  const [, redraw] = useState(0);
  const needsAll = useRef(false);
  needsAll.current = sort.key !== "name";

  useEffect(() => {
    const next = new FolderListing(drive, folder, () => redraw((count) => count + 1));
    const begin = async () => {
      await next.load(1);
      if (needsAll.current && next.isSortable) await next.loadAll();
      setListing(next);
    };
    void begin();
    return () => next.close();
  }, [drive, folder, turn]);

  const sortBy = (key: SortKey) => {
    if (listing === null || (key !== "name" && !listing.isSortable)) return;
    const apply = async () => {
      if (key !== "name") await listing.loadAll();
      if (listing.error === null) setSort(nextSort(sort, key));
    };
    void apply();
  };
  const reload = useCallback(() => setTurn((last) => last + 1), []);
  return { listing, sort, sortBy, reload };
}
