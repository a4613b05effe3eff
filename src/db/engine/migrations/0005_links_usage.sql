-- A link acts for its maker: a key, by its public id so that a revoked one is simply not found, or a
-- user who was signed in without one. It is kept for a while after its end, to be told apart from
-- one never issued.
CREATE TABLE presigned_link (
  hash       TEXT PRIMARY KEY,
  file       INTEGER NOT NULL REFERENCES file (pk) ON DELETE CASCADE,
  key_id     TEXT,
  user       INTEGER REFERENCES user (pk),
  one_time   INTEGER NOT NULL CHECK (one_time IN (0, 1)),
  used_at    INTEGER,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  CHECK ((key_id IS NULL) <> (user IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX presigned_link_file ON presigned_link (file);
CREATE INDEX presigned_link_expiry ON presigned_link (expires_at);

-- What was used in a calendar month, which is named by its first millisecond in UTC. An account's
-- figures are its own row and those of its drives, so a drive that is claimed brings its along.
CREATE TABLE drive_usage (
  drive      INTEGER NOT NULL REFERENCES drive (pk) ON DELETE CASCADE,
  month      INTEGER NOT NULL,
  operations INTEGER NOT NULL,
  bandwidth  INTEGER NOT NULL,
  PRIMARY KEY (drive, month)
) STRICT, WITHOUT ROWID;

CREATE TABLE account_usage (
  user       INTEGER NOT NULL REFERENCES user (pk),
  month      INTEGER NOT NULL,
  operations INTEGER NOT NULL,
  bandwidth  INTEGER NOT NULL,
  PRIMARY KEY (user, month)
) STRICT, WITHOUT ROWID;

-- What a drive used does not come back to its owner by deleting it.
CREATE TRIGGER drive_usage_kept AFTER UPDATE OF deleted_at ON drive WHEN NEW.deleted_at IS NOT NULL BEGIN
  INSERT INTO account_usage (user, month, operations, bandwidth)
  SELECT NEW.user, month, operations, bandwidth FROM drive_usage WHERE drive = NEW.pk AND NEW.user IS NOT NULL
  ON CONFLICT (user, month) DO UPDATE SET operations = operations + excluded.operations,
                                          bandwidth = bandwidth + excluded.bandwidth;
  DELETE FROM drive_usage WHERE drive = NEW.pk;
END;
