-- The bytes of a small content, beside the row that names it, so that one commit makes both durable. Larger
-- contents, and those from before this step, are files.
CREATE TABLE small_content (
  blob  INTEGER PRIMARY KEY REFERENCES blob (pk) ON DELETE CASCADE,
  bytes BLOB NOT NULL
) STRICT;
