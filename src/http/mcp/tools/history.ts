import { Type } from "@sinclair/typebox";
import type { NamedActor } from "../../../domain/changes/change.ts";
import { formatInstant } from "../../../domain/time.ts";
import { etagOf } from "../../content/conditions.ts";
import { driveArgument, nameOf } from "../shown.ts";
import { tool } from "../tool.ts";

export const historyTools = [
  tool(
    {
      name: "undo",
      title: "Undo the last change of a file or folder",
      description:
        "Undoes the newest change at a path, whoever made it: a replaced or edited file gets the content back that it had, what was deleted comes back, what was moved goes back, and what was created goes into the trash; a folder only if it holds as many files as then. Call it again to redo. One call is one step: it never goes further back. Tags, metadata and expiry have no versions, so a change of these alone cannot be undone.",
      needs: "writing",
      isDestructive: true,
      next: {
        PRECONDITION_FAILED:
          "It has changed once more, just now: look at it, and call undo again if you still want to.",
      },
      input: Type.Object({
        drive_id: driveArgument,
        path: Type.String({
          minLength: 1,
          description:
            "What was changed; a folder ends with `/`. For what was deleted or moved, the path that it had.",
          examples: ["notes/plan.md", "notes/2030/"],
        }),
      }),
      output: Type.Object({
        drive: Type.String(),
        path: Type.String({ description: "Where it is now, or was until it went into the trash." }),
        etag: Type.Optional(Type.String({ description: "Of a file that is there again." })),
        undone: Type.String({ description: "What was undone, such as file.updated." }),
        changed_at: Type.String(),
        changed_by: Type.String({ description: "Whose change it was." }),
        in_trash: Type.Boolean({ description: "Whether it is in the trash now. Undo brings it back." }),
      }),
    },
    async ({ input, caller, drive, services }) => {
      const { change, path, isTrashed } = await services.undo.last(caller, drive.id, input.path);
      const content = change.type === "file.moved" ? change.after : change.before;
      return {
        drive: nameOf(drive),
        path,
        ...(content === null || isTrashed ? {} : { etag: etagOf(content.digest) }),
        undone: change.type,
        changed_at: formatInstant(change.at),
        changed_by: whose(change.by),
        in_trash: isTrashed,
      };
    },
  ),
];

function whose(by: NamedActor | null): string {
  if (by === null) return "the server";
  return by.name === "" ? `an unnamed ${by.kind}` : `${by.kind} ${by.name ?? by.id}`;
}
