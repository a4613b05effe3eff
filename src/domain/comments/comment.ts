import type { Actor, NamedActor } from "../changes/change.ts";
import { characters } from "../contents/texts/text.ts";
import { invalid } from "../errors.ts";
import type { FilePath } from "../files/path.ts";
import type { CommentId, DriveId, DrivePk, FileId } from "../id.ts";
import { COMMENTS, NAME_CHARACTERS } from "../limits.ts";

/** Lines of a text, counted from 1; both ends are among them. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** What somebody said of a file. Times are milliseconds since the epoch. */
export interface Comment {
  readonly id: CommentId;
  readonly drivePk: DrivePk;
  readonly driveId: DriveId;
  readonly fileId: FileId;
  /** Where its file is; null if nobody sees that: it is in the trash, or has expired. */
  readonly path: FilePath | null;
  /** The comment that it answers, which answers none. */
  readonly replyTo: CommentId | null;
  /** The number of the content that it was made on. */
  readonly version: number;
  /** Of that content; null for the whole file. */
  readonly lines: LineRange | null;
  readonly text: string;
  readonly mentions: readonly string[];
  readonly by: NamedActor;
  /** Of an answer: when that was resolved which it answers. */
  readonly resolved: { readonly at: number; readonly by: NamedActor } | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A new comment, or what changes of one. */
export type NewComment = Omit<Comment, "driveId" | "path" | "by" | "resolved"> & {
  readonly by: Actor;
  readonly resolved: { readonly at: number; readonly by: Actor } | null;
};

/** Controls other than the tab and line ends. */
const CONTROL = /[^\P{Cc}\t\n\r]/u;

/** The text of a comment: some characters, line breaks included, of which one is visible. */
export function parseCommentText(field: string, text: string): string {
  if (!text.isWellFormed() || CONTROL.test(text))
    throw invalid(field, "must be well-formed text without control characters");
  const length = characters(text);
  if (length > COMMENTS.characters || text.trim() === "")
    throw invalid(field, `must have 1 to ${COMMENTS.characters} characters, not only spaces`);
  return text;
}

/** The lines of a comment; null for the whole file. Throws VALIDATION_ERROR. @param end the start, if left out */
export function parseLines(start: number | undefined, end: number | undefined): LineRange | null {
  if (start === undefined && end === undefined) return null;
  if (start === undefined) throw invalid("start_line", "is required with end_line");
  if (end !== undefined && end < start) throw invalid("end_line", "must not be before start_line");
  return { start, end: end ?? start };
}

/** `@name`, or `@"night shift"` for a name with spaces; not what is within a word, such as an address. */
const MENTION = /(?<![\p{L}\p{N}@._+-])@(?:"([^"\n]{1,64})"|([\p{L}\p{N}][\p{L}\p{N}._-]*))/gu;

/** The names that a text mentions, as they are compared: in lower case, each once. */
export function mentionsIn(text: string): string[] {
  const names = new Set<string>();
  for (const [, quoted, word = ""] of text.matchAll(MENTION)) {
    if (word.length > NAME_CHARACTERS) continue;
    // A dot or dash at the end is of the sentence.
    const name = mentionOf(quoted ?? word.replace(/[._-]+$/, ""));
    if (name !== "") names.add(name);
    if (names.size === COMMENTS.mentions) break;
  }
  return [...names];
}

/** A name as mentions have it. */
export function mentionOf(name: string): string {
  return name.trim().toLowerCase();
}

export function isSameActor(a: Actor, b: Actor): boolean {
  return a.kind === b.kind && a.id === b.id;
}
