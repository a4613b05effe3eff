-- Who may sign in, and who has. A disabled user keeps everything and reaches none of it.

ALTER TABLE user ADD COLUMN disabled_at INTEGER;

-- A user as an OpenID Connect provider knows them.
CREATE TABLE identity (
  issuer     TEXT NOT NULL,
  subject    TEXT NOT NULL,
  user       INTEGER NOT NULL REFERENCES user (pk),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (issuer, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX identity_user ON identity (user);

CREATE TABLE session (
  pk           INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  hash         TEXT NOT NULL UNIQUE,
  user         INTEGER NOT NULL REFERENCES user (pk),
  user_agent   TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL
) STRICT;

CREATE INDEX session_user ON session (user, created_at);
CREATE INDEX session_expiry ON session (expires_at);

-- At most one row: the link that makes the first account.
CREATE TABLE setup_token (
  pk         INTEGER PRIMARY KEY CHECK (pk = 1),
  hash       TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
