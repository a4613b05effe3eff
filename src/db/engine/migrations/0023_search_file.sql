-- The full-text index moves to a file of its own, which is made again from here, see src/db/search/index-file.ts. Only
-- the jobs stay: triggers write them in the transaction of a change, so that none is lost.
DROP TRIGGER search_file_inserted;
DROP TRIGGER search_names_changed;
DROP TRIGGER search_text_changed;
DROP TRIGGER search_file_deleted;
DROP TRIGGER search_file_replaced;
DROP TABLE search_name;
DROP TABLE search_text;
DROP TABLE search_gone;
DROP TABLE search_job;

-- What is to be indexed of a file: its names (part 0), its text (part 1), or that it has gone (part 2). While there is
-- a job, what the index has of this part is not current, and a search passes over it. Tickets rise and are never used
-- twice: a job that was replaced while it was being done stays.
CREATE TABLE search_job (
  ticket INTEGER PRIMARY KEY AUTOINCREMENT,
  file   INTEGER NOT NULL,
  part   INTEGER NOT NULL CHECK (part IN (0, 1, 2)),
  drive  INTEGER NOT NULL,
  UNIQUE (file, part)
) STRICT;

CREATE INDEX search_job_drive ON search_job (drive, part, ticket);
CREATE INDEX search_job_part ON search_job (part, ticket);

-- Which index belongs to this database: the one whose last batch of jobs is `batch`. Files up to `filled_to` have been
-- put into it or have jobs; all files if it is null.
CREATE TABLE search_index (
  pk        INTEGER PRIMARY KEY CHECK (pk = 1),
  batch     TEXT,
  filled_to INTEGER
) STRICT;
INSERT INTO search_index (pk, batch, filled_to) VALUES (1, NULL, 0);

-- The pk of the last file goes to the next one that comes. Its jobs replace what the index has of the other.
CREATE TRIGGER search_file_inserted AFTER INSERT ON file BEGIN
  DELETE FROM search_job WHERE file = NEW.pk;
  INSERT INTO search_job (file, part, drive) VALUES (NEW.pk, 0, NEW.drive), (NEW.pk, 1, NEW.drive);
END;

CREATE TRIGGER search_names_changed AFTER UPDATE OF drive, path, filename, tags ON file
WHEN NEW.drive <> OLD.drive OR NEW.path <> OLD.path OR NEW.filename <> OLD.filename OR NEW.tags <> OLD.tags BEGIN
  DELETE FROM search_job WHERE file = NEW.pk AND part = 0;
  INSERT INTO search_job (file, part, drive) VALUES (NEW.pk, 0, NEW.drive);
END;

CREATE TRIGGER search_text_changed AFTER UPDATE OF drive, blob, mime_type ON file
WHEN NEW.drive <> OLD.drive OR NEW.blob <> OLD.blob OR NEW.mime_type <> OLD.mime_type BEGIN
  DELETE FROM search_job WHERE file = NEW.pk AND part = 1;
  INSERT INTO search_job (file, part, drive) VALUES (NEW.pk, 1, NEW.drive);
END;

CREATE TRIGGER search_file_deleted AFTER DELETE ON file BEGIN
  DELETE FROM search_job WHERE file = OLD.pk;
  INSERT INTO search_job (file, part, drive) VALUES (OLD.pk, 2, OLD.drive);
END;
