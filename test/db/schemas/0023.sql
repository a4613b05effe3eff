-- {"anew":["sqlite_sequence","search_name_config","search_name_data","search_name_docsize","search_name_idx","search_text_config","search_text_data","search_text_docsize","search_text_idx"]}
INSERT INTO "schema_migration" (version, name, checksum, applied_at, coffer) VALUES (23, 'search-file', '970fcbc10bb55f9d7f4c2228636397724f276cd620291a4476d027649ef19991', 1795534100555, '0.1.0');
INSERT INTO "search_index" (pk, batch, filled_to) VALUES (1, '01a20e2c-184b-76cd-9bce-35b2650264b6', NULL);
INSERT INTO "sqlite_sequence" (name, seq) VALUES ('search_job', 25);
