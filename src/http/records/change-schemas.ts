import { Type } from "@sinclair/typebox";
import { CHANGE_TYPES } from "../../domain/changes/change-types.ts";
import { actorSchema, snapshotSchema } from "./history-schemas.ts";
import * as t from "../operation/schema.ts";
import { fileSchema } from "./record-schemas.ts";

// The dashboard takes its types from here, as from `record-schemas.ts`.

const content = (description: string) =>
  t.nullable(
    Type.Object(
      {
        content_hash: t.text("`sha256:` and the SHA-256 of the content in hex."),
        size: t.count("Bytes."),
      },
      { description },
    ),
  );

const file = t.exampleOf(fileSchema);

export const changeSchema = t.record(
  "Change",
  {
    id: t.text("The change's identifier, and the `cursor` after it."),
    type: t.oneOf(CHANGE_TYPES, { description: "What happened." }),
    drive_id: t.id("The drive in which it happened."),
    path: t.text(
      "The file or, with a `/` at its end, the folder; empty for the whole drive.",
      "notes/2030/plan.md",
    ),
    previous_path: t.nullableText("Where it was before, or what was copied; null if not in this drive."),
    file_id: t.nullableId("The file; null for other things."),
    before: content("The content that the file had; null if there was none."),
    after: content("The content that it has; null if there is none."),
    file_count: t.nullable(t.count("How many files a change of a folder, or a batch, was about, if known.")),
    version: t.nullable(Type.Integer({ description: "The file's version after the change." })),
    ref: t.nullableText(
      "The trash entry, snapshot, comment, link, user or batch that the change was about; the label that a version was given.",
    ),
    batch_id: t.nullableId(
      "The batch that it is part of, or, for `files.*`, that it sums up; null if it was made alone.",
    ),
    by: t.nullable(actorSchema),
    message: t.nullableText("Why, as far as who did it has said."),
    at: t.time("When it happened."),
  },
  {
    id: "NDIKMTg5NTkxMTIwMDAwMA",
    type: "file.created",
    drive_id: file.drive_id,
    path: file.path,
    file_id: file.id,
    after: { content_hash: file.content_hash, size: file.size },
    version: 1,
    by: { type: "key", id: "01976f5e-4b21-7000-8000-5d7c9e1f3a2b", name: "Agent" },
  },
);

export type ChangeRecord = t.RecordOf<typeof changeSchema>;

const doingsSchema = Type.Object({
  by: t.nullable(actorSchema),
  written: t.count("How many files. One that was written twice counts once."),
  deleted: t.count("How many files."),
  moved: t.count("How many files."),
  other: t.count("How many other things: comments, links, members, snapshots and so on."),
});

export type DoingsRecord = t.RecordOf<typeof doingsSchema>;

/** What others did in a drive since a person was there. */
export const newsSchema = t.record(
  "DriveNews",
  {
    drive_id: t.id("The drive."),
    since: t.time("When the person was there."),
    has_more: Type.Boolean({
      description: "Whether there is more than is told here: it is older than what is kept, or too much.",
    }),
    doings: Type.Array(doingsSchema, { description: "Of each who did something, the last first." }),
    marked: t.nullable(
      Type.Array(
        Type.Object({
          path: t.text("A folder ends with `/`.", file.path),
          new: Type.Boolean({ description: "Whether it was not there before; else it has changed." }),
        }),
        { description: "What is there of it now; null in a list of all drives." },
      ),
    ),
  },
  {
    drive_id: file.drive_id,
    has_more: false,
    doings: [
      {
        by: { type: "key", id: "01976f5e-4b21-7000-8000-5d7c9e1f3a2b", name: "Agent" },
        written: 14,
        deleted: 2,
        moved: 0,
        other: 0,
      },
    ],
  },
);

export type NewsRecord = t.RecordOf<typeof newsSchema>;

export const deliverySchema = t.record(
  "WebhookDelivery",
  {
    id: t.id("The delivery's identifier: the `webhook-id` of its message, the same each time it is sent."),
    type: t.text("The event.", "file.created"),
    state: Type.Union([
      Type.Literal("pending", { description: "It is sent at `next_at`." }),
      Type.Literal("delivered", { description: "It was answered with a status of 2xx." }),
      Type.Literal("failed", { description: "It is not sent again by itself." }),
    ]),
    attempts: t.count("How often it was sent."),
    status: t.nullable(
      Type.Integer({ description: "The status of the last answer; null if there was none." }),
    ),
    error: t.nullableText("What went wrong last; null if nothing."),
    next_at: t.nullable(t.time("When it is sent next; null if it is not.")),
    created_at: t.time("When it was made."),
  },
  {
    id: "01976f5e-5d7a-7000-8000-7a9b5e6f8ca3",
    state: "delivered",
    attempts: 1,
    status: 204,
    created_at: "2030-02-01T08:00:00.000Z",
  },
);

export type DeliveryRecord = t.RecordOf<typeof deliverySchema>;

/** A webhook in responses, without its secret. */
export const webhookSchema = t.record(
  "Webhook",
  {
    id: t.id("The webhook's identifier."),
    url: Type.String({ examples: ["https://agent.example/hook"] }),
    events: Type.Array(Type.String({ examples: ["file.*"] }), { description: "What it is told of." }),
    drive_id: t.nullableId("The only drive it is told of; null for all drives of its owner."),
    created_at: t.time("When it was created."),
    made_by: t.nullableId("The key that made it, with which it goes; null if a person did."),
    disabled_at: t.nullable(t.time("When it was disabled; null while it is enabled.")),
    disabled_reason: t.nullableText("Why it was disabled; null while it is enabled."),
    last_delivery: t.nullable(deliverySchema),
  },
  {
    id: "01976f5e-5d7a-7000-8000-6f8a4d5e7b92",
    events: ["file.*", "folder.deleted"],
    drive_id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
  },
);

export type WebhookRecord = t.RecordOf<typeof webhookSchema>;

const KINDS = ["copy", "move", "delete", "restore", "restore_snapshot", "fork"] as const;

/** A change of a folder that is under way. */
export const workSchema = t.record(
  "Work",
  {
    id: t.id("The work's identifier."),
    kind: t.oneOf(KINDS, { description: "What is done. `restore` is out of the trash." }),
    state: t.oneOf(["running", "undoing"], {
      description: "`undoing`: it failed or was given up, and is being taken back or stopped.",
    }),
    drive_id: t.nullableId(
      "The drive in which it is, or which a copy, move or fork takes from; null if you may not see that.",
    ),
    path: t.nullableText(
      "The folder that is changed or taken from; empty for the whole drive.",
      "notes/2030/",
    ),
    destination_drive_id: t.nullableId(
      "Where a copy or move goes; null for others, and if you may not see that.",
    ),
    destination_path: t.nullable(Type.String({ examples: ["archive/2030/"] })),
    step: Type.Integer({ minimum: 1, description: "Which of the `steps` is being done." }),
    steps: Type.Integer({ minimum: 1 }),
    files_done: t.count("Files that have been written or removed so far. Folders alone do not count."),
    files_total: t.nullable(t.count("How many there will be, about; null if not known.")),
    if_cancelled: t.oneOf(["undone", "left"], {
      description: "What becomes of what is done when the work is given up.",
    }),
    created_at: t.time("When it began."),
    created_by: t.nullable(actorSchema),
  },
  {
    id: "01976f5e-7d3a-7000-8000-6e4f2a3b5c7d",
    kind: "copy",
    state: "running",
    drive_id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
    path: "notes/2030/",
    destination_drive_id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
    destination_path: "archive/2030/",
    step: 3,
    steps: 3,
    files_done: 1200,
    files_total: 5000,
    if_cancelled: "undone",
    created_by: t.exampleOf(snapshotSchema).created_by,
  },
);

export type WorkRecord = t.RecordOf<typeof workSchema>;

/** A work as a stream of changes tells of it: also of its end. */
export type ToldWorkRecord = Omit<WorkRecord, "state"> & {
  readonly state: WorkRecord["state"] | "done" | "undone";
};

export const worksSchema = t.pageOf(workSchema, "The number of works on all pages.");
