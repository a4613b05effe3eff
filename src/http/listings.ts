import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { FILE_SORTS } from "../domain/file-sort.ts";
import { PAGE_LIMIT, PAGE_LIMIT_DEFAULT } from "../domain/limits.ts";
import type { Listings } from "../services/listings.ts";
import { decodePosition, encodePosition } from "./cursor.ts";
import { operation } from "./operation.ts";
import { fileRecord, fileSchema } from "./records.ts";
import { driveRef, integer, nullable } from "./schema.ts";

const listQuery = Type.Object({
  drive_id: driveRef(),
  prefix: Type.Optional(Type.String({ description: "Only paths that start with it.", examples: ["notes/"] })),
  delimiter: Type.Optional(
    Type.Literal("/", { description: "Stop at the next `/`: files of this level, and its `folders`." }),
  ),
  tags: Type.Optional(
    Type.String({ description: "Only files that carry all of these, separated by commas." }),
  ),
  sort: Type.Union(
    FILE_SORTS.map((sort) => Type.Literal(sort)),
    {
      default: "path",
      description:
        "The order; `-` turns it round. Equal sizes or times stand in the order of their ids, which is that of age. Others than `path` list one folder's own files: they need `delimiter=/`, a `prefix` that is empty or ends in `/`, and no `tags`.",
    },
  ),
  page: integer({ minimum: 1, maximum: 1_000_000_000, default: 1 }),
  limit: integer({ minimum: 1, maximum: PAGE_LIMIT, default: PAGE_LIMIT_DEFAULT }),
  cursor: Type.Optional(
    Type.String({
      description:
        "A `next_cursor`: goes on from there, whatever `page` says, at the same cost anywhere. The other parameters have to be those of that page; another `sort` is refused.",
    }),
  ),
});

const listAnswer = Type.Object({
  data: Type.Array(fileSchema),
  folders: Type.Optional(
    Type.Array(Type.String(), { description: "Folders at this level; with a delimiter." }),
  ),
  total: Type.Integer({ description: "Files that match, on all pages." }),
  page: Type.Integer(),
  limit: Type.Integer(),
  next_cursor: nullable(Type.String({ description: "Gives the next page; null on the last." })),
});

export function listings(service: Listings) {
  return new Elysia({ name: "listings" }).get(
    ...operation(
      "/v0/files",

      {
        operationId: "listFiles",
        tag: "Files",
        summary: "List files",
        description:
          "In path order, or in that of `sort`. With `delimiter=/` only the files directly at the prefix's level are listed and counted, and `folders` names the folders there, empty ones included.",
        query: listQuery,
        answers: [{ status: 200, description: "A page of files.", json: listAnswer }],
        errors: ["NOT_FOUND"],
      },
      ({ query, caller }) => {
        const { sort, page, limit } = query;
        const listing = service.list(caller, {
          driveId: query.drive_id,
          prefix: query.prefix ?? "",
          grouped: query.delimiter !== undefined,
          tags: splitTags(query.tags),
          sort,
          page,
          limit,
          after: query.cursor === undefined ? null : decodePosition(query.cursor, sort),
        });
        return Response.json({
          data: listing.files.map(fileRecord),
          ...(listing.folders === null ? {} : { folders: listing.folders }),
          total: listing.total,
          page,
          limit,
          next_cursor: listing.nextAfter === null ? null : encodePosition(listing.nextAfter),
        });
      },
    ),
  );
}

function splitTags(tags: string | undefined): string[] {
  return (tags ?? "")
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}
