-- The times of a file as lists show them: to format them took most of a page. `updated_text` is NULL where it is
-- `created_text`. The database puts the records of a list together, see `recordOf` of src/db/files/files.ts.
ALTER TABLE file ADD COLUMN created_text TEXT NOT NULL DEFAULT '';
ALTER TABLE file ADD COLUMN updated_text TEXT;
-- Whether its type is one of a text, so that the preview of its content is shown.
ALTER TABLE file ADD COLUMN is_text INTEGER NOT NULL DEFAULT 0 CHECK (is_text IN (0, 1));

UPDATE file SET (created_text, updated_text, is_text) = (
  SELECT strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch'),
         iif(updated_at = created_at, NULL, strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch')),
         essence LIKE 'text/%' OR essence LIKE 'application/%+json' OR essence LIKE 'application/%+xml'
           OR essence LIKE 'application/%+yaml'
           OR essence IN (
             'image/svg+xml', 'application/json', 'application/xml', 'application/javascript', 'application/ecmascript',
             'application/typescript', 'application/yaml', 'application/x-yaml', 'application/toml', 'application/sql',
             'application/graphql', 'application/x-sh', 'application/x-ndjson', 'application/ndjson',
             'application/jsonl', 'application/x-httpd-php', 'application/rtf', 'application/x-tex',
             'application/x-latex', 'application/x-subrip')
    FROM (SELECT trim(substr(mime_type, 1, instr(mime_type || ';', ';') - 1), ' ' || char(9)) AS essence));

-- A new file has one search job instead of two, and an index less: every upload writes them.
DROP TRIGGER search_file_inserted;
DROP TRIGGER search_names_changed;
DROP TRIGGER search_text_changed;
DROP TRIGGER search_file_deleted;
ALTER TABLE search_job RENAME TO earlier_search_job;

-- What is to be indexed of a file, as a sum: its names (1) and its text (2), or that it has gone (4). No part of a file
-- has two jobs. While there is one, what the index has of this part is not current, and a search passes over it.
-- Tickets rise and are never used twice, and no job gets another part: one that was replaced while it was being done
-- stays.
CREATE TABLE search_job (
  ticket INTEGER PRIMARY KEY AUTOINCREMENT,
  file   INTEGER NOT NULL,
  parts  INTEGER NOT NULL CHECK (parts IN (1, 2, 3, 4)),
  drive  INTEGER NOT NULL,
  UNIQUE (file, parts)
) STRICT;
INSERT INTO search_job (ticket, file, parts, drive) SELECT ticket, file, 1 << part, drive FROM earlier_search_job;
DROP TABLE earlier_search_job;
DELETE FROM sqlite_sequence WHERE seq = 0;
CREATE INDEX search_job_drive ON search_job (drive, parts, ticket);

-- The pk of the last file goes to the next one that comes. Its job replaces what the index has of the other.
CREATE TRIGGER search_file_inserted AFTER INSERT ON file BEGIN
  DELETE FROM search_job WHERE file = NEW.pk;
  INSERT INTO search_job (file, parts, drive) VALUES (NEW.pk, 3, NEW.drive);
END;

CREATE TRIGGER search_names_changed AFTER UPDATE OF drive, path, filename, tags ON file
WHEN NEW.drive <> OLD.drive OR NEW.path <> OLD.path OR NEW.filename <> OLD.filename OR NEW.tags <> OLD.tags BEGIN
  DELETE FROM search_job WHERE file = NEW.pk AND parts = 1;
  UPDATE search_job SET parts = 2 WHERE file = NEW.pk AND parts = 3;
  INSERT INTO search_job (file, parts, drive) VALUES (NEW.pk, 1, NEW.drive);
END;

CREATE TRIGGER search_text_changed AFTER UPDATE OF drive, blob, mime_type ON file
WHEN NEW.drive <> OLD.drive OR NEW.blob <> OLD.blob OR NEW.mime_type <> OLD.mime_type BEGIN
  DELETE FROM search_job WHERE file = NEW.pk AND parts = 2;
  UPDATE search_job SET parts = 1 WHERE file = NEW.pk AND parts = 3;
  INSERT INTO search_job (file, parts, drive) VALUES (NEW.pk, 2, NEW.drive);
END;

CREATE TRIGGER search_file_deleted AFTER DELETE ON file BEGIN
  DELETE FROM search_job WHERE file = OLD.pk;
  INSERT INTO search_job (file, parts, drive) VALUES (OLD.pk, 4, OLD.drive);
END;
