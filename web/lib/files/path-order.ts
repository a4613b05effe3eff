/**
 * Orders paths as the server does, by their UTF-8 bytes. The language's own order differs: it puts what
 * takes two UTF-16 units before U+E000 to U+FFFF.
 */
export function comparePaths(one: string, other: string): number {
  const end = Math.min(one.length, other.length);
  let at = 0;
  while (at < end && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  if (at === end) return one.length - other.length;
  return rank(one.charCodeAt(at)) - rank(other.charCodeAt(at));
}

/** Surrogates, which all stand for something beyond U+FFFF, after everything else. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
