/**
 * The SQL expression for the name of an actor: of a key, or of a user. Null for everything else.
 *
 * @param column holds what `actorText` wrote
 */
export function actorName(column: string): string {
  return `CASE substr(${column}, 1, 4)
    WHEN 'key:' THEN (SELECT name FROM api_key WHERE id = substr(${column}, 5))
    WHEN 'user' THEN (SELECT username FROM user WHERE id = substr(${column}, 6)) END`;
}
