INSERT INTO "backup_lease" (pk, holder, expires_at) VALUES (1, '7 on host.example.test, 0', 1795534100555);
INSERT INTO "backup_success" (place, at) VALUES ('/srv/backup', 1795534100537);
INSERT INTO "schema_migration" (version, name, checksum, applied_at) VALUES (18, 'backups', '2f1bffa4fb17df453722e696d8d548e794a1b80ded2db3b37d18d476a4fefdf9', 1795534094223);
