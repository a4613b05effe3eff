/**
 * The SQL condition for a file `f` that readers can see: it has not expired.
 *
 * @param now the parameter that holds the time
 */
export function fileIsAlive(now: ":now" | "?2"): string {
  return `(f.expires_at IS NULL OR f.expires_at > ${now})`;
}

/** The SQL condition for a key `k` that has not expired at `:now`. */
export const KEY_IS_ALIVE = "(k.expires_at IS NULL OR k.expires_at > :now)";

/**
 * The SQL condition for a drive `d` that readers can see: neither deleted nor expired.
 *
 * @param now the parameter that holds the time
 */
export function driveIsAlive(now: ":now" | "?2"): string {
  return `(d.deleted_at IS NULL AND (d.expires_at IS NULL OR d.expires_at > ${now}))`;
}
