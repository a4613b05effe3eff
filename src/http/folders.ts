import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  FOLDER_COPY,
  FOLDER_MOVE,
  MIB,
  PATH_BYTES,
  type TransferBounds,
  UNCLAIMED_COPIED_FILES,
} from "../domain/limits.ts";
import type { FolderDestination, FolderPreview, Folders, ShownFolder } from "../services/folders.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";
import { operation } from "./operation.ts";
import { folderRecord, folderSchema } from "./records.ts";
import type { JsonAnswer } from "./reply.ts";
import { cursor, driveRef, nextCursor, pageFacts, paging } from "./schema.ts";

const folderPath = Type.String({ description: "Ends with `/`.", examples: ["notes/2030/"] });
const exampleFolder = {
  drive_id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
  path: "notes/2030/",
  file_count: 12,
  total_size: 49152,
  has_folders: true,
  created_at: "2030-01-31T12:00:00.000Z",
};

const transfer = Type.Object({
  drive_id: driveRef(),
  path: folderPath,
  destination_path: Type.String({
    description: "The folder's whole new path, its own name included. Ends with `/`.",
    examples: ["archive/2030/"],
  }),
  destination_drive_id: Type.Optional(driveRef()),
});

const listQuery = Type.Object({
  drive_id: driveRef(),
  path: Type.Optional(
    Type.String({
      description: "The folder to look into, ending with `/`. Empty or left out: the drive's root.",
      examples: ["notes/"],
    }),
  ),
  ...paging,
  cursor: cursor(),
});

const listAnswer = Type.Object({
  data: Type.Array(folderSchema),
  ...pageFacts("Folders directly in the folder, on all pages."),
  next_cursor: nextCursor,
});

/** Folders: listed, made, moved, copied and deleted with all that is in them. */
export function folders(service: Folders) {
  return new Elysia({ name: "folders" })
    .get(
      ...operation(
        "/v0/folders",

        {
          operationId: "listFolders",
          tag: "Folders",
          summary: "List the folders in a folder",
          description:
            "Those directly in it, in path order, empty ones included. Each says how many files and bytes are in it and below, and whether there are folders in it to go on with. The files of a folder are at `GET /v0/files` with `delimiter=/`.",
          query: listQuery,
          answers: [
            {
              status: 200,
              description: "A page of folders.",
              json: listAnswer,
              example: { data: [exampleFolder], total: 1, page: 1, limit: 50, next_cursor: null },
            },
          ],
          errors: ["NOT_FOUND"],
        },
        ({ query, caller }) => {
          const { page, limit } = query;
          const listing = service.list(caller, {
            driveId: query.drive_id,
            path: query.path ?? "",
            page,
            limit,
            after: query.cursor === undefined ? null : decodeCursor(query.cursor),
          });
          return Response.json({
            data: listing.folders.map(folderRecord),
            total: listing.total,
            page,
            limit,
            next_cursor: listing.nextAfter === null ? null : encodeCursor(listing.nextAfter),
          });
        },
      ),
    )
    .post(
      ...operation(
        "/v0/folders",

        {
          operationId: "createFolder",
          tag: "Folders",
          summary: "Create a folder",
          description:
            "Missing parents are created. Uploads create the folders they need by themselves; a folder stays until it is deleted, also when its last file goes. For a folder that is there already the answer is 200 with its record.",
          body: Type.Object({ drive_id: driveRef(), path: folderPath }),
          answers: [
            { status: 201, description: "The new folder.", json: folderSchema, example: exampleFolder },
            { status: 200, description: "The folder, which was there already.", json: folderSchema },
          ],
          errors: ["NOT_FOUND", "CONFLICT"],
        },
        async ({ body, caller, reply }) => {
          await service.create(
            caller,
            body.drive_id,
            body.path,
            reply.with((made) => ({ status: made.created ? 201 : 200, json: folderRecord(made) })),
          );
          return reply.response();
        },
      ),
    )
    .post(
      ...operation(
        "/v0/folders/move",

        {
          operationId: "moveFolder",
          tag: "Folders",
          summary: "Move or rename a folder with everything in it",
          description: `Within its drive or into another of yours, all at once or not at all. Of the files only \`path\` changes: ids, times, tags and the links to them stay as they are. ${transferRules(FOLDER_MOVE)}`,
          body: transfer,
          answers: [
            {
              status: 200,
              description: "The folder at its new place.",
              json: folderSchema,
              example: exampleFolder,
            },
          ],
          errors: ["NOT_FOUND", "CONFLICT"],
        },
        async ({ body, caller, reply }) => {
          const answer = reply.with((folder: ShownFolder) => ({ json: folderRecord(folder) }));
          await service.move(caller, body.drive_id, body.path, destinationOf(body), answer);
          return reply.response();
        },
      ),
    )
    .post(
      ...operation(
        "/v0/folders/copy",

        {
          operationId: "copyFolder",
          tag: "Folders",
          summary: "Copy a folder with everything in it",
          description: `Within its drive or into another of yours, all at once or not at all. The copies have new ids and no expiry; tags and metadata go along. No bytes are moved, but the copies count as stored, and in an unclaimed drive folders are copied up to ${UNCLAIMED_COPIED_FILES} files in all. ${transferRules(FOLDER_COPY)}`,
          body: transfer,
          answers: [
            { status: 201, description: "The new folder.", json: folderSchema, example: exampleFolder },
          ],
          errors: ["NOT_FOUND", "CONFLICT", "QUOTA_EXCEEDED"],
        },
        async ({ body, caller, reply }) => {
          const answer = reply.with((folder: ShownFolder) => ({ status: 201, json: folderRecord(folder) }));
          await service.copy(caller, body.drive_id, body.path, destinationOf(body), answer);
          return reply.response();
        },
      ),
    )
    .delete(
      ...operation(
        "/v0/folders",

        {
          operationId: "deleteFolder",
          tag: "Folders",
          summary: "Preview or delete a folder with everything in it",
          description: "Without `confirm: true` nothing is deleted: the answer says how many files would be.",
          body: Type.Object({
            drive_id: driveRef(),
            path: folderPath,
            confirm: Type.Optional(Type.Boolean({ description: "Whether to delete. Default false." })),
          }),
          answers: [
            {
              status: 200,
              description: "What would be deleted or, with `confirm`, what was.",
              json: Type.Union([
                Type.Object({
                  path: folderPath,
                  file_count: Type.Integer({ description: "Files that would be deleted." }),
                  message: Type.String(),
                }),
                Type.Object({
                  success: Type.Literal(true),
                  deleted_count: Type.Integer({ description: "Files that were deleted." }),
                }),
              ]),
              example: { success: true, deleted_count: 12 },
            },
          ],
          errors: ["NOT_FOUND"],
        },
        async ({ body, caller, reply }) => {
          const { drive_id: driveId, path } = body;
          if (body.confirm === true) await service.remove(caller, driveId, path, reply.with(deletedAnswer));
          else await service.preview(caller, driveId, path, reply.with(previewAnswer));
          return reply.response();
        },
      ),
    );
}

function destinationOf(body: Static<typeof transfer>): FolderDestination {
  return { path: body.destination_path, driveId: body.destination_drive_id };
}

function deletedAnswer(count: number): JsonAnswer {
  return { json: { success: true, deleted_count: count } };
}

function previewAnswer({ path, fileCount }: FolderPreview): JsonAnswer {
  const files = fileCount === 1 ? "1 file" : `${fileCount} files`;
  const message = `Nothing was deleted. Send confirm: true to delete this folder and ${files}.`;
  return { json: { path, file_count: fileCount, message } };
}

function transferRules({ entries, tags, paths, metadata }: TransferBounds): string {
  return `Missing parents of \`destination_path\` are made. Nothing gives way: where a folder or a file stands at \`destination_path\`, or that is the folder itself or inside it, the answer is 409. It is 400 for the drive's root, where a path would get longer than ${PATH_BYTES} bytes, and for a folder that holds more than ${entries} files and folders, or whose files carry more than ${tags} tags in all, or for more than ${paths / MIB} MiB of paths or ${metadata / MIB} MiB of metadata: take what is in it part by part. A search finds what was moved or copied as soon as it is indexed again.`;
}
