-- Links are listed and revoked by an id, and their uses are counted. The ids of earlier links are UUIDs of the time
-- when they were made, as those of later ones are.
ALTER TABLE presigned_link ADD COLUMN id TEXT;
ALTER TABLE presigned_link ADD COLUMN uses INTEGER NOT NULL DEFAULT 0;
ALTER TABLE presigned_link ADD COLUMN last_used_at INTEGER;
ALTER TABLE upload_link ADD COLUMN id TEXT;

UPDATE presigned_link SET
  id = lower(printf('%08x-%04x-7%s-8%s-%s', created_at >> 16, created_at & 65535, substr(hex(randomblob(2)), 2),
                    substr(hex(randomblob(2)), 2), hex(randomblob(6)))),
  uses = used_at IS NOT NULL,
  last_used_at = used_at;
UPDATE upload_link SET
  id = lower(printf('%08x-%04x-7%s-8%s-%s', created_at >> 16, created_at & 65535, substr(hex(randomblob(2)), 2),
                    substr(hex(randomblob(2)), 2), hex(randomblob(6))));

CREATE UNIQUE INDEX presigned_link_id ON presigned_link (id);
CREATE INDEX presigned_link_drive ON presigned_link (drive_id, created_at, id);
CREATE UNIQUE INDEX upload_link_id ON upload_link (id);
CREATE INDEX upload_link_drive ON upload_link (drive_id, created_at, id);

-- A link that shows a file or a folder to people without an account. A file is named by its id, so the link follows it;
-- a folder by its path.
CREATE TABLE share_link (
  hash          TEXT PRIMARY KEY,
  id            TEXT NOT NULL,
  drive_id      TEXT NOT NULL,
  file_id       TEXT,
  path          TEXT NOT NULL,
  password_hash TEXT,
  key_id        TEXT,
  user          INTEGER REFERENCES user (pk),
  uses          INTEGER NOT NULL DEFAULT 0,
  last_used_at  INTEGER,
  expires_at    INTEGER NOT NULL,
  created_at    INTEGER NOT NULL,
  CHECK ((key_id IS NULL) <> (user IS NULL))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX share_link_id ON share_link (id);
CREATE INDEX share_link_drive ON share_link (drive_id, created_at, id);
CREATE INDEX share_link_expiry ON share_link (expires_at);

-- It counts as much as a file: its path may be as long.
CREATE TRIGGER record_share_link_inserted AFTER INSERT ON share_link BEGIN
  UPDATE drive SET record_size = record_size + 1024 WHERE id = NEW.drive_id;
END;

CREATE TRIGGER record_share_link_deleted AFTER DELETE ON share_link BEGIN
  UPDATE drive SET record_size = record_size - 1024 WHERE id = OLD.drive_id;
END;
