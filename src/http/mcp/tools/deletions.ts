import { type Static, Type } from "@sinclair/typebox";
import { invalid } from "../../../domain/errors.ts";
import type { Glob } from "../../../domain/files/glob.ts";
import { UNCONDITIONAL } from "../../../domain/files/precondition.ts";
import { isOfFolder } from "../../../services/files/paths.ts";
import * as t from "../../operation/schema.ts";
import { globIn } from "../../resources/files/listings.ts";
import { failureOf } from "../failures.ts";
import * as shown from "../shown.ts";
import { type Call, tool } from "../tool.ts";

const deletionInput = Type.Object({
  drive_id: shown.driveArgument,
  paths: shown.severalPaths("Files and folders."),
  glob: shown.globArgument("Instead, all files that match"),
  dry_run: t.optionalFlag("Only say what would be deleted. Default false."),
  confirm: t.optionalFlag("Must be true for folders and patterns where the server keeps nothing of them."),
  if_match: shown.ifMatchArgument,
  message: shown.messageArgument,
});

export const deletionTools = [
  tool(
    {
      name: "delete",
      formerly: { delete_files: {} },
      title: "Delete files and folders",
      description:
        "Deletes files, and folders with all they hold. They stay in the trash for a time, if this server keeps what is deleted; undo brings them back, several files by the batch_id. What could not be deleted is in `failed`, with the reason. With a single path, of a file, you can pass its etag as if_match.",
      needs: "writing",
      isDestructive: true,
      isIdempotent: true,
      also: { recursive: "confirm" },
      input: deletionInput,
    },
    remove,
  ),
];

type Deletion = Call<Static<typeof deletionInput>>;

async function remove(call: Deletion): Promise<object> {
  const { input, caller, drive, services } = call;
  const glob = globIn(input.glob);
  const paths = [...new Set(input.paths)];
  if ((glob === null) === (paths.length === 0)) throw invalid("paths", "or glob must be given, and not both");
  const [path = "", second] = paths;
  const isOne = path !== "" && second === undefined;
  if (input.if_match !== undefined && !isOne) throw invalid("if_match", "goes with a single path, of a file");
  if (glob !== null) return removeMatching(call, glob);
  if (input.dry_run === true) return previewPaths(call, paths);
  if (!isOne) return removeSeveral(call, paths);
  const condition = shown.preconditionFrom(input.if_match);
  const ref = { drive: drive.id, path };
  const done = await services.paths.remove(caller, ref, condition, input.confirm ?? false);
  return { deleted: [done.path], file_count: done.fileCount };
}

async function previewPaths({ caller, drive, services }: Deletion, paths: readonly string[]) {
  const found: Awaited<ReturnType<typeof services.paths.preview>>[] = [];
  for (const path of paths) found.push(await services.paths.preview(caller, { drive: drive.id, path }));
  const counts = found.map(({ fileCount }) => fileCount);
  return {
    would_delete: found.map(({ path }) => path),
    file_count: counts.reduce((sum, each) => sum + each),
  };
}

/** Each folder is an entry of the trash; the files are one batch. */
async function removeSeveral(call: Deletion, paths: readonly string[]): Promise<object> {
  const { input, caller, drive, context, services, log } = call;
  const meant = paths.map((path) => services.paths.meant(caller, { drive: drive.id, path }));
  const [folders, files] = [meant.filter(isOfFolder), meant.filter((path) => !isOfFolder(path))];
  const deleted: string[] = [];
  const failed: { path: string; error: string }[] = [];
  let fileCount = 0;
  for (const path of folders) {
    const ref = { drive: drive.id, path };
    try {
      fileCount += (await services.paths.remove(caller, ref, UNCONDITIONAL, input.confirm ?? false))
        .fileCount;
      deleted.push(path);
    } catch (error) {
      failed.push({ path, error: failureOf(error, context, log, { sent: { paths } }).text });
    }
  }
  const done = await services.files.removeMany(caller, { drive: drive.id, paths: files });
  failed.push(...done.failed.map((path) => ({ path, error: NOT_DELETED })));
  return {
    deleted: [...deleted, ...done.deleted],
    file_count: fileCount + done.deleted.length,
    ...(failed.length === 0 ? {} : { failed }),
    ...shown.batch(done.batch),
  };
}

const NOT_DELETED = "NOT_FOUND: There is no such file that you may delete.";

async function removeMatching(call: Deletion, glob: Glob): Promise<object> {
  const { input, caller, drive, services } = call;
  const { paths, manyPaths } = services;
  if (input.dry_run === true) {
    const found = await manyPaths.preview(caller, drive.id, glob);
    const some = found.slice(0, shown.NAMED_PATHS).map(({ path }) => path);
    return { would_delete: some, file_count: found.length };
  }
  paths.requireConfirmed(input.confirm ?? false);
  const { fileCount, failed, batch } = await manyPaths.remove(caller, drive.id, glob);
  const rest = failed.length === 0 ? {} : { failed: shown.fitting(failed) };
  return { file_count: fileCount, ...rest, ...shown.batch(batch) };
}
