import { ApiError, call } from "./api/api.ts";
import type { Comment, CommentsPage } from "./api/types.ts";
import { t } from "./words/text.ts";

/** A comment with what answers it. */
export interface Thread {
  readonly first: Comment;
  readonly replies: readonly Comment[];
}

/** Lines of a text, counted from 1. */
export interface Lines {
  readonly start: number;
  readonly end: number;
}

/** What is said, and of which lines; null for the whole file. */
interface Said {
  readonly text: string;
  readonly lines: Lines | null;
  readonly replyTo: string | null;
}

const LIMIT = "100";

/** All comments on a file, oldest first: there are not many. */
export async function listComments(file: string, signal: AbortSignal): Promise<readonly Comment[]> {
  const all: Comment[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: LIMIT, ...(cursor === null ? {} : { cursor }) });
    const page: CommentsPage = await call("GET", `/v0/files/${file}/comments?${query}`, { signal });
    all.push(...page.data);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all;
}

export async function addComment(
  file: string,
  { text, lines, replyTo }: Said,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const place = lines === null ? {} : { start_line: lines.start, end_line: lines.end };
  const body = { text, ...place, ...(replyTo === null ? {} : { reply_to: replyTo }) };
  await call("POST", `/v0/files/${file}/comments`, { body, headers });
}

/** Resolves a comment with all its replies, or opens it again. */
export async function resolveComment(id: string, resolved: boolean): Promise<void> {
  await call("PATCH", `/v0/comments/${id}`, { body: { resolved }, untilAnswered: true });
}

export async function deleteComment(id: string): Promise<void> {
  await call("DELETE", `/v0/comments/${id}`, { untilAnswered: true });
}

/** Comments with their replies: what is open in the order of its lines, and what is resolved, the last first. */
export function threadsOf(comments: readonly Comment[]): Record<"open" | "resolved", readonly Thread[]> {
  const threads = comments
    .filter((each) => each.reply_to === null)
    .map((first) => ({ first, replies: comments.filter((each) => each.reply_to === first.id) }));
  const place = ({ first }: Thread) => first.current_start_line ?? 0;
  const open = threads.filter(({ first }) => first.resolved_at === null);
  const resolved = threads.filter(({ first }) => first.resolved_at !== null);
  return { open: open.toSorted((a, b) => place(a) - place(b)), resolved: resolved.toReversed() };
}

/** Where the open ones are now. */
export function linesOf(threads: readonly Thread[]): readonly Lines[] {
  return threads.flatMap(({ first: { current_start_line: start, current_end_line: end } }) =>
    start === null || end === null ? [] : [{ start, end }],
  );
}

/** What a comment is about, in words; empty for the whole file. */
export function placeInWords(comment: Comment): string {
  const { current_start_line: start, current_end_line: end, start_line: was, end_line: wasEnd } = comment;
  if (start !== null && end !== null) {
    const now = { line: String(start), end: String(end) };
    return start === end ? t("Line {line}", now) : t("Lines {line}–{end}", now);
  }
  if (was === null || wasEnd === null) return "";
  const then = { line: String(was), end: String(wasEnd), version: String(comment.version) };
  const isOne = was === wasEnd;
  if (comment.outdated === true)
    return isOne ? t("On line {line}, since removed", then) : t("On lines {line}–{end}, since removed", then);
  return isOne
    ? t("On line {line} of version {version}", then)
    : t("On lines {line}–{end} of version {version}", then);
}

/** The lines that somebody typed, as `12` or `12-15`; null for none. Throws ApiError for anything else. */
export function typedLines(text: string): Lines | null {
  if (text.trim() === "") return null;
  const [, start, end = start] = /^\s*(\d{1,9})\s*(?:[-–]\s*(\d{1,9})\s*)?$/.exec(text) ?? [];
  if (start === undefined)
    throw new ApiError(
      400,
      "VALIDATION_ERROR",
      t("Give one line, such as 12, or several, such as 12-15."),
      "lines",
    );
  return { start: Number(start), end: Number(end) };
}
