-- {"anew":["sqlite_sequence"]}
INSERT INTO "schema_migration" (version, name, checksum, applied_at, coffer) VALUES (26, 'upload-links', '751ec92ecb5226acb650f2eaa47f9d1c88f01b2d219c66c787d31033f534ed7d', 1795534100555, '0.1.0');
INSERT INTO "sqlite_sequence" (name, seq) VALUES ('search_job', 25);
