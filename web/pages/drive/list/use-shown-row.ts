import { useLayoutEffect, useRef } from "preact/hooks";
import { stayHere } from "../../../lib/browser/scroll-back.ts";
import type { FolderStore } from "../store/folder.ts";
import type { FolderListing } from "../store/listing.ts";

interface ShownRowOptions {
  readonly folder: FolderStore;
  readonly listing: FolderListing;
  /** The id of the file whose preview is shown. */
  readonly shown: string | null;
  /** Scrolls to where a row is seen. */
  readonly reveal: (row: number) => void;
}

/**
 * Has the list stand at the file whose preview is shown. Once the preview is closed, that row has the focus, unless it
 * is the one that was opened: then the focus is back where it was.
 */
export function useShownRow({ folder, listing, shown, reveal }: ShownRowOptions): void {
  const { cursor } = folder;
  const opened = useRef<string | null>(null);
  const last = useRef<string | null>(null);
  useLayoutEffect(() => {
    const key = shown ?? last.current;
    last.current = shown;
    opened.current ??= shown;
    const row = key === null ? undefined : listing.rowOf(key);
    if (row !== undefined) {
      cursor.stand(row);
      reveal(row);
    }
    const { activeElement } = document;
    if (shown !== null) {
      if (activeElement?.matches(".file-row") === true) cursor.focus.value = "row";
      return;
    }
    if (key === null) return;
    // Not to where the list was when the first file was opened.
    stayHere();
    // What has the focus outside the list keeps it.
    const isHere = activeElement?.matches("body, main, .folder *") === true;
    cursor.focus.value = row === undefined || key === opened.current || !isHere ? "list" : "row";
    opened.current = null;
  }, [shown]);
}
