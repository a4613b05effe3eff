-- What happened in a drive, oldest first: a row is written in the transaction of its change. AUTOINCREMENT: the newest rows
-- may go with their drive, and no number may come again. `ref`: the id of a trash entry, snapshot, link or user.
CREATE TABLE change (
  pk            INTEGER PRIMARY KEY AUTOINCREMENT,
  drive         INTEGER NOT NULL REFERENCES drive (pk),
  type          TEXT NOT NULL,
  path          TEXT NOT NULL,
  previous_path TEXT,
  file_id       TEXT,
  before_digest BLOB,
  before_size   INTEGER,
  after_digest  BLOB,
  after_size    INTEGER,
  file_count    INTEGER,
  version       INTEGER,
  ref           TEXT,
  actor         TEXT,
  at            INTEGER NOT NULL
) STRICT;
CREATE INDEX change_drive ON change (drive, pk);
CREATE INDEX change_age ON change (at);

ALTER TABLE drive ADD COLUMN change_count INTEGER NOT NULL DEFAULT 0;
-- Rows up to this one were removed because of their age or number.
ALTER TABLE drive ADD COLUMN changes_from INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER change_inserted AFTER INSERT ON change BEGIN
  UPDATE drive SET change_count = change_count + 1, kept_records = kept_records + 512 WHERE pk = NEW.drive;
END;
CREATE TRIGGER change_deleted AFTER DELETE ON change BEGIN
  UPDATE drive SET change_count = change_count - 1, kept_records = kept_records - 512 WHERE pk = OLD.drive;
END;

-- Folders can also be restored from the trash, brought back to a snapshot, and forked. `trash`: where a removal puts its
-- files, and where a restore takes them from. `actor`: who asked for it.
ALTER TABLE folder_work RENAME TO old_folder_work;
DROP INDEX folder_work_drive;
DROP INDEX folder_work_to_drive;
CREATE TABLE folder_work (
  pk         INTEGER PRIMARY KEY,
  kind       TEXT NOT NULL CHECK (kind IN ('copy', 'move', 'return', 'remove', 'restore', 'rewind', 'fork')),
  drive      INTEGER NOT NULL REFERENCES drive (pk) ON DELETE CASCADE,
  path       TEXT NOT NULL,
  top        TEXT NOT NULL,
  to_drive   INTEGER REFERENCES drive (pk) ON DELETE CASCADE,
  to_path    TEXT,
  to_top     TEXT,
  trash      INTEGER REFERENCES trash (pk),
  snapshot   INTEGER REFERENCES snapshot (pk),
  phase      INTEGER NOT NULL DEFAULT 0,
  actor      TEXT,
  created_at INTEGER NOT NULL,
  CHECK ((kind IN ('remove', 'restore', 'rewind')) = (to_drive IS NULL)),
  CHECK ((to_drive IS NULL) = (to_path IS NULL) AND (to_drive IS NULL) = (to_top IS NULL)),
  CHECK (kind <> 'restore' OR trash IS NOT NULL),
  CHECK (kind NOT IN ('rewind', 'fork') OR snapshot IS NOT NULL)
) STRICT;
INSERT INTO folder_work (pk, kind, drive, path, top, to_drive, to_path, to_top, created_at)
SELECT pk, kind, drive, path, top, to_drive, to_path, to_top, created_at FROM old_folder_work;
DROP TABLE old_folder_work;
CREATE INDEX folder_work_drive ON folder_work (drive);
CREATE INDEX folder_work_to_drive ON folder_work (to_drive) WHERE to_drive IS NOT NULL;
