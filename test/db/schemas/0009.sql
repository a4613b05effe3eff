-- {"anew":["user"]}
INSERT INTO "schema_migration" (version, name, checksum, applied_at) VALUES (9, 'administrators', '0f57bf7b7de95a95bd78f08e21094e51e1d118d036925946766756cbe8cd8669', 1795534097877);
INSERT INTO "user" (pk, id, username, email, display_name, plan, password_hash, created_at, disabled_at, admin) VALUES (1, '01a20e2c-199b-7285-ab1e-b12b522105e8', 'ada', NULL, NULL, 'team', '$argon2id$v=19$m=65536,t=2,p=1$pS/EpViphfwkVrvXPeMeQ80KvRH/hKcG/McxNmSyH4E$s8mGD5XGZBhFj5ZyjWr3y2ApCpFIeywKa+67rDVdBmA', 1795534099963, NULL, 'setup');
