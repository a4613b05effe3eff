-- A link went with its file, and a file may have any number of them: deleting one could take as long as that.
-- A link now names its file by the public id, which is never used again, and stays until the sweep takes it.
CREATE TABLE presigned_link_new (
  hash       TEXT PRIMARY KEY,
  file_id    TEXT NOT NULL,
  key_id     TEXT,
  user       INTEGER REFERENCES user (pk),
  one_time   INTEGER NOT NULL CHECK (one_time IN (0, 1)),
  used_at    INTEGER,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  CHECK ((key_id IS NULL) <> (user IS NULL))
) STRICT, WITHOUT ROWID;

INSERT INTO presigned_link_new (hash, file_id, key_id, user, one_time, used_at, expires_at, created_at)
SELECT l.hash, f.id, l.key_id, l.user, l.one_time, l.used_at, l.expires_at, l.created_at
  FROM presigned_link l JOIN file f ON f.pk = l.file;

DROP TABLE presigned_link;
ALTER TABLE presigned_link_new RENAME TO presigned_link;
CREATE INDEX presigned_link_expiry ON presigned_link (expires_at);
