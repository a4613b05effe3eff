-- {"anew":["sqlite_sequence"]}
INSERT INTO "schema_migration" (version, name, checksum, applied_at, coffer) VALUES (34, 'raised-members', '478534ce13e9b7619688f4d1deb2ebe1408b946063ddbf198401db27c345c25c', 1795534100555, '0.1.0');
INSERT INTO "sqlite_sequence" (name, seq) VALUES ('change', 15), ('search_job', 25);
