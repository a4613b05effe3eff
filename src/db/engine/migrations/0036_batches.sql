-- Changes that one request made together. `batch`: its id. The change that sums a batch up has it too, also as its `ref`.
ALTER TABLE change ADD COLUMN batch TEXT;
CREATE INDEX change_batch ON change (batch, pk) WHERE batch IS NOT NULL;

-- Batches that are under way: a row comes with the first change of its batch, and goes with the last.
CREATE TABLE batch (
  id        TEXT PRIMARY KEY,
  kind      TEXT NOT NULL CHECK (kind IN ('write', 'copy', 'move', 'delete', 'undo')),
  actor     TEXT,
  is_atomic INTEGER NOT NULL CHECK (is_atomic IN (0, 1))
) STRICT;

-- What a file had beside its content before a batch that is all or nothing replaced it: JSON.
CREATE TABLE batch_replaced (
  batch      TEXT NOT NULL REFERENCES batch (id) ON DELETE CASCADE,
  file_id    TEXT NOT NULL,
  attributes TEXT NOT NULL,
  PRIMARY KEY (batch, file_id)
) STRICT, WITHOUT ROWID;
