-- FTS5 merges the segments of an index while it is written to, and what one write then does has no bound:
-- leaving out what was deleted took up to 370 ms. From now on the indexer merges, in small steps between the
-- writes; neither a write (automerge) nor the number of segments (crisismerge) starts a merge. A segment is
-- still written anew once a tenth of it was deleted (deletemerge): so the room comes back, and no step has
-- long stretches to skip.
INSERT INTO search_name (search_name, rank) VALUES ('automerge', 0), ('crisismerge', 1999);
INSERT INTO search_text (search_text, rank) VALUES ('automerge', 0), ('crisismerge', 1999);
