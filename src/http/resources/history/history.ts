import { Type } from "@sinclair/typebox";
import { CHANGE_MESSAGE } from "../../operation/change-message.ts";
import { operation, tagged } from "../../operation/route.ts";
import { DIFF_BYTES, DIFF_TEXT_BYTES, MIB } from "../../../domain/limits.ts";
import { contentAnswer } from "../../content/answer.ts";
import { ETAG, IF_MATCH, preconditionOf } from "../../content/conditions.ts";
import { numberCursor, trashCursor } from "../../operation/cursor.ts";
import { fileOperation, fileWrite } from "../../operation/file-route.ts";
import {
  trashEntrySchema,
  type TrashPage,
  trashSchema,
  type VersionDiffRecord,
  versionDiffSchema,
  versionsSchema,
} from "../../records/history-schemas.ts";
import { fileSchema } from "../../records/record-schemas.ts";
import { trashRecord, versionRecord } from "../../records/records.ts";
import * as t from "../../operation/schema.ts";
import { OWN_CONTENT } from "../contents/downloads.ts";
import { fileAnswerOf } from "../files/files.ts";
import type { Parts } from "../parts.ts";
import { counted } from "../../../domain/contents/texts/text.ts";
import type { EmptiedTrash, RestoredEntry } from "../../../services/history/trash.ts";
import { given, required } from "../../operation/query.ts";
import { asJson, deletedRecord, type JsonAnswer, write } from "../../operation/write.ts";

const versionParams = Type.Object({ n: t.text("The number of the version.", "1") });

const labelledVersion = t.withExample(
  Type.Object({
    version: Type.Integer({ description: "The number of the version." }),
    label: t.nullableText("Its label; null for none."),
  }),
  { version: 1, label: "approved" },
);

function contentNumber(note: string) {
  return Type.Integer({
    minimum: 1,
    maximum: 1_000_000_000,
    description: `The number of a version, or of the content that the file has now. ${note}`,
  });
}

export function versions({ versions: service, versionDiffs, files }: Parts) {
  return tagged("Versions", [
    fileOperation("GET", "/versions", {
      operationId: "listVersions",
      summary: "List versions",
      description:
        "Returns the contents that the file had before its present one, newest first. Uploads that replace the content, edits and restored versions make one; changes of the record alone make none. A key that is limited to a folder sees those that were made while the file was in there. They are kept for some days, and only so many of each file: see `GET /v0/account/usage` for the room that they take.",
      query: Type.Object({ limit: t.paging.limit, cursor: t.cursor() }),
      answers: { description: "A page of versions.", json: versionsSchema },
      handle: ({ query, caller }, file) => {
        const before = numberCursor.read(query.cursor);
        const found = service.list(caller, file, { limit: query.limit, before });
        return Response.json({
          data: found.versions.map(versionRecord),
          total: found.total,
          current_version: found.current.version,
          current_label: found.current.label,
          current_message: found.current.message,
          next_cursor: numberCursor.write(found.nextBefore),
        });
      },
    }),
    fileOperation("GET", "/versions/:n/download", {
      ...OWN_CONTENT,
      operationId: "downloadVersion",
      summary: "Download a version",
      description:
        "Returns an earlier content of the file, as `GET /v0/files/{id}/download` does the present one. That one has a number too, the `current_version` of the list.",
      params: versionParams,
      handle: (input, ref) => {
        const { caller, params } = input;
        const file = service.fileAt(caller, ref, params.n);
        const mayGoOn = () => files.mayGoOn(caller, file);
        return contentAnswer(files, input, file, { isForAnyPage: false, mayGoOn });
      },
    }),
    fileOperation("GET", "/diff", {
      operationId: "compareVersions",
      summary: "Compare versions",
      description: `Shows how the text of a file changed, as a unified diff of up to ${DIFF_BYTES / 1024} KiB. Texts of up to ${DIFF_TEXT_BYTES / MIB} MiB are compared, line by line; where they differ too much, all that differs is shown as one change.`,
      query: Type.Object({
        from: Type.Optional(contentNumber("Default: the newest version.")),
        to: Type.Optional(contentNumber("Default: the content that the file has now.")),
      }),
      answers: {
        description: "What changed.",
        json: versionDiffSchema,
        example: {
          from: 1,
          to: 2,
          diff: "--- a/notes/hello.txt\n+++ b/notes/hello.txt\n@@ -1,1 +1,1 @@\n-Hello!\n+Hello World!\n",
          diff_cut: false,
        },
      },
      errors: ["PAYLOAD_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE", "EXTRACTION_FAILED"],
      handle: async ({ query, caller, context }, file) => {
        const compared = { from: query.from, to: query.to };
        const { from, to, diff } = await versionDiffs.compare(caller, file, compared, context.client);
        return Response.json({ from, to, diff: diff.text, diff_cut: diff.isCut } satisfies VersionDiffRecord);
      },
    }),
    fileWrite("POST", "/versions/:n/restore", {
      operationId: "restoreVersion",
      summary: "Restore a version",
      description:
        "Gives the file this content and its type again. Path, tags, metadata and expiry stay. The content that it has now becomes a version, so this can be undone in the same way.",
      params: versionParams,
      headers: { ...IF_MATCH, ...CHANGE_MESSAGE },
      answers: { description: "The file's record.", json: fileSchema, headers: ETAG },
      perform: ({ request, params, caller }, file, reply) =>
        service.restore(caller, file, params.n, preconditionOf(request), reply.with(fileAnswerOf)),
    }),
    fileWrite("PUT", "/versions/:n/label", {
      operationId: "labelVersion",
      summary: "Label a version",
      description:
        "Gives a version a short name, such as `approved`: it has one at most, and another version of the file that has this name loses it. `n` may also be the `current_version`: its label stays with that content when another takes its place. A label does not change how long a version is kept: it goes with it.",
      params: versionParams,
      headers: CHANGE_MESSAGE,
      body: Type.Object({ label: t.text("1 to 64 characters after trimming.", "approved") }),
      example: { label: "approved" },
      answers: { description: "The version's label.", json: labelledVersion },
      perform: ({ params, body, caller }, file, reply) =>
        service.label(caller, file, params.n, body.label, reply.with(asJson((version) => version))),
    }),
    fileWrite("DELETE", "/versions/:n/label", {
      operationId: "unlabelVersion",
      summary: "Remove the label of a version",
      description: "Removes the label alone. A version without one stays as it is.",
      params: versionParams,
      headers: CHANGE_MESSAGE,
      answers: { description: "The version, without a label.", json: labelledVersion },
      perform: ({ params, caller }, file, reply) =>
        service.label(caller, file, params.n, null, reply.with(asJson((version) => version))),
    }),
    fileWrite("DELETE", "/versions/:n", {
      operationId: "deleteVersion",
      summary: "Delete a version",
      description: "Removes an earlier content for good. The file stays as it is.",
      params: versionParams,
      answers: {
        description: "The version is deleted.",
        json: Type.Object({
          version: Type.Integer({ description: "The number of the deleted version." }),
          deleted: Type.Literal(true),
        }),
      },
      perform: ({ params, caller }, file, reply) =>
        service.remove(caller, file, params.n, reply.with(asJson((version) => ({ version, deleted: true })))),
    }),
  ]);
}

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

export function trash({ trash: service }: Parts) {
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
    write("DELETE", "/v0/trash/:id", {
      operationId: "deleteTrashEntry",
      summary: "Delete an entry of the trash for good",
      params: entry,
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

function emptiedAnswer({ entries }: EmptiedTrash): JsonAnswer {
  return { json: { success: true, deleted_count: entries } };
}

function previewAnswer({ driveId, entries }: EmptiedTrash): JsonAnswer {
  const message = `Send the same with confirm: true to delete ${counted(entries, "entry", "entries")} for good. Nothing was deleted.`;
  return { json: { success: false, deleted_count: 0, drive_id: driveId, entry_count: entries, message } };
}
