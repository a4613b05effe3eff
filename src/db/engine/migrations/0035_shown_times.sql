-- The times of a file as lists show them: to format them took most of a page. `updated_text` is NULL where it is
-- `created_text`. The database puts the records of a list together, see `recordOf` of src/db/files/files.ts.
ALTER TABLE file ADD COLUMN created_text TEXT NOT NULL DEFAULT '';
ALTER TABLE file ADD COLUMN updated_text TEXT;
-- Whether its type is one of a text, so that the preview of its content is shown.
ALTER TABLE file ADD COLUMN is_text INTEGER NOT NULL DEFAULT 0 CHECK (is_text IN (0, 1));

UPDATE file SET (created_text, updated_text, is_text) = (
  SELECT strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch'),
         iif(updated_at = created_at, NULL, strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch')),
         essence LIKE 'text/%' OR essence LIKE 'application/%+json' OR essence LIKE 'application/%+xml'
           OR essence LIKE 'application/%+yaml'
           OR essence IN (
             'image/svg+xml', 'application/json', 'application/xml', 'application/javascript', 'application/ecmascript',
             'application/typescript', 'application/yaml', 'application/x-yaml', 'application/toml', 'application/sql',
             'application/graphql', 'application/x-sh', 'application/x-ndjson', 'application/ndjson',
             'application/jsonl', 'application/x-httpd-php', 'application/rtf', 'application/x-tex',
             'application/x-latex', 'application/x-subrip')
    FROM (SELECT trim(substr(mime_type, 1, instr(mime_type || ';', ';') - 1), ' ' || char(9)) AS essence));
