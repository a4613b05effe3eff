-- What a write answered under a client's Idempotency-Key, so that its repetition gets the same answer and
-- no second effect. `name` stands for the caller and the key; `sealed` is encrypted with what only the key yields.
CREATE TABLE idempotency_record (
  name       TEXT PRIMARY KEY,
  sealed     BLOB NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX idempotency_record_expiry ON idempotency_record (expires_at);
