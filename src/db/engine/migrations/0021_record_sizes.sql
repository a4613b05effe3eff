-- What a drive holds beside contents takes space as well: 1024 bytes are counted for a file or folder, 512 for a tag or
-- link of a file, and the length of its metadata. Kept by triggers, so no writer can forget it.
ALTER TABLE drive ADD COLUMN record_size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE file ADD COLUMN record_size INTEGER NOT NULL
  AS (1024 + octet_length(metadata) + iif(tags = '[]', 0, 512 * json_array_length(tags))) VIRTUAL;

-- The drive that a link counts for, also when its file is gone. Ids are never used again.
ALTER TABLE presigned_link ADD COLUMN drive_id TEXT;

UPDATE presigned_link SET drive_id =
  (SELECT d.id FROM file f JOIN drive d ON d.pk = f.drive WHERE f.id = presigned_link.file_id);

UPDATE drive SET record_size =
  (SELECT ifnull(sum(f.record_size), 0) FROM file f WHERE f.drive = drive.pk)
  + 1024 * (SELECT count(*) FROM folder f WHERE f.drive = drive.pk)
  + 512 * ifnull((SELECT l.links FROM (SELECT drive_id, count(*) AS links FROM presigned_link GROUP BY drive_id) l
                   WHERE l.drive_id = drive.id), 0);

CREATE TRIGGER record_file_inserted AFTER INSERT ON file BEGIN
  UPDATE drive SET record_size = record_size + NEW.record_size WHERE pk = NEW.drive;
END;

CREATE TRIGGER record_file_deleted AFTER DELETE ON file BEGIN
  UPDATE drive SET record_size = record_size - OLD.record_size WHERE pk = OLD.drive;
END;

CREATE TRIGGER record_file_changed AFTER UPDATE OF drive, tags, metadata ON file
WHEN NEW.drive <> OLD.drive OR NEW.record_size <> OLD.record_size BEGIN
  UPDATE drive SET record_size = record_size - OLD.record_size WHERE pk = OLD.drive;
  UPDATE drive SET record_size = record_size + NEW.record_size WHERE pk = NEW.drive;
END;

CREATE TRIGGER record_folder_inserted AFTER INSERT ON folder BEGIN
  UPDATE drive SET record_size = record_size + 1024 WHERE pk = NEW.drive;
END;

CREATE TRIGGER record_folder_deleted AFTER DELETE ON folder BEGIN
  UPDATE drive SET record_size = record_size - 1024 WHERE pk = OLD.drive;
END;

CREATE TRIGGER record_link_inserted AFTER INSERT ON presigned_link BEGIN
  UPDATE drive SET record_size = record_size + 512 WHERE id = NEW.drive_id;
END;

CREATE TRIGGER record_link_deleted AFTER DELETE ON presigned_link BEGIN
  UPDATE drive SET record_size = record_size - 512 WHERE id = OLD.drive_id;
END;
