import { Type } from "@sinclair/typebox";
import { actorSchema, snapshotSchema } from "./history-schemas.ts";
import {
  count,
  exampleOf,
  id,
  nullable,
  oneOf,
  pageOf,
  record,
  type RecordOf,
  text,
  time,
} from "../operation/schema.ts";

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
    drive_id: nullable(
      id("The drive in which it is, or which a copy, move or fork takes from; null if you may not see that."),
    ),
    path: nullable(
      text("The folder that is changed or taken from; empty for the whole drive.", "notes/2030/"),
    ),
    destination_drive_id: nullable(
      id("Where a copy or move goes; null for others, and if you may not see that."),
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
