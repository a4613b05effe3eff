import { Type } from "@sinclair/typebox";
import type { FileFacts } from "../../../domain/files/file.ts";
import { invalid } from "../../../domain/errors.ts";
import { withSlash } from "../../../domain/files/path.ts";
import type { FolderListing } from "../../../services/folders/folders.ts";
import type { Listing } from "../../../services/files/listings.ts";
import { pathCursor } from "../../operation/cursor.ts";
import * as t from "../../operation/schema.ts";
import * as shown from "../shown.ts";
import { tool } from "../tool.ts";

/** How a cursor begins where the list goes on in the folders of its folder, or after these in the files. */
const AMONG_FOLDERS = "d";
const AMONG_FILES = "f";
const NO_FOLDERS: FolderListing = { folders: [], total: 0, nextAfter: null };

export const folderTools = [
  tool(
    {
      name: "list_files",
      title: "List files and folders",
      description:
        "Lists a folder: its folders, with how many files are in them and below, then its files, with their sizes in bytes, each in the order of their paths. With `recursive`, it lists the files in all folders below instead. Long lists are cut: pass next_cursor as cursor, with the same other arguments, to go on. To find something by its name or text, use search.",
      needs: "reading",
      input: Type.Object({
        drive_id: shown.driveArgument,
        path: t.optionalText("A folder, such as notes/. Default: the top of the drive."),
        recursive: t.optionalFlag("Whether to list the files in all folders below. Default false."),
        tags: shown.onlyTagsArgument,
        fields: shown.fieldsArgument,
        limit: t.optionalNumber(1, `Default ${shown.PAGE_FILES}.`, shown.PAGE_FILES),
        cursor: shown.cursorArgument,
      }),
    },
    async ({ input, caller, context, drive, linkBase, services: { folders, listings } }) => {
      const path = withSlash(input.path ?? "");
      const limit = input.limit ?? shown.PAGE_FILES;
      const grouped = input.recursive !== true;
      const from = positionIn(input.cursor);
      const isAmongFolders = grouped && from.isAmongFolders;
      const listing = listings.list(caller, {
        driveId: drive.id,
        prefix: path,
        grouped,
        tags: input.tags ?? [],
        sort: "path",
        page: 1,
        limit,
        after:
          !from.isAmongFolders && from.after !== null
            ? { file: { sort: "path", path: from.after }, folder: null }
            : null,
      });
      const found = isAmongFolders
        ? folders.list(caller, { driveId: drive.id, path, page: 1, limit, after: from.after })
        : NO_FOLDERS;
      const fields = ["size", ...(input.fields ?? [])] as const;
      const base = linkBase(context);
      return pageOf(found, listing, limit, (file) => shown.fileShown(drive, file, fields, base));
    },
  ),
  tool(
    {
      name: "create_folder",
      title: "Make a folder",
      description:
        "Makes a folder and its missing parents, unless it is there. You need it only for empty folders: writing a file makes the folders of its path.",
      needs: "writing",
      isIdempotent: true,
      input: Type.Object({
        drive_id: shown.driveArgument,
        path: Type.String({ minLength: 1, description: "The folder.", examples: ["notes/2030/"] }),
      }),
    },
    async ({ input, caller, drive, services }) => {
      const { folder, created } = await services.folders.create(caller, drive.id, withSlash(input.path));
      return { path: folder.path, created };
    },
  ),
];

/** What fits into an answer: folders, then files once there are no more folders. */
function pageOf(
  found: FolderListing,
  listing: Listing,
  limit: number,
  fileShown: (file: FileFacts) => { readonly path: string },
) {
  const folders = found.folders.map(({ folder }) => ({
    path: folder.path,
    file_count: folder.fileCount,
    total_size: folder.totalSize,
  }));
  const files = found.nextAfter === null ? listing.files.map(fileShown) : [];
  const count = Math.min(limit, shown.fitting([...folders, ...files]).length);
  const page = {
    folders: folders.slice(0, count),
    files: files.slice(0, Math.max(0, count - folders.length)),
  };
  // The folders of the listing itself are not shown.
  const hasMore = found.nextAfter !== null || (listing.nextAfter?.file ?? null) !== null;
  const isWhole = count === folders.length + files.length && !hasMore;
  return { ...page, ...(isWhole ? {} : { next_cursor: endOf(page, folders.length) }) };
}

/** The cursor where the next page begins. @param folders how many folders were to be shown */
function endOf(
  page: { readonly folders: readonly { path: string }[]; readonly files: readonly { path: string }[] },
  folders: number,
): string {
  const lastFile = page.files.at(-1);
  const lastFolder = page.folders.at(-1);
  const isAmongFolders =
    lastFile === undefined && (page.folders.length < folders || lastFolder !== undefined);
  const after = isAmongFolders ? lastFolder : lastFile;
  return pathCursor.write((isAmongFolders ? AMONG_FOLDERS : AMONG_FILES) + (after?.path ?? ""));
}

/** Where the list goes on, after a path or, if that is null, at the start. Throws VALIDATION_ERROR. */
function positionIn(cursor: string | undefined) {
  const text = pathCursor.read(cursor) ?? AMONG_FOLDERS;
  const isAmongFolders = text.startsWith(AMONG_FOLDERS);
  if (!isAmongFolders && !text.startsWith(AMONG_FILES))
    throw invalid("cursor", "must be the next_cursor of an earlier page");
  return { isAmongFolders, after: text.slice(1) || null };
}
