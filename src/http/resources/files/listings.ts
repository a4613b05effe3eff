import { type Static, Type } from "@sinclair/typebox";
import { invalid } from "../../../domain/errors.ts";
import { FILE_SORTS } from "../../../domain/files/file.ts";
import { Glob } from "../../../domain/files/glob.ts";
import { GLOB_BYTES, WALK } from "../../../domain/limits.ts";
import type { Listing } from "../../../services/files/listings.ts";
import type { RequestContext } from "../../gate/request-context.ts";
import { fileCursor } from "../../operation/cursor.ts";
import { didYouMean, plusMeant } from "../../operation/query.ts";
import { operation } from "../../operation/route.ts";
import * as t from "../../operation/schema.ts";
import { JSON_TYPE } from "../../operation/spec.ts";
import { fieldsIn, fieldsParameter, picked } from "../../records/fields.ts";
import { fileSchema } from "../../records/record-schemas.ts";
import { fileRecord } from "../../records/records.ts";
import type { Parts } from "../parts.ts";
import { FILE_FIELDS } from "./files.ts";

/** A pattern of paths in a query. @param below what the paths are looked at from */
export function globParameter(below = "the folder of `prefix`") {
  return t.optionalText(
    `Only files whose paths, below ${below}, match this pattern: \`*\` and \`?\` stand for characters of a name, \`**\` also for folders, \`{md,txt}\` and \`[ab]\` for one of several. At most ${GLOB_BYTES} bytes.`,
    "**/*.md",
    "{src,test}/**/*.ts",
  );
}

/** Reads a pattern of paths; null if none was sent. Throws VALIDATION_ERROR. */
export function globIn(sent: string | undefined): Glob | null {
  return sent === undefined ? null : Glob.parse("glob", sent);
}

const listQuery = Type.Object({
  drive_id: t.driveRef(),
  snapshot_id: t.inSnapshot,
  prefix: t.prefix,
  delimiter: Type.Optional(
    Type.Literal("/", {
      description: "With `/`, list only this level: its files, and its `folders`, on pages side by side.",
    }),
  ),
  glob: globParameter(),
  depth: t.optionalNumber(
    1,
    "How many levels below the folder of `prefix` are listed, with the `folders` of these levels: 1 is only what is directly in it.",
    WALK.depth,
  ),
  tags: t.tagsFilter,
  sort: t.oneOf(FILE_SORTS, {
    default: "path",
    description:
      "The order; `-` reverses it. `path` is that of bytes; `name` is as people read names, without regard to case and accents, and with numbers by their value: `file2` is before `File10`. `folders` are in path order, or by their names where the files are. Files of equal size or time are ordered by id, that is by age. In a snapshot the order is `path`. Orders other than `path` list the files of one folder: they need `delimiter=/`, a `prefix` that is empty or ends with `/`, and no `tags`.",
  }),
  fields: fieldsParameter,
  ...t.paging,
  cursor: t.cursor("The other parameters must be the same as for that page; a different `sort` is refused."),
});

type ListQuery = Static<typeof listQuery>;

export function listings({ listings: service, walks, snapshotViews: views }: Parts) {
  return operation("GET", "/v0/files", {
    operationId: "listFiles",
    isList: true,
    tag: "Files",
    summary: "List files",
    description: [
      "Returns the files of a drive, in path order or as `sort` says. With `delimiter=/`, only the files directly at the level of `prefix` are listed and counted, and `folders` has the folders there, empty ones included. Each page has up to `limit` files and up to `limit` folders: going through all pages gives each of them once. When one of the two ends, the other goes on; `next_cursor` is null on the last page of both.",
      `With \`glob\` or \`depth\`, the paths are looked at one by one, from where the pattern's first special character stands. \`total\` is null then, and a page may end with fewer files, perhaps with none, before the last one: after ${WALK.paths} paths or ${WALK.time / 1000} second. Go on until \`next_cursor\` is null.`,
    ].join("\n\n"),
    query: listQuery,
    answers: {
      description: "A page of files.",
      json: Type.Object({
        data: Type.Array(fileSchema),
        folders: t.optionalTexts({
          description: "Folders at this level, at most `limit` of them; only with `delimiter` or `depth`.",
        }),
        folder_total: Type.Optional(
          t.nullable(
            Type.Integer({
              description:
                "The number of folders on all pages; only with `delimiter`, and null with `depth`.",
            }),
          ),
        ),
        ...t.pageFacts("The number of files on all pages."),
        total: t.withExample(
          t.nullable(
            Type.Integer({
              description: "The number of files on all pages; null with `glob` or `depth`.",
            }),
          ),
          1,
        ),
        next_cursor: t.nextCursor,
        ...didYouMean,
      }),
    },
    handle: ({ query, caller, context }) => {
      const { sort, page, limit, snapshot_id: snapshot, depth = null } = query;
      const fields = fieldsIn(query.fields, FILE_FIELDS);
      const glob = globIn(query.glob);
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
      if (glob !== null || depth !== null) {
        requireWalkable(query);
        return walks
          .records(caller, { ...request, glob, depth }, fields)
          .then((listing) => answerOf(listing, query, context));
      }
      if (snapshot === undefined) return answerOf(service.records(caller, request, fields), query, context);
      return views.list(caller, snapshot, request).then((listing) => {
        const records = listing.files.map((file) => JSON.stringify(picked(fileRecord(file), fields)));
        return answerOf({ ...listing, files: records.join(",") }, query, context);
      });
    },
  });
}

/** Throws VALIDATION_ERROR for what does not go with `glob` or `depth`. */
function requireWalkable({ delimiter, snapshot_id: snapshot, sort, page }: ListQuery): void {
  const beside = "cannot be sent with glob or depth";
  if (delimiter !== undefined) throw invalid("delimiter", `${beside}: depth=1 lists one level`);
  if (snapshot !== undefined) throw invalid("snapshot_id", beside);
  if (sort !== "path") throw invalid("sort", "must be path with glob or depth");
  if (page !== 1) throw invalid("page", `${beside}: go on with cursor`);
}

function answerOf(
  { files: records, level, total, nextAfter }: Listing<string, number | null>,
  { sort, page, limit }: ListQuery,
  context: RequestContext,
): Response {
  const isNothing = records === "" && (level === null || level.folders.length === 0);
  const facts = JSON.stringify({
    ...(level === null ? {} : { folders: level.folders, folder_total: level.total }),
    total,
    page,
    limit,
    next_cursor: fileCursor(sort).write(nextAfter),
    ...(isNothing ? plusMeant(context.query, ["prefix", "glob"]) : {}),
  });
  return new Response(`{"data":[${records}],${facts.slice(1)}`, { headers: JSON_TYPE });
}
