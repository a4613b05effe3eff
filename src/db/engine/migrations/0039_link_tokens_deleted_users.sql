-- The token of a link, sealed with the server's secret, so that people can see its address again. NULL for links that
-- were made before.
ALTER TABLE presigned_link ADD COLUMN sealed_token BLOB;
ALTER TABLE upload_link ADD COLUMN sealed_token BLOB;
ALTER TABLE share_link ADD COLUMN sealed_token BLOB;

-- Since when a user is deleted. The row stays: what they did names them, and nobody else gets their name.
ALTER TABLE user ADD COLUMN deleted_at INTEGER;
