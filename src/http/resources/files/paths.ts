import { Type } from "@sinclair/typebox";
import { MANY_PATHS } from "../../../domain/limits.ts";
import type { Matched, RemovedMatches } from "../../../services/files/many-paths.ts";
import type { Found, RemovedPath } from "../../../services/files/paths.ts";
import { IF_MATCH, preconditionOf } from "../../content/conditions.ts";
import { CHANGE_MESSAGE } from "../../operation/change-message.ts";
import { operation, tagged } from "../../operation/route.ts";
import * as t from "../../operation/schema.ts";
import { asJson, write } from "../../operation/write.ts";
import { fieldsIn, fieldsParameter, namesIn, picked } from "../../records/fields.ts";
import { trashEntrySchema } from "../../records/history-schemas.ts";
import { fileSchema, folderSchema } from "../../records/record-schemas.ts";
import { fileRecord, folderRecord } from "../../records/records.ts";
import type { Parts } from "../parts.ts";
import { FILE_FIELDS } from "./files.ts";
import { globIn, globParameter } from "./listings.ts";
import { invalid } from "../../../domain/errors.ts";

/** How many paths a trial names. */
const SHOWN = 100;

export const anyPath = t.text(
  "Of a file or a folder. A folder may be named without its last `/`, if no file is at that path.",
  "notes/2030/plan.md",
);

/** A file's record or a folder's, and which of them it is. */
export const foundSchema = t.withExample(
  Type.Union([
    Type.Intersect([Type.Object({ kind: Type.Literal("file") }), fileSchema]),
    Type.Intersect([Type.Object({ kind: Type.Literal("folder") }), folderSchema]),
  ]),
  { kind: "file", ...t.exampleOf(fileSchema) },
);

const FOUND_FIELDS = [...new Set(["kind", ...FILE_FIELDS, ...namesIn(folderSchema)])];

export function foundRecord(found: Found): t.RecordOf<typeof foundSchema> {
  return found.kind === "file"
    ? { kind: "file", ...fileRecord(found.file) }
    : { kind: "folder", ...folderRecord(found) };
}

const removalQuery = Type.Object({
  drive_id: t.driveRef(),
  path: Type.Optional(anyPath),
  glob: globParameter("the drive's root"),
  dry_run: t.flag("Whether only to say what would be deleted."),
  confirm: t.flag(
    "Must be true for folders and patterns on a server that keeps nothing of what is deleted; else it does not matter.",
  ),
});

const removedSchema = Type.Object({
  kind: t.oneOf(["file", "folder", "files"], { description: "`files` of a pattern." }),
  path: t.nullableText("What was deleted; null for a pattern."),
  deleted: Type.Boolean({ description: "False with `dry_run`." }),
  file_count: t.count("Files that were deleted; with `dry_run`, that would be."),
  trash_id: t.nullableId(
    "Its entry in the trash; null for a pattern, with `dry_run`, and if this server keeps no deleted files.",
  ),
  paths: t.optionalTexts({ description: `Of a pattern with \`dry_run\`: the first ${SHOWN} files.` }),
  failed: t.optionalTexts({ description: "Of a pattern: files that could not be deleted." }),
  batch_id: Type.Optional(
    t.nullableId("Of a pattern: all of it, to undo it with `POST /v0/undo`; null if nothing was deleted."),
  ),
});

const OF_PATTERN = { kind: "files", path: null, trash_id: null } as const;

type RemovedRecord = t.RecordOf<typeof removedSchema>;

export function paths({ paths: service, manyPaths }: Parts) {
  return tagged("Paths", [
    operation("GET", "/v0/paths", {
      operationId: "getPath",
      summary: "Get what is at a path",
      description: "Returns the record of the file or folder there. 404 if there is neither.",
      query: Type.Object({ drive_id: t.driveRef(), path: anyPath, fields: fieldsParameter }),
      answers: { description: "The record.", json: foundSchema },
      handle: ({ caller, query: { drive_id: drive, path, fields: sent } }) => {
        const fields = fieldsIn(sent, FOUND_FIELDS);
        return Response.json(picked(foundRecord(service.get(caller, { drive, path })), fields));
      },
    }),
    write("DELETE", "/v0/paths", {
      operationId: "deletePath",
      summary: "Delete what is at a path, or matches a pattern",
      description: `Deletes the file or the folder at \`path\`, the folder with all it holds: it goes into the trash as one entry. Or deletes all files of the drive that match \`glob\`, at most ${MANY_PATHS.deleted}, in steps of a few hundred; folders stay. The bulk of \`glob\` is not one step: if the server stops in between, repeat the request.`,
      query: removalQuery,
      headers: { ...IF_MATCH, ...CHANGE_MESSAGE },
      answers: {
        description: "What was deleted; with `dry_run`, what would be.",
        json: removedSchema,
        example: {
          kind: "file",
          path: t.exampleOf(fileSchema).path,
          deleted: true,
          file_count: 1,
          trash_id: t.exampleOf(trashEntrySchema).id,
        },
      },
      perform: ({ caller, query, request }, reply) => {
        const { drive_id: drive, path, dry_run: isTrial, confirm } = query;
        const glob = globIn(query.glob);
        if (path !== undefined && glob === null) {
          const ref = { drive, path };
          return isTrial
            ? service.preview(caller, ref, reply.with(asJson(wouldRemove)))
            : service.remove(caller, ref, preconditionOf(request), confirm, reply.with(asJson(removed)));
        }
        if (path !== undefined || glob === null) throw invalid("path", "or glob must be given, and not both");
        if (isTrial) return manyPaths.preview(caller, drive, glob, reply.with(asJson(wouldRemoveAll)));
        service.requireConfirmed(confirm);
        return manyPaths.remove(caller, drive, glob, reply.with(asJson(removedAll)));
      },
    }),
  ]);
}

function wouldRemove({ kind, path, fileCount }: Omit<RemovedPath, "trashId">): RemovedRecord {
  return { kind, path, deleted: false, file_count: fileCount, trash_id: null };
}

function removed({ trashId, ...rest }: RemovedPath): RemovedRecord {
  return { ...wouldRemove(rest), deleted: true, trash_id: trashId };
}

function wouldRemoveAll(found: readonly Matched[]): RemovedRecord {
  const shown = found.slice(0, SHOWN).map(({ path }) => path);
  return { ...OF_PATTERN, deleted: false, file_count: found.length, paths: shown };
}

function removedAll({ fileCount, failed, batch }: RemovedMatches): RemovedRecord {
  return { ...OF_PATTERN, deleted: true, file_count: fileCount, failed, batch_id: batch };
}
