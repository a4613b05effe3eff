-- What administrators have changed of the settings while a server ran: each as the text that its flag takes.
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Those that were disabled lately.
CREATE INDEX webhook_disabled ON webhook (disabled_at) WHERE disabled_at IS NOT NULL;
