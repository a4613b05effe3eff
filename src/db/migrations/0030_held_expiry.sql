-- What has expired is counted for each drive.
DROP INDEX held_file_expiry;
CREATE INDEX held_file_expiry ON held_file (drive, expires_at) WHERE expires_at IS NOT NULL;
