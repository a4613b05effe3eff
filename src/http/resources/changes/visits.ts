import { Type } from "@sinclair/typebox";
import { NEWS } from "../../../domain/limits.ts";
import { formatInstant } from "../../../domain/time.ts";
import type { DriveNews } from "../../../services/changes/visits.ts";
import { operation } from "../../operation/route.ts";
import * as t from "../../operation/schema.ts";
import { asData, write } from "../../operation/write.ts";
import { type NewsRecord, newsSchema } from "../../records/change-schemas.ts";
import { driveSchema } from "../../records/record-schemas.ts";
import { actorRecord } from "../../records/records.ts";
import type { Parts } from "../parts.ts";

export function visits({ visits: service }: Parts) {
  return [
    operation("GET", "/v0/news", {
      operationId: "listNews",
      tag: "Changes",
      summary: "List what is new to a person",
      description: `For the dashboard: what others did since the person was last there, of each drive where they have been before, if there is anything. What agents do is news, also with keys of the person's account. At most the newest ${NEWS.each} changes of a drive are looked at, and ${NEWS.all} of all. Programs keep a cursor instead: see \`GET /v0/changes\`.`,
      signedIn: true,
      query: Type.Object({
        drive_id: Type.Optional(
          t.driveRef("Only this drive, and which files and folders it is about. Default: all drives."),
        ),
      }),
      answers: {
        description: "What is new.",
        json: Type.Object({ data: Type.Array(newsSchema) }),
      },
      handle: async ({ query: { drive_id: drive = null }, caller }) => {
        const news = await service.news(caller, drive);
        return Response.json({ data: news.map((each) => newsRecord(each, drive !== null)) });
      },
    }),
    write("PUT", "/v0/drives/:id/visit", {
      operationId: "noteVisit",
      tag: "Changes",
      summary: "Note that a person was in a drive",
      description:
        "For the dashboard: what has happened in the drive so far is no news to the person any more. It is kept for all their devices, until they are no member any more or the drive is gone.",
      signedIn: true,
      params: Type.Object({ id: t.driveRef() }),
      answers: {
        description: "It is noted.",
        json: Type.Object({ data: Type.Object({ drive_id: t.id("The drive.") }) }),
        example: { data: { drive_id: t.exampleOf(driveSchema).id } },
      },
      perform: ({ params, caller }, reply) =>
        service.note(caller, params.id, reply.with(asData(({ id }) => ({ drive_id: id })))),
    }),
  ];
}

function newsRecord({ drive, since, hasMore, doings, marks }: DriveNews, isOne: boolean): NewsRecord {
  return {
    drive_id: drive.id,
    since: formatInstant(since),
    has_more: hasMore,
    doings: doings.map(({ by, ...counts }) => ({ by: actorRecord(by), ...counts })),
    marked: isOne ? Array.from(marks, ([path, isNew]) => ({ path, new: isNew })) : null,
  };
}
