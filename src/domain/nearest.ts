export function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const removed = (above[column] ?? 0) + 1;
      const inserted = (current[column - 1] ?? 0) + 1;
      current.push(Math.min(replaced, removed, inserted));
    }
    above = current;
  }
  return above[b.length] ?? 0;
}

/** The known name that is closest to an unknown one, or null. A shorter name may have fewer typing errors. */
export function nearest(name: string, known: readonly string[]): string | null {
  // No setting is this long, and the comparison takes quadratic time.
  if (name.length > 64) return null;
  let best: string | null = null;
  let least = name.length < 4 ? 2 : name.length < 8 ? 3 : 4;
  for (const candidate of known) {
    const edits = distance(name, candidate);
    if (edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}
