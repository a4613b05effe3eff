-- The files that few filters select are found by these, and not by looking at all files of the drive.
CREATE INDEX file_size ON file (drive, size);
CREATE INDEX file_type ON file (drive, mime_type);
