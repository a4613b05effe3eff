import { type Static, Type } from "@sinclair/typebox";
import { FILE_SORTS } from "../../../domain/files/file.ts";
import type { Listing } from "../../../services/files/listings.ts";
import type { RequestContext } from "../../gate/request-context.ts";
import { fileCursor } from "../../operation/cursor.ts";
import { operation } from "../../operation/route.ts";
import { didYouMean, plusMeant } from "../../operation/query.ts";
import { fileSchema } from "../../records/record-schemas.ts";
import { fileRecord } from "../../records/records.ts";
import * as t from "../../operation/schema.ts";
import type { Parts } from "../parts.ts";

const listQuery = Type.Object({
  drive_id: t.driveRef(),
  snapshot_id: t.inSnapshot,
  prefix: t.prefix,
  delimiter: Type.Optional(
    Type.Literal("/", {
      description: "With `/`, list only this level: its files, and its `folders`, on pages side by side.",
    }),
  ),
  tags: t.tagsFilter,
  sort: t.oneOf(FILE_SORTS, {
    default: "path",
    description:
      "The order; `-` reverses it. Files of equal size or time are ordered by id, that is by age. In a snapshot the order is `path`. Orders other than `path` list the files of one folder: they need `delimiter=/`, a `prefix` that is empty or ends with `/`, and no `tags`.",
  }),
  ...t.paging,
  cursor: t.cursor("The other parameters must be the same as for that page; a different `sort` is refused."),
});

export function listings({ listings: service, snapshotViews: views }: Parts) {
  return operation("GET", "/v0/files", {
    operationId: "listFiles",
    tag: "Files",
    summary: "List files",
    description:
      "Returns the files of a drive, in path order or as `sort` says. With `delimiter=/`, only the files directly at the level of `prefix` are listed and counted, and `folders` has the folders there, empty ones included. Each page has up to `limit` files and up to `limit` folders: going through all pages gives each of them once. When one of the two ends, the other goes on; `next_cursor` is null on the last page of both.",
    query: listQuery,
    answers: {
      description: "A page of files.",
      json: Type.Object({
        data: Type.Array(fileSchema),
        folders: t.optionalTexts({
          description:
            "Folders at this level, in path order, at most `limit` of them; only with `delimiter`.",
        }),
        folder_total: t.optionalInteger({
          description: "The number of folders on all pages; only with `delimiter`.",
        }),
        ...t.pageFacts("The number of files on all pages."),
        next_cursor: t.nextCursor,
        ...didYouMean,
      }),
    },
    handle: ({ query, caller, context }) => {
      const { sort, page, limit, snapshot_id: snapshot } = query;
      const request = {
        driveId: query.drive_id,
        prefix: query.prefix ?? "",
        grouped: query.delimiter !== undefined,
        tags: t.tagsIn(query.tags),
        sort,
        page,
        limit,
        after: fileCursor(sort).read(query.cursor),
      };
      return snapshot === undefined
        ? answerOf(service.list(caller, request), query, context)
        : views.list(caller, snapshot, request).then((listing) => answerOf(listing, query, context));
    },
  });
}

function answerOf(
  { files, level, total, nextAfter }: Listing,
  { sort, page, limit }: Static<typeof listQuery>,
  context: RequestContext,
): Response {
  const isNothing = files.length === 0 && (level === null || level.folders.length === 0);
  return Response.json({
    data: files.map(fileRecord),
    ...(level === null ? {} : { folders: level.folders, folder_total: level.total }),
    total,
    page,
    limit,
    next_cursor: fileCursor(sort).write(nextAfter),
    ...(isNothing ? plusMeant(context.query, ["prefix"]) : {}),
  });
}
