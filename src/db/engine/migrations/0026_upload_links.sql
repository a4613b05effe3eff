-- A link that takes one upload without a key. It names its drive by the public id, which is never used again, and stays
-- until the sweep takes it.
CREATE TABLE upload_link (
  hash       TEXT PRIMARY KEY,
  drive_id   TEXT NOT NULL,
  path       TEXT NOT NULL,
  max_size   INTEGER,
  key_id     TEXT,
  user       INTEGER REFERENCES user (pk),
  used_at    INTEGER,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  CHECK ((key_id IS NULL) <> (user IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX upload_link_expiry ON upload_link (expires_at);

-- It counts as much as a file: its path may be as long.
CREATE TRIGGER record_upload_link_inserted AFTER INSERT ON upload_link BEGIN
  UPDATE drive SET record_size = record_size + 1024 WHERE id = NEW.drive_id;
END;

CREATE TRIGGER record_upload_link_deleted AFTER DELETE ON upload_link BEGIN
  UPDATE drive SET record_size = record_size - 1024 WHERE id = OLD.drive_id;
END;
