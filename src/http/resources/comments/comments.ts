import { Type } from "@sinclair/typebox";
import { COMMENTS } from "../../../domain/limits.ts";
import { IF_MATCH, preconditionOf } from "../../content/conditions.ts";
import { commentCursor } from "../../operation/cursor.ts";
import { fileOperation, fileWrite } from "../../operation/file-route.ts";
import { operation, tagged } from "../../operation/route.ts";
import * as t from "../../operation/schema.ts";
import { asJson, deletedRecord, write } from "../../operation/write.ts";
import { commentSchema, type CommentsPage, commentsSchema } from "../../records/comment-schemas.ts";
import { commentRecord, placedCommentRecord } from "../../records/comment-records.ts";
import type { Parts } from "../parts.ts";

const params = Type.Object({ id: t.id("The comment's identifier.") });
const resolved = Type.Optional(
  Type.Boolean({
    description:
      "Only comments that are resolved, with what answers them (`true`), or that are open (`false`).",
  }),
);
const limit = Type.Integer({ minimum: 1, maximum: COMMENTS.page, default: t.paging.limit.default });
const line = (description: string) => t.optionalNumber(1, description);
const MENTIONS = `\`@name\` in the text mentions the person with that username, or the key or application with that name; a name with spaces stands in quotes: \`@"night shift"\`. Names are compared without regard to case, and need not exist: whoever has one finds what mentions it with \`GET /v0/comments\`. At most ${COMMENTS.mentions} count.`;

export function comments({ comments: service }: Parts) {
  return tagged("Comments", [
    fileOperation("GET", "/comments", {
      operationId: "listComments",
      summary: "List the comments on a file",
      description:
        "Returns what was said of the file, oldest first, replies among them. A comment on lines keeps the content that it was made on; `current_start_line` and `current_end_line` say where these lines are now, as far as they are still there.",
      query: Type.Object({ resolved, limit, cursor: t.cursor() }),
      answers: { description: "A page of comments.", json: commentsSchema },
      handle: async ({ query, caller, context }, file) => {
        const page = {
          limit: query.limit,
          after: commentCursor.read(query.cursor),
          resolved: query.resolved,
        };
        const found = await service.ofFile(caller, file, page, context.client);
        return Response.json({
          data: found.comments.map(placedCommentRecord),
          total: found.total,
          next_cursor: commentCursor.write(found.next),
        } satisfies CommentsPage);
      },
    }),
    fileWrite("POST", "/comments", {
      operationId: "addComment",
      summary: "Comment on a file",
      description: `Adds a comment on the file as it is now, on some lines of it, or in reply to another comment. The file itself does not change. A comment goes along when the file is renamed or moved, also to another drive, and into the trash and back; copies are without. ${MENTIONS} A file can have ${COMMENTS.file} comments.`,
      headers: IF_MATCH,
      body: Type.Object({
        text: t.text(`1 to ${COMMENTS.characters} characters.`, "Is this still right, @ada?"),
        start_line: line("The first line that it is about. Default: the whole file."),
        end_line: line("The last line. Default: `start_line`."),
        reply_to: t.optionalText("The `id` of the comment that it answers."),
      }),
      example: { text: t.exampleOf(commentSchema).text },
      answers: { status: 201, description: "The comment.", json: commentSchema },
      errors: ["UNSUPPORTED_MEDIA_TYPE", "EXTRACTION_FAILED", "QUOTA_EXCEEDED"],
      perform: ({ body, caller, request }, file, reply) => {
        const { text, start_line: startLine, end_line: endLine, reply_to: replyTo } = body;
        const sent = { text, startLine, endLine, replyTo };
        return service.add(caller, file, sent, preconditionOf(request), reply.with(asJson(commentRecord)));
      },
    }),
    operation("GET", "/v0/comments", {
      operationId: "listDriveComments",
      summary: "List the comments in a drive",
      description:
        "Returns what was said of the drive's files, newest first. With `mention` it is what agents and people are asked here; with `resolved=false` what is still open. A page looks at 1,000 comments at most: it may have fewer than `limit`, and even none, while `next_cursor` says that there are more.",
      query: Type.Object({
        drive_id: t.driveRef(),
        resolved,
        mention: t.optionalText("Only comments that mention this name.", "ada"),
        limit,
        cursor: t.cursor(),
      }),
      answers: {
        description: "A page of comments.",
        json: Type.Object({ data: Type.Array(commentSchema), next_cursor: t.nextCursor }),
        example: { data: [t.exampleOf(commentSchema)], next_cursor: null },
      },
      handle: async ({ query, caller }) => {
        const { drive_id: drive, cursor } = query;
        const asked = { resolved: query.resolved, mention: query.mention, limit: query.limit };
        const request = { ...asked, drive, before: commentCursor.read(cursor) };
        const { comments: found, next } = await service.ofDrive(caller, request);
        return Response.json({ data: found.map(commentRecord), next_cursor: commentCursor.write(next) });
      },
    }),
    write("PATCH", "/v0/comments/:id", {
      operationId: "updateComment",
      summary: "Resolve a comment, or change its text",
      description:
        "Whoever may write to the file may resolve a comment and open it again; to do so with a reply does it with what that answers, and with all its replies. Only who made a comment may change its text.",
      params,
      body: Type.Object({
        text: t.optionalText(`1 to ${COMMENTS.characters} characters.`),
        resolved: t.optionalFlag("Whether it is resolved."),
      }),
      example: { resolved: true },
      answers: { description: "The comment.", json: commentSchema },
      errors: ["QUOTA_EXCEEDED"],
      perform: ({ params: { id }, body, caller }, reply) =>
        service.change(
          caller,
          id,
          { text: body.text, resolved: body.resolved },
          reply.with(asJson(commentRecord)),
        ),
    }),
    write("DELETE", "/v0/comments/:id", {
      operationId: "deleteComment",
      summary: "Delete a comment",
      description:
        "Deletes a comment for good, with its replies. Who made it may, as long as nobody else has replied to it, and the drive's owner.",
      params,
      answers: { description: "The comment is deleted.", json: t.deletedOf("The deleted comment.") },
      perform: ({ params: { id }, caller }, reply) =>
        service.remove(caller, id, reply.with(asJson(deletedRecord))),
    }),
  ]);
}
