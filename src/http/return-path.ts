/** Characters. Many sign-ins on their way keep theirs in memory. */
const LONGEST = 2048;

/**
 * The path of ours that `text` names, as a `Location` can say it; `fallback` for anything that a browser
 * might take to another site, or that is no path.
 */
export function returnPath(text: string | undefined, fallback: string): string {
  if (text === undefined || text.length > LONGEST) return fallback;
  if (!/^\/(?![/\\])/.test(text) || /[\\\p{Cc}]/u.test(text)) return fallback;
  const base = "http://coffer.invalid";
  if (!URL.canParse(text, base)) return fallback;
  const { origin, pathname, search, hash } = new URL(text, base);
  // Dot segments may have left two slashes at its start.
  return origin === base && !pathname.startsWith("//") ? pathname + search + hash : fallback;
}
