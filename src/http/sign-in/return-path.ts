/** Characters. Many sign-ins on their way keep theirs in memory. */
const LONGEST = 2048;

/** Stands for our own address while a path of ours is taken apart. */
export const OWN_BASE = "http://coffer.invalid";

/**
 * The path of ours that `text` names, as a `Location` can say it; `fallback` for anything that a browser
 * might take to another site, or that is no path.
 */
export function returnPath(text: string | undefined, fallback: string): string {
  if (text === undefined || text.length > LONGEST) return fallback;
  if (!/^\/(?![/\\])/.test(text) || /[\\\p{Cc}]/u.test(text)) return fallback;
  if (!URL.canParse(text, OWN_BASE)) return fallback;
  const { origin, pathname, search, hash } = new URL(text, OWN_BASE);
  // Dot segments may have left two slashes at its start.
  return origin === OWN_BASE && !pathname.startsWith("//") ? pathname + search + hash : fallback;
}
