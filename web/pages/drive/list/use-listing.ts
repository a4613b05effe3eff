import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ApiError } from "../../../lib/api.ts";
import { BY_NAME, isSort, nextSort, type SortKey } from "../../../lib/files/sort.ts";
import { useKept } from "../../../lib/kept.ts";
import { useRetryInTime } from "../../../lib/load.ts";
import { useReturns } from "../../../lib/returns.ts";
import type { FoldersPage } from "../../../lib/types.ts";
import { FolderListing } from "./listing.ts";

export interface ShownListing {
  /** Null until something is known about the folder. */
  readonly listing: FolderListing | null;
  /** Why what was asked for last, a page or all anew, did not come. */
  readonly error: ApiError | null;
  /** Orders by a column. */
  readonly sortBy: (key: SortKey) => void;
  /** Reads the folder again. */
  readonly reload: () => void;
  /** Asks again for what did not come. */
  readonly retry: () => void;
}

/**
 * A folder's entries for a component; what was shown stays until what was asked for instead is there.
 *
 * @param news another number where the folder is to be read again
 * @param onFolders told the first page of its folders whenever it comes; null where there is no such folder
 */
export function useListing(
  drive: string,
  folder: string,
  news: number,
  onFolders: (first: FoldersPage | null) => void,
): ShownListing {
  const [sort, setSort] = useKept("sort", BY_NAME, isSort);
  const [turn, setTurn] = useState(0);
  const [failure, setFailure] = useState<ApiError | null>(null);
  const [, redraw] = useState(0);
  const shown = useRef<FolderListing | null>(null);

  // What is asked for is asked for at once, not after the page is painted without it.
  useLayoutEffect(() => {
    const onChange = () => redraw((count) => count + 1);
    const next = new FolderListing({ drive, folder, sort, onChange, onFolders });
    let isWanted = true;
    const begin = async () => {
      await next.start(shown.current?.seen ?? { first: 0, last: 0 });
      if (!isWanted) return;
      setFailure(next.ready ? null : next.error);
      if (!next.ready) return;
      shown.current?.close();
      shown.current = next;
      onChange();
    };
    void begin();
    return () => {
      isWanted = false;
      if (shown.current !== next) next.close();
    };
  }, [drive, folder, sort, turn, news]);
  useLayoutEffect(() => () => shown.current?.close(), []);

  const sortBy = (key: SortKey) => setSort(nextSort(sort, key));
  const reload = useCallback(() => setTurn((last) => last + 1), []);
  const listing = shown.current;
  const error = failure ?? listing?.error ?? null;
  const retry = () => {
    if (failure !== null || listing === null) reload();
    else void listing.ensure(listing.seen);
  };
  useRetryInTime(error, retry);
  useReturns(reload);
  return { listing, error, sortBy, reload, retry };
}
