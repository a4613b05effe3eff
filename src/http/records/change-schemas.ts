import { Type } from "@sinclair/typebox";
import { CHANGE_TYPES } from "../../domain/changes/change-types.ts";
import { actorSchema, snapshotSchema } from "./history-schemas.ts";
import {
  count,
  exampleOf,
  id,
  nullable,
  nullableId,
  nullableText,
  oneOf,
  pageOf,
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
    previous_path: nullableText("Where it was before, or what was copied; null if not in this drive."),
    file_id: nullableId("The file; null for other things."),
    before: content("The content that the file had; null if there was none."),
    after: content("The content that it has; null if there is none."),
    file_count: nullable(count("How many files a change of a folder was about, if known.")),
    version: nullable(Type.Integer({ description: "The file's version after the change." })),
    ref: nullableText("The trash entry, snapshot, link or user that the change was about."),
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

// As in `record-schemas.ts`, nothing that uses the runtime may be imported.

/** A webhook in responses, without its secret. */
export const webhookSchema = record(
  "Webhook",
  {
    id: id("The webhook's identifier."),
    url: Type.String({ examples: ["https://agent.example/hook"] }),
    events: Type.Array(Type.String({ examples: ["file.*"] }), { description: "What it is told of." }),
    drive_id: nullableId("The only drive it is told of; null for all drives of its owner."),
    created_at: time("When it was created."),
    made_by: nullableId("The key that made it, with which it goes; null if a person did."),
    disabled_at: nullable(time("When it was disabled; null while it is enabled.")),
    disabled_reason: nullableText("Why it was disabled; null while it is enabled."),
  },
  {
    id: "01976f5e-5d7a-7000-8000-6f8a4d5e7b92",
    url: "https://agent.example/hook",
    events: ["file.*", "folder.deleted"],
    drive_id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
    created_at: "2030-01-31T12:00:00.000Z",
    made_by: null,
    disabled_at: null,
    disabled_reason: null,
  },
);

export type WebhookRecord = RecordOf<typeof webhookSchema>;

export const deliverySchema = record(
  "WebhookDelivery",
  {
    id: id("The delivery's identifier: the `webhook-id` of its message, the same each time it is sent."),
    type: text("The event.", "file.created"),
    state: Type.Union([
      Type.Literal("pending", { description: "It is sent at `next_at`." }),
      Type.Literal("delivered", { description: "It was answered with a status of 2xx." }),
      Type.Literal("failed", { description: "It is not sent again by itself." }),
    ]),
    attempts: count("How often it was sent."),
    status: nullable(Type.Integer({ description: "The status of the last answer; null if there was none." })),
    error: nullableText("What went wrong last; null if nothing."),
    next_at: nullable(time("When it is sent next; null if it is not.")),
    created_at: time("When it was made."),
  },
  {
    id: "01976f5e-5d7a-7000-8000-7a9b5e6f8ca3",
    type: "file.created",
    state: "delivered",
    attempts: 1,
    status: 204,
    error: null,
    next_at: null,
    created_at: "2030-02-01T08:00:00.000Z",
  },
);

export type DeliveryRecord = RecordOf<typeof deliverySchema>;

// The dashboard takes its types from here, as from `record-schemas.ts`.

const KINDS = ["copy", "move", "delete", "restore", "restore_snapshot", "fork"] as const;

/** A change of a folder that is under way. */
export const workSchema = record(
  "Work",
  {
    id: id("The work's identifier."),
    kind: oneOf(KINDS, { description: "What is done. `restore` is out of the trash." }),
    state: oneOf(["running", "undoing"], {
      description: "`undoing`: it failed or was given up, and is being taken back or stopped.",
    }),
    drive_id: nullableId(
      "The drive in which it is, or which a copy, move or fork takes from; null if you may not see that.",
    ),
    path: nullableText("The folder that is changed or taken from; empty for the whole drive.", "notes/2030/"),
    destination_drive_id: nullableId(
      "Where a copy or move goes; null for others, and if you may not see that.",
    ),
    destination_path: nullable(Type.String({ examples: ["archive/2030/"] })),
    step: Type.Integer({ minimum: 1, description: "Which of the `steps` is being done." }),
    steps: Type.Integer({ minimum: 1 }),
    files_done: count("Files that have been written or removed so far. Folders alone do not count."),
    files_total: nullable(count("How many there will be, about; null if not known.")),
    if_cancelled: oneOf(["undone", "left"], {
      description: "What becomes of what is done when the work is given up.",
    }),
    created_at: time("When it began."),
    created_by: nullable(actorSchema),
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
    created_at: "2030-01-31T12:00:00.000Z",
    created_by: exampleOf(snapshotSchema).created_by,
  },
);

export type WorkRecord = RecordOf<typeof workSchema>;

/** A work as a stream of changes tells of it: also of its end. */
export type ToldWorkRecord = Omit<WorkRecord, "state"> & {
  readonly state: WorkRecord["state"] | "done" | "undone";
};

export const worksSchema = pageOf(workSchema, "The number of works on all pages.");

export type WorksPage = RecordOf<typeof worksSchema>;
