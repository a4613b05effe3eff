import { Type } from "@sinclair/typebox";
import { CHANGE_TYPES } from "../../domain/changes/change-types.ts";
import { actorSchema } from "./history-schemas.ts";
import {
  count,
  exampleOf,
  id,
  nullable,
  oneOf,
  record,
  type RecordOf,
  text,
  time,
} from "../operation/schema.ts";
import { fileSchema } from "./record-schemas.ts";

// The dashboard takes its types from here, as from `record-schemas.ts`.

const content = (description: string) =>
  nullable(
    Type.Object(
      {
        content_hash: text("`sha256:` and the SHA-256 of the content in hex."),
        size: count("Bytes."),
      },
      { description },
    ),
  );

const file = exampleOf(fileSchema);

export const changeSchema = record(
  "Change",
  {
    id: text("The change's identifier, and the `cursor` after it."),
    type: oneOf(CHANGE_TYPES, { description: "What happened." }),
    drive_id: id("The drive in which it happened."),
    path: text(
      "The file or, with a `/` at its end, the folder; empty for the whole drive.",
      "notes/2030/plan.md",
    ),
    previous_path: nullable(text("Where it was before, or what was copied; null if not in this drive.")),
    file_id: nullable(id("The file; null for other things.")),
    before: content("The content that the file had; null if there was none."),
    after: content("The content that it has; null if there is none."),
    file_count: nullable(count("How many files a change of a folder was about, if known.")),
    version: nullable(Type.Integer({ description: "The file's version after the change." })),
    ref: nullable(text("The trash entry, snapshot, link or user that the change was about.")),
    by: nullable(actorSchema),
    at: time("When it happened."),
  },
  {
    id: "NDIKMTg5NTkxMTIwMDAwMA",
    type: "file.created",
    drive_id: file.drive_id,
    path: file.path,
    previous_path: null,
    file_id: file.id,
    before: null,
    after: { content_hash: file.content_hash, size: file.size },
    file_count: null,
    version: 1,
    ref: null,
    by: { type: "key", id: "01976f5e-4b21-7000-8000-5d7c9e1f3a2b", name: "Agent" },
    at: file.created_at,
  },
);

export type ChangeRecord = RecordOf<typeof changeSchema>;
