-- What files and folders are ordered by among those of their folder, as people read names: see src/domain/files/name-key.ts.
-- SQLite cannot make it. The sweep does where it is empty.
ALTER TABLE file ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
ALTER TABLE folder ADD COLUMN name_key TEXT NOT NULL DEFAULT '';

CREATE INDEX file_folder_name ON file (folder, name_key);
CREATE INDEX folder_parent_name ON folder (parent, name_key);
CREATE INDEX file_without_key ON file (name_key) WHERE name_key = '';
CREATE INDEX folder_without_key ON folder (name_key) WHERE name_key = '';
