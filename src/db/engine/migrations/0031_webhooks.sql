-- Where to send changes to. It is of a user, or of an unclaimed drive. The secret is sealed with a key that is not in the
-- database. The position is the last change that was looked at.
CREATE TABLE webhook (
  pk              INTEGER PRIMARY KEY,
  id              TEXT NOT NULL UNIQUE,
  user            INTEGER REFERENCES user (pk),
  drive           INTEGER REFERENCES drive (pk),
  key_id          TEXT,
  url             TEXT NOT NULL,
  events          TEXT NOT NULL,
  secret          BLOB NOT NULL,
  position        INTEGER NOT NULL,
  created_at      INTEGER NOT NULL,
  disabled_at     INTEGER,
  disabled_reason TEXT,
  CHECK (user IS NOT NULL OR drive IS NOT NULL),
  CHECK (user IS NOT NULL OR key_id IS NOT NULL)
) STRICT;

CREATE INDEX webhook_user ON webhook (user) WHERE user IS NOT NULL;
CREATE INDEX webhook_drive ON webhook (drive) WHERE drive IS NOT NULL;

-- Messages to webhooks: those that wait, and the last ones that have ended.
CREATE TABLE webhook_delivery (
  pk         INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  webhook    INTEGER NOT NULL REFERENCES webhook (pk) ON DELETE CASCADE,
  change     INTEGER,
  type       TEXT NOT NULL,
  payload    TEXT NOT NULL,
  state      TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
  attempts   INTEGER NOT NULL DEFAULT 0,
  next_at    INTEGER,
  status     INTEGER,
  error      TEXT,
  created_at INTEGER NOT NULL,
  CHECK ((state = 'pending') = (next_at IS NOT NULL))
) STRICT;

CREATE UNIQUE INDEX webhook_delivery_change ON webhook_delivery (webhook, change);
CREATE INDEX webhook_delivery_list ON webhook_delivery (webhook, pk);
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook, next_at) WHERE state = 'pending';
CREATE INDEX webhook_delivery_ended ON webhook_delivery (webhook, pk) WHERE state <> 'pending';
