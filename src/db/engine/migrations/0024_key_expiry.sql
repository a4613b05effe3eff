-- When a key ends, in milliseconds since the epoch; null for never.
ALTER TABLE api_key ADD COLUMN expires_at INTEGER;

CREATE INDEX api_key_expiry ON api_key (expires_at) WHERE expires_at IS NOT NULL;
