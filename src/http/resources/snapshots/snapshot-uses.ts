import { Type } from "@sinclair/typebox";
import type { Rewound, Snapshots } from "../../../services/snapshots/snapshots.ts";
import { decodeDifference, encodeDifference } from "../../operation/cursor.ts";
import { snapshotSchema, differenceSchema } from "../../records/history-schemas.ts";
import { operation } from "../../operation/operation.ts";
import { differenceRecord } from "../../records/records.ts";
import type { JsonAnswer } from "../../operation/reply.ts";
import { exampleOf } from "../../operation/examples.ts";
import { cursor, id, nextCursor, paging, prefix } from "../../operation/schema.ts";
import { write } from "../../operation/write.ts";
import { snapshotParams } from "./snapshots.ts";

const restored = Type.Object({
  restored: Type.Literal(true),
  path: Type.String({ description: "The folder; empty for the whole drive." }),
  files_restored: Type.Integer({ description: "Files that are as in the snapshot again." }),
  files_removed: Type.Integer({
    description: "Files that were there, and that the snapshot does not have or has otherwise.",
  }),
  snapshot_id: id("A snapshot that was taken before; to restore it undoes this."),
});

/** What snapshots are for. */
export function snapshotUses(service: Snapshots) {
  return [
    operation("GET", "/v0/drives/:id/snapshots/:sid/compare", {
      operationId: "compareSnapshot",
      tag: "Snapshots",
      summary: "Compare a snapshot with now",
      description:
        "Returns the files that differ between the snapshot (`before`) and the drive as it is (`after`), in path order. Folders without files are not compared. A file that was moved out of `prefix` is shown where it was. It costs as much as has changed, and as one look at each path.",
      params: snapshotParams,
      query: Type.Object({ prefix, limit: paging.limit, cursor: cursor() }),
      answers: [
        {
          description: "A page of differences.",
          json: Type.Object({ data: Type.Array(differenceSchema), next_cursor: nextCursor }),
        },
      ],
      errors: ["NOT_FOUND"],
      handle: async ({ params, query, caller }) => {
        const { differences, next } = await service.compare(caller, params.id, params.sid, {
          prefix: query.prefix ?? "",
          limit: query.limit,
          after: query.cursor === undefined ? null : decodeDifference(query.cursor),
        });
        return Response.json({
          data: differences.map(differenceRecord),
          next_cursor: next === null ? null : encodeDifference(next),
        });
      },
    }),
    write("POST", "/v0/drives/:id/snapshots/:sid/restore", {
      operationId: "restoreSnapshot",
      tag: "Snapshots",
      summary: "Restore a snapshot",
      description:
        "Brings the drive, or one folder of it, back to what the snapshot has: contents, paths, tags, metadata, times and ids. Before that, a snapshot is taken: to restore `snapshot_id` undoes this. Files that have expired since stay away. A file that was moved to another drive stays there, too, and its copy here has a new id. What the snapshot replaces or removes is not in the trash, but in `snapshot_id`.\n\nA large restore is done in several steps, and other requests may see what is done before the response. Other changes in the folder wait until it ends. If the server stops before the end, it continues after the restart. `POST /v0/drives/{id}/works/{wid}/cancel` stops it halfway.",
      params: snapshotParams,
      body: Type.Object({
        path: Type.Optional(
          Type.String({
            description: "Only this folder. Default: the whole drive.",
            examples: ["notes/"],
          }),
        ),
      }),
      bodyOptional: true,
      example: {},
      answers: [
        {
          description: "The drive or folder is as in the snapshot.",
          json: Type.Object({ data: restored }),
          example: {
            data: {
              restored: true,
              path: "",
              files_restored: 2,
              files_removed: 1,
              snapshot_id: exampleOf(snapshotSchema).id,
            },
          },
        },
      ],
      errors: ["NOT_FOUND", "CONFLICT"],
      perform: ({ params, body, caller }, reply) =>
        service.restore(caller, params.id, params.sid, body.path, reply.with(restoredAnswer)),
    }),
  ];
}

function restoredAnswer({ path, restored: files, removed, before }: Rewound): JsonAnswer {
  return {
    json: {
      data: {
        restored: true,
        path,
        files_restored: files,
        files_removed: removed,
        snapshot_id: before.id,
      },
    },
  };
}
