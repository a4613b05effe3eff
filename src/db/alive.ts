/** The parameter that holds the time. */
type Now = ":now" | "?2" | "?3";

/** The SQL condition for a file `f` that readers can see: it has not expired. */
export function fileIsAlive(now: Now): string {
  return `(f.expires_at IS NULL OR f.expires_at > ${now})`;
}

/** The SQL condition for a drive `d` that readers can see: neither deleted nor expired. */
export function driveIsAlive(now: Now): string {
  return `(d.deleted_at IS NULL AND (d.expires_at IS NULL OR d.expires_at > ${now}))`;
}

/**
 * The SQL condition for a key `k` that works: it has not expired, and the key that made it is there, and so on up to one
 * that no key made. None outlives the key that made it, so of those above only the row is asked for.
 */
export function keyIsAlive(now: Now): string {
  return `(k.expires_at IS NULL OR k.expires_at > ${now})
  AND (k.made_by IS NULL OR EXISTS (
    WITH RECURSIVE maker (made_by) AS (
      SELECT m.made_by FROM api_key m WHERE m.id = k.made_by
      UNION ALL
      SELECT m.made_by FROM maker JOIN api_key m ON m.id = maker.made_by)
    SELECT 1 FROM maker WHERE made_by IS NULL))`;
}

/**
 * The same for a list of keys. To look above each would take as long as their number squared where each has made the
 * next. So this looks below the keys that are gone: until what they made is removed, they are noted.
 */
export function listedKeyIsAlive(now: Now): string {
  return `(k.expires_at IS NULL OR k.expires_at > ${now})
  AND k.id NOT IN (
    WITH RECURSIVE below (id) AS (
      SELECT m.id FROM ended_key e CROSS JOIN api_key m ON m.made_by = e.id
      UNION ALL
      SELECT m.id FROM below CROSS JOIN api_key m ON m.made_by = below.id)
    SELECT id FROM below)`;
}
