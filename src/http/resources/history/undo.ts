import { Type } from "@sinclair/typebox";
import { UNDONE_CHANGES } from "../../../domain/limits.ts";
import { changeCursor } from "../../operation/cursor.ts";
import { invalid } from "../../../domain/errors.ts";
import type { UndoneBatch } from "../../../services/history/batch-undo.ts";
import type { UndoneChange } from "../../../services/history/undo.ts";
import { CHANGE_MESSAGE } from "../../operation/change-message.ts";
import * as t from "../../operation/schema.ts";
import { asJson, write } from "../../operation/write.ts";
import { changeSchema } from "../../records/change-schemas.ts";
import { driveSchema } from "../../records/record-schemas.ts";
import { changeRecord } from "../../records/records.ts";
import type { Parts } from "../parts.ts";
import { failureRecord, failureSchema } from "../files/failures.ts";

/** How many of the changes that could not be undone an answer shows. */
const SHOWN_FAILURES = 100;

const undoneChange = Type.Object({
  path: t.text("Where it is now, or was until it went into the trash.", "notes/plan.md"),
  in_trash: Type.Boolean({ description: "Whether it is in the trash now. To undo again brings it back." }),
  change: changeSchema,
});

const undoneBatch = Type.Object({
  batch_id: t.nullableId(
    "The undoing, which is a batch as well: undo that to redo. Null if nothing was undone.",
  ),
  undone: t.count("How many changes were undone."),
  failed: Type.Array(Type.Object({ path: Type.String(), error: failureSchema }), {
    description: `Those that were not: what they changed is no longer as they left it. At most ${SHOWN_FAILURES} are shown.`,
  }),
  failed_count: t.count("How many there are."),
});

export function undo({ undo: single, batchUndo }: Parts) {
  return write("POST", "/v0/undo", {
    operationId: "undo",
    tag: "Changes",
    summary: "Undo a change, or many",
    headers: CHANGE_MESSAGE,
    description:
      "With `path`, undoes the newest change of a file or folder, whoever made it: a replaced or edited file gets the content back that it had, what was deleted comes back, what was moved goes back, and what was created goes into the trash; a folder only if it holds as many files as then. The same again redoes it: it never goes further back. With `batch_id`, undoes all that one request did to many files, and with `change_ids` some changes of a drive, the newest first: each, if what it changed still is as that left it. Tags, metadata and expiry have no versions, so a change of these alone cannot be undone.",
    body: Type.Object({
      drive_id: t.driveRef(),
      path: t.optionalText(
        "What was changed; a folder ends with `/`. Of what was deleted or moved, the path that it had.",
        "notes/plan.md",
      ),
      batch_id: Type.Optional(t.id("A batch, instead of `path`.")),
      change_ids: t.optionalTexts({
        minItems: 1,
        maxItems: UNDONE_CHANGES,
        description: "The `id`s of changes, instead of `path`.",
      }),
    }),
    example: { drive_id: t.exampleOf(driveSchema).id, path: "notes/2030/plan.md" },
    answers: {
      description: "What was undone.",
      json: Type.Union([undoneChange, undoneBatch]),
      example: { path: "notes/2030/plan.md", in_trash: true, change: t.exampleOf(changeSchema) },
    },
    errors: ["CONFLICT", "GONE", "QUOTA_EXCEEDED"],
    perform: ({ body, caller }, reply) => {
      const { drive_id: drive, path, batch_id: batch, change_ids: changes } = body;
      if (path !== undefined && batch !== undefined)
        throw invalid("batch_id", "must not be sent together with path");
      if (changes !== undefined) {
        if ((path ?? batch) !== undefined)
          throw invalid("change_ids", "must not be sent together with path or batch_id");
        const positions = changes.flatMap((id) => changeCursor.read(id, "change_ids") ?? []);
        return batchUndo.some(caller, drive, positions, reply.with(asJson(batchRecord)));
      }
      if (batch !== undefined) return batchUndo.all(caller, drive, batch, reply.with(asJson(batchRecord)));
      if (path === undefined) throw invalid("path", "is required, or batch_id or change_ids instead");
      return single.last(caller, drive, path, reply.with(asJson(undoneRecord)));
    },
  });
}

function undoneRecord({ path, isTrashed, change }: UndoneChange) {
  return { path, in_trash: isTrashed, change: changeRecord(change) };
}

function batchRecord({ batch, undone, failed }: UndoneBatch) {
  return {
    batch_id: batch,
    undone,
    failed: failed.slice(0, SHOWN_FAILURES).map(({ path, error }) => ({ path, error: failureRecord(error) })),
    failed_count: failed.length,
  };
}
