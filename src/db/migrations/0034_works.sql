-- Works on folders can be seen, and given up. `undone`: whether the work is being taken back; its row keeps saying what was
-- asked. `phase` and `files_done`: how far it is, or what takes it back. `files_total` is NULL where nobody has counted.
-- `answer`: the kept response to a removal, which is given before its end; it goes when the removal is given up.
ALTER TABLE folder_work ADD COLUMN id TEXT NOT NULL DEFAULT '';
ALTER TABLE folder_work ADD COLUMN undone INTEGER NOT NULL DEFAULT 0 CHECK (undone IN (0, 1));
ALTER TABLE folder_work ADD COLUMN files_done INTEGER NOT NULL DEFAULT 0;
ALTER TABLE folder_work ADD COLUMN files_total INTEGER;
ALTER TABLE folder_work ADD COLUMN answer TEXT;

UPDATE folder_work SET id = lower(printf('%s-%s-7%s-8%s-%s', hex(randomblob(4)), hex(randomblob(2)),
  substr(hex(randomblob(2)), 2), substr(hex(randomblob(2)), 2), hex(randomblob(6))));

-- A move that is taken back was a work of its own, with its ends the other way around.
UPDATE folder_work SET kind = 'move', undone = 1, drive = to_drive, path = to_path, top = to_top,
       to_drive = drive, to_path = path, to_top = top
 WHERE kind = 'return';
