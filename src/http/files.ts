import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { BULK_DELETE_IDS, PAGE_LIMIT, PAGE_LIMIT_DEFAULT } from "../domain/limits.ts";
import type { File } from "../domain/file.ts";
import type { Destination, Files } from "../services/files.ts";
import type { Listings } from "../services/listings.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { exampleFile } from "./examples.ts";
import { operation } from "./operation.ts";
import { IF_MATCH, preconditionOf } from "./preconditions.ts";
import { fileRecord, fileSchema } from "./records.ts";
import { driveRef, id, integer, nullable, timeInput } from "./schema.ts";

const fileParams = Type.Object({ id: id("The file's identifier.") });
const fileAnswer = { description: "The file's record.", json: fileSchema, example: exampleFile };

const listQuery = Type.Object({
  drive_id: driveRef(),
  prefix: Type.Optional(Type.String({ description: "Only paths that start with it.", examples: ["notes/"] })),
  delimiter: Type.Optional(
    Type.Literal("/", { description: "Stop at the next `/`: files of this level, and its `folders`." }),
  ),
  tags: Type.Optional(
    Type.String({ description: "Only files that carry all of these, separated by commas." }),
  ),
  page: integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  limit: integer({ minimum: 1, maximum: PAGE_LIMIT, default: PAGE_LIMIT_DEFAULT }),
  cursor: Type.Optional(
    Type.String({
      description: "A `next_cursor`: goes on from there, whatever `page` says, at the same cost anywhere.",
    }),
  ),
});

const listAnswer = Type.Object({
  data: Type.Array(fileSchema),
  folders: Type.Optional(
    Type.Array(Type.String(), { description: "Folders at this level; with a delimiter." }),
  ),
  total: Type.Integer({ description: "Files that match, on all pages." }),
  page: Type.Integer(),
  limit: Type.Integer(),
  next_cursor: nullable(Type.String({ description: "Gives the next page; null on the last." })),
});

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

export function files(service: Files, listings: Listings) {
  return new Elysia({ name: "files" })
    .get(
      ...operation(
        "/v0/files",

        {
          operationId: "listFiles",
          tag: "Files",
          summary: "List files",
          description:
            "In path order. With `delimiter=/` only the files directly at the prefix's level are listed and counted, and `folders` names the folders there, empty ones included.",
          query: listQuery,
          answers: [{ status: 200, description: "A page of files.", json: listAnswer }],
          errors: ["NOT_FOUND"],
        },
        ({ query, caller }) => {
          const { page, limit } = query;
          const listing = listings.list(caller, {
            driveId: query.drive_id,
            prefix: query.prefix ?? "",
            grouped: query.delimiter !== undefined,
            tags: splitTags(query.tags),
            page,
            limit,
            after: query.cursor === undefined ? null : decodeCursor(query.cursor),
          });
          return Response.json({
            data: listing.files.map(fileRecord),
            ...(listing.folders === null ? {} : { folders: listing.folders }),
            total: listing.total,
            page,
            limit,
            next_cursor: listing.nextAfter === null ? null : encodeCursor(listing.nextAfter),
          });
        },
      ),
    )
    .get(
      ...operation(
        "/v0/files/:id",

        {
          operationId: "getFile",
          tag: "Files",
          summary: "Get a file's record",
          params: fileParams,
          answers: [{ status: 200, ...fileAnswer, headers: { ETag: "The content's SHA-256." } }],
          errors: ["NOT_FOUND"],
        },
        ({ params, caller }) => {
          const { json, headers } = fileAnswerOf(service.get(caller, params.id));
          return Response.json(json, { headers });
        },
      ),
    )
    .patch(
      ...operation(
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
            metadata: Type.Optional(
              Type.Record(Type.String(), Type.Unknown(), { description: "Replaces all metadata." }),
            ),
            expires_at: Type.Optional(nullable(timeInput("When the file vanishes; null for never."))),
          }),
          answers: [{ status: 200, ...fileAnswer }],
          errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED", "STORAGE_FULL"],
        },
        async ({ params, body, caller, request, reply }) => {
          const { filename, path, tags, metadata, expires_at: expiresAt } = body;
          const changes = { filename, path, tags, metadata, expiresAt };
          const precondition = preconditionOf(request);
          await service.update(caller, params.id, changes, precondition, reply.with(fileAnswerOf));
          return reply.response();
        },
      ),
    )
    .delete(
      ...operation(
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
        async ({ params, caller, request, reply }) => {
          await service.remove(
            caller,
            params.id,
            preconditionOf(request),
            reply.with((file) => ({ json: { id: file.id, deleted: true } })),
          );
          return reply.response();
        },
      ),
    )
    .post(
      ...operation(
        "/v0/files/:id/copy",

        {
          operationId: "copyFile",
          tag: "Files",
          summary: "Copy a file",
          description: "The copy has a new id and no expiry; tags and metadata go along. No bytes are moved.",
          params: fileParams,
          body: destination,
          answers: [{ status: 201, ...fileAnswer }],
          errors: ["NOT_FOUND", "CONFLICT", "QUOTA_EXCEEDED", "STORAGE_FULL"],
        },
        async ({ params, body, caller, reply }) => {
          await service.copy(
            caller,
            params.id,
            destinationOf(body),
            reply.with((file) => ({ ...fileAnswerOf(file), status: 201 })),
          );
          return reply.response();
        },
      ),
    )
    .post(
      ...operation(
        "/v0/files/:id/move",

        {
          operationId: "moveFile",
          tag: "Files",
          summary: "Move a file",
          description: "Within its drive or into another of yours. It keeps its id.",
          params: fileParams,
          headers: IF_MATCH,
          body: destination,
          answers: [{ status: 200, ...fileAnswer }],
          errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED", "STORAGE_FULL"],
        },
        async ({ params, body, caller, request, reply }) => {
          const precondition = preconditionOf(request);
          const to = destinationOf(body);
          await service.move(caller, params.id, to, precondition, reply.with(fileAnswerOf));
          return reply.response();
        },
      ),
    )
    .post(
      ...operation(
        "/v0/files/bulk-delete",

        {
          operationId: "deleteFiles",
          tag: "Files",
          summary: "Delete many files",
          description: "Ids that are not there, or not yours, do not fail the others: `failed` names them.",
          body: Type.Object({
            file_ids: Type.Array(Type.String(), { maxItems: BULK_DELETE_IDS, description: "At most 1,000." }),
          }),
          answers: [
            {
              status: 200,
              description: "What became of each.",
              json: Type.Object({ deleted: Type.Array(Type.String()), failed: Type.Array(Type.String()) }),
            },
          ],
        },
        async ({ body, caller, reply }) => {
          await service.removeMany(
            caller,
            body.file_ids,
            reply.with((removed) => ({ json: removed })),
          );
          return reply.response();
        },
      ),
    );
}

function fileAnswerOf(file: File) {
  return { json: fileRecord(file), headers: { etag: `"${file.digest}"` } };
}

function splitTags(tags: string | undefined): string[] {
  return (tags ?? "")
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}

function destinationOf(body: Static<typeof destination>): Destination {
  return {
    path: body.destination_path,
    driveId: body.destination_drive_id,
    overwrite: body.overwrite ?? false,
  };
}
