import { type Static, Type } from "@sinclair/typebox";
import { formatInstant } from "../../../domain/time.ts";
import { etagOf } from "../../content/conditions.ts";
import * as t from "../../operation/schema.ts";
import * as shown from "../shown.ts";
import { tool } from "../tool.ts";
import type { Caller } from "../../../domain/accounts/caller.ts";
import { invalid } from "../../../domain/errors.ts";
import { counted } from "../../../domain/contents/texts/text.ts";
import type { Snapshot } from "../../../domain/snapshots/snapshot.ts";
import type { Snapshots } from "../../../services/snapshots/snapshots.ts";

export const historyTools = [
  tool(
    {
      name: "undo",
      title: "Undo the last change of a file or folder",
      description:
        "Undoes the newest change at a path, whoever made it: a replaced or edited file gets the content back that it had, what was deleted comes back, what was moved goes back, and what was created goes into the trash; a folder only if it holds as many files as then. Call it again to redo. One call is one step: it never goes further back. Tags, metadata and expiry have no versions, so a change of these alone cannot be undone. Pass batch_id instead of path to undo all that one call did to many files.",
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
      output: Type.Object({
        drive: Type.String(),
        path: t.optionalText("Where it is now, or was until it went into the trash."),
        etag: Type.Optional(t.text("Of a file that is there again.")),
        undone: t.text("What was undone, such as file.updated."),
        changed_at: t.optionalText("When it was changed."),
        changed_by: t.optionalText("Whose change it was."),
        in_trash: t.optionalFlag("Whether it is in the trash now. Undo brings it back."),
        batch_id: t.optionalText("Of the undoing of a batch: undo that to redo."),
        failed: t.optionalTexts({ description: "Paths of a batch that have changed since, and stay." }),
        failed_count: t.optionalInteger(),
      }),
    },
    async ({ input, caller, drive, services }) => {
      if (input.path === undefined) {
        if (input.batch_id === undefined) throw invalid("path", "is required, or batch_id instead");
        const { batch, undone, failed } = await services.batchUndo.all(caller, drive.id, input.batch_id);
        return {
          drive: shown.nameOf(drive),
          undone: counted(undone, "change"),
          ...(batch === null ? {} : { batch_id: batch }),
          failed: [...shown.fitting(failed.map(({ path }) => path))],
          failed_count: failed.length,
        };
      }
      const { change, path, isTrashed } = await services.undo.last(caller, drive.id, input.path);
      const content = change.type === "file.moved" ? change.after : change.before;
      return {
        drive: shown.nameOf(drive),
        path,
        ...(content === null || isTrashed ? {} : { etag: etagOf(content.digest) }),
        undone: change.type,
        changed_at: formatInstant(change.at),
        changed_by: shown.nameOfActor(change.by),
        in_trash: isTrashed,
      };
    },
  ),
];

const SHOWN = { snapshots: 50, differences: 100 };

const shownSnapshot = Type.Object({
  id: t.text("Pass it as snapshot_id, to compare and restore."),
  name: Type.String(),
  file_count: Type.Integer(),
  total_size: Type.Integer({ description: "Bytes." }),
  automatic: Type.Boolean({ description: "Whether the server took it, before a restore." }),
  created_at: Type.String(),
});

const input = Type.Object({
  drive_id: shown.driveArgument,
  action: Type.Union([
    Type.Literal("create"),
    Type.Literal("list"),
    Type.Literal("compare"),
    Type.Literal("restore"),
  ]),
  snapshot_id: Type.Optional(
    Type.String({ minLength: 1, description: "The snapshot, to compare and restore." }),
  ),
  path: t.optionalText(
    "A folder, which ends with `/`: restores or compares only what is in it. Default: the whole drive.",
  ),
  name: t.optionalText("Of the new snapshot.", "Before the clean-up"),
});

const output = Type.Object({
  drive: Type.String(),
  snapshot: Type.Optional(shownSnapshot),
  snapshots: Type.Optional(Type.Array(shownSnapshot)),
  differences: Type.Optional(
    Type.Array(
      Type.Object({
        change: t.text("added, removed, changed or moved, since the snapshot."),
        path: Type.String(),
      }),
    ),
  ),
  restored: Type.Optional(
    Type.Object({
      files_restored: Type.Integer(),
      files_removed: Type.Integer({ description: "That the snapshot does not have." }),
      undo_id: t.text("The snapshot that undoes this."),
    }),
  ),
  is_cut: t.optionalFlag("Whether there are more than are shown."),
});

type Given = Static<typeof input>;

export const snapshotTools = [
  tool(
    {
      name: "snapshot",
      title: "Keep a drive as it is, and bring it back",
      description:
        "Snapshots of a drive. Take one (`create`) before anything risky, such as changes of many files: it takes no time and no space. If it goes wrong, `compare` shows what has changed since, and `restore` brings the whole drive, or one folder with `path`, back to the snapshot that you pass as `snapshot_id`. Before that the server takes a snapshot by itself: restoring undo_id undoes the restore. `list` shows the snapshots, newest first. For one file or folder, undo is simpler.",
      needs: "writing",
      isDestructive: true,
      also: { id: "snapshot_id", prefix: "path" },
      input,
      output,
    },
    async ({ input: given, caller, drive, services }) => ({
      drive: shown.nameOf(drive),
      ...(await act(services.snapshots, caller, drive.id, given)),
    }),
  ),
];

/** Does what is asked. Returns what that action answers, besides the drive. */
async function act(
  snapshots: Snapshots,
  caller: Caller,
  driveId: string,
  given: Given,
): Promise<Omit<Static<typeof output>, "drive">> {
  switch (given.action) {
    case "create":
      return { snapshot: snapshotShown(await snapshots.create(caller, driveId, given.name)) };
    case "list": {
      const page = snapshots.list(caller, driveId, { limit: SHOWN.snapshots, before: null });
      return { snapshots: page.snapshots.map(snapshotShown), is_cut: page.nextBefore !== null };
    }
    case "compare": {
      const request = { prefix: given.path ?? "", limit: SHOWN.differences, after: null };
      const { differences, next } = await snapshots.compare(caller, driveId, idIn(given), request);
      const fitted = shown.fitting(differences.map(({ change, path }) => ({ change, path })));
      return { differences: [...fitted], is_cut: next !== null || fitted.length < differences.length };
    }
    case "restore": {
      const done = await snapshots.restore(caller, driveId, idIn(given), given.path);
      return {
        restored: { files_restored: done.restored, files_removed: done.removed, undo_id: done.before.id },
      };
    }
  }
}

function idIn({ snapshot_id: id, action }: Given): string {
  if (id === undefined)
    throw invalid("snapshot_id", `is required to ${action}: the snapshot's id, from list`);
  return id;
}

function snapshotShown(snapshot: Snapshot) {
  return {
    id: snapshot.id,
    name: snapshot.name,
    file_count: snapshot.fileCount,
    total_size: snapshot.totalSize,
    automatic: snapshot.isAutomatic,
    created_at: formatInstant(snapshot.createdAt),
  };
}
