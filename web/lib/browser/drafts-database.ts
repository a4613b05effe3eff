/** The database in the browser that has texts which were typed and not saved: see `lib/editing/drafts.ts`. */
export const DRAFTS = "coffer-drafts";

/** Forgets all of them: another person may use the browser next. */
export function forgetDrafts(): void {
  try {
    indexedDB.deleteDatabase(DRAFTS);
  } catch {
    // The person has turned storage off: nothing is kept.
  }
}
