import { Type } from "@sinclair/typebox";
import { invalid } from "../../../domain/errors.ts";
import { BULK_FILES } from "../../../domain/limits.ts";
import type { NamedFiles, RemovedFiles } from "../../../services/files/files.ts";
import { TEXT_BODY } from "../../json/json-body.ts";
import { CHANGE_MESSAGE } from "../../operation/change-message.ts";
import * as t from "../../operation/schema.ts";
import { write } from "../../operation/write.ts";
import { trashEntrySchema } from "../../records/history-schemas.ts";
import { fileSchema } from "../../records/record-schemas.ts";
import type { Parts } from "../parts.ts";

export function bulkDeletion({ manyPaths }: Parts) {
  return write("POST", "/v0/files/bulk-delete", {
    tag: "Files",
    operationId: "deleteFiles",
    summary: "Delete many files and folders",
    headers: CHANGE_MESSAGE,
    description: `Deletes the files with these ids, or what is at some paths of a drive; a path that ends with \`/\` is a folder, which goes with all it holds. What does not exist or is not yours is returned in \`failed\`, as it was named; the others go into the trash. They are deleted in steps of a few hundred, folders first; if the server stops in between, repeat the request. ${t.UNDONE_AT_ONCE}`,
    bodyLimits: TEXT_BODY,
    body: Type.Object({
      file_ids: t.optionalTexts({ maxItems: BULK_FILES, description: "At most 1,000." }),
      drive_id: Type.Optional(t.driveRef("The drive of `paths`.")),
      paths: t.optionalTexts({
        maxItems: BULK_FILES,
        description: "Instead of `file_ids`, with `drive_id`. At most 1,000. A folder ends with `/`.",
        examples: [["notes/plan.md"]],
      }),
      confirm: t.optionalFlag(
        "Must be true for folders on a server that keeps nothing of what is deleted; else it does not matter.",
      ),
    }),
    example: { file_ids: [t.exampleOf(fileSchema).id] },
    answers: {
      description: "The ids or paths of what was deleted, and of what was not.",
      json: Type.Object({
        deleted: Type.Array(Type.String()),
        trash_ids: Type.Array(t.nullable(Type.String()), {
          description:
            "The entry in the trash of each of `deleted`, in the same order; null if this server keeps no deleted files.",
        }),
        failed: Type.Array(Type.String()),
        batch_id: t.nullableId("All of it, to undo it with `POST /v0/undo`; null if nothing was deleted."),
      }),
    },
    perform: ({ body, caller }, reply) => {
      const named = namedIn(body);
      // At most: each is deleted or failed.
      const all = [...new Set("ids" in named ? named.ids : named.paths)];
      const trashIds = all.map(() => t.exampleOf(trashEntrySchema).id);
      reply.requireRoom(removedAnswerOf({ deleted: all, trashIds, failed: [], batch: trashIds[0] ?? null }));
      return manyPaths.removeNamed(caller, named, body.confirm === true, reply.with(removedAnswerOf));
    },
  });
}

/** What an answer says: the ids of entries and of the batch are of any kind. */
interface RemovedNames extends Pick<RemovedFiles, "deleted" | "failed"> {
  readonly trashIds: readonly (string | null)[];
  readonly batch: string | null;
}

function removedAnswerOf({ deleted, trashIds, failed, batch }: RemovedNames) {
  return { json: { deleted, trash_ids: trashIds, failed, batch_id: batch } };
}

/** The files that a request names. Throws VALIDATION_ERROR unless they are named in one way. */
export function namedIn(body: {
  file_ids?: readonly string[];
  drive_id?: string;
  paths?: readonly string[];
}): NamedFiles {
  const { file_ids: ids, drive_id: drive, paths } = body;
  if (paths === undefined) {
    if (ids === undefined) throw invalid("file_ids", "is required, or drive_id and paths instead");
    if (drive !== undefined) throw invalid("drive_id", "is for paths: an id needs no drive");
    return { ids };
  }
  if (ids !== undefined) throw invalid("paths", "must not be sent together with file_ids");
  if (drive === undefined) throw invalid("drive_id", "is required with paths");
  return { drive, paths };
}
