-- {"anew":["sqlite_sequence","setup_token"]}
INSERT INTO "schema_migration" (version, name, checksum, applied_at, coffer) VALUES (32, 'setup-token', 'ce32c6526f25610b9761a8508e0fa9596ceda0b698a10ff63779edd813c2effa', 1795534100555, '0.1.0');
INSERT INTO "sqlite_sequence" (name, seq) VALUES ('change', 15), ('search_job', 24);
