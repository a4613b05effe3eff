import { type Static, Type } from "@sinclair/typebox";
import type { FileFacts, ListPosition } from "../../../domain/files/file.ts";
import type { Glob } from "../../../domain/files/glob.ts";
import { invalid } from "../../../domain/errors.ts";
import { withSlash } from "../../../domain/files/path.ts";
import type { FolderListing } from "../../../services/folders/folders.ts";
import type { Listing } from "../../../services/files/listings.ts";
import { pathCursor } from "../../operation/cursor.ts";
import * as t from "../../operation/schema.ts";
import { globIn } from "../../resources/files/listings.ts";
import * as shown from "../shown.ts";
import { type Call, tool } from "../tool.ts";

/** How a cursor begins where the list goes on in the folders of its folder, or after these in the files. */
const AMONG_FOLDERS = "d";
const AMONG_FILES = "f";
const NO_FOLDERS: FolderListing = { folders: [], total: 0, nextAfter: null };

const listInput = Type.Object({
  drive_id: shown.driveArgument,
  path: t.optionalText("A folder, such as notes/. Default: the top of the drive."),
  recursive: t.optionalFlag("Whether to list the files in all folders below. Default false."),
  glob: shown.globArgument("Only files, in all folders below, whose paths from there on match"),
  tags: shown.onlyTagsArgument,
  fields: shown.fieldsArgument,
  limit: t.optionalNumber(1, `Default ${shown.PAGE_FILES}.`, shown.PAGE_FILES),
  cursor: shown.cursorArgument,
});

export const folderTools = [
  tool(
    {
      name: "list_files",
      title: "List files and folders",
      description:
        "Lists a folder: its folders, with how many files are in them and below, then its files, with their sizes in bytes, both by name, numbers in them by value. With `recursive`, it lists the files in all folders below instead. Long lists are cut: pass next_cursor as cursor, with the same other arguments, to go on. To find something by its name or text, use search.",
      needs: "reading",
      input: listInput,
    },
    list,
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

async function list(call: Call<Static<typeof listInput>>): Promise<object> {
  const { input, caller, drive } = call;
  const { folders, listings } = call.services;
  const glob = globIn(input.glob);
  if (glob !== null) return listMatching(call, glob);
  const { path, limit, tags, fileShown } = wantedIn(call);
  const grouped = input.recursive !== true;
  const from = positionIn(input.cursor);
  const sort = grouped && tags.length === 0 ? "name" : "path";
  const listing = listings.list(caller, {
    driveId: drive.id,
    prefix: path,
    grouped,
    tags,
    sort,
    page: 1,
    limit,
    after: from.isAmongFolders ? null : afterFile(from, sort),
  });
  const found =
    grouped && from.isAmongFolders
      ? folders.list(caller, { driveId: drive.id, path, sort: "name", page: 1, limit, after: from.after })
      : NO_FOLDERS;
  return pageOf(found, listing, limit, fileShown);
}

/** The files below a folder whose paths match. */
async function listMatching(call: Call<Static<typeof listInput>>, glob: Glob): Promise<object> {
  const { input, caller, drive, services } = call;
  const { path: prefix, limit, tags, fileShown } = wantedIn(call);
  const after = afterFile(positionIn(input.cursor), "path");
  const request = { driveId: drive.id, prefix, tags, glob, depth: null, limit, after };
  const page = await services.walks.page(caller, request);
  const files = shown.fitting(page.files.map(fileShown));
  const next = page.files[files.length]?.path ?? page.next;
  return { files, ...shown.nextCursor(next === null ? null : pathCursor.write(AMONG_FILES + next)) };
}

function wantedIn({ input, context, drive, linkBase }: Call<Static<typeof listInput>>) {
  const base = linkBase(context);
  const fields = ["size", ...(input.fields ?? [])] as const;
  return {
    path: withSlash(input.path ?? ""),
    limit: input.limit ?? shown.PAGE_FILES,
    tags: input.tags ?? [],
    fileShown: (file: FileFacts) => shown.fileShown(drive, file, fields, base),
  };
}

function afterFile({ after }: { readonly after: string | null }, sort: "path" | "name"): ListPosition | null {
  return after === null ? null : { file: { sort, path: after }, folder: null };
}

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
