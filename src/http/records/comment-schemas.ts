import { Type } from "@sinclair/typebox";
import { type ActorRecord, actorSchema } from "./history-schemas.ts";
import * as t from "../operation/schema.ts";
import { fileSchema } from "./record-schemas.ts";

// As in `record-schemas.ts`, nothing that uses the runtime may be imported.

const line = (description: string) => t.nullable(Type.Integer({ minimum: 1, description }));

const fields = {
  id: t.id("The comment's identifier."),
  drive_id: t.id("The drive of its file."),
  file_id: t.id("The file that it is on."),
  path: t.text("Where the file is now.", "notes/2030/plan.md"),
  reply_to: t.nullableId("The comment that it answers; null if it answers none."),
  version: Type.Integer({ minimum: 1, description: "The number of the content that it was made on." }),
  start_line: line("The first line of that content that it is about; null for the whole file."),
  end_line: line("The last line."),
  text: Type.String({ examples: ["Is this still right, @ada?"] }),
  mentions: Type.Array(Type.String(), { description: "The names after `@` in the text, in lower case." }),
  by: actorSchema,
  resolved_at: t.nullable(t.time("When it was resolved, or what it answers; null while that is open.")),
  resolved_by: t.nullable(actorSchema),
  created_at: t.time("When it was made."),
  updated_at: t.time("When its text last changed."),
};

const file = t.exampleOf(fileSchema);
const by: ActorRecord = { type: "key", id: "01976f5e-4b21-7000-8000-5d7c9e1f3a2b", name: "Agent" };
const example = {
  id: "01976f5e-7e4b-7000-8000-7f5a3b4c6d8e",
  drive_id: file.drive_id,
  file_id: file.id,
  path: file.path,
  version: 1,
  start_line: 1,
  end_line: 1,
  mentions: ["ada"],
  by,
  resolved_at: null,
};

export const commentSchema = t.record("Comment", fields, example);

export type CommentRecord = t.RecordOf<typeof commentSchema>;

/** With the place in the present content. */
export const placedCommentSchema = t.record(
  "PlacedComment",
  {
    ...fields,
    current_start_line: line(
      "The first of its lines in the content that the file has now; null for the whole file, and where that is not known.",
    ),
    current_end_line: line("The last of them."),
    outdated: t.nullable(
      Type.Boolean({
        description:
          "Whether its lines are gone. Null where that cannot be told: the content that it was made on is not kept, or is too long to compare.",
      }),
    ),
  },
  { ...example, current_start_line: 1, current_end_line: 1, outdated: false },
);

export type PlacedCommentRecord = t.RecordOf<typeof placedCommentSchema>;

export const commentsSchema = t.pageOf(placedCommentSchema, "The number of comments on all pages.");

export type CommentsPage = t.RecordOf<typeof commentsSchema>;
