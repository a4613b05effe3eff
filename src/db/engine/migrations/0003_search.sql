-- What full-text search finds. Both tables hold lists of terms alone, no text. The terms are made by the
-- service and start with their drive, see src/domain/search-tokens.ts; the tokenizer only has to split
-- them at spaces.

-- rowid is the file's pk.
CREATE VIRTUAL TABLE search_name USING fts5 (
  tokens, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);

-- rowid is the file's pk * 32 + the number of the slice of its text.
CREATE VIRTUAL TABLE search_text USING fts5 (
  tokens, content = '', contentless_delete = 1, tokenize = "ascii tokenchars '_'"
);

-- What is yet to be indexed of a file: its names (part 0) or its text (part 1). A change of a file takes
-- its stale terms away and leaves a job, in the transaction of the change, so neither a crash nor a
-- writer can leave the index wrong. Tickets are never used twice: an indexer whose ticket has gone was
-- overtaken by another change.
CREATE TABLE search_job (
  ticket INTEGER PRIMARY KEY AUTOINCREMENT,
  file   INTEGER NOT NULL,
  part   INTEGER NOT NULL CHECK (part IN (0, 1)),
  drive  INTEGER NOT NULL,
  UNIQUE (file, part)
) STRICT;

CREATE INDEX search_job_drive ON search_job (drive, part, ticket);
CREATE INDEX search_job_part ON search_job (part, ticket);

-- Files that went, whose terms are yet to be taken out. That costs far more than to delete their rows, so
-- whoever deletes many does not wait for it; a search passes over what is left of them, since it looks up
-- every file that it finds.
CREATE TABLE search_gone (file INTEGER PRIMARY KEY) STRICT;

CREATE TRIGGER search_file_inserted AFTER INSERT ON file BEGIN
  INSERT INTO search_job (file, part, drive) VALUES (NEW.pk, 0, NEW.drive);
  INSERT INTO search_job (file, part, drive) SELECT NEW.pk, 1, NEW.drive WHERE NEW.size > 0;
END;

CREATE TRIGGER search_names_changed AFTER UPDATE OF drive, path, filename, tags ON file
WHEN NEW.drive <> OLD.drive OR NEW.path <> OLD.path OR NEW.filename <> OLD.filename OR NEW.tags <> OLD.tags BEGIN
  DELETE FROM search_name WHERE rowid = OLD.pk;
  DELETE FROM search_job WHERE file = OLD.pk AND part = 0;
  INSERT INTO search_job (file, part, drive) VALUES (NEW.pk, 0, NEW.drive);
END;

CREATE TRIGGER search_text_changed AFTER UPDATE OF drive, blob, mime_type ON file
WHEN NEW.drive <> OLD.drive OR NEW.blob <> OLD.blob OR NEW.mime_type <> OLD.mime_type BEGIN
  DELETE FROM search_text WHERE rowid BETWEEN OLD.pk * 32 AND OLD.pk * 32 + 31;
  DELETE FROM search_job WHERE file = OLD.pk AND part = 1;
  INSERT INTO search_job (file, part, drive) SELECT NEW.pk, 1, NEW.drive WHERE NEW.size > 0;
END;

CREATE TRIGGER search_file_deleted AFTER DELETE ON file BEGIN
  INSERT INTO search_gone (file) VALUES (OLD.pk);
  DELETE FROM search_job WHERE file = OLD.pk;
END;

-- The pk of the last file goes to the next one that comes.
CREATE TRIGGER search_file_replaced AFTER INSERT ON file WHEN EXISTS (SELECT 1 FROM search_gone WHERE file = NEW.pk) BEGIN
  DELETE FROM search_name WHERE rowid = NEW.pk;
  DELETE FROM search_text WHERE rowid BETWEEN NEW.pk * 32 AND NEW.pk * 32 + 31;
  DELETE FROM search_gone WHERE file = NEW.pk;
END;

INSERT INTO search_job (file, part, drive) SELECT pk, 0, drive FROM file;
INSERT INTO search_job (file, part, drive) SELECT pk, 1, drive FROM file WHERE size > 0;
