import { Type } from "@sinclair/typebox";
import { decodeCursor, encodeCursor } from "../../operation/cursor.ts";
import { operation, tagged } from "../../operation/route.ts";
import { cursor, driveRef, exampleOf, id, paging } from "../../operation/schema.ts";
import { workRecord } from "../../records/work-records.ts";
import { workSchema, type WorksPage, worksSchema } from "../../records/change-schemas.ts";
import { asData, write } from "../../operation/write.ts";
import type { Parts } from "../parts.ts";

const driveParams = Type.Object({ id: driveRef() });
const workParams = Type.Object({ id: driveRef(), wid: id("The work's identifier.") });
const oneWork = Type.Object({ data: workSchema });

export function works({ worksUnderWay: service }: Parts) {
  return tagged("Folders", [
    operation("GET", "/v0/drives/:id/works", {
      operationId: "listWorks",
      summary: "List changes of folders under way",
      description:
        "Returns the large changes that are under way in a drive, oldest first: copies, moves and deletions of folders, what comes back from the trash or a snapshot, and forks. While one is under way, other writes to the same folders wait. It goes on after the server restarts: what nobody can wait for any more is taken back, except deletions and restores of snapshots, which are finished. Small changes are done at once and are never in this list. What is only partly yours to see is shown without the rest; a fork is shown to whoever makes it.",
      params: driveParams,
      query: Type.Object({ limit: paging.limit, cursor: cursor() }),
      answers: { description: "A page of works.", json: worksSchema },
      handle: ({ params, query, caller }) => {
        const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
        const found = service.list(caller, params.id, { limit: query.limit, after });
        const answer: WorksPage = {
          data: found.works.map(workRecord),
          total: found.total,
          next_cursor: found.nextAfter === null ? null : encodeCursor(found.nextAfter),
        };
        return Response.json(answer);
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
            ...exampleOf(workSchema),
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
