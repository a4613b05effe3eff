import { Type } from "@sinclair/typebox";
import { CHANGE_TYPES } from "../../domain/changes/change-types.ts";
import { actorSchema } from "./history-schemas.ts";
import { id, nullable, type RecordOf, time } from "../operation/schema.ts";

// The dashboard takes its types from here, as from `record-schemas.ts`.

const content = (description: string) =>
  nullable(
    Type.Object(
      {
        content_hash: Type.String({ description: "`sha256:` and the SHA-256 of the content in hex." }),
        size: Type.Integer({ minimum: 0, description: "Bytes." }),
      },
      { description },
    ),
  );

export const changeSchema = Type.Object(
  {
    id: Type.String({ description: "The change's identifier, and the `cursor` after it." }),
    type: Type.Union(
      CHANGE_TYPES.map((each) => Type.Literal(each)),
      { description: "What happened." },
    ),
    drive_id: id("The drive in which it happened."),
    path: Type.String({
      description: "The file or, with a `/` at its end, the folder; empty for the whole drive.",
      examples: ["notes/2030/plan.md"],
    }),
    previous_path: nullable(
      Type.String({ description: "Where it was before, or what was copied; null if not in this drive." }),
    ),
    file_id: nullable(id("The file; null for other things.")),
    before: content("The content that the file had; null if there was none."),
    after: content("The content that it has; null if there is none."),
    file_count: nullable(
      Type.Integer({ minimum: 0, description: "How many files a change of a folder was about, if known." }),
    ),
    version: nullable(Type.Integer({ description: "The file's version after the change." })),
    ref: nullable(
      Type.String({ description: "The trash entry, snapshot, link or user that the change was about." }),
    ),
    by: nullable(actorSchema),
    at: time("When it happened."),
  },
  { $id: "Change" },
);

export type ChangeRecord = RecordOf<typeof changeSchema>;
