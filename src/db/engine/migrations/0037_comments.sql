-- What is said of a file, or of some lines of it. `version`, `start_line` and `end_line` say of what content; `reply_to`
-- is the id of the comment that it answers, whose `resolved_at` and `resolved_by` it has as well. It goes along where its
-- file goes, also to another drive, and when the file is gone from the trash and from snapshots, too, the sweep removes it.
CREATE TABLE comment (
  pk          INTEGER PRIMARY KEY,
  id          TEXT NOT NULL UNIQUE,
  drive       INTEGER NOT NULL REFERENCES drive (pk),
  file_id     TEXT NOT NULL,
  reply_to    TEXT,
  version     INTEGER NOT NULL,
  start_line  INTEGER,
  end_line    INTEGER,
  text        TEXT NOT NULL,
  mentions    TEXT NOT NULL,
  made_by     TEXT NOT NULL,
  resolved_at INTEGER,
  resolved_by TEXT,
  created_at  INTEGER NOT NULL,
  updated_at  INTEGER NOT NULL,
  record_size INTEGER NOT NULL AS (512 + octet_length(text) + octet_length(mentions)) VIRTUAL,
  CHECK ((start_line IS NULL) = (end_line IS NULL)),
  CHECK ((resolved_at IS NULL) = (resolved_by IS NULL))
) STRICT;
CREATE INDEX comment_file ON comment (file_id, id);
CREATE INDEX comment_drive ON comment (drive, id);
CREATE INDEX comment_open ON comment (drive, id) WHERE resolved_at IS NULL;

-- The names in `mentions`, for who looks for them.
CREATE TABLE comment_mention (
  drive   INTEGER NOT NULL,
  name    TEXT NOT NULL,
  comment TEXT NOT NULL,
  PRIMARY KEY (drive, name, comment)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER comment_inserted AFTER INSERT ON comment BEGIN
  INSERT INTO comment_mention (drive, name, comment) SELECT NEW.drive, value, NEW.id FROM json_each(NEW.mentions);
  UPDATE drive SET record_size = record_size + NEW.record_size WHERE pk = NEW.drive;
END;

CREATE TRIGGER comment_deleted AFTER DELETE ON comment BEGIN
  DELETE FROM comment_mention WHERE drive = OLD.drive AND comment = OLD.id
     AND name IN (SELECT value FROM json_each(OLD.mentions));
  UPDATE drive SET record_size = record_size - OLD.record_size WHERE pk = OLD.drive;
END;

CREATE TRIGGER comment_changed AFTER UPDATE OF text, mentions ON comment BEGIN
  DELETE FROM comment_mention WHERE drive = OLD.drive AND comment = OLD.id
     AND name IN (SELECT value FROM json_each(OLD.mentions));
  INSERT INTO comment_mention (drive, name, comment) SELECT NEW.drive, value, NEW.id FROM json_each(NEW.mentions);
  UPDATE drive SET record_size = record_size - OLD.record_size + NEW.record_size WHERE pk = NEW.drive;
END;

CREATE TRIGGER comment_file_moved AFTER UPDATE OF drive ON file
WHEN NEW.drive <> OLD.drive AND EXISTS (SELECT 1 FROM comment WHERE file_id = NEW.id) BEGIN
  UPDATE comment_mention SET drive = NEW.drive WHERE (drive, name, comment) IN
    (SELECT OLD.drive, m.value, c.id FROM comment c, json_each(c.mentions) m WHERE c.file_id = NEW.id);
  UPDATE comment SET drive = NEW.drive WHERE file_id = NEW.id;
  UPDATE drive SET record_size = record_size
      + iif(pk = NEW.drive, 1, -1) * (SELECT sum(record_size) FROM comment WHERE file_id = NEW.id)
   WHERE pk IN (NEW.drive, OLD.drive);
END;

-- A name of a content of a file: `version` is its number, also while the file has it. The content need not be kept.
CREATE TABLE version_label (
  file_id TEXT NOT NULL,
  label   TEXT NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (file_id, label)
) STRICT, WITHOUT ROWID;

-- Why somebody made a change. It counts among the records that the drive keeps.
ALTER TABLE change ADD COLUMN message TEXT;
ALTER TABLE folder_work ADD COLUMN message TEXT;
CREATE INDEX change_message ON change (file_id, version) WHERE message IS NOT NULL;

DROP TRIGGER change_inserted;
CREATE TRIGGER change_inserted AFTER INSERT ON change BEGIN
  UPDATE drive SET change_count = change_count + 1,
         kept_records = kept_records + 512 + ifnull(octet_length(NEW.message), 0) WHERE pk = NEW.drive;
END;
DROP TRIGGER change_deleted;
CREATE TRIGGER change_deleted AFTER DELETE ON change BEGIN
  UPDATE drive SET change_count = change_count - 1,
         kept_records = kept_records - 512 - ifnull(octet_length(OLD.message), 0) WHERE pk = OLD.drive;
END;

-- What is known of a file that is gone goes with it: also comments and labels.
DROP TRIGGER file_gone;
CREATE TRIGGER file_gone AFTER DELETE ON file
WHEN EXISTS (SELECT 1 FROM file_version WHERE file_id = OLD.id)
  OR EXISTS (SELECT 1 FROM comment WHERE file_id = OLD.id)
  OR EXISTS (SELECT 1 FROM version_label WHERE file_id = OLD.id) BEGIN
  INSERT OR IGNORE INTO gone_file (file_id) VALUES (OLD.id);
END;
