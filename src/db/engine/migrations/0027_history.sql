-- What was replaced or deleted, and snapshots. `era` of a drive is the number of its newest snapshot; `era` of a file or
-- folder is its drive's when the row became what it is. So a row is in the snapshots after its era. Triggers copy a row
-- that a snapshot needs before it changes ("holds" it), and keep `era`, so no writer can forget it.
ALTER TABLE drive ADD COLUMN era INTEGER NOT NULL DEFAULT 0;
-- Bytes of the distinct contents that only versions, the trash and snapshots name, and no file of the drive; of those
-- among them that snapshots name; and of the records of all three.
ALTER TABLE drive ADD COLUMN kept_size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE drive ADD COLUMN held_size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE drive ADD COLUMN kept_records INTEGER NOT NULL DEFAULT 0;
ALTER TABLE file ADD COLUMN era INTEGER NOT NULL DEFAULT 0;
ALTER TABLE folder ADD COLUMN era INTEGER NOT NULL DEFAULT 0;
-- The number of the content that a file has now.
ALTER TABLE file ADD COLUMN version INTEGER NOT NULL DEFAULT 1;

-- A content that a file had. No foreign key to `blob`: its `refs` protects it, and the removal of a content would look
-- for it here.
CREATE TABLE file_version (
  pk          INTEGER PRIMARY KEY,
  drive       INTEGER NOT NULL REFERENCES drive (pk),
  file_id     TEXT NOT NULL,
  version     INTEGER NOT NULL,
  filename    TEXT NOT NULL,
  mime_type   TEXT NOT NULL,
  mime_given  INTEGER NOT NULL CHECK (mime_given IN (0, 1)),
  size        INTEGER NOT NULL,
  blob        INTEGER NOT NULL,
  expires_at  INTEGER,
  replaced_at INTEGER NOT NULL,
  replaced_by TEXT
) STRICT;
CREATE UNIQUE INDEX file_version_number ON file_version (file_id, version);
CREATE INDEX file_version_drive ON file_version (drive, replaced_at);
CREATE INDEX file_version_age ON file_version (replaced_at);
CREATE INDEX file_version_expiry ON file_version (expires_at) WHERE expires_at IS NOT NULL;

-- Files that went and have versions. The sweep removes these, unless the file is in the trash or held.
CREATE TABLE gone_file (file_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TRIGGER file_gone AFTER DELETE ON file WHEN EXISTS (SELECT 1 FROM file_version WHERE file_id = OLD.id) BEGIN
  INSERT OR IGNORE INTO gone_file (file_id) VALUES (OLD.id);
END;

-- An entry of the trash: a file, or a folder with everything in it. 'gone': the sweep is to empty it.
CREATE TABLE trash (
  pk         INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  drive      INTEGER NOT NULL REFERENCES drive (pk),
  kind       TEXT NOT NULL CHECK (kind IN ('file', 'folder')),
  path       TEXT NOT NULL,
  size       INTEGER NOT NULL DEFAULT 0,
  file_count INTEGER NOT NULL DEFAULT 0,
  state      TEXT NOT NULL CHECK (state IN ('filling', 'kept', 'gone')),
  deleted_at INTEGER NOT NULL,
  deleted_by TEXT
) STRICT;
CREATE INDEX trash_of_drive ON trash (drive);
CREATE INDEX trash_drive ON trash (drive, deleted_at, id) WHERE state = 'kept';
CREATE INDEX trash_age ON trash (deleted_at) WHERE state = 'kept';
CREATE INDEX trash_gone ON trash (state) WHERE state = 'gone';

-- `path` is relative to the entry's: empty for the file of a file's entry.
CREATE TABLE trash_file (
  pk         INTEGER PRIMARY KEY,
  entry      INTEGER NOT NULL REFERENCES trash (pk),
  drive      INTEGER NOT NULL,
  path       TEXT NOT NULL,
  file_id    TEXT NOT NULL,
  filename   TEXT NOT NULL,
  mime_type  TEXT NOT NULL,
  mime_given INTEGER NOT NULL,
  size       INTEGER NOT NULL,
  blob       INTEGER NOT NULL,
  tags       TEXT NOT NULL,
  metadata   TEXT NOT NULL,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version    INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX trash_file_path ON trash_file (entry, path);
CREATE UNIQUE INDEX trash_file_id ON trash_file (file_id);
CREATE INDEX trash_file_expiry ON trash_file (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX trash_file_entry_expiry ON trash_file (entry, expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE trash_folder (
  entry      INTEGER NOT NULL REFERENCES trash (pk),
  path       TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (entry, path)
) STRICT, WITHOUT ROWID;

CREATE TABLE snapshot (
  pk           INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  drive        INTEGER NOT NULL REFERENCES drive (pk),
  number       INTEGER NOT NULL,
  name         TEXT NOT NULL,
  is_automatic INTEGER NOT NULL CHECK (is_automatic IN (0, 1)),
  file_count   INTEGER NOT NULL,
  total_size   INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  created_by   TEXT,
  deleted_at   INTEGER
) STRICT;
CREATE UNIQUE INDEX snapshot_number ON snapshot (drive, number);
CREATE INDEX snapshot_deleted ON snapshot (deleted_at) WHERE deleted_at IS NOT NULL;

-- A file as it was in the snapshots after `era`, up to `until`. `parent` is the path of its folder.
CREATE TABLE held_file (
  pk         INTEGER PRIMARY KEY,
  drive      INTEGER NOT NULL REFERENCES drive (pk),
  parent     TEXT NOT NULL,
  path       TEXT NOT NULL,
  file_id    TEXT NOT NULL,
  filename   TEXT NOT NULL,
  mime_type  TEXT NOT NULL,
  mime_given INTEGER NOT NULL,
  size       INTEGER NOT NULL,
  blob       INTEGER NOT NULL,
  tags       TEXT NOT NULL,
  metadata   TEXT NOT NULL,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version    INTEGER NOT NULL,
  era        INTEGER NOT NULL,
  until      INTEGER NOT NULL
) STRICT;
CREATE INDEX held_file_path ON held_file (drive, path, until);
CREATE INDEX held_file_parent ON held_file (drive, parent, path, until);
CREATE INDEX held_file_until ON held_file (drive, until);
CREATE INDEX held_file_id ON held_file (file_id);
CREATE INDEX held_file_expiry ON held_file (expires_at) WHERE expires_at IS NOT NULL;
-- What has expired is counted for each drive.
CREATE INDEX held_file_drive_expiry ON held_file (drive, expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE held_folder (
  pk               INTEGER PRIMARY KEY,
  drive            INTEGER NOT NULL REFERENCES drive (pk),
  parent           TEXT,
  path             TEXT NOT NULL,
  file_count       INTEGER NOT NULL,
  total_size       INTEGER NOT NULL,
  own_file_count   INTEGER NOT NULL,
  own_folder_count INTEGER NOT NULL,
  created_at       INTEGER NOT NULL,
  era              INTEGER NOT NULL,
  until            INTEGER NOT NULL
) STRICT;
CREATE INDEX held_folder_path ON held_folder (drive, path, until);
CREATE INDEX held_folder_parent ON held_folder (drive, parent, path, until);
CREATE INDEX held_folder_until ON held_folder (drive, until);

-- Which contents a drive keeps, each once. `live`: a file of the drive has it as well, so to keep it takes no room.
CREATE TABLE kept_content (
  drive INTEGER NOT NULL,
  blob  INTEGER NOT NULL,
  size  INTEGER NOT NULL,
  rows  INTEGER NOT NULL,
  held  INTEGER NOT NULL,
  live  INTEGER NOT NULL CHECK (live IN (0, 1)),
  PRIMARY KEY (drive, blob)
) STRICT, WITHOUT ROWID;
DROP INDEX file_blob;
CREATE INDEX file_blob ON file (blob, drive);
CREATE TRIGGER kept_content_inserted AFTER INSERT ON kept_content WHEN NEW.live = 0 BEGIN
  UPDATE drive SET kept_size = kept_size + NEW.size, held_size = held_size + iif(NEW.held > 0, NEW.size, 0)
   WHERE pk = NEW.drive;
END;
CREATE TRIGGER kept_content_changed AFTER UPDATE OF held, live ON kept_content
WHEN NEW.live <> OLD.live OR (NEW.held > 0) <> (OLD.held > 0) BEGIN
  UPDATE drive SET kept_size = kept_size + (OLD.live - NEW.live) * NEW.size,
         held_size = held_size + iif(NEW.live = 0 AND NEW.held > 0, NEW.size, 0) - iif(OLD.live = 0 AND OLD.held > 0, OLD.size, 0)
   WHERE pk = NEW.drive;
END;
CREATE TRIGGER kept_content_deleted AFTER DELETE ON kept_content WHEN OLD.live = 0 BEGIN
  UPDATE drive SET kept_size = kept_size - OLD.size, held_size = held_size - iif(OLD.held > 0, OLD.size, 0)
   WHERE pk = OLD.drive;
END;
CREATE TRIGGER file_live_new AFTER INSERT ON file BEGIN
  UPDATE kept_content SET live = 1 WHERE drive = NEW.drive AND blob = NEW.blob AND live = 0;
END;
CREATE TRIGGER file_live_gone AFTER DELETE ON file BEGIN
  UPDATE kept_content SET live = 0 WHERE drive = OLD.drive AND blob = OLD.blob
     AND NOT EXISTS (SELECT 1 FROM file f WHERE f.blob = OLD.blob AND f.drive = OLD.drive);
END;
CREATE TRIGGER file_live_changed AFTER UPDATE OF drive, blob ON file WHEN NEW.blob <> OLD.blob OR NEW.drive <> OLD.drive BEGIN
  UPDATE kept_content SET live = 1 WHERE drive = NEW.drive AND blob = NEW.blob AND live = 0;
  UPDATE kept_content SET live = 0 WHERE drive = OLD.drive AND blob = OLD.blob
     AND NOT EXISTS (SELECT 1 FROM file f WHERE f.blob = OLD.blob AND f.drive = OLD.drive);
END;

-- The same for each kind of kept row: its content's references, the drive's contents, the room of its record.
CREATE TRIGGER file_version_inserted AFTER INSERT ON file_version BEGIN
  UPDATE blob SET refs = refs + 1, orphaned_at = NULL, released_drive = NULL, released_user = NULL WHERE pk = NEW.blob;
  INSERT INTO kept_content (drive, blob, size, rows, held, live)
  VALUES (NEW.drive, NEW.blob, NEW.size, 1, 0,
          EXISTS (SELECT 1 FROM file f WHERE f.blob = NEW.blob AND f.drive = NEW.drive))
    ON CONFLICT (drive, blob) DO UPDATE SET rows = rows + 1;
  UPDATE drive SET kept_records = kept_records + 512 WHERE pk = NEW.drive;
END;
CREATE TRIGGER file_version_deleted AFTER DELETE ON file_version BEGIN
  UPDATE blob SET refs = refs - 1,
         released_drive = (SELECT d.pk FROM drive d
                            WHERE blob.refs = 1 AND d.pk = OLD.drive AND d.user IS NULL AND d.deleted_at IS NULL),
         released_user = (SELECT d.user FROM drive d WHERE blob.refs = 1 AND d.pk = OLD.drive)
   WHERE pk = OLD.blob;
  UPDATE kept_content SET rows = rows - 1 WHERE drive = OLD.drive AND blob = OLD.blob;
  DELETE FROM kept_content WHERE drive = OLD.drive AND blob = OLD.blob AND rows = 0;
  UPDATE drive SET kept_records = kept_records - 512 WHERE pk = OLD.drive;
END;
CREATE TRIGGER trash_file_inserted AFTER INSERT ON trash_file BEGIN
  UPDATE blob SET refs = refs + 1, orphaned_at = NULL, released_drive = NULL, released_user = NULL WHERE pk = NEW.blob;
  INSERT INTO kept_content (drive, blob, size, rows, held, live)
  VALUES (NEW.drive, NEW.blob, NEW.size, 1, 0,
          EXISTS (SELECT 1 FROM file f WHERE f.blob = NEW.blob AND f.drive = NEW.drive))
    ON CONFLICT (drive, blob) DO UPDATE SET rows = rows + 1;
  UPDATE drive SET kept_records = kept_records + 1024 + octet_length(NEW.metadata) WHERE pk = NEW.drive;
  UPDATE trash SET size = size + NEW.size, file_count = file_count + 1 WHERE pk = NEW.entry;
END;
CREATE TRIGGER trash_file_deleted AFTER DELETE ON trash_file BEGIN
  UPDATE blob SET refs = refs - 1,
         released_drive = (SELECT d.pk FROM drive d
                            WHERE blob.refs = 1 AND d.pk = OLD.drive AND d.user IS NULL AND d.deleted_at IS NULL),
         released_user = (SELECT d.user FROM drive d WHERE blob.refs = 1 AND d.pk = OLD.drive)
   WHERE pk = OLD.blob;
  UPDATE kept_content SET rows = rows - 1 WHERE drive = OLD.drive AND blob = OLD.blob;
  DELETE FROM kept_content WHERE drive = OLD.drive AND blob = OLD.blob AND rows = 0;
  UPDATE drive SET kept_records = kept_records - 1024 - octet_length(OLD.metadata) WHERE pk = OLD.drive;
  UPDATE trash SET size = size - OLD.size, file_count = file_count - 1 WHERE pk = OLD.entry;
END;
CREATE TRIGGER held_file_inserted AFTER INSERT ON held_file BEGIN
  UPDATE blob SET refs = refs + 1, orphaned_at = NULL, released_drive = NULL, released_user = NULL WHERE pk = NEW.blob;
  INSERT INTO kept_content (drive, blob, size, rows, held, live)
  VALUES (NEW.drive, NEW.blob, NEW.size, 1, 1,
          EXISTS (SELECT 1 FROM file f WHERE f.blob = NEW.blob AND f.drive = NEW.drive))
    ON CONFLICT (drive, blob) DO UPDATE SET rows = rows + 1, held = held + 1;
  UPDATE drive SET kept_records = kept_records + 1024 + octet_length(NEW.metadata) WHERE pk = NEW.drive;
END;
CREATE TRIGGER held_file_deleted AFTER DELETE ON held_file BEGIN
  UPDATE blob SET refs = refs - 1,
         released_drive = (SELECT d.pk FROM drive d
                            WHERE blob.refs = 1 AND d.pk = OLD.drive AND d.user IS NULL AND d.deleted_at IS NULL),
         released_user = (SELECT d.user FROM drive d WHERE blob.refs = 1 AND d.pk = OLD.drive)
   WHERE pk = OLD.blob;
  UPDATE kept_content SET rows = rows - 1, held = held - 1 WHERE drive = OLD.drive AND blob = OLD.blob;
  DELETE FROM kept_content WHERE drive = OLD.drive AND blob = OLD.blob AND rows = 0;
  UPDATE drive SET kept_records = kept_records - 1024 - octet_length(OLD.metadata) WHERE pk = OLD.drive;
END;
CREATE TRIGGER held_folder_inserted AFTER INSERT ON held_folder BEGIN
  UPDATE drive SET kept_records = kept_records + 512 WHERE pk = NEW.drive;
END;
CREATE TRIGGER held_folder_deleted AFTER DELETE ON held_folder BEGIN
  UPDATE drive SET kept_records = kept_records - 512 WHERE pk = OLD.drive;
END;

-- Copy on write. BEFORE: so a content never has no reference in between.
CREATE TRIGGER file_held_change BEFORE UPDATE OF drive, path, filename, mime_type, mime_given, size, blob, tags, metadata,
  expires_at, created_at, updated_at ON file
WHEN EXISTS (SELECT 1 FROM snapshot s WHERE s.drive = OLD.drive AND s.number > OLD.era AND s.deleted_at IS NULL) BEGIN
  INSERT INTO held_file (drive, parent, path, file_id, filename, mime_type, mime_given, size, blob, tags, metadata,
                         expires_at, created_at, updated_at, version, era, until)
  SELECT OLD.drive, h.path, OLD.path, OLD.id, OLD.filename, OLD.mime_type, OLD.mime_given, OLD.size, OLD.blob, OLD.tags,
         OLD.metadata, OLD.expires_at, OLD.created_at, OLD.updated_at, OLD.version, OLD.era, d.era
    FROM drive d JOIN folder h ON h.pk = OLD.folder WHERE d.pk = OLD.drive;
END;
CREATE TRIGGER file_held_removal BEFORE DELETE ON file
WHEN EXISTS (SELECT 1 FROM snapshot s WHERE s.drive = OLD.drive AND s.number > OLD.era AND s.deleted_at IS NULL) BEGIN
  INSERT INTO held_file (drive, parent, path, file_id, filename, mime_type, mime_given, size, blob, tags, metadata,
                         expires_at, created_at, updated_at, version, era, until)
  SELECT OLD.drive, h.path, OLD.path, OLD.id, OLD.filename, OLD.mime_type, OLD.mime_given, OLD.size, OLD.blob, OLD.tags,
         OLD.metadata, OLD.expires_at, OLD.created_at, OLD.updated_at, OLD.version, OLD.era, d.era
    FROM drive d JOIN folder h ON h.pk = OLD.folder WHERE d.pk = OLD.drive;
END;
CREATE TRIGGER file_era_new AFTER INSERT ON file WHEN NEW.era <> (SELECT era FROM drive WHERE pk = NEW.drive) BEGIN
  UPDATE file SET era = (SELECT era FROM drive WHERE pk = NEW.drive) WHERE pk = NEW.pk;
END;
CREATE TRIGGER file_era_changed AFTER UPDATE OF drive, path, filename, mime_type, mime_given, size, blob, tags, metadata,
  expires_at, created_at, updated_at ON file
WHEN NEW.era <> (SELECT era FROM drive WHERE pk = NEW.drive) BEGIN
  UPDATE file SET era = (SELECT era FROM drive WHERE pk = NEW.drive) WHERE pk = NEW.pk;
END;
CREATE TRIGGER folder_held_change BEFORE UPDATE OF path, parent, file_count, total_size, own_file_count, own_folder_count
  ON folder
WHEN EXISTS (SELECT 1 FROM snapshot s WHERE s.drive = OLD.drive AND s.number > OLD.era AND s.deleted_at IS NULL) BEGIN
  INSERT INTO held_folder (drive, parent, path, file_count, total_size, own_file_count, own_folder_count, created_at, era,
                           until)
  SELECT OLD.drive, (SELECT path FROM folder WHERE pk = OLD.parent), OLD.path, OLD.file_count, OLD.total_size,
         OLD.own_file_count, OLD.own_folder_count, OLD.created_at, OLD.era, d.era FROM drive d WHERE d.pk = OLD.drive;
END;
CREATE TRIGGER folder_held_removal BEFORE DELETE ON folder
WHEN EXISTS (SELECT 1 FROM snapshot s WHERE s.drive = OLD.drive AND s.number > OLD.era AND s.deleted_at IS NULL) BEGIN
  INSERT INTO held_folder (drive, parent, path, file_count, total_size, own_file_count, own_folder_count, created_at, era,
                           until)
  SELECT OLD.drive, (SELECT path FROM folder WHERE pk = OLD.parent), OLD.path, OLD.file_count, OLD.total_size,
         OLD.own_file_count, OLD.own_folder_count, OLD.created_at, OLD.era, d.era FROM drive d WHERE d.pk = OLD.drive;
END;
CREATE TRIGGER folder_era_new AFTER INSERT ON folder WHEN NEW.era <> (SELECT era FROM drive WHERE pk = NEW.drive) BEGIN
  UPDATE folder SET era = (SELECT era FROM drive WHERE pk = NEW.drive) WHERE pk = NEW.pk;
END;
CREATE TRIGGER folder_era_changed AFTER UPDATE OF path, parent, file_count, total_size, own_file_count, own_folder_count
  ON folder WHEN NEW.era <> (SELECT era FROM drive WHERE pk = NEW.drive) BEGIN
  UPDATE folder SET era = (SELECT era FROM drive WHERE pk = NEW.drive) WHERE pk = NEW.pk;
END;
