-- What was done to accounts, keys, shares and the server, and what was refused: kept after all that it names is gone.
CREATE TABLE audit_event (
  pk INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL,
  at INTEGER NOT NULL,
  category TEXT NOT NULL,
  action TEXT NOT NULL,
  outcome TEXT NOT NULL CHECK (outcome IN ('success', 'refused')),
  -- The number of an event among those with its outcome: that is how many are kept of each.
  serial INTEGER NOT NULL,
  count INTEGER NOT NULL DEFAULT 1,
  last_at INTEGER NOT NULL,
  actor_kind TEXT NOT NULL,
  actor_id TEXT,
  actor_name TEXT,
  username TEXT,
  subject_kind TEXT,
  subject_id TEXT,
  subject_name TEXT,
  drive_id TEXT,
  address TEXT,
  user_agent TEXT,
  request_id TEXT,
  detail TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX audit_event_serial ON audit_event (outcome, serial);
CREATE INDEX audit_event_age ON audit_event (at);
CREATE INDEX audit_event_category ON audit_event (category, at);
CREATE INDEX audit_event_username ON audit_event (username, at) WHERE username IS NOT NULL;
CREATE INDEX audit_event_subject ON audit_event (subject_id, at) WHERE subject_id IS NOT NULL;
CREATE INDEX audit_event_drive ON audit_event (drive_id, at) WHERE drive_id IS NOT NULL;

-- Keys that are gone, to tell when somebody still uses one. Only of accounts: anybody can make a drive without one.
CREATE TABLE revoked_key (
  pk INTEGER PRIMARY KEY AUTOINCREMENT,
  hash TEXT NOT NULL UNIQUE,
  id TEXT NOT NULL,
  name TEXT NOT NULL,
  username TEXT NOT NULL,
  expires_at INTEGER
) STRICT;

CREATE TRIGGER api_key_revoked AFTER DELETE ON api_key
  WHEN OLD.user IS NOT NULL OR (SELECT user FROM drive WHERE pk = OLD.drive) IS NOT NULL
BEGIN
  INSERT INTO revoked_key (hash, id, name, username, expires_at)
    SELECT OLD.hash, OLD.id, OLD.name, username, OLD.expires_at FROM user
     WHERE pk = coalesce(OLD.user, (SELECT user FROM drive WHERE pk = OLD.drive))
    ON CONFLICT DO NOTHING;
END;
