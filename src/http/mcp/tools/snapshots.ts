import { type Static, Type } from "@sinclair/typebox";
import type { Caller } from "../../../domain/accounts/caller.ts";
import { invalid } from "../../../domain/errors.ts";
import type { Snapshot } from "../../../domain/snapshots/snapshot.ts";
import { formatInstant } from "../../../domain/time.ts";
import type { Snapshots } from "../../../services/snapshots/snapshots.ts";
import { fitting } from "../bounds.ts";
import { driveArgument, nameOf, optionalText } from "../shown.ts";
import { tool } from "../tool.ts";

const SHOWN = { snapshots: 50, differences: 100 };

const shownSnapshot = Type.Object({
  id: Type.String({ description: "Pass it as snapshot_id, to compare and restore." }),
  name: Type.String(),
  file_count: Type.Integer(),
  total_size: Type.Integer({ description: "Bytes." }),
  automatic: Type.Boolean({ description: "Whether the server took it, before a restore." }),
  created_at: Type.String(),
});

const input = Type.Object({
  drive_id: driveArgument,
  action: Type.Union([
    Type.Literal("create"),
    Type.Literal("list"),
    Type.Literal("compare"),
    Type.Literal("restore"),
  ]),
  snapshot_id: Type.Optional(
    Type.String({ minLength: 1, description: "The snapshot, to compare and restore." }),
  ),
  path: optionalText(
    "A folder, which ends with `/`: restores or compares only what is in it. Default: the whole drive.",
  ),
  name: optionalText("Of the new snapshot.", "Before the clean-up"),
});

const output = Type.Object({
  drive: Type.String(),
  snapshot: Type.Optional(shownSnapshot),
  snapshots: Type.Optional(Type.Array(shownSnapshot)),
  differences: Type.Optional(
    Type.Array(
      Type.Object({
        change: Type.String({ description: "added, removed, changed or moved, since the snapshot." }),
        path: Type.String(),
      }),
    ),
  ),
  restored: Type.Optional(
    Type.Object({
      files_restored: Type.Integer(),
      files_removed: Type.Integer({ description: "That the snapshot does not have." }),
      undo_id: Type.String({ description: "The snapshot that undoes this." }),
    }),
  ),
  is_cut: Type.Optional(Type.Boolean({ description: "Whether there are more than are shown." })),
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
      drive: nameOf(drive),
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
      const shown = fitting(differences.map(({ change, path }) => ({ change, path })));
      return { differences: [...shown], is_cut: next !== null || shown.length < differences.length };
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
