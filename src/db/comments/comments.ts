import { actorText, type Actor, namedActor } from "../../domain/changes/change.ts";
import type { Comment, NewComment } from "../../domain/comments/comment.ts";
import { present } from "../../domain/errors.ts";
import type { CommentId, DrivePk, FileId, FilePk } from "../../domain/id.ts";
import { actorColumns, type ActorRow, fileIsAlive } from "../expressions.ts";
import type { Database } from "../engine/database.ts";

interface Row extends Omit<Comment, "lines" | "mentions" | "by" | "resolved">, ActorRow {
  readonly startLine: number | null;
  readonly endLine: number | null;
  readonly mentions: string;
  readonly resolvedAt: number | null;
  readonly resolver: string | null;
  readonly resolverName: string | null;
}

type NewRow = Record<string, string | number | null>;

/** Which comments of a file, after an id; `resolved` is null for all. */
type OfFile = { readonly file: FileId; readonly resolved: 0 | 1 | null };
type Page = { readonly now: number; readonly limit: number };
type OfDrive = Page & { readonly drive: DrivePk; readonly before: string };

const SELECT = `
  SELECT c.id, c.drive AS drivePk, d.id AS driveId, c.file_id AS fileId, f.path, c.reply_to AS replyTo, c.version,
         c.start_line AS startLine, c.end_line AS endLine, c.text, c.mentions, ${actorColumns("c.made_by")},
         c.resolved_at AS resolvedAt, ${actorColumns("c.resolved_by", "resolver")}, c.created_at AS createdAt,
         c.updated_at AS updatedAt`;
const JOINS = `JOIN drive d ON d.pk = c.drive LEFT JOIN file f ON f.id = c.file_id AND ${fileIsAlive(":now")}`;
const OF_FILE = "c.file_id = :file AND (:resolved IS NULL OR (c.resolved_at IS NOT NULL) = :resolved)";
const NEWEST = "c.drive = :drive AND c.id < :before";

/** What is said of files. */
export function comments({ sql }: Database) {
  const insert = sql.write<[NewRow]>(
    `INSERT INTO comment (id, drive, file_id, reply_to, version, start_line, end_line, text, mentions, made_by,
                          resolved_at, resolved_by, created_at, updated_at)
     VALUES (:id, :drive, :file, :replyTo, :version, :startLine, :endLine, :text, :mentions, :by,
             :resolvedAt, :resolvedBy, :createdAt, :updatedAt)`,
  );
  const setText = sql.write<[NewRow]>(
    "UPDATE comment SET text = :text, mentions = :mentions, updated_at = :now WHERE id = :id",
  );
  // What answers a comment is found by the file: it has few.
  const setResolved = sql.write<[NewRow]>(
    `UPDATE comment SET resolved_at = :at, resolved_by = :by
      WHERE file_id = (SELECT file_id FROM comment WHERE id = :id) AND (id = :id OR reply_to = :id)`,
  );
  const list = (from: string, order: string) =>
    sql.all<Row, [OfDrive & { name?: string }], Comment>(
      `${SELECT} FROM ${from} ORDER BY ${order} DESC LIMIT +:limit`,
      fromRow,
    );
  const newest = list(`comment c ${JOINS} WHERE ${NEWEST}`, "c.id");
  const open = list(`comment c ${JOINS} WHERE ${NEWEST} AND c.resolved_at IS NULL`, "c.id");
  const mentioning = list(
    `comment_mention m CROSS JOIN comment c ON c.id = m.comment ${JOINS}
      WHERE m.drive = :drive AND m.name = :name AND m.comment < :before`,
    "m.comment",
  );
  return {
    byId: sql.get<Row, [{ id: CommentId; now: number }], Comment>(
      `${SELECT} FROM comment c ${JOINS} WHERE c.id = :id`,
      fromRow,
    ),
    /** Some comments of a file after an id, oldest first. */
    ofFile: sql.all<Row, [OfFile & Page & { after: string }], Comment>(
      `${SELECT} FROM comment c ${JOINS} WHERE ${OF_FILE} AND c.id > :after ORDER BY c.id LIMIT +:limit`,
      fromRow,
    ),
    countOf: sql.number<[OfFile]>(`SELECT count(*) FROM comment c WHERE ${OF_FILE}`),
    /** How many rows there are of what was said of a file. */
    rowsOf: sql.number<[pk: FilePk]>(
      `SELECT sum(1 + json_array_length(mentions)) FROM comment
        WHERE file_id = (SELECT id FROM file WHERE pk = ?)`,
    ),
    /** Some comments in a drive before an id, newest first; also of files that nobody sees. */
    newest: (page: OfDrive) => newest(page),
    open: (page: OfDrive) => open(page),
    mentioning: (page: OfDrive & { name: string }) => mentioning(page),
    /** Whether somebody else has answered a comment. */
    isAnswered: sql.has<[{ id: CommentId; file: FileId; by: string }]>(
      "SELECT 1 FROM comment WHERE file_id = :file AND reply_to = :id AND made_by <> :by",
    ),
    /** Inside a write. */
    insert: ({ drivePk, fileId, lines, mentions, by, resolved, ...rest }: NewComment) =>
      insert({
        ...rest,
        drive: drivePk,
        file: fileId,
        startLine: lines?.start ?? null,
        endLine: lines?.end ?? null,
        mentions: JSON.stringify(mentions),
        by: actorText(by),
        resolvedAt: resolved?.at ?? null,
        resolvedBy: actorText(resolved?.by ?? null),
      }),
    /** Inside a write. */
    setText: (id: CommentId, { text, mentions }: Pick<NewComment, "text" | "mentions">, now: number) =>
      setText({ id, text, mentions: JSON.stringify(mentions), now }),
    /** Resolves a comment, with what answers it; or opens it again. Inside a write. */
    setResolved: (id: CommentId, resolved: { readonly at: number; readonly by: Actor } | null) =>
      setResolved({ id, at: resolved?.at ?? null, by: actorText(resolved?.by ?? null) }),
    /** Removes a comment with what answers it. */
    remove: sql.write<[{ id: CommentId; file: FileId }]>(
      "DELETE FROM comment WHERE file_id = :file AND (id = :id OR reply_to = :id)",
    ),
    removeSomeOf: sql.removeSome<[drive: DrivePk]>("comment", "drive = ?"),
    removeSomeOfFile: sql.removeSome<[file: FileId]>("comment", "file_id = ?"),
  };
}

function fromRow({ startLine, endLine, resolver, resolverName, resolvedAt, actor, actorName, ...row }: Row) {
  const resolvedBy = namedActor(resolver, resolverName);
  const mentions: string[] = JSON.parse(row.mentions);
  return {
    ...row,
    lines: startLine === null || endLine === null ? null : { start: startLine, end: endLine },
    mentions,
    by: present(namedActor(actor, actorName), "who made a comment"),
    resolved: resolvedAt === null || resolvedBy === null ? null : { at: resolvedAt, by: resolvedBy },
  };
}
