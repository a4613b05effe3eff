-- Search stops when it has found enough, so it reads files in the order of the answer.
CREATE INDEX file_updated ON file (drive, updated_at);

ALTER TABLE file_tag ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;

UPDATE file_tag SET updated_at = (SELECT f.updated_at FROM file f WHERE f.pk = file_tag.file);

CREATE INDEX file_tag_updated ON file_tag (drive, tag, updated_at, file);

DROP TRIGGER file_tags_inserted;
CREATE TRIGGER file_tags_inserted AFTER INSERT ON file WHEN NEW.tags <> '[]' BEGIN
  INSERT INTO file_tag (drive, tag, path, file, updated_at)
  SELECT NEW.drive, value, NEW.path, NEW.pk, NEW.updated_at FROM json_each(NEW.tags);
END;

DROP TRIGGER file_tags_changed;
CREATE TRIGGER file_tags_changed AFTER UPDATE OF drive, path, tags ON file
WHEN (OLD.tags <> '[]' OR NEW.tags <> '[]')
  AND (NEW.drive <> OLD.drive OR NEW.path <> OLD.path OR NEW.tags <> OLD.tags) BEGIN
  DELETE FROM file_tag WHERE drive = OLD.drive AND path = OLD.path AND tag IN (SELECT value FROM json_each(OLD.tags));
  INSERT INTO file_tag (drive, tag, path, file, updated_at)
  SELECT NEW.drive, value, NEW.path, NEW.pk, NEW.updated_at FROM json_each(NEW.tags);
END;

CREATE TRIGGER file_tags_touched AFTER UPDATE OF updated_at ON file
WHEN NEW.tags <> '[]' AND NEW.updated_at <> OLD.updated_at BEGIN
  UPDATE file_tag SET updated_at = NEW.updated_at
   WHERE drive = NEW.drive AND path = NEW.path AND tag IN (SELECT value FROM json_each(NEW.tags));
END;

-- The index gets lists for the first letters of words and for single characters and pairs in names, see
-- src/domain/search/tokens.ts. So everything is indexed again; until then it is found by its old terms.
INSERT OR IGNORE INTO search_job (file, part, drive) SELECT pk, 0, drive FROM file;
INSERT OR IGNORE INTO search_job (file, part, drive) SELECT pk, 1, drive FROM file WHERE size > 0;
