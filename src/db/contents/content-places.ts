/**
 * The SQL of the places of the content with the digest `?1`, at most `?2` of them: files of drives first. What is kept
 * has no index by its content, so this is not for a server's main thread.
 */
export const CONTENT_PLACES = `
  SELECT d.id AS drive, f.path, NULL AS kept FROM blob b JOIN file f ON f.blob = b.pk JOIN drive d ON d.pk = f.drive
   WHERE b.digest = ?1
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
