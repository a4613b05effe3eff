-- Times are milliseconds since the epoch, sizes bytes. `pk` refers inside the database, `id` is public.

CREATE TABLE user (
  pk            INTEGER PRIMARY KEY,
  id            TEXT NOT NULL UNIQUE,
  username      TEXT NOT NULL UNIQUE,
  email         TEXT,
  display_name  TEXT,
  plan          TEXT NOT NULL CHECK (plan IN ('free', 'pro', 'team')),
  password_hash TEXT,
  created_at    INTEGER NOT NULL
) STRICT;

-- A deleted drive is invisible at once; its row stays until the sweep has taken away what it held.
CREATE TABLE drive (
  pk          INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  user        INTEGER REFERENCES user (pk),
  name        TEXT NOT NULL,
  slug        TEXT UNIQUE,
  description TEXT NOT NULL,
  expires_at  INTEGER,
  deleted_at  INTEGER,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL
) STRICT;

CREATE INDEX drive_user ON drive (user) WHERE deleted_at IS NULL;
CREATE INDEX drive_expiry ON drive (expires_at) WHERE expires_at IS NOT NULL AND deleted_at IS NULL;
CREATE INDEX drive_deleted ON drive (deleted_at) WHERE deleted_at IS NOT NULL;

-- A token outlives a drive that expired, so that it can still be told apart from one never issued.
CREATE TABLE claim_token (
  hash       TEXT PRIMARY KEY,
  drive      INTEGER REFERENCES drive (pk) ON DELETE SET NULL,
  expires_at INTEGER NOT NULL,
  used_at    INTEGER,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX claim_token_drive ON claim_token (drive);

-- A key reaches all drives of a user or exactly one drive.
CREATE TABLE api_key (
  pk           INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  hash         TEXT NOT NULL UNIQUE,
  prefix       TEXT NOT NULL,
  name         TEXT NOT NULL,
  scope        TEXT NOT NULL CHECK (scope IN ('read-write', 'read-only')),
  user         INTEGER REFERENCES user (pk),
  drive        INTEGER REFERENCES drive (pk),
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER,
  CHECK ((user IS NULL) <> (drive IS NULL))
) STRICT;

CREATE INDEX api_key_user ON api_key (user) WHERE user IS NOT NULL;
CREATE INDEX api_key_drive ON api_key (drive) WHERE drive IS NOT NULL;

-- A content in the blob store. `refs` counts the rows that name it and is kept by triggers, so no
-- writer can forget it; the sweep stamps `orphaned_at` when it first finds none left.
CREATE TABLE blob (
  pk          INTEGER PRIMARY KEY,
  digest      TEXT NOT NULL UNIQUE,
  size        INTEGER NOT NULL,
  preview     TEXT,
  refs        INTEGER NOT NULL DEFAULT 0,
  orphaned_at INTEGER
) STRICT;

CREATE INDEX blob_orphan ON blob (orphaned_at) WHERE refs = 0;

-- Every drive has its root, the folder with the empty path, and a row for every ancestor of a file.
-- file_count and total_size cover everything below, own_file_count the files directly inside.
CREATE TABLE folder (
  pk             INTEGER PRIMARY KEY,
  drive          INTEGER NOT NULL REFERENCES drive (pk),
  parent         INTEGER REFERENCES folder (pk),
  path           TEXT NOT NULL,
  file_count     INTEGER NOT NULL DEFAULT 0,
  total_size     INTEGER NOT NULL DEFAULT 0,
  own_file_count INTEGER NOT NULL DEFAULT 0,
  created_at     INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX folder_path ON folder (drive, path);
CREATE INDEX folder_parent ON folder (parent, path);

CREATE TABLE file (
  pk         INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  drive      INTEGER NOT NULL REFERENCES drive (pk),
  folder     INTEGER NOT NULL REFERENCES folder (pk),
  path       TEXT NOT NULL,
  filename   TEXT NOT NULL,
  mime_type  TEXT NOT NULL,
  mime_given INTEGER NOT NULL CHECK (mime_given IN (0, 1)),
  size       INTEGER NOT NULL,
  blob       INTEGER NOT NULL REFERENCES blob (pk),
  tags       TEXT NOT NULL,
  metadata   TEXT NOT NULL,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX file_path ON file (drive, path);
CREATE INDEX file_folder ON file (folder, path);
CREATE INDEX file_blob ON file (blob);
CREATE INDEX file_expiry ON file (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX file_drive_expiry ON file (drive, expires_at) WHERE expires_at IS NOT NULL;

-- file.tags once more, for finding files by tag in path order.
CREATE TABLE file_tag (
  drive INTEGER NOT NULL,
  tag   TEXT NOT NULL,
  path  TEXT NOT NULL,
  file  INTEGER NOT NULL,
  PRIMARY KEY (drive, tag, path)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER file_inserted AFTER INSERT ON file BEGIN
  UPDATE blob SET refs = refs + 1, orphaned_at = NULL WHERE pk = NEW.blob;
END;

CREATE TRIGGER file_deleted AFTER DELETE ON file BEGIN
  UPDATE blob SET refs = refs - 1 WHERE pk = OLD.blob;
END;

CREATE TRIGGER file_content_changed AFTER UPDATE OF blob ON file WHEN NEW.blob <> OLD.blob BEGIN
  UPDATE blob SET refs = refs - 1 WHERE pk = OLD.blob;
  UPDATE blob SET refs = refs + 1, orphaned_at = NULL WHERE pk = NEW.blob;
END;

CREATE TRIGGER file_tags_inserted AFTER INSERT ON file WHEN NEW.tags <> '[]' BEGIN
  INSERT INTO file_tag (drive, tag, path, file) SELECT NEW.drive, value, NEW.path, NEW.pk FROM json_each(NEW.tags);
END;

CREATE TRIGGER file_tags_deleted AFTER DELETE ON file WHEN OLD.tags <> '[]' BEGIN
  DELETE FROM file_tag WHERE drive = OLD.drive AND path = OLD.path AND tag IN (SELECT value FROM json_each(OLD.tags));
END;

CREATE TRIGGER file_tags_changed AFTER UPDATE OF drive, path, tags ON file
WHEN (OLD.tags <> '[]' OR NEW.tags <> '[]')
  AND (NEW.drive <> OLD.drive OR NEW.path <> OLD.path OR NEW.tags <> OLD.tags) BEGIN
  DELETE FROM file_tag WHERE drive = OLD.drive AND path = OLD.path AND tag IN (SELECT value FROM json_each(OLD.tags));
  INSERT INTO file_tag (drive, tag, path, file) SELECT NEW.drive, value, NEW.path, NEW.pk FROM json_each(NEW.tags);
END;
