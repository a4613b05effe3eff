/**
 * The browser's storage for this site: of the tab (`sessionStorage`) or for good (`localStorage`). Null where the
 * person has turned storage off.
 */
export function storageOf(kind: "sessionStorage" | "localStorage"): Storage | null {
  try {
    return window[kind];
  } catch {
    // The mere access throws.
    return null;
  }
}
