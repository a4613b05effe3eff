-- For whom a kept response counts: the public id of a user, or of a drive that was unclaimed; null for callers without
-- a key. `idempotency_use` is the bytes of each owner, 256 of them for a record beside its response. Kept by triggers,
-- so no writer can forget it. Responses from before this step count for nobody: they go within a day.
ALTER TABLE idempotency_record ADD COLUMN owner TEXT;

CREATE TABLE idempotency_use (
  owner TEXT PRIMARY KEY,
  size  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER idempotency_record_inserted AFTER INSERT ON idempotency_record WHEN NEW.owner IS NOT NULL BEGIN
  INSERT INTO idempotency_use (owner, size) VALUES (NEW.owner, 256 + octet_length(NEW.sealed))
  ON CONFLICT (owner) DO UPDATE SET size = size + excluded.size;
END;

CREATE TRIGGER idempotency_record_deleted AFTER DELETE ON idempotency_record WHEN OLD.owner IS NOT NULL BEGIN
  UPDATE idempotency_use SET size = size - 256 - octet_length(OLD.sealed) WHERE owner = OLD.owner;
  DELETE FROM idempotency_use WHERE owner = OLD.owner AND size = 0;
END;
