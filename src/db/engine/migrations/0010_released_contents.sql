-- Contents that nothing refers to any more stay on the disk for a while. Until they are gone, their bytes count
-- for whoever let go of them last: an unclaimed drive, or the account whose drive it was. Kept by triggers, so no
-- writer can forget it. A user stays for good, also when the drive goes; what a drive let go of that is gone
-- itself, and what was let go of before this step, counts for nobody.
ALTER TABLE drive ADD COLUMN released_size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE user ADD COLUMN released_size INTEGER NOT NULL DEFAULT 0;
ALTER TABLE blob ADD COLUMN released_drive INTEGER REFERENCES drive (pk) ON DELETE SET NULL;
ALTER TABLE blob ADD COLUMN released_user INTEGER REFERENCES user (pk);

CREATE INDEX blob_released_drive ON blob (released_drive, orphaned_at) WHERE released_drive IS NOT NULL;
CREATE INDEX blob_released_user ON blob (released_user, orphaned_at) WHERE released_user IS NOT NULL;
CREATE INDEX drive_user_deleted ON drive (user) WHERE deleted_at IS NOT NULL;

DROP TRIGGER file_inserted;
DROP TRIGGER file_deleted;
DROP TRIGGER file_content_changed;

CREATE TRIGGER file_inserted AFTER INSERT ON file BEGIN
  UPDATE blob SET refs = refs + 1, orphaned_at = NULL, released_drive = NULL, released_user = NULL WHERE pk = NEW.blob;
END;

-- `blob.refs` is the number before the update.
CREATE TRIGGER file_deleted AFTER DELETE ON file BEGIN
  UPDATE blob
     SET refs = refs - 1,
         released_drive = (SELECT d.pk FROM drive d
                            WHERE blob.refs = 1 AND d.pk = OLD.drive AND d.user IS NULL AND d.deleted_at IS NULL),
         released_user = (SELECT d.user FROM drive d WHERE blob.refs = 1 AND d.pk = OLD.drive)
   WHERE pk = OLD.blob;
END;

CREATE TRIGGER file_content_changed AFTER UPDATE OF blob ON file WHEN NEW.blob <> OLD.blob BEGIN
  UPDATE blob
     SET refs = refs - 1,
         released_drive = (SELECT d.pk FROM drive d
                            WHERE blob.refs = 1 AND d.pk = OLD.drive AND d.user IS NULL AND d.deleted_at IS NULL),
         released_user = (SELECT d.user FROM drive d WHERE blob.refs = 1 AND d.pk = OLD.drive)
   WHERE pk = OLD.blob;
  UPDATE blob SET refs = refs + 1, orphaned_at = NULL, released_drive = NULL, released_user = NULL WHERE pk = NEW.blob;
END;

CREATE TRIGGER blob_released AFTER UPDATE OF released_drive, released_user ON blob
WHEN NEW.released_drive IS NOT OLD.released_drive OR NEW.released_user IS NOT OLD.released_user BEGIN
  UPDATE drive SET released_size = released_size - OLD.size WHERE pk = OLD.released_drive;
  UPDATE drive SET released_size = released_size + NEW.size WHERE pk = NEW.released_drive;
  UPDATE user SET released_size = released_size - OLD.size WHERE pk = OLD.released_user;
  UPDATE user SET released_size = released_size + NEW.size WHERE pk = NEW.released_user;
END;

CREATE TRIGGER blob_deleted AFTER DELETE ON blob
WHEN OLD.released_drive IS NOT NULL OR OLD.released_user IS NOT NULL BEGIN
  UPDATE drive SET released_size = released_size - OLD.size WHERE pk = OLD.released_drive;
  UPDATE user SET released_size = released_size - OLD.size WHERE pk = OLD.released_user;
END;
