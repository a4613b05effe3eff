-- What the database and the directory of contents have in common, so that neither is used with another's.
-- `strays_kept_until` is a time in milliseconds: contents that no row names and that were written up to then
-- are never removed, since they were there before this database was.
CREATE TABLE store (
  pk                INTEGER PRIMARY KEY CHECK (pk = 1),
  id                TEXT    NOT NULL,
  strays_kept_until INTEGER NOT NULL DEFAULT 0
) STRICT;
