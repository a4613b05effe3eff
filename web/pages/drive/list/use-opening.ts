import { useEffect, useRef } from "preact/hooks";
import { navigate, readdress } from "../../../lib/browser/router.tsx";
import type { Entry } from "../../../lib/files.ts";
import type { FolderListing } from "../store/listing.ts";

/** How long one must rest at a row before its file is shown: with an arrow key held, one goes past many. */
const REST_MS = 150;

interface OpeningOptions {
  readonly listing: FolderListing;
  /** The id of the file whose preview is shown, beside the list. */
  readonly shown: string | null;
  readonly href: (entry: Entry) => string;
}

interface Opening {
  readonly open: (entry: Entry) => void;
  /** To be called when one goes to a row: where a preview is shown, it shows the file of that row. */
  readonly visit: (row: number) => void;
}

/**
 * Opens what is in a list. One file takes the place of another, so that Back closes the preview; what is shown already
 * gets the focus.
 */
export function useOpening({ listing, shown, href }: OpeningOptions): Opening {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), [shown]);
  const open = (entry: Entry) => {
    if (entry.key === shown) document.querySelector<HTMLElement>(".preview")?.focus();
    else if (shown !== null && entry.kind === "file") readdress(href(entry));
    else navigate(href(entry));
  };
  const visit = (row: number) => {
    clearTimeout(timer.current);
    const entry = listing.at(row);
    if (shown === null || entry?.kind !== "file" || entry.key === shown) return;
    timer.current = setTimeout(open, REST_MS, entry);
  };
  return { open, visit };
}
