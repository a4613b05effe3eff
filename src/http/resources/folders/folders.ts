import { FOLDER_SORTS } from "../../../domain/folders/folder.ts";
import { FOLDER_COPY_ENTRIES, FOLDER_MOVE_ENTRIES, PATH_BYTES } from "../../../domain/limits.ts";
import { CHANGE_MESSAGE } from "../../operation/change-message.ts";
import { asData, asJson, type JsonAnswer, write } from "../../operation/write.ts";
import { type Static, Type } from "@sinclair/typebox";
import { counted } from "../../../domain/contents/texts/text.ts";
import type {
  FolderDestination,
  FolderListing,
  FolderPreview,
  RemovedFolder,
} from "../../../services/folders/folders.ts";
import { pathCursor } from "../../operation/cursor.ts";
import { given, required } from "../../operation/query.ts";
import { operation, pageAnswer, tagged } from "../../operation/route.ts";
import { folderSchema, type FoldersPage, foldersSchema } from "../../records/record-schemas.ts";
import { folderRecord, workRecord } from "../../records/records.ts";
import * as t from "../../operation/schema.ts";
import { trashEntrySchema } from "../../records/history-schemas.ts";
import type { Parts } from "../parts.ts";
import { workSchema, worksSchema } from "../../records/change-schemas.ts";

/** What a deletion takes from its query and its body together. */
const deletion = Type.Object({
  drive_id: Type.Optional(t.driveRef()),
  path: Type.Optional(t.folderPath),
  confirm: t.optionalFlag("Whether to delete. Default false."),
});

export function folders({ folders: service, snapshotViews: views }: Parts) {
  return tagged("Folders", [
    operation("GET", "/v0/folders", {
      operationId: "listFolders",
      isList: true,
      summary: "List folders",
      description:
        "Returns the folders directly in a folder, in path order or as `sort` says, empty ones included. Each has the number of files and bytes in it and below, and whether it has folders itself. To list the files of a folder, use `GET /v0/files` with `delimiter=/`.",
      query: Type.Object({
        drive_id: t.driveRef(),
        snapshot_id: t.inSnapshot,
        path: t.optionalText("The folder, ending with `/`. Default: the drive's root.", "notes/"),
        sort: t.oneOf(FOLDER_SORTS, {
          default: "path",
          description:
            "The order: `path` is that of bytes; `name` is as people read names, without regard to case and accents, and with numbers by their value. In a snapshot it is `path`.",
        }),
        ...t.paging,
        cursor: t.cursor(),
      }),
      answers: { description: "A page of folders.", json: foldersSchema },
      handle: ({ query, caller }) => {
        const { sort, page, limit, snapshot_id: snapshot } = query;
        const request = {
          driveId: query.drive_id,
          path: query.path ?? "",
          sort,
          page,
          limit,
          after: pathCursor.read(query.cursor),
        };
        return snapshot === undefined
          ? answerOf(service.list(caller, request), request)
          : views.folders(caller, snapshot, request).then((listing) => answerOf(listing, request));
      },
    }),
    write("POST", "/v0/folders", {
      operationId: "createFolder",
      headers: CHANGE_MESSAGE,
      summary: "Create a folder",
      description:
        "Creates a folder and its missing parents. Returns 200 with the existing folder if there is one. Uploads create the folders that they need. A folder stays until it is deleted, even if it is empty.",
      body: Type.Object({ drive_id: t.driveRef(), path: t.folderPath }),
      example: { drive_id: t.exampleOf(folderSchema).drive_id, path: t.exampleOf(folderSchema).path },
      answers: [
        { status: 201, description: "The new folder.", json: folderSchema },
        { description: "The existing folder.", json: folderSchema },
      ],
      errors: ["CONFLICT"],
      perform: ({ body, caller }, reply) =>
        service.create(
          caller,
          body.drive_id,
          body.path,
          reply.with((made) => ({ status: made.created ? 201 : 200, json: folderRecord(made) })),
        ),
    }),
    write("DELETE", "/v0/folders", {
      operationId: "deleteFolder",
      headers: CHANGE_MESSAGE,
      summary: "Delete a folder",
      description:
        "Deletes a folder with everything in it. It goes into the trash as one entry, from where it can be restored for a while. A deletion has two steps: without `confirm: true` nothing is deleted, and the response, also a 200, has `success: false` and the number of files that would be; send the same with `confirm: true` to delete them. A folder of up to a few hundred files is deleted in one step. A larger one is deleted in several steps, and other requests may see what is left before the response. Other changes in the folder wait until it ends. If the server stops before the end, it continues after the restart. `POST /v0/drives/{id}/works/{wid}/cancel` gives it up: then everything comes back.\n\n`drive_id`, `path` and `confirm` are taken from the query or from the body: many clients send no body with DELETE. 400 is returned if both have one and they differ.",
      query: deletion,
      bodyOptional: true,
      body: deletion,
      example: { drive_id: t.exampleOf(folderSchema).drive_id, path: t.exampleOf(folderSchema).path },
      answers: {
        description: "What would be deleted; with `confirm`, what was deleted.",
        json: Type.Union([
          Type.Object({
            success: Type.Literal(false),
            deleted_count: Type.Literal(0),
            path: t.folderPath,
            file_count: Type.Integer({ description: "Files that would be deleted." }),
            message: Type.String(),
          }),
          Type.Object({
            success: Type.Literal(true),
            deleted_count: Type.Integer({ description: "Files that were deleted." }),
            trash_id: t.nullableId(
              "The folder's entry in the trash; null if this server keeps no deleted files.",
            ),
          }),
        ]),
        example: { success: true, deleted_count: 12, trash_id: t.exampleOf(trashEntrySchema).id },
      },
      perform: ({ query, body, caller }, reply) => {
        const driveId = required("drive_id", query.drive_id, body.drive_id);
        const path = required("path", query.path, body.path);
        return given("confirm", query.confirm, body.confirm) === true
          ? service.remove(caller, driveId, path, reply.with(deletedAnswer))
          : service.preview(caller, driveId, path, reply.with(previewAnswer));
      },
    }),
  ]);
}

const transfer = Type.Object({
  drive_id: t.driveRef(),
  path: t.folderPath,
  destination_path: t.text("The new path of the folder, with its name. Ends with `/`.", "archive/2030/"),
  destination_drive_id: Type.Optional(t.driveRef("Default: the same drive.")),
});

function exampleTransferTo(destination: string): Static<typeof transfer> {
  return {
    drive_id: t.exampleOf(folderSchema).drive_id,
    path: t.exampleOf(folderSchema).path,
    destination_path: destination,
  };
}

export function folderTransfers({ folders: service }: Parts) {
  return tagged("Folders", [
    write("POST", "/v0/folders/move", {
      operationId: "moveFolder",
      headers: CHANGE_MESSAGE,
      summary: "Move or rename a folder",
      description: `Moves a folder with everything in it, within its drive or to another drive of yours. Out of a drive that is shared with you, you can only copy. Only the \`path\` of the files changes: ids, times, tags and links stay.\n\n${transferRules(FOLDER_MOVE_ENTRIES)}`,
      body: transfer,
      example: exampleTransferTo("archive/2030/"),
      answers: { description: "The moved folder.", json: folderSchema },
      errors: ["CONFLICT"],
      perform: ({ body, caller }, reply) =>
        service.move(caller, body.drive_id, body.path, destinationOf(body), reply.with(asJson(folderRecord))),
    }),
    write("POST", "/v0/folders/copy", {
      operationId: "copyFolder",
      headers: CHANGE_MESSAGE,
      summary: "Copy a folder",
      description: `Copies a folder with everything in it, within its drive or to another drive of yours. The copies have new ids and no expiry; tags and metadata are copied. Contents are not stored twice, but copies count for the storage limit.\n\n${transferRules(FOLDER_COPY_ENTRIES)}`,
      body: transfer,
      example: exampleTransferTo("copies/2030/"),
      answers: { status: 201, description: "The new folder.", json: folderSchema },
      errors: ["CONFLICT"],
      perform: ({ body, caller }, reply) =>
        service.copy(caller, body.drive_id, body.path, destinationOf(body), reply.with(asJson(folderRecord))),
    }),
  ]);
}

function answerOf(listing: FolderListing, { page, limit }: Pick<FoldersPage, "page" | "limit">): Response {
  return Response.json({
    data: listing.folders.map(folderRecord),
    total: listing.total,
    page,
    limit,
    next_cursor: pathCursor.write(listing.nextAfter),
  } satisfies FoldersPage);
}

function deletedAnswer({ fileCount, trashId }: RemovedFolder): JsonAnswer {
  return { json: { success: true, deleted_count: fileCount, trash_id: trashId } };
}

function previewAnswer({ path, fileCount }: FolderPreview): JsonAnswer {
  const message = `Send the same with confirm: true to delete this folder and ${counted(fileCount, "file")}. Nothing was deleted.`;
  return { json: { success: false, deleted_count: 0, path, file_count: fileCount, message } };
}

function destinationOf(body: Static<typeof transfer>): FolderDestination {
  return { path: body.destination_path, driveId: body.destination_drive_id };
}

function transferRules(entries: number): string {
  return `A folder of up to a few hundred files is changed in one step. A larger one is changed in several steps, and other requests may see some of the files at the new path before the response. If the request fails, or the server stops before the end, everything is rolled back, as it is when somebody gives it up with \`POST /v0/drives/{id}/works/{wid}/cancel\`. Other changes in these folders wait until it ends.\n\nMissing parents of \`destination_path\` are created. Returns 409 if there is a file or folder at \`destination_path\`, or if it is the folder itself or inside it. Returns 400 for the drive's root, if a path would be longer than ${PATH_BYTES} bytes, and for a folder with more than ${entries} files and folders: move or copy its parts instead. Search finds the files at their new paths once they are indexed again.`;
}

const workParams = Type.Object({ id: t.driveRef(), wid: t.id("The work's identifier.") });
const oneWork = Type.Object({ data: workSchema });

export function works({ worksUnderWay: service }: Parts) {
  return tagged("Folders", [
    operation("GET", "/v0/drives/:id/works", {
      operationId: "listWorks",
      summary: "List changes of folders under way",
      description:
        "Returns the large changes that are under way in a drive, oldest first: copies, moves and deletions of folders, what comes back from the trash or a snapshot, and forks. While one is under way, other writes to the same folders wait. It goes on after the server restarts: what nobody can wait for any more is taken back, except deletions and restores of snapshots, which are finished. Small changes are done at once and are never in this list. What is only partly yours to see is shown without the rest; a fork is shown to whoever makes it.",
      params: Type.Object({ id: t.driveRef() }),
      query: Type.Object({ limit: t.paging.limit, cursor: t.cursor() }),
      answers: { description: "A page of works.", json: worksSchema },
      handle: ({ params, query, caller }) => {
        const after = pathCursor.read(query.cursor);
        const found = service.list(caller, params.id, { limit: query.limit, after });
        return pageAnswer(found.works.map(workRecord), found.total, pathCursor.write(found.nextAfter));
      },
    }),
    operation("GET", "/v0/drives/:id/works/:wid", {
      operationId: "getWork",
      summary: "Get a change of a folder under way",
      description: "404 is returned once it has ended.",
      params: workParams,
      answers: { description: "How far it is.", json: oneWork },
      handle: ({ params, caller }) =>
        Response.json({ data: workRecord(service.get(caller, params.id, params.wid)) }),
    }),
    write("POST", "/v0/drives/:id/works/:wid/cancel", {
      operationId: "cancelWork",
      summary: "Give up a change of a folder",
      description:
        "Stops the change before its next part. A copy is removed, with the folders that were made for it; what was moved goes back; what was deleted comes back, and what was restored goes into the trash again; the drive that a fork made is removed. So all is as it was before, once the work is not listed any more. Two are left half done: a restore of a snapshot, because the snapshot that was taken before it brings everything back; and a deletion on a server that keeps nothing that is deleted. `if_cancelled` says which. The request that waits for the change gets a 409. You must be allowed to write to every folder that it changes. Doing this again changes nothing.",
      params: workParams,
      answers: {
        description: "It is being given up.",
        json: oneWork,
        example: {
          data: {
            ...t.exampleOf(workSchema),
            state: "undoing",
            step: 1,
            steps: 2,
            files_done: 0,
            files_total: 1200,
          },
        },
      },
      perform: ({ params, caller }, reply) =>
        service.cancel(caller, params.id, params.wid, reply.with(asData(workRecord))),
    }),
  ]);
}
