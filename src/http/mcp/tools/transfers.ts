import { Type } from "@sinclair/typebox";
import type { Caller } from "../../../domain/accounts/caller.ts";
import { invalid } from "../../../domain/errors.ts";
import { counted } from "../../../domain/contents/texts/text.ts";
import type { Services } from "../../../services/services.ts";
import { failureOf } from "../failures.ts";
import { tool } from "../tool.ts";
import * as t from "../../operation/schema.ts";
import * as shown from "../shown.ts";
import { onConflict } from "../../resources/files/files.ts";

const DELETED_PATHS = 100;

export const transferTools = [
  transferTool("move", {
    name: "move",
    formerly: { move_file: {} },
    title: "Move or rename a file",
    description:
      "Moves a file to another path, or to another of your drives. If there is a file at the new path, it fails, unless you pass on_conflict.",
  }),
  transferTool("copy", {
    name: "copy",
    formerly: { copy_file: {} },
    title: "Copy a file",
    description:
      "Copies a file to another path, or to another of your drives, whatever its size. If there is a file at the new path, it fails, unless you pass on_conflict.",
  }),
  tool(
    {
      name: "delete",
      formerly: { delete_files: {} },
      title: "Delete files",
      description:
        "Deletes files. They stay in the trash for a time, if this server keeps deleted files; undo brings them back. What could not be deleted is in `failed`, with the reason. A path that ends with `/` is a folder, which is deleted with everything in it if you pass confirm. With a single path, you can pass the file's etag as if_match.",
      needs: "writing",
      isDestructive: true,
      isIdempotent: true,
      also: { recursive: "confirm" },
      input: Type.Object({
        drive_id: shown.driveArgument,
        paths: Type.Array(shown.pathArgument, { minItems: 1, maxItems: DELETED_PATHS }),
        confirm: t.optionalFlag("Whether folders are deleted with everything in them. Default false."),
        if_match: shown.ifMatchArgument,
        message: shown.messageArgument,
      }),
    },
    async ({ input, caller, drive, context, services, log }) => {
      const paths = [...new Set(input.paths)];
      if (input.if_match !== undefined && (paths.length > 1 || paths[0]?.endsWith("/") === true)) {
        throw invalid("if_match", "goes with a single path, of a file");
      }
      const precondition = shown.preconditionFrom(input.if_match);
      const deleted: string[] = [];
      const failed: { path: string; error: string }[] = [];
      for (const path of paths) {
        try {
          if (!path.endsWith("/"))
            await services.files.remove(caller, { drive: drive.id, path }, precondition);
          else if (input.confirm === true) await services.folders.remove(caller, drive.id, path);
          else throw await unconfirmed(services, caller, drive.id, path);
          deleted.push(path);
        } catch (error) {
          if (paths.length === 1) throw error;
          failed.push({ path, error: failureOf(error, context, log, { sent: { paths } }).text });
        }
      }
      return failed.length === 0 ? { deleted } : { deleted, failed };
    },
  ),
];

/** A tool that brings a file to another path. */
function transferTool(
  how: "move" | "copy",
  texts: {
    readonly name: string;
    readonly formerly: Readonly<Record<string, object>>;
    readonly title: string;
    readonly description: string;
  },
) {
  const facts = {
    ...texts,
    needs: "writing",
    isDestructive: true,
    input: Type.Object({
      ...shown.fileArguments,
      destination_path: Type.String({
        minLength: 1,
        description: "The new path. If it ends with `/`, the filename is kept.",
        examples: ["archive/"],
      }),
      destination_drive_id: Type.Optional(
        Type.String({ minLength: 1, description: "Default: the same drive." }),
      ),
      on_conflict: onConflict,
      if_match: shown.ifMatchArgument,
      message: shown.messageArgument,
    }),
  } as const;
  return tool(facts, async ({ input, caller, drive, services: { drives, files } }) => {
    const { file } = await files[how](
      caller,
      { drive: drive.id, path: input.path },
      {
        path: input.destination_path,
        driveId: input.destination_drive_id,
        onConflict: input.on_conflict ?? "fail",
      },
      shown.preconditionFrom(input.if_match),
    );
    const fields = file.driveId === drive.id ? shown.CHANGED : (["drive", ...shown.CHANGED] as const);
    return shown.fileShown(drives.get(caller, file.driveId), file, fields);
  });
}

/** The error for a folder that may hold something. Throws errors of its preview. */
async function unconfirmed({ folders }: Services, caller: Caller, driveId: string, path: string) {
  const { fileCount } = await folders.preview(caller, driveId, path);
  return invalid(
    "confirm",
    `must be true to delete the folder "${path}" with all it holds: ${counted(fileCount, "file")}`,
  );
}
