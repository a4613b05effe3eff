import { Type } from "@sinclair/typebox";
import { counted } from "../../../domain/contents/texts/text.ts";
import { invalid } from "../../../domain/errors.ts";
import { formatInstant } from "../../../domain/time.ts";
import { etagOf } from "../../content/conditions.ts";
import * as t from "../../operation/schema.ts";
import * as shown from "../shown.ts";
import { tool } from "../tool.ts";

export const historyTools = [
  tool(
    {
      name: "undo",
      title: "Undo the last change of a file or folder",
      description:
        "Undoes the newest change at a path, whoever made it: a replaced or edited file gets the content back that it had, what was deleted comes back, what was moved goes back, and what was created goes into the trash (in_trash), from where undo brings it back; a folder only if it holds as many files as then. Call it again to redo. One call is one step: it never goes further back. Tags, metadata and expiry have no versions, so a change of these alone cannot be undone. Pass batch_id instead of path to undo all that one call did to many files; what has changed since stays, and is in failed.",
      needs: "writing",
      isDestructive: true,
      next: {
        PRECONDITION_FAILED:
          "It has changed once more, just now: look at it, and call undo again if you still want to.",
      },
      input: Type.Object({
        drive_id: shown.driveArgument,
        path: Type.Optional(
          Type.String({
            minLength: 1,
            description:
              "What was changed; a folder ends with `/`. For what was deleted or moved, the path that it had.",
            examples: ["notes/plan.md", "notes/2030/"],
          }),
        ),
        batch_id: t.optionalText("Of what changed many files at once."),
      }),
    },
    async ({ input, caller, drive, services }) => {
      if (input.path === undefined) {
        if (input.batch_id === undefined) throw invalid("path", "is required, or batch_id instead");
        const { batch, undone, failed } = await services.batchUndo.all(caller, drive.id, input.batch_id);
        return {
          undone: counted(undone, "change"),
          ...(batch === null ? {} : { batch_id: batch }),
          ...(failed.length === 0 ? {} : { failed: shown.fitting(failed.map(({ path }) => path)) }),
          ...(failed.length === 0 ? {} : { failed_count: failed.length }),
        };
      }
      const { change, path, isTrashed } = await services.undo.last(caller, drive.id, input.path);
      const content = change.type === "file.moved" ? change.after : change.before;
      return {
        path,
        ...(content === null || isTrashed ? {} : { etag: etagOf(content.digest) }),
        undone: change.type,
        changed_at: formatInstant(change.at),
        changed_by: shown.whose(change.by),
        ...(isTrashed ? { in_trash: true } : {}),
      };
    },
  ),
];
