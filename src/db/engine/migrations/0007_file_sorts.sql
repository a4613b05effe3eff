-- A folder's files by size and by time of change. Among equals the id decides and not the path: ids
-- sort by age, are what a client may see of a place in the list, and stay when a folder above is
-- renamed, so that none of these entries has to be written anew.
CREATE INDEX file_folder_size ON file (folder, size, id);
CREATE INDEX file_folder_updated ON file (folder, updated_at, id);
