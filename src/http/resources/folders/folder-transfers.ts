import { type Static, Type } from "@sinclair/typebox";
import { FOLDER_COPY_ENTRIES, FOLDER_MOVE_ENTRIES, PATH_BYTES } from "../../../domain/limits.ts";
import type { FolderDestination, Folders } from "../../../services/folders/folders.ts";
import { folderSchema } from "../../records/record-schemas.ts";
import { folderRecord } from "../../records/records.ts";
import { exampleOf } from "../../operation/examples.ts";
import { driveRef, folderPath } from "../../operation/schema.ts";
import { write } from "../../operation/write.ts";

const transfer = Type.Object({
  drive_id: driveRef(),
  path: folderPath,
  destination_path: Type.String({
    description: "The new path of the folder, with its name. Ends with `/`.",
    examples: ["archive/2030/"],
  }),
  destination_drive_id: Type.Optional(driveRef("Default: the same drive.")),
});

function exampleTransferTo(destination: string): Static<typeof transfer> {
  return {
    drive_id: exampleOf(folderSchema).drive_id,
    path: exampleOf(folderSchema).path,
    destination_path: destination,
  };
}

/** Moves and copies folders with everything in them. */
export function folderTransfers(service: Folders) {
  return [
    write("POST", "/v0/folders/move", {
      operationId: "moveFolder",
      tag: "Folders",
      summary: "Move or rename a folder",
      description: `Moves a folder with everything in it, within its drive or to another drive of yours. Out of a drive that is shared with you, you can only copy. Only the \`path\` of the files changes: ids, times, tags and links stay.\n\n${transferRules(FOLDER_MOVE_ENTRIES)}`,
      body: transfer,
      example: exampleTransferTo("archive/2030/"),
      answers: [
        {
          description: "The moved folder.",
          json: folderSchema,
        },
      ],
      errors: ["NOT_FOUND", "CONFLICT", "QUOTA_EXCEEDED"],
      perform: ({ body, caller }, reply) =>
        service.move(
          caller,
          body.drive_id,
          body.path,
          destinationOf(body),
          reply.with((folder) => ({ json: folderRecord(folder) })),
        ),
    }),
    write("POST", "/v0/folders/copy", {
      operationId: "copyFolder",
      tag: "Folders",
      summary: "Copy a folder",
      description: `Copies a folder with everything in it, within its drive or to another drive of yours. The copies have new ids and no expiry; tags and metadata are copied. Contents are not stored twice, but copies count for the storage limit.\n\n${transferRules(FOLDER_COPY_ENTRIES)}`,
      body: transfer,
      example: exampleTransferTo("copies/2030/"),
      answers: [{ status: 201, description: "The new folder.", json: folderSchema }],
      errors: ["NOT_FOUND", "CONFLICT", "QUOTA_EXCEEDED"],
      perform: ({ body, caller }, reply) =>
        service.copy(
          caller,
          body.drive_id,
          body.path,
          destinationOf(body),
          reply.with((folder) => ({ status: 201, json: folderRecord(folder) })),
        ),
    }),
  ];
}

function destinationOf(body: Static<typeof transfer>): FolderDestination {
  return { path: body.destination_path, driveId: body.destination_drive_id };
}

function transferRules(entries: number): string {
  return `A folder of up to a few hundred files is changed in one step. A larger one is changed in several steps, and other requests may see some of the files at the new path before the response. If the request fails, or the server stops before the end, everything is rolled back, as it is when somebody gives it up with \`POST /v0/drives/{id}/works/{wid}/cancel\`. Other changes in these folders wait until it ends.\n\nMissing parents of \`destination_path\` are created. Returns 409 if there is a file or folder at \`destination_path\`, or if it is the folder itself or inside it. Returns 400 for the drive's root, if a path would be longer than ${PATH_BYTES} bytes, and for a folder with more than ${entries} files and folders: move or copy its parts instead. Search finds the files at their new paths once they are indexed again.`;
}
