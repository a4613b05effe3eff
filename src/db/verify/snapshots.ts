import { quoted } from "../../domain/upkeep/finding.ts";
import { check, counter } from "./check.ts";

interface PathRow {
  readonly drive: string;
  readonly path: string;
}

const HELD_AND_FILES = `
  SELECT h.drive, h.path FROM held_file h JOIN file f ON f.drive = h.drive AND f.path = h.path WHERE f.era < h.until
  UNION ALL
  SELECT a.drive, a.path FROM held_file a JOIN held_file b ON b.drive = a.drive AND b.path = a.path
   WHERE a.pk < b.pk AND max(a.era, b.era) < min(a.until, b.until)
  UNION ALL
  SELECT h.drive, h.path FROM held_folder h JOIN folder f ON f.drive = h.drive AND f.path = h.path WHERE f.era < h.until
  UNION ALL
  SELECT a.drive, a.path FROM held_folder a JOIN held_folder b ON b.drive = a.drive AND b.path = a.path
   WHERE a.pk < b.pk AND max(a.era, b.era) < min(a.until, b.until)`;

const PROBLEMS = [
  {
    problem: "it is held, and no snapshot needs it",
    query: ["held_file", "held_folder"]
      .map(
        (held) => `
          SELECT d.id AS drive, h.path FROM ${held} h JOIN drive d ON d.pk = h.drive
           WHERE d.deleted_at IS NULL AND NOT EXISTS (
             SELECT 1 FROM snapshot s WHERE s.drive = h.drive AND s.number > h.era AND s.number <= h.until)`,
      )
      .join(" UNION ALL "),
  },
  {
    problem: "it is in a snapshot twice",
    query: `SELECT d.id AS drive, t.path FROM (${HELD_AND_FILES}) t JOIN drive d ON d.pk = t.drive
             WHERE d.deleted_at IS NULL`,
  },
  {
    problem: "it is in another folder",
    query: ["held_file", "held_folder"]
      .map(
        (held) => `
          SELECT d.id AS drive, h.path FROM ${held} h JOIN drive d ON d.pk = h.drive
           WHERE d.deleted_at IS NULL AND h.path <> '' AND (
             h.parent IS NULL OR substr(h.path, 1, length(h.parent)) <> h.parent
             OR instr(rtrim(substr(h.path, length(h.parent) + 1), '/'), '/') > 0)`,
      )
      .join(" UNION ALL "),
  },
  {
    problem: "it is from after the newest snapshot",
    query: `SELECT d.id AS drive, f.path FROM file f JOIN drive d ON d.pk = f.drive WHERE f.era > d.era
             UNION ALL SELECT d.id, f.path FROM folder f JOIN drive d ON d.pk = f.drive WHERE f.era > d.era`,
  },
] as const;

/** Of the root of a snapshot, and of all its files. */
const COUNTERS = [
  { what: "files", ofRoot: "file_count", ofFiles: "count(*)" },
  { what: "bytes", ofRoot: "total_size", ofFiles: "ifnull(sum(size), 0)" },
].map(({ what, ofRoot, ofFiles }) =>
  counter(
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
  ),
);

/** What is held for no snapshot, is in one twice, or is not counted in one. */
export const wrongSnapshots = [
  ...PROBLEMS.map(({ problem, query }) =>
    check<PathRow>(
      "snapshot-wrong",
      query,
      ({ drive, path }) => `${quoted(path)} in drive ${drive}: ${problem}`,
    ),
  ),
  ...COUNTERS,
];
