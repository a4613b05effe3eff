-- Clients that have given an account's right password: strangers who guess it do not lock them out. `hash` is
-- keyed with the data directory's secret, so that neither addresses nor accounts can be read here.
CREATE TABLE known_client (
  hash    TEXT PRIMARY KEY,
  used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX known_client_use ON known_client (used_at);
