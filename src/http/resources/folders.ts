import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { FolderPreview, Folders } from "../../services/folders.ts";
import { decodeCursor, encodeCursor } from "../operation/cursor.ts";
import { exampleFolder } from "../operation/examples.ts";
import { operation } from "../operation/operation.ts";
import { folderSchema, type FoldersPage, foldersSchema } from "../operation/record-schemas.ts";
import { folderRecord } from "../operation/records.ts";
import type { JsonAnswer } from "../operation/reply.ts";
import { cursor, driveRef, folderPath, paging } from "../operation/schema.ts";
import { write } from "../operation/write.ts";

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

/** Folders: listed, made and deleted with all that is in them; they are moved and copied by `folder-transfers.ts`. */
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
              json: foldersSchema,
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
          const answer: FoldersPage = {
            data: listing.folders.map(folderRecord),
            total: listing.total,
            page,
            limit,
            next_cursor: listing.nextAfter === null ? null : encodeCursor(listing.nextAfter),
          };
          return Response.json(answer);
        },
      ),
    )
    .post(
      ...write(
        "/v0/folders",

        {
          operationId: "createFolder",
          tag: "Folders",
          summary: "Create a folder",
          description:
            "Missing parents are created. Uploads create the folders they need by themselves; a folder stays until it is deleted, also when its last file goes. For a folder that is there already the answer is 200 with its record.",
          body: Type.Object({ drive_id: driveRef(), path: folderPath }),
          example: { drive_id: exampleFolder.drive_id, path: exampleFolder.path },
          answers: [
            { status: 201, description: "The new folder.", json: folderSchema, example: exampleFolder },
            { status: 200, description: "The folder, which was there already.", json: folderSchema },
          ],
          errors: ["NOT_FOUND", "CONFLICT"],
        },
        ({ body, caller }, reply) =>
          service.create(
            caller,
            body.drive_id,
            body.path,
            reply.with((made) => ({ status: made.created ? 201 : 200, json: folderRecord(made) })),
          ),
      ),
    )
    .delete(
      ...write(
        "/v0/folders",

        {
          operationId: "deleteFolder",
          tag: "Folders",
          summary: "Preview or delete a folder with everything in it",
          description:
            "Without `confirm: true` nothing is deleted: the answer says how many files would be. A folder of some hundred files goes at once; more go in pieces, in between which others may see what is left. After the answer nothing is. Other changes in the folder wait for the end. A deletion that was begun is carried to its end, also where the server was stopped on the way.",
          body: Type.Object({
            drive_id: driveRef(),
            path: folderPath,
            confirm: Type.Optional(Type.Boolean({ description: "Whether to delete. Default false." })),
          }),
          example: { drive_id: exampleFolder.drive_id, path: exampleFolder.path },
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
        ({ body, caller }, reply) => {
          const { drive_id: driveId, path } = body;
          return body.confirm === true
            ? service.remove(caller, driveId, path, reply.with(deletedAnswer))
            : service.preview(caller, driveId, path, reply.with(previewAnswer));
        },
      ),
    );
}

function deletedAnswer(count: number): JsonAnswer {
  return { json: { success: true, deleted_count: count } };
}

function previewAnswer({ path, fileCount }: FolderPreview): JsonAnswer {
  const files = fileCount === 1 ? "1 file" : `${fileCount} files`;
  const message = `Nothing was deleted. Send confirm: true to delete this folder and ${files}.`;
  return { json: { path, file_count: fileCount, message } };
}
