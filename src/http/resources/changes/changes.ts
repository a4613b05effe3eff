import { Type } from "@sinclair/typebox";
import { CHANGES, STREAM_COMMENT_MS, STREAM_LIMITS } from "../../../domain/limits.ts";
import type { ChangeFilter } from "../../../domain/changes/filter.ts";
import { invalid } from "../../../domain/errors.ts";
import { parsePlace } from "../../../domain/files/path.ts";
import { parseEvents } from "../../../domain/webhooks/webhook.ts";
import { wantsEvents } from "../../content/negotiation.ts";
import { changeRecord, toldWorkRecord } from "../../records/records.ts";
import { changeSchema } from "../../records/change-schemas.ts";
import { changeCursor } from "../../operation/cursor.ts";
import { eventStream, type ServerEvent } from "../../operation/events.ts";
import { operation } from "../../operation/route.ts";
import * as t from "../../operation/schema.ts";
import type { Parts } from "../parts.ts";

/** The cursor of what comes from now on. */
const LATEST = "latest";
const LAST_EVENT_ID = "Last-Event-ID";

const changesAnswer = Type.Object({
  data: Type.Array(changeSchema),
  next_cursor: t.nullableText(
    "The `cursor` of the next page. The feed has no end: keep it, and ask again later. Null only at the end of the newest-first order.",
  ),
  has_more: Type.Boolean({
    description: "Whether there are more changes already. A page may be empty although there are.",
  }),
});

const MOST = STREAM_LIMITS;

const DESCRIPTION = `What happened in a drive, in the order in which it happened: who changed what, and which content was there before and after. The feed is complete: a change is recorded in the same transaction as its effect, and shown once both are on the disk. So a program that keeps the last \`next_cursor\` misses nothing and sees nothing twice.

A change of a whole folder is one entry, written when all of it is done. What one request does to many files is a batch: each of its changes has the same \`batch_id\`, and an entry \`files.*\` at the end sums them up, about the deepest folder that holds them all. With \`summary=true\` that is all of it, and with \`batch_id\` what it was. \`folder.updated\`, \`folder.created\` with files in it, and \`*.restored\` mean that the folder must be listed again.

\`by\`, \`events\`, \`path\` and \`batch_id\` have no index: a request looks at 10,000 changes at most. Its page may have fewer than \`limit\`, and even none, while \`has_more\` says that there are more.

With \`Accept: text/event-stream\` the same changes come as server-sent events as they happen: \`id\` is the cursor after the change, \`data\` the change. The stream starts after \`${LAST_EVENT_ID}\`, which browsers send by themselves when they connect again, or else after \`cursor\`, or else from now on. A comment comes every ${STREAM_COMMENT_MS / 1000} seconds. The stream ends at once when the key or session ends; an event \`gone\` says that changes are not kept any more. Events \`work\` tell of large changes of folders while they are under way, as \`GET /v0/drives/{id}/works\` shows them: at the start of the stream, at most about once a second, and at their end, when \`state\` is \`done\` or \`undone\`. They are not changes: they have no \`id\` and do not come again. At most ${MOST.each} streams may be open for one account, ${MOST.client} to one client address and ${MOST.all} in total; for unclaimed drives ${MOST.unclaimed.client} and ${MOST.unclaimed.all}. Above that, 429 is returned.

Changes are kept as long as versions and the trash, at least for a day, and at most ${grouped(CHANGES.claimed)} of one drive (${grouped(CHANGES.unclaimed)} of an unclaimed one). If those after a cursor are gone, 410 is returned: list the drive again, and go on with \`cursor=${LATEST}\`.`;

export function changes({ feed, log }: Parts) {
  return operation("GET", "/v0/changes", {
    operationId: "listChanges",
    tag: "Changes",
    summary: "List changes, or follow them",
    description: DESCRIPTION,
    query: Type.Object({
      drive_id: Type.Optional(t.driveRef("Only changes of this drive. Default: of all drives of your own.")),
      cursor: t.optionalText(
        `The \`next_cursor\` of a page, or the \`id\` of a change: continues after it. \`${LATEST}\` starts with what happens from now on. Default: the oldest change that is kept.`,
      ),
      summary: t.flag("Whether a batch is one entry: the changes that it sums up are left out."),
      by: t.optionalText("Only what this key, user or link did: the `id` in `by` of a change."),
      events: t.optionalText(
        "Only changes of these types, with commas between them. `file.*` stands for all of a group.",
        "file.deleted,folder.*",
      ),
      path: t.optionalText(
        "Only what happened to this file, or to this folder (ends with `/`) and in it.",
        "notes/2030/",
      ),
      batch_id: Type.Optional(t.id("Only what one request did to many files.")),
      since: t.optionalText("Only what happened since a time (ISO 8601), or so long ago.", "7d"),
      limit: t.paging.limit,
      sort: t.oneOf(["id", "-id"], {
        default: "id",
        description: "The order: `id` for the oldest first, `-id` for the newest first, as people read it.",
      }),
    }),
    headers: { [LAST_EVENT_ID]: "Of a stream: the `id` of the last change that was seen." },
    answers: {
      description: "A page of changes; or, as server-sent events, the changes as they happen.",
      content: { "application/json": changesAnswer, "text/event-stream": Type.String() },
      example: {
        data: [t.exampleOf(changeSchema)],
        next_cursor: t.exampleOf(changeSchema).id,
        has_more: false,
      },
    },
    errors: ["GONE"],
    handle: async ({ request, query, caller, context }) => {
      const newestFirst = query.sort === "-id";
      const asked = {
        drives: query.drive_id === undefined ? null : [query.drive_id],
        isSummary: query.summary,
        filter: filterOf(query),
        floor: query.since === undefined ? null : feed.since(query.since),
      };
      if (wantsEvents(request.headers.get("accept"))) {
        if (newestFirst) throw invalid("sort", "must be id for a stream of events");
        const position = startOfStream(request.headers.get(LAST_EVENT_ID), query.cursor);
        return eventStream({ context, log }, (listener) => {
          const stream = feed.open(caller, context.client, { ...asked, position }, listener);
          return {
            read: () => {
              const { changes: some, works, hasMore } = stream.read();
              const told = some
                .map(changeRecord)
                .map((data): ServerEvent => ({ id: data.id, name: null, data }));
              const notices = works.map((each): ServerEvent => ({
                id: null,
                name: "work",
                data: toldWorkRecord(each),
              }));
              return { events: [...told, ...notices], hasMore };
            },
            close: () => stream.close(),
          };
        });
      }
      const page = await feed.wholePage(caller, {
        ...asked,
        position: positionOf(query.cursor),
        limit: query.limit,
        newestFirst,
      });
      return Response.json({
        data: page.changes.map(changeRecord),
        next_cursor: newestFirst && !page.hasMore ? null : changeCursor.write(page.next),
        has_more: page.hasMore,
      });
    },
  });
}

interface FilterQuery {
  readonly by?: string;
  readonly events?: string;
  readonly path?: string;
  readonly batch_id?: string;
}

function filterOf({ by, events, path, batch_id: batch }: FilterQuery): ChangeFilter {
  return {
    by: by ?? null,
    events: events === undefined ? null : parseEvents(events.split(",").map((event) => event.trim())),
    place: path === undefined ? null : parsePlace("path", path),
    batch: batch ?? null,
  };
}

function startOfStream(lastEventId: string | null, cursor: string | undefined) {
  if (lastEventId !== null && lastEventId !== "") return changeCursor.read(lastEventId, LAST_EVENT_ID);
  return cursor === undefined ? LATEST : positionOf(cursor);
}

function positionOf(cursor: string | undefined) {
  return cursor === LATEST ? LATEST : changeCursor.read(cursor);
}

/** A number with commas, as `1,000`. `toLocaleString` would load data of all languages: 2 MB. */
function grouped(value: number): string {
  return String(value).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}
