import { type Static, Type } from "@sinclair/typebox";
import type { Snapshot } from "../../../domain/snapshots/snapshot.ts";
import { formatInstant } from "../../../domain/time.ts";
import { differenceCursor, numberCursor } from "../../operation/cursor.ts";
import * as t from "../../operation/schema.ts";
import * as shown from "../shown.ts";
import { type Call, tool } from "../tool.ts";

const ACTIONS = ["create", "list", "compare", "restore", "fork"] as const;

const input = Type.Object({
  drive_id: shown.driveArgument,
  action: t.oneOf(ACTIONS),
  snapshot_id: Type.Optional(
    Type.String({
      minLength: 1,
      description: "The snapshot, from list; to fork, default: what there is now.",
    }),
  ),
  path: t.optionalText(
    "A folder, which ends with `/`: restores or compares only what is in it. Default: the whole drive.",
  ),
  name: t.optionalText("Of the new snapshot or drive.", "Before the clean-up"),
  cursor: shown.cursorArgument,
});

export const snapshotTools = [
  tool(
    {
      name: "snapshot",
      title: "Keep a drive as it is, and bring it back",
      description:
        "Snapshots of a drive. Take one (`create`) before anything risky, such as changes of many files: it takes no time and no space. If it goes wrong, `compare` shows which files have changed since, and `restore` brings the whole drive, or one folder with `path`, back to the snapshot. Before that the server takes a snapshot by itself: restoring undo_id undoes the restore. `list` shows the snapshots, newest first. `fork` makes a new drive of your human's account with all that this one holds, to try something there; it needs a key of the account. For one file or folder, undo is simpler.",
      needs: "writing",
      reading: ["list", "compare"],
      isDestructive: true,
      also: { id: "snapshot_id", prefix: "path" },
      input,
    },
    act,
  ),
];

/** Does what is asked. */
async function act({ input: given, caller, drive, services }: Call<Static<typeof input>>): Promise<object> {
  const { snapshots, forks } = services;
  switch (given.action) {
    case "create":
      return { snapshot: snapshotShown(await snapshots.create(caller, drive.id, given.name)) };
    case "list": {
      const request = { limit: shown.PAGE_RECORDS, before: numberCursor.read(given.cursor) };
      const page = snapshots.list(caller, drive.id, request);
      return {
        snapshots: page.snapshots.map(snapshotShown),
        ...shown.nextCursor(numberCursor.write(page.nextBefore)),
      };
    }
    case "compare": {
      const request = {
        prefix: given.path ?? "",
        limit: shown.PAGE_FILES,
        after: differenceCursor.read(given.cursor),
      };
      const id = shown.needed(given, "snapshot_id");
      const { differences, next } = await snapshots.compare(caller, drive.id, id, request);
      return {
        differences: differences.map(({ change, path }) => `${change} ${path}`),
        ...shown.nextCursor(differenceCursor.write(next)),
      };
    }
    case "restore": {
      const id = shown.needed(given, "snapshot_id");
      const done = await snapshots.restore(caller, drive.id, id, given.path);
      return { files_restored: done.restored, files_removed: done.removed, undo_id: done.before.id };
    }
    case "fork": {
      const wanted = { name: shown.needed(given, "name"), snapshot: given.snapshot_id };
      const fork = await forks.create(caller, drive.id, wanted);
      return { drive: shown.nameOf(fork), file_count: fork.fileCount };
    }
  }
}

function snapshotShown(snapshot: Snapshot) {
  return {
    id: snapshot.id,
    name: snapshot.name,
    file_count: snapshot.fileCount,
    total_size: snapshot.totalSize,
    // Taken by the server, before a restore.
    ...(snapshot.isAutomatic ? { automatic: true } : {}),
    created_at: formatInstant(snapshot.createdAt),
  };
}
