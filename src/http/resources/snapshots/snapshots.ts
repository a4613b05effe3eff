import { Type } from "@sinclair/typebox";
import { SNAPSHOTS } from "../../../domain/limits.ts";
import type { Snapshots } from "../../../services/snapshots/snapshots.ts";
import { decodeNumber, encodeNumber } from "../../operation/cursor.ts";
import { operation } from "../../operation/operation.ts";
import { snapshotSchema } from "../../records/history-schemas.ts";
import { snapshotRecord } from "../../records/records.ts";
import { exampleOf } from "../../operation/examples.ts";
import { pageOf, cursor, driveRef, id, paging } from "../../operation/schema.ts";
import { write } from "../../operation/write.ts";

const driveParams = Type.Object({ id: driveRef() });
export const snapshotParams = Type.Object({ id: driveRef(), sid: id("The snapshot's identifier.") });
const oneSnapshot = Type.Object({ data: snapshotSchema });

/** Snapshots of drives. What uses one is in `snapshot-uses.ts`. */
export function snapshots(service: Snapshots) {
  return [
    write("POST", "/v0/drives/:id/snapshots", {
      operationId: "createSnapshot",
      tag: "Snapshots",
      summary: "Take a snapshot",
      description: `Remembers what the drive holds now: all files and folders, with their records. It takes a moment, however large the drive is, and no space until something changes. Take one before something risky: restoring it brings everything back. Later changes keep what the snapshot needs, and that counts as storage until the snapshot is deleted. A drive has at most ${SNAPSHOTS.taken} snapshots, and the ${SNAPSHOTS.automatic} newest of those that the server takes before it restores one.`,
      params: driveParams,
      body: Type.Object({
        name: Type.Optional(
          Type.String({
            description: "1 to 64 characters after trimming.",
            examples: [exampleOf(snapshotSchema).name],
          }),
        ),
      }),
      bodyOptional: true,
      example: { name: exampleOf(snapshotSchema).name },
      answers: [{ status: 201, description: "The new snapshot.", json: oneSnapshot }],
      errors: ["NOT_FOUND", "QUOTA_EXCEEDED"],
      perform: ({ params, body, caller }, reply) =>
        service.create(
          caller,
          params.id,
          body.name,
          reply.with((snapshot) => ({ status: 201, json: { data: snapshotRecord(snapshot) } })),
        ),
    }),
    operation("GET", "/v0/drives/:id/snapshots", {
      operationId: "listSnapshots",
      tag: "Snapshots",
      summary: "List snapshots",
      description: "Returns the snapshots of a drive, newest first.",
      params: driveParams,
      query: Type.Object({ limit: paging.limit, cursor: cursor() }),
      answers: [
        {
          description: "A page of snapshots.",
          json: pageOf(snapshotSchema, "The number of snapshots on all pages."),
        },
      ],
      errors: ["NOT_FOUND"],
      handle: ({ params, query, caller }) => {
        const before = query.cursor === undefined ? null : decodeNumber(query.cursor);
        const found = service.list(caller, params.id, { limit: query.limit, before });
        return Response.json({
          data: found.snapshots.map(snapshotRecord),
          total: found.total,
          next_cursor: found.nextBefore === null ? null : encodeNumber(found.nextBefore),
        });
      },
    }),
    operation("GET", "/v0/drives/:id/snapshots/:sid", {
      operationId: "getSnapshot",
      tag: "Snapshots",
      summary: "Get a snapshot",
      params: snapshotParams,
      answers: [{ description: "The snapshot.", json: oneSnapshot }],
      errors: ["NOT_FOUND"],
      handle: ({ params, caller }) =>
        Response.json({ data: snapshotRecord(service.get(caller, params.id, params.sid)) }),
    }),
    write("DELETE", "/v0/drives/:id/snapshots/:sid", {
      operationId: "deleteSnapshot",
      tag: "Snapshots",
      summary: "Delete a snapshot",
      description:
        "Deletes the snapshot at once; the drive stays as it is. What only this snapshot kept is removed soon after. This cannot be undone.",
      params: snapshotParams,
      answers: [
        {
          description: "The snapshot is deleted.",
          json: Type.Object({
            data: Type.Object({ id: id("The deleted snapshot."), deleted: Type.Literal(true) }),
          }),
        },
      ],
      errors: ["NOT_FOUND"],
      perform: ({ params, caller }, reply) =>
        service.remove(
          caller,
          params.id,
          params.sid,
          reply.with((snapshotId) => ({ json: { data: { id: snapshotId, deleted: true } } })),
        ),
    }),
  ];
}
