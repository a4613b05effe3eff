-- The key that made an editor of a reader who was not let in by it: once it is gone, the member is a reader again. NULL
-- for all others. Who raised earlier ones was not stored.
ALTER TABLE drive_member ADD COLUMN raised_by TEXT;
CREATE INDEX drive_member_raised_by ON drive_member (raised_by) WHERE raised_by IS NOT NULL;
