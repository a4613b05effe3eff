INSERT INTO "schema_migration" (version, name, checksum, applied_at) VALUES (7, 'file-sorts', 'e58c10ca647f6c555763fb296365009e8c5e35fc1700c80760f42728c8295895', 1795534098566);
