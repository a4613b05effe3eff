import { Type } from "@sinclair/typebox";
import { actorSchema } from "./history-schemas.ts";
import { id, nextCursor, nullable, type RecordOf, time } from "../operation/schema.ts";

// The dashboard takes its types from here, as from `record-schemas.ts`.

const KINDS = ["copy", "move", "delete", "restore", "restore_snapshot", "fork"] as const;

/** A change of a folder that is under way. */
export const workSchema = Type.Object(
  {
    id: id("The work's identifier."),
    kind: Type.Union(
      KINDS.map((each) => Type.Literal(each)),
      { description: "What is done. `restore` is out of the trash." },
    ),
    state: Type.Union([Type.Literal("running"), Type.Literal("undoing")], {
      description: "`undoing`: it failed or was given up, and is being taken back or stopped.",
    }),
    drive_id: nullable(
      id("The drive in which it is, or which a copy, move or fork takes from; null if you may not see that."),
    ),
    path: nullable(
      Type.String({
        description: "The folder that is changed or taken from; empty for the whole drive.",
        examples: ["notes/2030/"],
      }),
    ),
    destination_drive_id: nullable(
      id("Where a copy or move goes; null for others, and if you may not see that."),
    ),
    destination_path: nullable(Type.String({ examples: ["archive/2030/"] })),
    step: Type.Integer({ minimum: 1, description: "Which of the `steps` is being done." }),
    steps: Type.Integer({ minimum: 1 }),
    files_done: Type.Integer({
      minimum: 0,
      description: "Files that have been written or removed so far. Folders alone do not count.",
    }),
    files_total: nullable(
      Type.Integer({ minimum: 0, description: "How many there will be, about; null if not known." }),
    ),
    if_cancelled: Type.Union([Type.Literal("undone"), Type.Literal("left")], {
      description: "What becomes of what is done when the work is given up.",
    }),
    created_at: time("When it began."),
    created_by: nullable(actorSchema),
  },
  { $id: "Work" },
);

export type WorkRecord = RecordOf<typeof workSchema>;

/** A work as a stream of changes tells of it: also of its end. */
export type ToldWorkRecord = Omit<WorkRecord, "state"> & {
  readonly state: WorkRecord["state"] | "done" | "undone";
};

export const worksSchema = Type.Object({
  data: Type.Array(workSchema),
  total: Type.Integer({ description: "The number of works on all pages." }),
  next_cursor: nextCursor,
});

export type WorksPage = RecordOf<typeof worksSchema>;
