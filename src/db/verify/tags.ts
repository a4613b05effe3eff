import { quoted } from "../../domain/upkeep/finding.ts";
import { check } from "./check.ts";

interface TagRow {
  readonly drive: string | null;
  readonly path: string;
  readonly tag: string;
}

const tagOf = ({ drive, path, tag }: TagRow) =>
  `the tag ${quoted(tag)} of file ${quoted(path)} in drive ${drive ?? "(none)"}`;

/** Tags of files that the list of tagged files does not have, and others that it has. */
export const wrongTags = [
  check<TagRow>(
    "tag-wrong",
    `SELECT d.id AS drive, f.path, t.value AS tag FROM file f JOIN drive d ON d.pk = f.drive, json_each(f.tags) t
      WHERE f.tags <> '[]' AND NOT EXISTS (
        SELECT 1 FROM file_tag l WHERE l.drive = f.drive AND l.tag = t.value AND l.path = f.path
           AND l.file = f.pk AND l.updated_at = f.updated_at)`,
    (row) => `${tagOf(row)}: it is not in the list of tagged files`,
  ),
  check<TagRow>(
    "tag-wrong",
    `SELECT d.id AS drive, l.path, l.tag FROM file_tag l LEFT JOIN drive d ON d.pk = l.drive
      WHERE NOT EXISTS (
        SELECT 1 FROM file f, json_each(f.tags) t
         WHERE f.pk = l.file AND f.drive = l.drive AND f.path = l.path AND t.value = l.tag)`,
    (row) => `${tagOf(row)}: it is listed, and the file does not have it`,
  ),
];
