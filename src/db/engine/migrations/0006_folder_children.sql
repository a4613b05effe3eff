-- How many folders stand directly in a folder, so that a page of them says its total without counting.
-- Kept by triggers, so no writer can forget it.
ALTER TABLE folder ADD COLUMN own_folder_count INTEGER NOT NULL DEFAULT 0;

UPDATE folder SET own_folder_count = (SELECT count(*) FROM folder below WHERE below.parent = folder.pk);

CREATE TRIGGER folder_inserted AFTER INSERT ON folder WHEN NEW.parent IS NOT NULL BEGIN
  UPDATE folder SET own_folder_count = own_folder_count + 1 WHERE pk = NEW.parent;
END;

CREATE TRIGGER folder_deleted AFTER DELETE ON folder WHEN OLD.parent IS NOT NULL BEGIN
  UPDATE folder SET own_folder_count = own_folder_count - 1 WHERE pk = OLD.parent;
END;

CREATE TRIGGER folder_parent_changed AFTER UPDATE OF parent ON folder WHEN NEW.parent IS NOT OLD.parent BEGIN
  UPDATE folder SET own_folder_count = own_folder_count - 1 WHERE pk = OLD.parent;
  UPDATE folder SET own_folder_count = own_folder_count + 1 WHERE pk = NEW.parent;
END;
