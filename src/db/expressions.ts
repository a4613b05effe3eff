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

/** The SQL expression for the first of several times; later than every time if all are NULL. */
export function firstOf(...times: readonly string[]): string {
  return `min(${times.map((time) => `ifnull(${time}, ${Number.MAX_SAFE_INTEGER})`).join(", ")})`;
}

/** A key `k` that works: not expired (then no maker of it is), and all above it are there, up to one of a person. */
export function keyIsAlive(now: Now): string {
  return `(k.expires_at IS NULL OR k.expires_at > ${now})
  AND (k.made_by IS NULL OR EXISTS (
    WITH RECURSIVE maker (made_by) AS (
      SELECT m.made_by FROM api_key m WHERE m.id = k.made_by
      UNION ALL
      SELECT m.made_by FROM maker JOIN api_key m ON m.id = maker.made_by)
    SELECT 1 FROM maker WHERE made_by IS NULL))`;
}

/** The same for a list of keys: from the keys that are gone downwards, since to look above each would take long. */
export function listedKeyIsAlive(now: Now): string {
  return `(k.expires_at IS NULL OR k.expires_at > ${now})
  AND k.id NOT IN (
    WITH RECURSIVE below (id) AS (
      SELECT m.id FROM ended_key e CROSS JOIN api_key m ON m.made_by = e.id
      UNION ALL
      SELECT m.id FROM below CROSS JOIN api_key m ON m.made_by = below.id)
    SELECT id FROM below)`;
}

/**
 * The columns of an actor, for `namedActor`: what `actorText` wrote into `column`, and the name of a key or user.
 *
 * @param as what the first is called; the other has `Name` behind that
 */
export function actorColumns(column: string, as = "actor"): string {
  return `${column} AS ${as}, CASE substr(${column}, 1, 4)
    WHEN 'key:' THEN (SELECT name FROM api_key WHERE id = substr(${column}, 5))
    WHEN 'user' THEN (SELECT username FROM user WHERE id = substr(${column}, 6)) END AS ${as}Name`;
}

export interface ActorRow {
  readonly actor: string | null;
  readonly actorName: string | null;
}

/** A record as SQLite returns it: what is true or false is a number. */
export type Flagged<Facts, Flag extends keyof Facts> = Omit<Facts, Flag> & { readonly [Name in Flag]: 0 | 1 };

/** The bytes of the small content `?`; no row where it is none. */
export const SMALL_BYTES =
  "SELECT c.bytes FROM blob b JOIN small_content c ON c.blob = b.pk WHERE b.digest = ?";

/** The files of drives that have the content `?1`. */
export const FILE_PLACES = `
  SELECT d.id AS drive, f.path, NULL AS kept FROM blob b JOIN file f ON f.blob = b.pk JOIN drive d ON d.pk = f.drive
   WHERE b.digest = ?1`;

/** The places of the content `?1`, at most `?2`, files first. Slow: what is kept has no index by its content. */
export const CONTENT_PLACES = `${FILE_PLACES}
  UNION ALL
  SELECT d.id, t.path || f.path, 'trash' FROM blob b JOIN trash_file f ON f.blob = b.pk JOIN trash t ON t.pk = f.entry
    JOIN drive d ON d.pk = f.drive WHERE b.digest = ?1
  UNION ALL
  SELECT d.id, ifnull((SELECT f.path FROM file f WHERE f.id = v.file_id), v.filename), 'version'
    FROM blob b JOIN file_version v ON v.blob = b.pk JOIN drive d ON d.pk = v.drive WHERE b.digest = ?1
  UNION ALL
  SELECT d.id, h.path, 'snapshot' FROM blob b JOIN held_file h ON h.blob = b.pk JOIN drive d ON d.pk = h.drive
   WHERE b.digest = ?1
  LIMIT ?2`;
