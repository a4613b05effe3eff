-- The language that somebody chose for the dashboard, as a BCP 47 tag; null for the one that the browser asks for.
ALTER TABLE user ADD COLUMN language TEXT;
