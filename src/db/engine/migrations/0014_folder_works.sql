-- Folders that are being copied, moved or removed, which is done in several transactions. While a row is
-- here, nothing else is written below `top` and `to_top`. What a crash interrupts is taken back at the next
-- start: a copy is removed, a move returns. A removal is carried to its end.
CREATE TABLE folder_work (
  pk         INTEGER PRIMARY KEY,
  kind       TEXT NOT NULL CHECK (kind IN ('copy', 'move', 'return', 'remove')),
  drive      INTEGER NOT NULL REFERENCES drive (pk) ON DELETE CASCADE,
  path       TEXT NOT NULL,
  top        TEXT NOT NULL,
  to_drive   INTEGER REFERENCES drive (pk) ON DELETE CASCADE,
  to_path    TEXT,
  to_top     TEXT,
  created_at INTEGER NOT NULL,
  CHECK ((kind = 'remove') = (to_drive IS NULL)),
  CHECK ((to_drive IS NULL) = (to_path IS NULL) AND (to_drive IS NULL) = (to_top IS NULL))
) STRICT;

CREATE INDEX folder_work_drive ON folder_work (drive);
CREATE INDEX folder_work_to_drive ON folder_work (to_drive) WHERE to_drive IS NOT NULL;
