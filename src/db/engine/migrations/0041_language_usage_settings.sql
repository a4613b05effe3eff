-- The language that somebody chose for the dashboard, as a BCP 47 tag; null for the one that the browser asks for.
ALTER TABLE user ADD COLUMN language TEXT;

-- What was done on each day, in UTC: `day` is its first millisecond. Errors are answers of 400 to 499, and from 500 on;
-- `received` and `sent` are bytes of contents.

-- `who` is the id of a key or, for what has none of its own, a word: see `domain/accounts/usage-day.ts`.
CREATE TABLE account_usage_day (
  pk            INTEGER PRIMARY KEY,
  user          INTEGER NOT NULL REFERENCES user (pk),
  day           INTEGER NOT NULL,
  who           TEXT NOT NULL,
  requests      INTEGER NOT NULL,
  client_errors INTEGER NOT NULL,
  server_errors INTEGER NOT NULL,
  received      INTEGER NOT NULL,
  sent          INTEGER NOT NULL,
  UNIQUE (user, day, who)
) STRICT;
CREATE INDEX account_usage_day_age ON account_usage_day (day);

-- Of the whole server, so that an administrator's question does not read the rows of all accounts. `who` is the id of a
-- user, or a word.
CREATE TABLE server_usage_day (
  pk            INTEGER PRIMARY KEY,
  day           INTEGER NOT NULL,
  who           TEXT NOT NULL,
  requests      INTEGER NOT NULL,
  client_errors INTEGER NOT NULL,
  server_errors INTEGER NOT NULL,
  received      INTEGER NOT NULL,
  sent          INTEGER NOT NULL,
  UNIQUE (day, who)
) STRICT;

-- What administrators have changed of the settings while a server ran: each as the text that its flag takes.
CREATE TABLE setting (
  name TEXT PRIMARY KEY,
  text TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Those that were disabled lately.
CREATE INDEX webhook_disabled ON webhook (disabled_at) WHERE disabled_at IS NOT NULL;
