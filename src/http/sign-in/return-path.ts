/** Characters. Every sign-in in progress keeps one in memory. */
const LONGEST = 2048;

/** A placeholder for our own address while a path is parsed. */
export const OWN_BASE = "http://coffer.invalid";

/**
 * The path of this server in `text`, normalised for a `Location`; `fallback` for anything that is not a path, or that
 * a browser might take to another site.
 */
export function returnPath(text: string | undefined, fallback: string): string {
  if (text === undefined || text.length > LONGEST) return fallback;
  if (!/^\/(?![/\\])/.test(text) || /[\\\p{Cc}]/u.test(text)) return fallback;
  if (!URL.canParse(text, OWN_BASE)) return fallback;
  const { origin, pathname, search, hash } = new URL(text, OWN_BASE);
  // Removing dot segments may leave two slashes at the start.
  return origin === OWN_BASE && !pathname.startsWith("//") ? pathname + search + hash : fallback;
}
