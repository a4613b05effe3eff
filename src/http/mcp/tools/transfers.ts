import { type Static, Type } from "@sinclair/typebox";
import { invalid } from "../../../domain/errors.ts";
import type { Outcomes } from "../../../services/files/many-paths.ts";
import type { Found } from "../../../services/files/paths.ts";
import * as t from "../../operation/schema.ts";
import { onConflict } from "../../resources/files/files.ts";
import { namedIn, requireFolder, requireOneOf } from "../../resources/files/path-transfers.ts";
import { failureOf } from "../failures.ts";
import * as shown from "../shown.ts";
import { type Call, tool } from "../tool.ts";

const transferInput = Type.Object({
  drive_id: shown.driveArgument,
  path: t.optionalText("A file, or a folder with all it holds.", "notes/plan.md"),
  paths: shown.severalPaths("Several, instead of path."),
  glob: shown.globArgument("Or all files that match"),
  destination_path: Type.String({
    minLength: 1,
    description: "The new path. If it ends with `/`, the name is kept; for several it must.",
    examples: ["archive/"],
  }),
  destination_drive_id: Type.Optional(Type.String({ minLength: 1, description: "Default: the same drive." })),
  on_conflict: onConflict,
  if_match: shown.ifMatchArgument,
  message: shown.messageArgument,
});

const EACH =
  "What is at the new path stays, and the call fails, unless on_conflict says otherwise. With several, each has its own outcome: failed says why, and undo of batch_id takes all of it back.";

export const transferTools = [
  transferTool("move", {
    formerly: { move_file: {} },
    title: "Move or rename files and folders",
    description: `Moves a file or folder to another path, or to another of your drives; or several into a folder. ${EACH}`,
  }),
  transferTool("copy", {
    formerly: { copy_file: {} },
    title: "Copy files and folders",
    description: `Copies a file or folder, whatever its size, to another path, or to another of your drives; or several into a folder. ${EACH}`,
  }),
];

/** A tool that brings something to another path. */
function transferTool(
  how: "move" | "copy",
  texts: {
    readonly formerly: Readonly<Record<string, object>>;
    readonly title: string;
    readonly description: string;
  },
) {
  const facts = { ...texts, name: how, needs: "writing", isDestructive: true, input: transferInput } as const;
  return tool(facts, (call) => transfer(how, call));
}

async function transfer(how: "move" | "copy", call: Call<Static<typeof transferInput>>): Promise<object> {
  const { input, caller, drive, services } = call;
  requireOneOf(input);
  const to = {
    path: input.destination_path,
    driveId: input.destination_drive_id,
    onConflict: input.on_conflict ?? "fail",
  };
  if (input.path !== undefined) {
    const ref = { drive: drive.id, path: input.path };
    const condition = shown.preconditionFrom(input.if_match);
    const done = await services.paths.transfer(how, caller, ref, to, condition);
    return { ...foundShown(call, done), ...(done.isSkipped ? { skipped: true } : {}) };
  }
  if (input.if_match !== undefined) throw invalid("if_match", "goes with a single path, of a file");
  requireFolder(to);
  const all = await namedIn(services.manyPaths, caller, { ...input, drive_id: drive.id });
  return outcomesShown(call, await services.manyPaths.transfer(how, caller, all, to));
}

/** What is at a path now; with its drive, if that is another than before. */
function foundShown({ caller, drive, services }: Call<unknown>, found: Found) {
  if (found.kind === "folder") {
    const { path, fileCount, totalSize } = found.folder;
    return { path, file_count: fileCount, total_size: totalSize };
  }
  const isHere = found.file.driveId === drive.id;
  const fields = isHere ? shown.CHANGED : (["drive", ...shown.CHANGED] as const);
  return shown.fileShown(services.drives.get(caller, found.file.driveId), found.file, fields);
}

function outcomesShown({ context, log }: Call<unknown>, { each, batch }: Outcomes) {
  const failed = each.flatMap(({ name: path, error }) =>
    error === null ? [] : { path, error: failureOf(error, context, log).text },
  );
  const skipped = each.flatMap(({ name, to, error }) => (to === null && error === null ? name : []));
  return {
    done: each.length - failed.length - skipped.length,
    ...(skipped.length === 0 ? {} : { skipped: shown.fitting(skipped) }),
    ...(failed.length === 0 ? {} : { failed: shown.fitting(failed) }),
    ...shown.batch(batch),
  };
}
