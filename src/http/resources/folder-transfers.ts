import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import {
  FOLDER_COPY_ENTRIES,
  FOLDER_MOVE_ENTRIES,
  PATH_BYTES,
  UNCLAIMED_COPIED_FILES,
} from "../../domain/limits.ts";
import type { FolderDestination, Folders } from "../../services/folders.ts";
import { exampleFolder } from "../operation/examples.ts";
import { folderSchema } from "../operation/record-schemas.ts";
import { folderRecord } from "../operation/records.ts";
import { driveRef, folderPath } from "../operation/schema.ts";
import { write } from "../operation/write.ts";

const transfer = Type.Object({
  drive_id: driveRef(),
  path: folderPath,
  destination_path: Type.String({
    description: "The folder's whole new path, its own name included. Ends with `/`.",
    examples: ["archive/2030/"],
  }),
  destination_drive_id: Type.Optional(driveRef()),
});

function exampleTransferTo(destination: string): Static<typeof transfer> {
  return { drive_id: exampleFolder.drive_id, path: exampleFolder.path, destination_path: destination };
}

/** Folders moved and copied with all that is in them. */
export function folderTransfers(service: Folders) {
  return new Elysia({ name: "folder-transfers" })
    .post(
      ...write(
        "/v0/folders/move",

        {
          operationId: "moveFolder",
          tag: "Folders",
          summary: "Move or rename a folder with everything in it",
          description: `Within its drive or into another of yours. Of the files only \`path\` changes: ids, times, tags and the links to them stay as they are. ${transferRules(FOLDER_MOVE_ENTRIES)}`,
          body: transfer,
          example: exampleTransferTo("archive/2030/"),
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
        ({ body, caller }, reply) =>
          service.move(
            caller,
            body.drive_id,
            body.path,
            destinationOf(body),
            reply.with((folder) => ({ json: folderRecord(folder) })),
          ),
      ),
    )
    .post(
      ...write(
        "/v0/folders/copy",

        {
          operationId: "copyFolder",
          tag: "Folders",
          summary: "Copy a folder with everything in it",
          description: `Within its drive or into another of yours. The copies have new ids and no expiry; tags and metadata go along. No bytes are moved, but the copies count as stored, and in an unclaimed drive folders are copied up to ${UNCLAIMED_COPIED_FILES} files in all. ${transferRules(FOLDER_COPY_ENTRIES)}`,
          body: transfer,
          example: exampleTransferTo("copies/2030/"),
          answers: [
            { status: 201, description: "The new folder.", json: folderSchema, example: exampleFolder },
          ],
          errors: ["NOT_FOUND", "CONFLICT", "QUOTA_EXCEEDED"],
        },
        ({ body, caller }, reply) =>
          service.copy(
            caller,
            body.drive_id,
            body.path,
            destinationOf(body),
            reply.with((folder) => ({ status: 201, json: folderRecord(folder) })),
          ),
      ),
    );
}

function destinationOf(body: Static<typeof transfer>): FolderDestination {
  return { path: body.destination_path, driveId: body.destination_drive_id };
}

function transferRules(entries: number): string {
  return `A folder of some hundred files goes at once; more go in pieces, in between which others may see some files at the new place and some not. After the answer all of it is there; after a refusal, or where the server was stopped on the way, nothing is. Other changes in these folders wait for the end. Missing parents of \`destination_path\` are made. Nothing gives way: where a folder or a file stands at \`destination_path\`, or that is the folder itself or inside it, the answer is 409. It is 400 for the drive's root, where a path would get longer than ${PATH_BYTES} bytes, and for a folder that holds more than ${entries} files and folders: take what is in it part by part. A search finds what was moved or copied as soon as it is indexed again.`;
}
