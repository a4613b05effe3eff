INSERT INTO "schema_migration" (version, name, checksum, applied_at) VALUES (14, 'folder-works', 'dd49b8a553c4a6fb2110fa68e2a948d28bfcf71108cc09804a09d5bb38b624d9', 1795534097300);
