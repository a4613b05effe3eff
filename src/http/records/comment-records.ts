import type { Comment } from "../../domain/comments/comment.ts";
import { present } from "../../domain/errors.ts";
import { formatInstant } from "../../domain/time.ts";
import type { PlacedComment } from "../../services/comments/comment-places.ts";
import type { CommentRecord, PlacedCommentRecord } from "./comment-schemas.ts";
import { actorRecord } from "./records.ts";

export function commentRecord(comment: Comment): CommentRecord {
  const { lines, resolved } = comment;
  return {
    id: comment.id,
    drive_id: comment.driveId,
    file_id: comment.fileId,
    path: present(comment.path, "the file of a comment"),
    reply_to: comment.replyTo,
    version: comment.version,
    start_line: lines?.start ?? null,
    end_line: lines?.end ?? null,
    text: comment.text,
    mentions: comment.mentions,
    by: actorRecord(comment.by),
    resolved_at: resolved === null ? null : formatInstant(resolved.at),
    resolved_by: resolved === null ? null : actorRecord(resolved.by),
    created_at: formatInstant(comment.createdAt),
    updated_at: formatInstant(comment.updatedAt),
  };
}

export function placedCommentRecord({ place, ...comment }: PlacedComment): PlacedCommentRecord {
  return {
    ...commentRecord(comment),
    current_start_line: place.lines?.start ?? null,
    current_end_line: place.lines?.end ?? null,
    outdated: place.isOutdated,
  };
}
