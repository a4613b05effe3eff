INSERT INTO "schema_migration" (version, name, checksum, applied_at) VALUES (11, 'store-identity', '585f3b8ad486289e498fd4dc42d0c751397e64ee999d7e14a31baa051b40fc7d', 1795534097697);
INSERT INTO "store" (pk, id, strays_kept_until) VALUES (1, '01a20e2c-184b-76b2-ac66-3defddc9bb33', 0);
