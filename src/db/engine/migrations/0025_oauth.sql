-- Clients that people let in by OAuth. Each such grant is a key: what ends the key ends the grant.

-- When the secret of a key stops working, if that is before the key expires: a client gets another one until then.
ALTER TABLE api_key ADD COLUMN secret_expires_at INTEGER;

-- `code_hash` is of the authorization code that it began with, `family_hash` of the part of its refresh tokens that
-- stays, `refresh_hash` of the one refresh token that works.
CREATE TABLE oauth_grant (
  key_id       TEXT PRIMARY KEY REFERENCES api_key (id) ON DELETE CASCADE,
  client_id    TEXT NOT NULL,
  code_hash    TEXT NOT NULL UNIQUE,
  family_hash  TEXT NOT NULL UNIQUE,
  refresh_hash TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Clients that registered themselves (RFC 7591). `redirect_uris` is a JSON array.
CREATE TABLE oauth_client (
  id            TEXT PRIMARY KEY,
  name          TEXT NOT NULL,
  redirect_uris TEXT NOT NULL,
  used          INTEGER NOT NULL DEFAULT 0 CHECK (used IN (0, 1)),
  expires_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_client_expiry ON oauth_client (expires_at);
CREATE INDEX oauth_client_unused ON oauth_client (expires_at) WHERE used = 0;
