import { useLayoutEffect, useRef } from "preact/hooks";
import { readdress } from "../../lib/browser/router.tsx";
import { fileAddress } from "../../lib/files/place.ts";
import type { DriveStore } from "./store/drive.ts";
import { isAbout, type OpenDialog } from "./store/folder.ts";

interface OwnWorkOptions {
  readonly store: DriveStore;
  /** As the address names it. */
  readonly drive: string;
  /** Of the file whose preview is shown. */
  readonly id: string;
  /** The file may be another now. */
  readonly onChange: () => void;
  readonly onClose: () => void;
}

/**
 * Follows what is done with the file of a preview in the dialogs of its folder. Once it was deleted or moved away, the
 * one that stood after it is shown, and after the last one the one before it.
 */
export function useOwnWork({ store, drive, id, onChange, onClose }: OwnWorkOptions): void {
  const folder = store.shown.value;
  const listing = folder?.listing.value ?? null;
  const at = listing?.placeOfFile(id)?.at ?? null;
  const open = folder?.dialog.value ?? null;
  const dialog = open !== null && isAbout(open, id) ? open : null;
  const before = useRef<{ readonly id: string; readonly at: number } | null>(null);
  useLayoutEffect(() => {
    const { current } = before;
    if (at !== null) before.current = { id, at };
    else if (dialog !== null && current?.id === id) void goOn(current.at);
  }, [id, at]);
  const goOn = async (place: number) => {
    if (folder === null || listing === null) return;
    const next = await listing.fileAt(Math.min(place, listing.fileCount));
    if (next === null) onClose();
    else readdress(fileAddress(drive, folder.path, next.id));
  };
  const last = useRef<OpenDialog | null>(null);
  useLayoutEffect(() => {
    if (dialog === null && last.current !== null && isAbout(last.current, id)) onChange();
    last.current = dialog;
  }, [dialog]);
}
