import { say } from "../../components/toast.tsx";
import type { Steps } from "../../components/preview/step-buttons.tsx";
import { fileAddress } from "../../lib/files/place.ts";
import { readdress } from "../../lib/browser/router.tsx";
import type { DriveStore } from "./store/drive.ts";

/**
 * The way from a file to those beside it in the list of its folder; null where the list does not have it. The address
 * is another one then, and Back still leads to where the first file was opened.
 *
 * @param drive as the address names it
 * @param id of the file
 */
export function useSteps(store: DriveStore, drive: string, id: string): Steps | null {
  const folder = store.shown.value;
  const listing = folder?.listing.value ?? null;
  const place = listing?.placeOfFile(id) ?? null;
  if (folder === null || listing === null || place === null) return null;
  const go = async (by: number) => {
    const file = await listing.fileAt(place.at + by);
    if (file !== null) readdress(fileAddress(drive, folder.path, file.id));
    else if (listing.error !== null) say(listing.error.message);
  };
  return { ...place, go: (by) => void go(by) };
}
