import { type Static, Type } from "@sinclair/typebox";
import { FORK_FILES, SNAPSHOTS } from "../../../domain/limits.ts";
import type { Rewound } from "../../../services/snapshots/snapshots.ts";
import { CHANGE_MESSAGE } from "../../operation/change-message.ts";
import { asData, deletedRecord, write } from "../../operation/write.ts";
import { differenceCursor, numberCursor } from "../../operation/cursor.ts";
import { operation, pageAnswer, tagged } from "../../operation/route.ts";
import * as t from "../../operation/schema.ts";
import { differenceSchema, snapshotSchema } from "../../records/history-schemas.ts";
import { driveSchema } from "../../records/record-schemas.ts";
import { differenceRecord, driveRecord, snapshotRecord } from "../../records/records.ts";
import type { Parts } from "../parts.ts";

const driveParams = Type.Object({ id: t.driveRef() });
const snapshotParams = Type.Object({ id: t.driveRef(), sid: t.id("The snapshot's identifier.") });
const oneSnapshot = Type.Object({ data: snapshotSchema });

export function snapshots({ snapshots: service }: Parts) {
  return tagged("Snapshots", [
    write("POST", "/v0/drives/:id/snapshots", {
      operationId: "createSnapshot",
      summary: "Take a snapshot",
      description: `Remembers what the drive holds now: all files and folders, with their records. It takes a moment, however large the drive is, and no space until something changes. Take one before something risky: restoring it brings everything back. Later changes keep what the snapshot needs, and that counts as storage until the snapshot is deleted. A drive has at most ${SNAPSHOTS.taken} snapshots, and the ${SNAPSHOTS.automatic} newest of those that the server takes before it restores one.`,
      params: driveParams,
      body: Type.Object({
        name: t.optionalText("1 to 64 characters after trimming.", t.exampleOf(snapshotSchema).name),
      }),
      bodyOptional: true,
      example: { name: t.exampleOf(snapshotSchema).name },
      answers: { status: 201, description: "The new snapshot.", json: oneSnapshot },
      perform: ({ params, body, caller }, reply) =>
        service.create(caller, params.id, body.name, reply.with(asData(snapshotRecord))),
    }),
    operation("GET", "/v0/drives/:id/snapshots", {
      operationId: "listSnapshots",
      summary: "List snapshots",
      description: "Returns the snapshots of a drive, newest first.",
      params: driveParams,
      query: Type.Object({ limit: t.paging.limit, cursor: t.cursor() }),
      answers: {
        description: "A page of snapshots.",
        json: t.pageOf(snapshotSchema, "The number of snapshots on all pages."),
      },
      handle: ({ params, query, caller }) => {
        const before = numberCursor.read(query.cursor);
        const found = service.list(caller, params.id, { limit: query.limit, before });
        const next = numberCursor.write(found.nextBefore);
        return pageAnswer(found.snapshots.map(snapshotRecord), found.total, next);
      },
    }),
    operation("GET", "/v0/drives/:id/snapshots/:sid", {
      operationId: "getSnapshot",
      summary: "Get a snapshot",
      params: snapshotParams,
      answers: { description: "The snapshot.", json: oneSnapshot },
      handle: ({ params, caller }) =>
        Response.json({ data: snapshotRecord(service.get(caller, params.id, params.sid)) }),
    }),
    write("DELETE", "/v0/drives/:id/snapshots/:sid", {
      operationId: "deleteSnapshot",
      summary: "Delete a snapshot",
      description:
        "Deletes the snapshot at once; the drive stays as it is. What only this snapshot kept is removed soon after. This cannot be undone.",
      params: snapshotParams,
      audited: true,
      answers: {
        description: "The snapshot is deleted.",
        json: Type.Object({
          data: t.deletedOf("The deleted snapshot."),
        }),
      },
      perform: ({ params, caller }, reply) =>
        service.remove(caller, params.id, params.sid, reply.with(asData(deletedRecord))),
    }),
  ]);
}

const restored = Type.Object({
  restored: Type.Literal(true),
  path: t.text("The folder; empty for the whole drive."),
  files_restored: Type.Integer({ description: "Files that are as in the snapshot again." }),
  files_removed: Type.Integer({
    description: "Files that were there, and that the snapshot does not have or has otherwise.",
  }),
  snapshot_id: t.id("A snapshot that was taken before; to restore it undoes this."),
});

export function snapshotUses({ snapshots: service, forks }: Parts) {
  return tagged("Snapshots", [
    operation("GET", "/v0/drives/:id/snapshots/:sid/compare", {
      operationId: "compareSnapshot",
      summary: "Compare a snapshot with now",
      description:
        "Returns the files that differ between the snapshot (`before`) and the drive as it is (`after`), in path order. Folders without files are not compared. A file that was moved out of `prefix` is shown where it was. It costs as much as has changed, and as one look at each path.",
      params: snapshotParams,
      query: Type.Object({ prefix: t.prefix, limit: t.paging.limit, cursor: t.cursor() }),
      answers: {
        description: "A page of differences.",
        json: Type.Object({ data: Type.Array(differenceSchema), next_cursor: t.nextCursor }),
      },
      handle: async ({ params, query, caller }) => {
        const { differences, next } = await service.compare(caller, params.id, params.sid, {
          prefix: query.prefix ?? "",
          limit: query.limit,
          after: differenceCursor.read(query.cursor),
        });
        return Response.json({
          data: differences.map(differenceRecord),
          next_cursor: differenceCursor.write(next),
        });
      },
    }),
    write("POST", "/v0/drives/:id/snapshots/:sid/restore", {
      operationId: "restoreSnapshot",
      headers: CHANGE_MESSAGE,
      summary: "Restore a snapshot",
      description:
        "Brings the drive, or one folder of it, back to what the snapshot has: contents, paths, tags, metadata, times and ids. Before that, a snapshot is taken: to restore `snapshot_id` undoes this. Files that have expired since stay away. A file that was moved to another drive stays there, too, and its copy here has a new id. What the snapshot replaces or removes is not in the trash, but in `snapshot_id`.\n\nA large restore is done in several steps, and other requests may see what is done before the response. Other changes in the folder wait until it ends. If the server stops before the end, it continues after the restart. `POST /v0/drives/{id}/works/{wid}/cancel` stops it halfway.",
      params: snapshotParams,
      body: Type.Object({
        path: t.optionalText("Only this folder. Default: the whole drive.", "notes/"),
      }),
      bodyOptional: true,
      audited: true,
      answers: {
        description: "The drive or folder is as in the snapshot.",
        json: Type.Object({ data: restored }),
        example: {
          data: {
            restored: true,
            path: "",
            files_restored: 2,
            files_removed: 1,
            snapshot_id: t.exampleOf(snapshotSchema).id,
          },
        },
      },
      errors: ["CONFLICT"],
      perform: ({ params, body, caller }, reply) =>
        service.restore(caller, params.id, params.sid, body.path, reply.with(asData(restoredRecord))),
    }),
    write("POST", "/v0/drives/:id/fork", {
      operationId: "forkDrive",
      summary: "Fork a drive",
      description: `Creates a drive in your account with all files and folders that this one holds, or held when a snapshot was taken. Contents are not stored twice, but count as storage. The files get new ids; their times, tags and metadata stay. The new drive has no versions, trash, snapshots, keys, members or links. It is not seen before it is whole; if the server stops before the end, there is none. At most ${FORK_FILES} files. Needs an account key or a session.`,
      account: true,
      params: Type.Object({ id: t.driveRef() }),
      body: Type.Object({
        name: t.driveName(),
        snapshot_id: Type.Optional(t.id("A snapshot of the drive. Default: what it holds now.")),
      }),
      example: { name: "Research Notes, tried out" },
      answers: { status: 201, description: "The new drive.", json: Type.Object({ data: driveSchema }) },
      perform: ({ params, body, caller }, reply) =>
        forks.create(
          caller,
          params.id,
          { name: body.name, snapshot: body.snapshot_id },
          reply.with(asData(driveRecord)),
        ),
    }),
  ]);
}

function restoredRecord({ path, restored: files, removed, before }: Rewound): Static<typeof restored> {
  return {
    restored: true,
    path,
    files_restored: files,
    files_removed: removed,
    snapshot_id: before.id,
  };
}
