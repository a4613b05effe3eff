-- {"anew":["sqlite_sequence"]}
INSERT INTO "schema_migration" (version, name, checksum, applied_at, coffer) VALUES (31, 'webhooks', '13a303595da767b9ce072b8bb076c46aba7019b28bec6236e659f21c11ee8d3d', 1795534100555, '0.1.0');
INSERT INTO "sqlite_sequence" (name, seq) VALUES ('change', 15), ('search_job', 25);
