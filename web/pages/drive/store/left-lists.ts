import { Recent } from "../../../../src/domain/recent.ts";
import type { FolderListing } from "./listing.ts";

/** How many lists are kept. Each has the rows that were looked at. */
const MOST = 32;

/**
 * The lists of folders that were left, for whoever comes back: these are shown at once, and not asked for again. They
 * are kept while the feed is followed, which tells of all that makes them out of date, and only until anything changes.
 */
export class LeftLists {
  #isFollowed = false;
  #lists = new Recent<string, FolderListing>(MOST);

  /** From now on all changes are told. */
  follow(): void {
    this.#isFollowed = true;
  }

  /** Keeps a list that is as it is on the server, or closes it where nobody would tell of changes. */
  keep(path: string, listing: FolderListing): void {
    if (this.#isFollowed) this.#lists.set(path, listing);
    else listing.close();
  }

  /** Gives a list to whoever shows the folder again; null if there is none. */
  take(path: string): FolderListing | null {
    const listing = this.#lists.get(path) ?? null;
    this.#lists.delete(path);
    return listing;
  }

  /** Something has changed, or may have. */
  forget(): void {
    this.#lists = new Recent(MOST);
  }
}
