import { type Static, Type } from "@sinclair/typebox";
import type { Destination } from "../../../services/files/files.ts";
import type { Caller } from "../../../domain/accounts/caller.ts";
import type { Drive } from "../../../domain/drives/drive.ts";
import { invalid } from "../../../domain/errors.ts";
import { counted } from "../../../domain/contents/texts/text.ts";
import { driveNamed } from "../drive-named.ts";
import { failureOf } from "../failure.ts";
import type { McpOptions } from "../options.ts";
import {
  driveArgument,
  fileShown,
  ifMatchArgument,
  nameOf,
  pathArgument,
  preconditionFrom,
  shownFile,
} from "../shown.ts";
import { type Tool, tool } from "../tool.ts";

/** How many files one call may delete. */
const DELETED_PATHS = 100;

const destination = {
  destination_path: Type.String({
    minLength: 1,
    description: "The new path. If it ends with `/`, the filename is kept.",
    examples: ["archive/"],
  }),
  destination_drive_id: Type.Optional(Type.String({ minLength: 1, description: "Default: the same drive." })),
  overwrite: Type.Optional(
    Type.Boolean({ description: "Whether to replace a file at the new path. Default false." }),
  ),
};

/** Moves, copies and deletes files. */
export function transferTools({ services, log }: McpOptions): Tool[] {
  const { drives, files, folders } = services;

  const removeFolder = async (caller: Caller, drive: Drive, path: string, isSure: boolean): Promise<void> => {
    if (isSure) {
      await folders.remove(caller, drive.id, path);
      return;
    }
    const { fileCount } = await folders.preview(caller, drive.id, path);
    throw invalid(
      "confirm",
      `must be true to delete the folder "${path}" with all it holds: ${counted(fileCount, "file")}`,
    );
  };

  return [
    tool(
      {
        name: "move_file",
        title: "Move or rename a file",
        description:
          "Moves a file to another path, or to another of your drives. If there is a file at the new path, it fails, unless you pass overwrite.",
        needs: "writing",
        isDestructive: true,
        input: Type.Object({
          drive_id: driveArgument,
          path: pathArgument,
          ...destination,
          if_match: ifMatchArgument,
        }),
        output: Type.Object(shownFile),
      },
      async ({ input, caller }) => {
        const drive = driveNamed(drives, caller, input.drive_id);
        const ref = { drive: drive.id, path: input.path };
        const precondition = preconditionFrom(input.if_match);
        const file = await files.move(caller, ref, destinationOf(input), precondition);
        return { structured: fileShown(drives.get(caller, file.driveId), file) };
      },
    ),
    tool(
      {
        name: "copy_file",
        title: "Copy a file",
        description:
          "Copies a file to another path, or to another of your drives, whatever its size. If there is a file at the new path, it fails, unless you pass overwrite.",
        needs: "writing",
        isDestructive: true,
        input: Type.Object({
          drive_id: driveArgument,
          path: pathArgument,
          ...destination,
          if_match: ifMatchArgument,
        }),
        output: Type.Object(shownFile),
      },
      async ({ input, caller }) => {
        const drive = driveNamed(drives, caller, input.drive_id);
        const ref = { drive: drive.id, path: input.path };
        const precondition = preconditionFrom(input.if_match);
        const file = await files.copy(caller, ref, destinationOf(input), precondition);
        return { structured: fileShown(drives.get(caller, file.driveId), file) };
      },
    ),
    tool(
      {
        name: "delete_files",
        title: "Delete files",
        description:
          "Deletes files. They stay in the trash for a time, if this server keeps deleted files; undo brings them back. What could not be deleted is in `failed`, with the reason. A path that ends with `/` is a folder, which is deleted with everything in it if you pass confirm. With a single path, you can pass the file's etag as if_match.",
        needs: "writing",
        isDestructive: true,
        isIdempotent: true,
        also: { recursive: "confirm" },
        input: Type.Object({
          drive_id: driveArgument,
          paths: Type.Array(pathArgument, { minItems: 1, maxItems: DELETED_PATHS }),
          confirm: Type.Optional(
            Type.Boolean({
              description: "Whether folders are deleted with everything in them. Default false.",
            }),
          ),
          if_match: ifMatchArgument,
        }),
        output: Type.Object({
          drive: Type.String(),
          deleted: Type.Array(Type.String()),
          failed: Type.Array(Type.Object({ path: Type.String(), error: Type.String() })),
        }),
      },
      async ({ input, caller, context }) => {
        const drive = driveNamed(drives, caller, input.drive_id);
        const paths = [...new Set(input.paths)];
        if (input.if_match !== undefined && (paths.length > 1 || paths[0]?.endsWith("/") === true)) {
          throw invalid("if_match", "goes with a single path, of a file");
        }
        const precondition = preconditionFrom(input.if_match);
        const deleted: string[] = [];
        const failed: { path: string; error: string }[] = [];
        for (const path of paths) {
          try {
            if (path.endsWith("/")) await removeFolder(caller, drive, path, input.confirm === true);
            else await files.remove(caller, { drive: drive.id, path }, precondition);
            deleted.push(path);
          } catch (error) {
            if (paths.length === 1) throw error;
            failed.push({ path, error: failureOf(error, context, log, { sent: { paths } }).text });
          }
        }
        return { structured: { drive: nameOf(drive), deleted, failed } };
      },
    ),
  ];
}

type DestinationInput = Static<ReturnType<typeof Type.Object<typeof destination>>>;

function destinationOf(input: DestinationInput): Destination {
  return {
    path: input.destination_path,
    driveId: input.destination_drive_id,
    overwrite: input.overwrite ?? false,
  };
}
