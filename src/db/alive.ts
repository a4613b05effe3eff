/**
 * The condition that a reader sees a file `f`, in SQL.
 *
 * @param now the parameter that holds the time
 */
export function fileIsAlive(now: ":now" | "?2"): string {
  return `(f.expires_at IS NULL OR f.expires_at > ${now})`;
}

/**
 * The condition that a reader sees a drive `d`, in SQL.
 *
 * @param now the parameter that holds the time
 */
export function driveIsAlive(now: ":now" | "?2"): string {
  return `(d.deleted_at IS NULL AND (d.expires_at IS NULL OR d.expires_at > ${now}))`;
}
