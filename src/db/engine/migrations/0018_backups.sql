-- A backup copies contents for a while after it has copied this database: none may be removed meanwhile. The row
-- holds until `expires_at`, in milliseconds, and the backup moves that on while it runs.
CREATE TABLE backup_lease (
  pk         INTEGER PRIMARY KEY CHECK (pk = 1),
  holder     TEXT    NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

-- When the last backup into a place was complete, in milliseconds.
CREATE TABLE backup_success (
  place TEXT    PRIMARY KEY,
  at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
