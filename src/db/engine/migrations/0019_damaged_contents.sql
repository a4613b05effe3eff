-- Contents that were found damaged or missing. They are not sent until they are whole again: an upload of the same
-- bytes, a repair, or a later check that finds them whole takes the row away. `state` is what was looked at; null for
-- nothing.
CREATE TABLE damaged_content (
  digest   TEXT PRIMARY KEY REFERENCES blob (digest) ON DELETE CASCADE,
  problem  TEXT NOT NULL,
  state    TEXT,
  found_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How far the check of all contents has come. A round begins at `started_at`, goes through the contents in the order
-- of their digests, and has checked `contents` of them, up to `reached`. `finished_at` is the end of the last round.
CREATE TABLE scrub (
  pk          INTEGER PRIMARY KEY CHECK (pk = 1),
  started_at  INTEGER NOT NULL,
  reached     TEXT NOT NULL,
  contents    INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
