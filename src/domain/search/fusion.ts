/** How much the first places count more than the next, as in most engines: https://doi.org/10.1145/1571941.1572114 */
const RANK_CONSTANT = 60;

/**
 * One order out of several, by reciprocal ranks: what is high in one list is high, what is high in all is higher. With
 * each the sum, from 0 to 1, where 1 is the first of all lists.
 */
export function fused<Key>(lists: readonly (readonly Key[])[]): Map<Key, number> {
  const scores = new Map<Key, number>();
  for (const list of lists) {
    for (const [rank, key] of list.entries()) {
      const share = (RANK_CONSTANT + 1) / (RANK_CONSTANT + 1 + rank) / lists.length;
      scores.set(key, (scores.get(key) ?? 0) + share);
    }
  }
  return new Map([...scores].toSorted(([, a], [, b]) => b - a));
}
