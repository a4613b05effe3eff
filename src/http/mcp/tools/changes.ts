import { type Static, Type } from "@sinclair/typebox";
import type { Change } from "../../../domain/changes/change.ts";
import { counted } from "../../../domain/contents/texts/text.ts";
import { parsePlace } from "../../../domain/files/path.ts";
import { formatInstant } from "../../../domain/time.ts";
import { changeCursor } from "../../operation/cursor.ts";
import * as t from "../../operation/schema.ts";
import * as shown from "../shown.ts";
import { type Call, tool } from "../tool.ts";

const input = Type.Object({
  drive_id: Type.Optional(
    Type.String({ minLength: 1, description: "Only this drive. Default: all drives of your own." }),
  ),
  path: t.optionalText("Only what happened to this file, or to this folder (ends with `/`) and in it."),
  since: t.optionalText("A time (ISO 8601), or how long ago. Default 1h.", "30m", "7d"),
  cursor: t.optionalText("next_cursor of an earlier answer, however old: what happened after that."),
  limit: t.optionalNumber(1, `Default ${shown.PAGE_RECORDS}.`, shown.PAGE_FILES),
});

export const changeTools = [
  tool(
    {
      name: "changes",
      title: "See what changed",
      description:
        "Lists what happened, oldest first: when, what, where and by whom, one line each, also for what one call did to many files (files.*), which undo takes back by its batch_id. Use it at the start of a session to see what others did since your last one: keep next_cursor, and pass it as cursor then. With has_more, call it again at once. What changed inside a file, versions shows.",
      needs: "reading",
      also: { prefix: "path" },
      input,
    },
    list,
  ),
];

async function list(call: Call<Static<typeof input>>): Promise<object> {
  const { input: asked, caller, services } = call;
  const { limit = shown.PAGE_RECORDS } = asked;
  const drives = asked.drive_id === undefined ? null : [call.drive.id];
  const place = asked.path === undefined ? null : parsePlace("path", asked.path);
  const known = new Map(services.drives.list(caller, null).map((drive) => [drive.id, shown.nameOf(drive)]));
  const driveOf = ({ driveId }: Change) =>
    drives === null && known.size > 1 ? ` in ${known.get(driveId) ?? driveId}` : "";
  const page = await services.feed.wholePage(caller, {
    drives,
    position: changeCursor.read(asked.cursor) ?? services.feed.since(asked.since ?? "1h"),
    limit,
    newestFirst: false,
    isSummary: true,
    filter: { by: null, events: null, batch: null, place },
  });
  return {
    changes: page.changes.map((change) => lineOf(change) + driveOf(change)),
    ...(page.hasMore ? { has_more: true } : {}),
    next_cursor: changeCursor.write(page.next),
  };
}

/** Paths have no line ends, so a line is one change. */
function lineOf({ at, type, path, previousPath, fileCount, by, batch }: Change): string {
  const was = previousPath === null ? "" : ` (was ${previousPath})`;
  const count = fileCount === null ? "" : ` (${counted(fileCount, "file")})`;
  const whole = batch === null ? "" : ` (batch_id ${batch})`;
  return `${formatInstant(at)} ${type} ${path}${was}${count} by ${shown.whose(by)}${whole}`;
}
