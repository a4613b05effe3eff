import { setImmediate as nextTurn } from "node:timers/promises";
import type { Within } from "../../db/engine/database.ts";
import { type Actor, actorOf, actorText } from "../../domain/changes/change.ts";
import type { ChangeType } from "../../domain/changes/change-types.ts";
import type { Caller } from "../../domain/accounts/caller.ts";
import { requireWriter } from "../../domain/accounts/roles.ts";
import {
  type Comment,
  isSameActor,
  type LineRange,
  mentionOf,
  mentionsIn,
  parseCommentText,
  parseLines,
} from "../../domain/comments/comment.ts";
import { CofferError, invalid, notFound, orNotFound, present } from "../../domain/errors.ts";
import type { File, FileRef } from "../../domain/files/file.ts";
import { type Precondition, requirePrecondition } from "../../domain/files/precondition.ts";
import { type CommentId, newId, parseId } from "../../domain/id.ts";
import { COMMENTS } from "../../domain/limits.ts";
import type { BlobChecks } from "../contents/blob-checks.ts";
import type { LineIndexes } from "../contents/texts.ts";
import { partOf } from "../files/listings.ts";
import type { Parts } from "../parts.ts";
import { Service } from "../service.ts";
import type { CommentPlaces } from "./comment-places.ts";

/** A comment to add, as sent. */
export interface CommentRequest {
  readonly text: string;
  readonly startLine: number | undefined;
  readonly endLine: number | undefined;
  readonly replyTo: string | undefined;
}

/** What to change of a comment; undefined for what stays. */
interface CommentEdit {
  readonly text: string | undefined;
  readonly resolved: boolean | undefined;
}

/** Which comments of a drive are listed. */
interface DriveRequest {
  readonly drive: string;
  readonly resolved: boolean | undefined;
  readonly mention: string | undefined;
  readonly limit: number;
  /** The comment that the page comes after; null for the first one. */
  readonly before: CommentId | null;
}

/** How many comments are read at once, and looked at for one page: some are of files that the caller does not see. */
const SCANNED = { step: 100, most: 1000 };
/** After every id, and before. */
const [LAST, FIRST] = ["~", ""];

/** What agents and people say of files: who may read a file reads it, who may write there adds to it. */
export class Comments extends Service<
  Pick<Parts, "tables" | "access" | "quota" | "changes" | "clock"> & {
    blobChecks: BlobChecks;
    indexes: LineIndexes;
    places: CommentPlaces;
  }
> {
  /** A page of the comments on a file, oldest first. Throws NOT_FOUND, RATE_LIMITED. @param client see `Slots.take` */
  async ofFile(
    caller: Caller,
    ref: FileRef,
    { limit, after, resolved }: { limit: number; after: CommentId | null; resolved: boolean | undefined },
    client: string,
  ) {
    const file = this.parts.access.file(caller, ref);
    const { comments } = this.parts.tables;
    const which = { file: file.id, resolved: resolved === undefined ? null : flagOf(resolved) };
    const page = { now: this.parts.clock.now(), limit: limit + 1, after: after ?? FIRST };
    const { found, next } = partOf(comments.ofFile({ ...which, ...page }), limit, ({ id }) => id);
    const total = comments.countOf(which);
    return { comments: await this.parts.places.placed(caller, file, found, client), total, next };
  }

  /** A page of the comments in a drive, newest first. May be empty although there are more. Throws NOT_FOUND. */
  async ofDrive(caller: Caller, { drive: reference, resolved, mention, limit, before }: DriveRequest) {
    const drive = this.parts.access.drive(caller, reference);
    const prefix = this.parts.access.prefixOf(caller, drive);
    const isShown = ({ path, resolved: is }: Comment) =>
      path?.startsWith(prefix) === true && (resolved === undefined || resolved === (is !== null));
    const shown: Comment[] = [];
    let last = before;
    for (let scanned = 0; scanned < SCANNED.most; scanned += SCANNED.step) {
      const page = {
        drive: drive.pk,
        now: this.parts.clock.now(),
        limit: SCANNED.step,
        before: last ?? LAST,
      };
      const some = this.#some(page, resolved, mention);
      for (const comment of some) {
        if (shown.length === limit) return { comments: shown, next: last };
        last = comment.id;
        if (isShown(comment)) shown.push(comment);
      }
      if (some.length < SCANNED.step) return { comments: shown, next: null };
      await nextTurn();
    }
    return { comments: shown, next: last };
  }

  #some(
    page: Parameters<Parts["tables"]["comments"]["newest"]>[0],
    resolved: boolean | undefined,
    mention: string | undefined,
  ): Comment[] {
    const { comments } = this.parts.tables;
    if (mention !== undefined) return comments.mentioning({ ...page, name: mentionOf(mention) });
    return resolved === false ? comments.open(page) : comments.newest(page);
  }

  /**
   * Adds a comment on the present content of a file. Throws NOT_FOUND, FORBIDDEN, VALIDATION_ERROR, QUOTA_EXCEEDED,
   * PRECONDITION_FAILED, also if the content changed while its lines were counted; for lines of what is no text
   * UNSUPPORTED_MEDIA_TYPE, EXTRACTION_FAILED.
   */
  async add(
    caller: Caller,
    ref: FileRef,
    { text: sent, startLine, endLine, replyTo }: CommentRequest,
    precondition: Precondition,
    within?: Within<Comment>,
  ): Promise<Comment> {
    const text = parseCommentText("text", sent);
    const lines = parseLines(startLine, endLine);
    if (lines !== null && replyTo !== undefined) throw invalid("start_line", "is not for a reply");
    const seen = lines === null ? null : await this.#requireLines(caller, ref, lines);
    return this.parts.access.write(caller, within, () => {
      const file = this.parts.access.fileToWrite(caller, ref);
      requirePrecondition(precondition, file);
      if (seen !== null && (seen.id !== file.id || seen.version !== file.version))
        throw new CofferError("PRECONDITION_FAILED", "The file was changed meanwhile. Read its lines again.");
      const root = replyTo === undefined ? null : this.#answered(file, replyTo);
      const now = this.parts.clock.now();
      const [id, by] = [newId<CommentId>(now), actorOf(caller)];
      this.#requireRoom(file);
      const { drivePk, version } = file;
      const said = { text, mentions: mentionsIn(text), lines, replyTo: root?.id ?? null };
      const made = { by, createdAt: now, updatedAt: now, resolved: root?.resolved ?? null };
      this.parts.tables.comments.insert({ id, drivePk, fileId: file.id, version, ...said, ...made });
      this.parts.quota.requireRecordRoom(this.parts.access.drive(caller, file.driveId));
      return this.#told("comment.created", by, this.#existing(id));
    });
  }

  /** Changes the text of an own comment; resolves one or opens it again. Throws NOT_FOUND, FORBIDDEN, QUOTA_EXCEEDED. */
  change(caller: Caller, reference: string, { text, resolved }: CommentEdit, within?: Within<Comment>) {
    const parsed = text === undefined ? null : parseCommentText("text", text);
    return this.parts.access.write(caller, within, () => {
      const { comments } = this.parts.tables;
      const comment = this.#toWrite(caller, reference);
      const [now, by] = [this.parts.clock.now(), actorOf(caller)];
      if (parsed !== null && parsed !== comment.text) {
        if (!isSameActor(comment.by, by)) throw notOwn("change its text");
        comments.setText(comment.id, { text: parsed, mentions: mentionsIn(parsed) }, now);
        this.parts.quota.requireRecordRoom(this.parts.access.drive(caller, comment.driveId));
        this.#told("comment.updated", by, comment);
      }
      if (resolved !== undefined && resolved !== (comment.resolved !== null)) {
        comments.setResolved(comment.replyTo ?? comment.id, resolved ? { at: now, by } : null);
        this.#told(resolved ? "comment.resolved" : "comment.updated", by, comment);
      }
      return this.#existing(comment.id);
    });
  }

  /**
   * Removes a comment with what answers it. Its maker may, unless others have answered it, and who manages the drive.
   * Throws NOT_FOUND, FORBIDDEN.
   */
  remove(caller: Caller, reference: string, within?: Within<CommentId>): Promise<CommentId> {
    return this.parts.access.writeFromReserve(caller, within, () => {
      const comment = this.#toWrite(caller, reference);
      const { id, fileId: file, driveId } = comment;
      const by = actorOf(caller);
      if (this.parts.access.drive(caller, driveId).role !== "owner") {
        if (!isSameActor(comment.by, by)) throw notOwn("delete it");
        if (this.parts.tables.comments.isAnswered({ id, file, by: actorText(by) ?? "" }))
          throw new CofferError(
            "FORBIDDEN",
            "Others have answered this comment: only the drive's owner can delete it. Resolve it instead.",
          );
      }
      this.parts.tables.comments.remove({ id, file });
      this.#told("comment.deleted", by, comment);
      return id;
    });
  }

  /** The file, after it was seen that its text has these lines. */
  async #requireLines(caller: Caller, ref: FileRef, { end }: LineRange): Promise<File> {
    const file = this.parts.access.fileToWrite(caller, ref);
    await using content = await this.parts.blobChecks.hold(file);
    const { totalLines } = await this.parts.indexes.of(file, content.blob);
    if (end > totalLines) throw invalid("end_line", `must be at most ${totalLines}, the last line`);
    return file;
  }

  /** What a reply to a comment answers: all that is said to it is one thread. */
  #answered(file: File, reference: string): Comment {
    const comment = this.#find(reference);
    if (comment?.fileId !== file.id) throw invalid("reply_to", "must be the id of a comment on this file");
    return comment.replyTo === null ? comment : this.#existing(comment.replyTo);
  }

  #toWrite(caller: Caller, reference: string): Comment {
    const comment = orNotFound(this.#find(reference), "comment");
    const file = this.parts.access.findFile(caller, { id: comment.fileId });
    if (file === null) throw notFound("comment");
    requireWriter(this.parts.access.roleIn(caller, this.parts.access.drive(caller, file.driveId)));
    return comment;
  }

  #requireRoom({ id }: File): void {
    if (this.parts.tables.comments.countOf({ file: id, resolved: null }) < COMMENTS.file) return;
    throw new CofferError(
      "QUOTA_EXCEEDED",
      `This file already has the maximum of ${COMMENTS.file} comments. Delete some first.`,
    );
  }

  #find(reference: string): Comment | null {
    const id = parseId<CommentId>(reference);
    return id && this.parts.tables.comments.byId({ id, now: this.parts.clock.now() });
  }

  #existing(id: CommentId): Comment {
    return present(this.#find(id), "a comment");
  }

  /** Tells the feed of a comment, and returns it. */
  #told(type: ChangeType & `comment.${string}`, by: Actor, comment: Comment): Comment {
    const { drivePk: drive, fileId, id: ref } = comment;
    const stamp = { now: this.parts.clock.now(), by };
    this.parts.changes.add({
      drive,
      type,
      path: present(comment.path, "the file of a comment"),
      fileId,
      ref,
      stamp,
    });
    return comment;
  }
}

function flagOf(value: boolean): 0 | 1 {
  return value ? 1 : 0;
}

function notOwn(what: string): CofferError {
  return new CofferError("FORBIDDEN", `Only who made a comment can ${what}. Reply to it, or resolve it.`);
}
