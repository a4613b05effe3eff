/**
 * What the browser keeps for this site, until its tab is closed or for good; null where the person lets no
 * site store anything.
 */
export function storageOf(kind: "sessionStorage" | "localStorage"): Storage | null {
  try {
    return window[kind];
  } catch {
    // Only to ask for it is refused.
    return null;
  }
}
