import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { BULK_DELETE_IDS } from "../../domain/limits.ts";
import type { File } from "../../domain/file.ts";
import type { Destination, Files } from "../../services/files.ts";
import { exampleFile } from "../operation/examples.ts";
import { operation } from "../operation/operation.ts";
import { ETAG, etagOf, IF_MATCH, preconditionOf } from "../content/etag.ts";
import { fileSchema } from "../operation/record-schemas.ts";
import { fileRecord } from "../operation/records.ts";
import { driveRef, fileParams, id, metadataInput, nullable, timeInput } from "../operation/schema.ts";
import { write } from "../operation/write.ts";

const fileAnswer = {
  description: "The file's record.",
  json: fileSchema,
  headers: ETAG,
  example: exampleFile,
};

const destination = Type.Object({
  destination_path: Type.String({
    description: "Where it goes. A path that ends in `/` keeps the filename.",
    examples: ["archive/plan.md"],
  }),
  destination_drive_id: Type.Optional(driveRef()),
  overwrite: Type.Optional(
    Type.Boolean({ description: "Whether a file that stands there gives way. Default false." }),
  ),
});

/** Records of single files; their contents come by `uploads.ts` and go by `downloads.ts`. */
export function files(service: Files) {
  return new Elysia({ name: "files" })
    .get(
      ...operation(
        "/v0/files/:id",

        {
          operationId: "getFile",
          tag: "Files",
          summary: "Get a file's record",
          params: fileParams,
          answers: [{ status: 200, ...fileAnswer }],
          errors: ["NOT_FOUND"],
        },
        ({ params, caller }) => {
          const { json, headers } = fileAnswerOf(service.get(caller, params.id));
          return Response.json(json, { headers });
        },
      ),
    )
    .patch(
      ...write(
        "/v0/files/:id",

        {
          operationId: "updateFile",
          tag: "Files",
          summary: "Rename, retag or annotate a file",
          description:
            "Fields left out stay as they are. A new `path` brings its last segment as the filename; a new `filename` alone renames the path's last segment with it, where the two were the same.",
          params: fileParams,
          headers: IF_MATCH,
          body: Type.Object({
            filename: Type.Optional(Type.String()),
            path: Type.Optional(Type.String()),
            tags: Type.Optional(Type.Array(Type.String(), { description: "Replace all tags." })),
            metadata: Type.Optional(metadataInput("Replaces all metadata.")),
            expires_at: Type.Optional(nullable(timeInput("When the file vanishes; null for never."))),
          }),
          keptField: "metadata",
          example: { tags: ["greeting"] },
          answers: [{ status: 200, ...fileAnswer }],
          errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
        },
        ({ params, body, caller, request }, reply) => {
          const { filename, path, tags, metadata, expires_at: expiresAt } = body;
          const changes = { filename, path, tags, metadata, expiresAt };
          const precondition = preconditionOf(request);
          return service.update(caller, params.id, changes, precondition, reply.with(fileAnswerOf));
        },
      ),
    )
    .delete(
      ...write(
        "/v0/files/:id",

        {
          operationId: "deleteFile",
          tag: "Files",
          summary: "Delete a file",
          params: fileParams,
          headers: IF_MATCH,
          answers: [
            {
              status: 200,
              description: "It is gone.",
              json: Type.Object({ id: id("The file that was deleted."), deleted: Type.Literal(true) }),
            },
          ],
          errors: ["NOT_FOUND", "PRECONDITION_FAILED"],
        },
        ({ params, caller, request }, reply) =>
          service.remove(
            caller,
            params.id,
            preconditionOf(request),
            reply.with((file) => ({ json: { id: file.id, deleted: true } })),
          ),
      ),
    )
    .post(
      ...write(
        "/v0/files/:id/copy",

        {
          operationId: "copyFile",
          tag: "Files",
          summary: "Copy a file",
          description: "The copy has a new id and no expiry; tags and metadata go along. No bytes are moved.",
          params: fileParams,
          body: destination,
          example: { destination_path: "copies/" },
          answers: [{ status: 201, ...fileAnswer }],
          errors: ["NOT_FOUND", "CONFLICT", "QUOTA_EXCEEDED"],
        },
        ({ params, body, caller }, reply) =>
          service.copy(
            caller,
            params.id,
            destinationOf(body),
            reply.with((file) => ({ ...fileAnswerOf(file), status: 201 })),
          ),
      ),
    )
    .post(
      ...write(
        "/v0/files/:id/move",

        {
          operationId: "moveFile",
          tag: "Files",
          summary: "Move a file",
          description: "Within its drive or into another of yours. It keeps its id.",
          params: fileParams,
          headers: IF_MATCH,
          body: destination,
          example: { destination_path: "archive/" },
          answers: [{ status: 200, ...fileAnswer }],
          errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED"],
        },
        ({ params, body, caller, request }, reply) => {
          const precondition = preconditionOf(request);
          const to = destinationOf(body);
          return service.move(caller, params.id, to, precondition, reply.with(fileAnswerOf));
        },
      ),
    )
    .post(
      ...write(
        "/v0/files/bulk-delete",

        {
          operationId: "deleteFiles",
          tag: "Files",
          summary: "Delete many files",
          description:
            "Ids that are not there, or not yours, do not fail the others: `failed` names them. Some hundred at a time are deleted in one step; where the server is stopped in between, ask again.",
          body: Type.Object({
            file_ids: Type.Array(Type.String(), { maxItems: BULK_DELETE_IDS, description: "At most 1,000." }),
          }),
          example: { file_ids: [exampleFile.id] },
          answers: [
            {
              status: 200,
              description: "What became of each.",
              json: Type.Object({ deleted: Type.Array(Type.String()), failed: Type.Array(Type.String()) }),
            },
          ],
        },
        ({ body, caller }, reply) => {
          // Each id will be in one of the two.
          reply.requireRoom({ json: { deleted: [...new Set(body.file_ids)], failed: [] } });
          return service.removeMany(
            caller,
            body.file_ids,
            reply.with((removed) => ({ json: removed })),
          );
        },
      ),
    );
}

/** A file's record, and the ETag of its content. */
export function fileAnswerOf(file: File) {
  return { json: fileRecord(file), headers: { etag: etagOf(file.digest) } };
}

function destinationOf(body: Static<typeof destination>): Destination {
  return {
    path: body.destination_path,
    driveId: body.destination_drive_id,
    overwrite: body.overwrite ?? false,
  };
}
