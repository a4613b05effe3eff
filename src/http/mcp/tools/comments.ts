import { type Static, Type } from "@sinclair/typebox";
import type { Comment, LineRange } from "../../../domain/comments/comment.ts";
import { formatInstant } from "../../../domain/time.ts";
import * as t from "../../operation/schema.ts";
import * as shown from "../shown.ts";
import { type Call, tool } from "../tool.ts";

const SHOWN = 50;

const input = Type.Object({
  drive_id: shown.driveArgument,
  action: Type.Union([Type.Literal("list"), Type.Literal("add"), Type.Literal("resolve")]),
  path: t.optionalText("The file. Default, to list: all files of the drive."),
  text: t.optionalText("What to say. `@name` mentions a person, key or application."),
  start_line: t.optionalNumber(1, "Of the lines that it is about. Default: the whole file."),
  end_line: t.optionalNumber(1, "Default: start_line."),
  comment_id: t.optionalText("What to resolve; to add, what to reply to."),
  mention: t.optionalText("Without path: lists only what mentions this name."),
});

export const commentTools = [
  tool(
    {
      name: "comments",
      title: "Talk about files with people and other agents",
      description:
        "Notes beside a file or some of its lines, which leave its content alone: ask or tell here what others should know of it. `list` shows those that are open, also what answers them; `add` adds one; `resolve` closes one that is dealt with.",
      needs: "writing",
      reading: ["list"],
      input,
    },
    act,
  ),
];

async function act(call: Call<Static<typeof input>>): Promise<object> {
  const { input: given, caller, services } = call;
  switch (given.action) {
    case "list":
      return list(call);
    case "add": {
      const ref = { drive: call.drive.id, path: shown.needed(given, "path") };
      const { start_line: startLine, end_line: endLine, comment_id: replyTo } = given;
      const said = { text: shown.needed(given, "text"), startLine, endLine, replyTo };
      return one(await services.comments.add(caller, ref, said, shown.preconditionFrom(undefined)));
    }
    case "resolve": {
      const edit = { text: undefined, resolved: true };
      return one(await services.comments.change(caller, shown.needed(given, "comment_id"), edit));
    }
  }
}

async function list({ input: given, caller, drive, services, context }: Call<Static<typeof input>>) {
  const { path, mention } = given;
  if (path === undefined) {
    const request = { drive: drive.id, resolved: false, mention, limit: SHOWN, before: null };
    const { comments, next } = await services.comments.ofDrive(caller, request);
    return many(
      comments.map((each) => commentShown(each, each.lines)),
      next !== null,
    );
  }
  const page = { limit: SHOWN, after: null, resolved: false };
  const ref = { drive: drive.id, path };
  const { comments, next } = await services.comments.ofFile(caller, ref, page, context.client);
  return many(
    comments.map(({ place, ...each }) => ({
      ...commentShown(each, place.lines),
      ...(place.isOutdated === true ? { outdated: true } : {}),
    })),
    next !== null,
  );
}

function one(comment: Comment) {
  return { comments: [commentShown(comment, comment.lines)] };
}

function many(comments: readonly object[], hasMore: boolean) {
  const fitted = shown.fitting(comments);
  return { comments: fitted, ...(hasMore || fitted.length < comments.length ? { is_cut: true } : {}) };
}

function commentShown(comment: Comment, lines: LineRange | null) {
  const { id, path, text, by, replyTo, resolved, createdAt } = comment;
  return {
    id,
    path: path ?? "",
    ...(lines === null ? {} : { lines: `${lines.start}-${lines.end}` }),
    text,
    by: shown.whose(by),
    ...(replyTo === null ? {} : { reply_to: replyTo }),
    ...(resolved === null ? {} : { resolved: true }),
    created_at: formatInstant(createdAt),
  };
}
