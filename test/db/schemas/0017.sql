INSERT INTO "schema_migration" (version, name, checksum, applied_at) VALUES (17, 'filter-lists', '403bc72d2925ac37d3f8662f1ecc4fb2861a3ee16a91a3e8a6449ac905786055', 1795534094223);
