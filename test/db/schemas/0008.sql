INSERT INTO "known_client" (hash, used_at) VALUES ('0b431b934770ade19fe8a84ded6619111776fe7ea9faf1474878e625dd946a62', 1795534100492);
INSERT INTO "schema_migration" (version, name, checksum, applied_at) VALUES (8, 'known-clients', '303910284797ffe215c986b4493aaa15f540e0b450d6856dad9bb17ba5259ff7', 1795534098156);
