import { type Static, Type } from "@sinclair/typebox";
import { CHANGE_MESSAGE } from "../../operation/change-message.ts";
import { tagged } from "../../operation/route.ts";
import type { FileFacts } from "../../../domain/files/file.ts";
import { ON_CONFLICT } from "../../../domain/files/taken.ts";
import type { Destination, Transferred } from "../../../services/files/files.ts";
import { METADATA_BODY } from "../../json/json-body.ts";
import { fileOperation, fileWrite, viewOf } from "../../operation/file-route.ts";
import {
  ETAG,
  etagOf,
  IF_MATCH,
  isRecordNotModified,
  preconditionOf,
  RECORD_ETAG,
  recordEtagOf,
} from "../../content/conditions.ts";
import { fileSchema } from "../../records/record-schemas.ts";
import { fileRecord } from "../../records/records.ts";
import { fieldsIn, fieldsParameter, namesIn, picked } from "../../records/fields.ts";
import * as t from "../../operation/schema.ts";
import type { Parts } from "../parts.ts";

/** The fields of a file's record. */
export const FILE_FIELDS = namesIn(fileSchema);

const fileAnswer = { description: "The file's record.", json: fileSchema, headers: ETAG };
/** The same, with the record's own ETag. */
const recordAnswer = { ...fileAnswer, headers: RECORD_ETAG };

/** What becomes of what would go to a place that is taken. */
export const onConflict = Type.Optional(
  t.oneOf(ON_CONFLICT, {
    description:
      "If the new place is taken: `fail` (the default); `replace`, which puts a file that is there into the trash, but never a folder; `keep_both`, under a name such as `plan (2).md`; `skip`, which leaves it where it is.",
  }),
);

const destination = Type.Object({
  destination_path: t.text("The new path. If it ends with `/`, the filename is kept.", "archive/plan.md"),
  destination_drive_id: Type.Optional(t.driveRef("Default: the same drive.")),
  on_conflict: onConflict,
  overwrite: t.optionalFlag("Means `on_conflict: replace`. Default false."),
});

export function files({ files: service }: Parts) {
  return tagged("Files", [
    fileOperation("GET", "", {
      operationId: "getFile",
      summary: "Get a file",
      query: Type.Object({ snapshot_id: t.inSnapshot, fields: fieldsParameter }),
      headers: { ...IF_MATCH, "If-None-Match": "Return 304 if the record still has this ETag of its own." },
      answers: [
        recordAnswer,
        { status: 304, description: "The client's copy is current.", headers: RECORD_ETAG },
      ],
      handle: ({ caller, request, query }, ref) => {
        const file = service.facts(caller, viewOf(ref, query));
        const fields = fieldsIn(query.fields, FILE_FIELDS);
        const { json, headers } = recordAnswerOf(file);
        return isRecordNotModified(request, file)
          ? new Response(null, { status: 304, headers })
          : Response.json(picked(json, fields), { headers });
      },
    }),
    fileWrite("PATCH", "", {
      operationId: "updateFile",
      summary: "Update a file",
      description:
        "Changes a file's record; omitted fields stay. The filename is the last segment of the path: a new `path` changes it, and a new `filename` changes the path.",
      headers: { ...IF_MATCH, ...CHANGE_MESSAGE },
      body: Type.Object({
        filename: Type.Optional(Type.String()),
        path: Type.Optional(Type.String()),
        tags: t.optionalTexts({ description: "Replaces all tags." }),
        metadata: Type.Optional(t.metadataInput("Replaces all metadata.")),
        expires_at: Type.Optional(
          t.nullable(
            t.timeInput(
              "When the file expires; null for never. An expired file is not in the trash, so editors and keys of a folder cannot let a file expire sooner.",
            ),
          ),
        ),
      }),
      bodyLimits: METADATA_BODY,
      keptField: "metadata",
      example: { tags: ["greeting"] },
      answers: [recordAnswer],
      errors: ["CONFLICT"],
      perform: ({ body, caller, request }, file, reply) => {
        const { filename, path, tags, metadata, expires_at: expiresAt } = body;
        const changes = { filename, path, tags, metadata, expiresAt };
        const precondition = preconditionOf(request);
        return service.update(caller, file, changes, precondition, reply.with(recordAnswerOf));
      },
    }),
    fileWrite("DELETE", "", {
      operationId: "deleteFile",
      summary: "Delete a file",
      description:
        "The file goes into the trash, from where it can be restored until the days to keep deleted files are over.",
      headers: { ...IF_MATCH, ...CHANGE_MESSAGE },
      answers: {
        description: "The file is deleted.",
        json: Type.Object({
          id: t.id("The deleted file."),
          deleted: Type.Literal(true),
          trash_id: t.nullableId("Its entry in the trash; null if this server keeps no deleted files."),
        }),
      },
      perform: ({ caller, request }, file, reply) =>
        service.remove(
          caller,
          file,
          preconditionOf(request),
          reply.with(({ file: { id: removed }, trashId }) => ({
            json: { id: removed, deleted: true, trash_id: trashId },
          })),
        ),
    }),
    fileWrite("POST", "/copy", {
      operationId: "copyFile",
      summary: "Copy a file",
      description:
        "The copy has a new id and no expiry; tags and metadata are copied. The content is not stored twice.",
      headers: { ...IF_MATCH, ...CHANGE_MESSAGE },
      body: destination,
      example: { destination_path: "copies/" },
      answers: { status: 201, ...fileAnswer },
      errors: ["CONFLICT"],
      perform: ({ body, caller, request }, file, reply) =>
        service.copy(
          caller,
          file,
          destinationOf(body),
          preconditionOf(request),
          reply.with(transferredAnswerOf),
        ),
    }),
    fileWrite("POST", "/move", {
      operationId: "moveFile",
      summary: "Move a file",
      description:
        "Moves a file within its drive or to another drive of yours. Out of a drive that is shared with you, you can only copy. Its id stays.",
      headers: { ...IF_MATCH, ...CHANGE_MESSAGE },
      body: destination,
      example: { destination_path: "archive/" },
      answers: [fileAnswer],
      errors: ["CONFLICT"],
      perform: ({ body, caller, request }, file, reply) =>
        service.move(
          caller,
          file,
          destinationOf(body),
          preconditionOf(request),
          reply.with(transferredAnswerOf),
        ),
    }),
  ]);
}

/** A file's record, and the ETag of its content. */
export function fileAnswerOf(file: FileFacts) {
  return { json: fileRecord(file), headers: { etag: etagOf(file.digest) } };
}

function transferredAnswerOf({ file }: Transferred) {
  return fileAnswerOf(file);
}

/** A file's record, and the ETag of the record. */
function recordAnswerOf(file: FileFacts) {
  return { json: fileRecord(file), headers: { etag: recordEtagOf(file) } };
}

function destinationOf(body: Static<typeof destination>): Destination {
  return {
    path: body.destination_path,
    driveId: body.destination_drive_id,
    onConflict: body.on_conflict ?? (body.overwrite === true ? "replace" : "fail"),
  };
}
