-- Whether the snapshot of a fork was taken for it, and goes with it.
ALTER TABLE folder_work ADD COLUMN owns_snapshot INTEGER NOT NULL DEFAULT 0 CHECK (owns_snapshot IN (0, 1));
UPDATE folder_work SET owns_snapshot = 1
 WHERE kind = 'fork' AND EXISTS (
   SELECT 1 FROM snapshot s WHERE s.pk = snapshot AND s.is_automatic = 1 AND s.name LIKE 'For the fork %');

-- What has expired since a snapshot is looked for by folder.
CREATE INDEX file_expiring ON file (drive, path) WHERE expires_at IS NOT NULL;
CREATE INDEX held_file_expiring ON held_file (drive, path) WHERE expires_at IS NOT NULL;
DROP INDEX held_file_expiry;
DROP INDEX held_file_drive_expiry;

-- Documents whose text could not be read for a reason that may pass: how often that was tried with this content, and
-- when it is tried again; null while there is a job for it. The index has them without text until then.
CREATE TABLE document_retry (
  file    INTEGER PRIMARY KEY REFERENCES file (pk) ON DELETE CASCADE,
  blob    INTEGER NOT NULL,
  tries   INTEGER NOT NULL,
  next_at INTEGER
) STRICT;

CREATE INDEX document_retry_next ON document_retry (next_at) WHERE next_at IS NOT NULL;

-- What a key let in goes with the key. `made_by` is the public id of the key that made a key, or let a member in; NULL
-- if a person did, or the server. Links and webhooks have their `key_id`. Who made earlier keys was not stored.
ALTER TABLE api_key ADD COLUMN made_by TEXT;
ALTER TABLE drive_member ADD COLUMN made_by TEXT;

UPDATE drive_member SET made_by = substr(added_by, 5)
 WHERE added_by LIKE 'key:%' AND EXISTS (SELECT 1 FROM api_key WHERE id = substr(added_by, 5));

CREATE INDEX api_key_made_by ON api_key (made_by) WHERE made_by IS NOT NULL;
CREATE INDEX drive_member_made_by ON drive_member (made_by) WHERE made_by IS NOT NULL;
CREATE INDEX presigned_link_key ON presigned_link (key_id, expires_at) WHERE key_id IS NOT NULL;
CREATE INDEX upload_link_key ON upload_link (key_id, expires_at) WHERE key_id IS NOT NULL;
CREATE INDEX share_link_key ON share_link (key_id, expires_at) WHERE key_id IS NOT NULL;
CREATE INDEX webhook_key ON webhook (key_id) WHERE key_id IS NOT NULL;

-- Keys that are gone, until everything is removed that they made: it stops working at once, and is removed in pieces.
CREATE TABLE ended_key (
  id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

CREATE TRIGGER api_key_ended AFTER DELETE ON api_key BEGIN
  INSERT INTO ended_key (id) VALUES (OLD.id);
END;

-- What earlier ones left: it has not worked since.
INSERT INTO ended_key (id)
  SELECT key_id FROM presigned_link WHERE key_id IS NOT NULL AND key_id NOT IN (SELECT id FROM api_key)
   UNION SELECT key_id FROM upload_link WHERE key_id IS NOT NULL AND key_id NOT IN (SELECT id FROM api_key)
   UNION SELECT key_id FROM share_link WHERE key_id IS NOT NULL AND key_id NOT IN (SELECT id FROM api_key)
   UNION SELECT key_id FROM webhook WHERE key_id IS NOT NULL AND key_id NOT IN (SELECT id FROM api_key);

-- Where a file was when the content of a version was replaced: a key of a folder sees the versions that were made in
-- there. NULL in rows from before, of which that is not known: no such key sees them. The record's room grows with it.
ALTER TABLE file_version ADD COLUMN path TEXT;

DROP TRIGGER file_version_inserted;
CREATE TRIGGER file_version_inserted AFTER INSERT ON file_version BEGIN
  UPDATE blob SET refs = refs + 1, orphaned_at = NULL, released_drive = NULL, released_user = NULL WHERE pk = NEW.blob;
  INSERT INTO kept_content (drive, blob, size, rows, held, live)
  VALUES (NEW.drive, NEW.blob, NEW.size, 1, 0,
          EXISTS (SELECT 1 FROM file f WHERE f.blob = NEW.blob AND f.drive = NEW.drive))
    ON CONFLICT (drive, blob) DO UPDATE SET rows = rows + 1;
  UPDATE drive SET kept_records = kept_records + 512 + ifnull(octet_length(NEW.path), 0) WHERE pk = NEW.drive;
END;
DROP TRIGGER file_version_deleted;
CREATE TRIGGER file_version_deleted AFTER DELETE ON file_version BEGIN
  UPDATE blob SET refs = refs - 1,
         released_drive = (SELECT d.pk FROM drive d
                            WHERE blob.refs = 1 AND d.pk = OLD.drive AND d.user IS NULL AND d.deleted_at IS NULL),
         released_user = (SELECT d.user FROM drive d WHERE blob.refs = 1 AND d.pk = OLD.drive)
   WHERE pk = OLD.blob;
  UPDATE kept_content SET rows = rows - 1 WHERE drive = OLD.drive AND blob = OLD.blob;
  DELETE FROM kept_content WHERE drive = OLD.drive AND blob = OLD.blob AND rows = 0;
  UPDATE drive SET kept_records = kept_records - 512 - ifnull(octet_length(OLD.path), 0) WHERE pk = OLD.drive;
END;

-- The refresh token that was used last, when, and what its answer was derived with besides itself: so that the answer can
-- be given once more if it was lost. The salt alone tells nothing. All three are NULL once that is done.
ALTER TABLE oauth_grant ADD COLUMN used_hash TEXT;
ALTER TABLE oauth_grant ADD COLUMN used_salt BLOB;
ALTER TABLE oauth_grant ADD COLUMN used_at INTEGER;

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
