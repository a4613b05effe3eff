import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { FolderPreview, Folders } from "../services/folders.ts";
import { operation } from "./operation.ts";
import { folderRecord, folderSchema } from "./records.ts";
import type { JsonAnswer } from "./reply.ts";
import { driveRef } from "./schema.ts";

const folderPath = Type.String({ description: "Ends with `/`.", examples: ["notes/2030/"] });
const exampleFolder = {
  drive_id: "01976f5e-5d7a-7000-8000-3c5d1a2b4e6f",
  path: "notes/2030/",
  created_at: "2030-01-31T12:00:00.000Z",
};

export function folders(service: Folders) {
  return new Elysia({ name: "folders" })
    .post(
      ...operation(
        "/v0/folders",

        {
          operationId: "createFolder",
          tag: "Folders",
          summary: "Create a folder",
          description:
            "Missing parents are created. Uploads create the folders they need by themselves; a folder stays until it is deleted, also when its last file goes.",
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
            reply.with(({ drive, folder, created }) => ({
              status: created ? 201 : 200,
              json: folderRecord(drive, folder),
            })),
          );
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

function deletedAnswer(count: number): JsonAnswer {
  return { json: { success: true, deleted_count: count } };
}

function previewAnswer({ path, fileCount }: FolderPreview): JsonAnswer {
  const files = fileCount === 1 ? "1 file" : `${fileCount} files`;
  const message = `Nothing was deleted. Send confirm: true to delete this folder and ${files}.`;
  return { json: { path, file_count: fileCount, message } };
}
