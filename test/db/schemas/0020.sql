INSERT INTO "schema_migration" (version, name, checksum, applied_at) VALUES (20, 'claim-token-end', 'bbdebd23ba64556924a7b38fad1aa03bfc1251104c1fe32dedac04971e120848', 1795534096306);
