-- Up to which change, a number of `change`, somebody has seen what happened in a drive, and when they saw it.
CREATE TABLE drive_visit (
  drive  INTEGER NOT NULL REFERENCES drive (pk) ON DELETE CASCADE,
  user   INTEGER NOT NULL REFERENCES user (pk),
  change INTEGER NOT NULL,
  at     INTEGER NOT NULL,
  PRIMARY KEY (user, drive)
) STRICT, WITHOUT ROWID;
CREATE INDEX drive_visit_drive ON drive_visit (drive);

CREATE TRIGGER drive_visit_of_member AFTER DELETE ON drive_member BEGIN
  DELETE FROM drive_visit WHERE user = OLD.user AND drive = OLD.drive;
END;
