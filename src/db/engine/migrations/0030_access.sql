-- Users with whom a drive is shared. The owner is none of them. `added_by` as in `change.actor`. A reader may read what
-- happened in the drive after `changes_from`, a number of `change`.
CREATE TABLE drive_member (
  drive        INTEGER NOT NULL REFERENCES drive (pk) ON DELETE CASCADE,
  user         INTEGER NOT NULL REFERENCES user (pk),
  role         TEXT NOT NULL CHECK (role IN ('reader', 'editor')),
  changes_from INTEGER NOT NULL,
  added_by     TEXT,
  created_at   INTEGER NOT NULL,
  PRIMARY KEY (drive, user)
) STRICT, WITHOUT ROWID;
CREATE INDEX drive_member_user ON drive_member (user);

-- The folder that the key of a drive is limited to; it ends with a slash. NULL for the whole drive.
ALTER TABLE api_key ADD COLUMN path_prefix TEXT CHECK (path_prefix IS NULL OR drive IS NOT NULL);
