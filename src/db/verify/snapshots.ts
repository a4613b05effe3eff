import { quoted } from "../../domain/upkeep/finding.ts";
import { check, type Check, counter } from "./check.ts";

/** A query about the files and one about the folders: held ones, and those that the drive has. */
function both(query: (held: string, live: string) => string): string {
  return `${query("held_file", "file")} UNION ALL ${query("held_folder", "folder")}`;
}

function wrongEntry(problem: string, query: string): Check {
  const about = ({ drive, path }: Record<"drive" | "path", string>) =>
    `${quoted(path)} in drive ${drive}: ${problem}`;
  return check("snapshot-wrong", query, about);
}

/** @param ofRoot what the root of a snapshot says @param ofFiles the same of all its files */
function wrongTotal(what: string, ofRoot: string, ofFiles: string): Check {
  return counter(
    `the ${what} of snapshot`,
    `SELECT * FROM (
      SELECT s.id AS name,
             (SELECT ${ofRoot} FROM folder f WHERE f.drive = s.drive AND f.path = '' AND f.era < s.number
               UNION ALL SELECT ${ofRoot} FROM held_folder h
                          WHERE h.drive = s.drive AND h.path = '' AND h.era < s.number AND h.until >= s.number) AS says,
             (SELECT ${ofFiles} FROM file f WHERE f.drive = s.drive AND f.era < s.number)
               + (SELECT ${ofFiles} FROM held_file h
                   WHERE h.drive = s.drive AND h.era < s.number AND h.until >= s.number) AS "is"
        FROM snapshot s JOIN drive d ON d.pk = s.drive WHERE s.deleted_at IS NULL AND d.deleted_at IS NULL)
     WHERE says IS NOT "is"`,
  );
}

const TWICE = both(
  (held, live) => `
    SELECT h.drive, h.path FROM ${held} h JOIN ${live} f ON f.drive = h.drive AND f.path = h.path WHERE f.era < h.until
    UNION ALL
    SELECT a.drive, a.path FROM ${held} a JOIN ${held} b ON b.drive = a.drive AND b.path = a.path
     WHERE a.pk < b.pk AND max(a.era, b.era) < min(a.until, b.until)`,
);

/** What is held for no snapshot, is in one twice, or is not counted in one. */
export const wrongSnapshots = [
  wrongEntry(
    "it is held, and no snapshot needs it",
    both(
      (held) => `
        SELECT d.id AS drive, h.path FROM ${held} h JOIN drive d ON d.pk = h.drive
         WHERE d.deleted_at IS NULL AND NOT EXISTS (
           SELECT 1 FROM snapshot s WHERE s.drive = h.drive AND s.number > h.era AND s.number <= h.until)`,
    ),
  ),
  wrongEntry(
    "it is in a snapshot twice",
    `SELECT d.id AS drive, t.path FROM (${TWICE}) t JOIN drive d ON d.pk = t.drive WHERE d.deleted_at IS NULL`,
  ),
  wrongEntry(
    "it is in another folder",
    both(
      (held) => `
        SELECT d.id AS drive, h.path FROM ${held} h JOIN drive d ON d.pk = h.drive
         WHERE d.deleted_at IS NULL AND h.path <> '' AND (
           h.parent IS NULL OR substr(h.path, 1, length(h.parent)) <> h.parent
           OR instr(rtrim(substr(h.path, length(h.parent) + 1), '/'), '/') > 0)`,
    ),
  ),
  wrongEntry(
    "it is from after the newest snapshot",
    both(
      (_, live) =>
        `SELECT d.id AS drive, f.path FROM ${live} f JOIN drive d ON d.pk = f.drive WHERE f.era > d.era`,
    ),
  ),
  wrongTotal("files", "file_count", "count(*)"),
  wrongTotal("bytes", "total_size", "ifnull(sum(size), 0)"),
];
