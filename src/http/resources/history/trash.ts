import { Type } from "@sinclair/typebox";
import { counted } from "../../../domain/contents/texts/text.ts";
import { BULK_FILES } from "../../../domain/limits.ts";
import type { RestoredEntries } from "../../../services/history/many-entries.ts";
import type { EmptiedTrash, RestoredEntry } from "../../../services/history/trash.ts";
import { CHANGE_MESSAGE } from "../../operation/change-message.ts";
import { trashCursor } from "../../operation/cursor.ts";
import { given, required } from "../../operation/query.ts";
import { operation, tagged } from "../../operation/route.ts";
import * as t from "../../operation/schema.ts";
import { asJson, deletedRecord, type JsonAnswer, write } from "../../operation/write.ts";
import { trashEntrySchema, type TrashPage, trashSchema } from "../../records/history-schemas.ts";
import { fileSchema } from "../../records/record-schemas.ts";
import { trashRecord } from "../../records/records.ts";
import { failureRecord, failureSchema } from "../files/failures.ts";
import type { Parts } from "../parts.ts";

const entry = Type.Object({ id: t.id("The entry's identifier.") });

const restored = Type.Intersect([
  trashEntrySchema,
  Type.Object({
    restored: Type.Literal(true),
    file_id: t.nullableId("The file, which has the id that it had; null for a folder."),
  }),
]);

/** What emptying takes from its query and its body together. */
const emptyRequest = Type.Object({
  drive_id: Type.Optional(t.driveRef()),
  confirm: t.optionalFlag("Whether to delete. Default false."),
});

const outcomeSchema = Type.Object({
  trash_id: t.text("As it was named."),
  status: t.oneOf(["restored", "failed"]),
  path: t.optionalText("Where it is now.", "notes/plan.md"),
  error: Type.Optional(failureSchema),
});

export function trash({ trash: service, manyEntries }: Parts) {
  return tagged("Trash", [
    operation("GET", "/v0/trash", {
      operationId: "listTrash",
      summary: "List the trash",
      description:
        "Returns what was deleted, newest first. A deleted folder is one entry, with everything that was in it; it is in the list once all of that is. With a `prefix`, a page looks at 10,000 entries at most: it may have fewer than `limit`, and even none, while `next_cursor` says that there are more.",
      query: Type.Object({
        drive_id: Type.Optional(t.driveRef("Default: all drives that the key reaches.")),
        prefix: t.prefix,
        limit: t.paging.limit,
        cursor: t.cursor(),
      }),
      answers: { description: "A page of the trash.", json: trashSchema },
      handle: async ({ query, caller }) => {
        const after = trashCursor.read(query.cursor);
        const request = { driveId: query.drive_id, prefix: query.prefix ?? "", limit: query.limit, after };
        const { entries, nextAfter } = await service.list(caller, request);
        return Response.json({
          data: entries.map(trashRecord),
          next_cursor: trashCursor.write(nextAfter),
        } satisfies TrashPage);
      },
    }),
    operation("GET", "/v0/trash/:id", {
      operationId: "getTrashEntry",
      summary: "Get an entry of the trash",
      description:
        "While a large folder is being deleted or restored, its entry has what is in it at the moment.",
      params: entry,
      answers: { description: "The entry.", json: trashEntrySchema },
      handle: ({ params, caller }) => Response.json(trashRecord(service.get(caller, params.id))),
    }),
    write("POST", "/v0/trash/:id/restore", {
      operationId: "restoreTrashEntry",
      headers: CHANGE_MESSAGE,
      summary: "Restore an entry of the trash",
      description:
        "Puts a file or folder back to the path it had, with its id, times, tags, metadata and versions; a folder with everything that was in it. Missing folders are created. If something else is at the path now, it is restored beside it, as `name (restored).ext`; if a file stands where a folder is needed, in a folder `name (restored)/`. The response has the path. A large folder comes back in several steps, and other requests may see a part of it before the response. If the server stops before the end, it all goes into the trash again: repeat the request.",
      params: entry,
      bodyOptional: true,
      body: Type.Object({
        path: t.optionalText(
          "Where to restore it to, instead of the path it had. Must be free. A folder's ends with `/`; a file's that ends with `/` keeps the filename.",
          "notes/plan.md",
        ),
      }),
      answers: {
        description: "The restored entry, with the path where it is now.",
        json: restored,
        example: { ...t.exampleOf(trashEntrySchema), restored: true, file_id: t.exampleOf(fileSchema).id },
      },
      errors: ["CONFLICT"],
      perform: ({ params, body, caller }, reply) =>
        service.restore(caller, params.id, body.path, reply.with(restoredAnswer)),
    }),
    write("POST", "/v0/trash/restore", {
      operationId: "restoreTrashEntries",
      headers: CHANGE_MESSAGE,
      summary: "Restore many entries of the trash",
      description:
        "Restores each of these entries as `POST /v0/trash/{id}/restore` does, each with an outcome of its own: what fails stops no other. All of it is one batch. If the server stops in between, repeat the request.",
      body: Type.Object({
        trash_ids: Type.Array(Type.String(), {
          minItems: 1,
          maxItems: BULK_FILES,
          description: `At most ${BULK_FILES}.`,
        }),
      }),
      example: { trash_ids: [t.exampleOf(trashEntrySchema).id] },
      answers: {
        description: "What became of each.",
        json: Type.Object({
          results: Type.Array(outcomeSchema, { description: "In the order in which they were named." }),
          restored: t.count("How many were restored."),
          failed: t.count("How many could not be restored."),
          batch_id: t.nullableId("All of it, to undo it with `POST /v0/undo`; null if nothing was restored."),
        }),
      },
      errors: ["QUOTA_EXCEEDED"],
      perform: ({ body, caller }, reply) =>
        manyEntries.restore(caller, body.trash_ids, reply.with(asJson(outcomesRecord))),
    }),
    write("DELETE", "/v0/trash/:id", {
      operationId: "deleteTrashEntry",
      summary: "Delete an entry of the trash for good",
      params: entry,
      audited: true,
      answers: {
        description: "It is deleted for good.",
        json: t.deletedOf("The deleted entry."),
      },
      perform: ({ params, caller }, reply) =>
        service.remove(caller, params.id, reply.with(asJson(({ id: gone }) => deletedRecord(gone)))),
    }),
    write("DELETE", "/v0/trash", {
      operationId: "emptyTrash",
      summary: "Empty the trash of a drive",
      description:
        "Deletes everything in the trash of a drive for good. This has two steps: without `confirm: true` nothing is deleted, and the response, also a 200, has `success: false` and the number of entries that would be; send the same with `confirm: true` to delete them.\n\n`drive_id` and `confirm` are taken from the query or from the body: many clients send no body with DELETE. 400 is returned if both have one and they differ.",
      query: emptyRequest,
      bodyOptional: true,
      body: emptyRequest,
      example: { drive_id: t.exampleOf(trashEntrySchema).drive_id },
      audited: true,
      answers: {
        description: "What would be deleted; with `confirm`, what was deleted.",
        json: Type.Union([
          Type.Object({
            success: Type.Literal(false),
            deleted_count: Type.Literal(0),
            drive_id: t.id("The drive."),
            entry_count: Type.Integer({ description: "Entries that would be deleted." }),
            message: Type.String(),
          }),
          Type.Object({
            success: Type.Literal(true),
            deleted_count: Type.Integer({ description: "Entries that were deleted." }),
          }),
        ]),
        example: { success: true, deleted_count: 3 },
      },
      perform: ({ query, body, caller }, reply) => {
        const driveId = required("drive_id", query.drive_id, body.drive_id);
        return given("confirm", query.confirm, body.confirm) === true
          ? service.empty(caller, driveId, reply.with(emptiedAnswer))
          : service.previewEmptying(caller, driveId, reply.with(previewAnswer));
      },
    }),
  ]);
}

function restoredAnswer({ entry: was, place, fileId }: RestoredEntry): JsonAnswer {
  return { json: { ...trashRecord({ ...was, ...place }), restored: true, file_id: fileId } };
}

function outcomesRecord({ each, batch }: RestoredEntries) {
  const results = each.map(({ id, path, error }) =>
    error === null
      ? { trash_id: id, status: "restored" as const, path }
      : { trash_id: id, status: "failed" as const, error: failureRecord(error) },
  );
  const failed = results.filter(({ status }) => status === "failed").length;
  return { results, restored: results.length - failed, failed, batch_id: batch };
}

function emptiedAnswer({ entries }: EmptiedTrash): JsonAnswer {
  return { json: { success: true, deleted_count: entries } };
}

function previewAnswer({ driveId, entries }: EmptiedTrash): JsonAnswer {
  const message = `Send the same with confirm: true to delete ${counted(entries, "entry", "entries")} for good. Nothing was deleted.`;
  return { json: { success: false, deleted_count: 0, drive_id: driveId, entry_count: entries, message } };
}
