import type { Server } from "@modelcontextprotocol/server";
import type { Caller } from "../../domain/accounts/caller.ts";
import { CofferError, invalid, notFound } from "../../domain/errors.ts";
import type { FileAtPath, FileFacts } from "../../domain/files/file.ts";
import { isFolderPath } from "../../domain/files/path.ts";
import { textOf } from "../../domain/contents/texts/text-encoding.ts";
import type { Services } from "../../services/services.ts";
import { formatInstant } from "../../domain/time.ts";
import { etagOf } from "../content/conditions.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { pathCursor } from "../operation/cursor.ts";
import * as shown from "./shown.ts";
import { answering } from "./failures.ts";
import type { McpOptions } from "./tool.ts";

/** A list of all files, in the order of their paths. */
export const BY_PATH = { prefix: "", grouped: false, tags: [], sort: "path", page: 1 } as const;

/** Makes a server answer what is asked about files as resources. */
export function answerResources(server: Server, context: RequestContext, options: McpOptions): void {
  const { services } = options;
  const answer = answering(context, options.log);
  server.setRequestHandler("resources/list", ({ params }) =>
    answer((caller) => listResources(services, caller, params?.cursor)),
  );
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [
      {
        uriTemplate: shown.FILE_URI_TEMPLATE,
        name: "file",
        title: "A file of a drive",
        description:
          "`drive` is the drive's id or slug, `path` the file's path in it, such as coffer://ada/notes/plan.md in the drive ada/notes. With a `/` at its end, it is a folder, and lists what is in it.",
      },
    ],
  }));
  server.setRequestHandler("resources/read", ({ params }) =>
    answer((caller) => readResource(services, caller, params.uri), params.uri),
  );
}

/** A page of all files, drive by drive. A cursor is a drive, and a path after which the list goes on. */
function listResources({ drives: service, listings }: Services, caller: Caller, cursor: string | undefined) {
  const drives = service.list(caller, null);
  const [id = "", ...segments] = (pathCursor.read(cursor) ?? "").split("/");
  const first = cursor === undefined ? 0 : drives.findIndex((drive) => drive.id === id);
  if (first === -1) throw invalid("cursor", "must be the nextCursor of an earlier page");
  let after = segments.join("/");
  for (const [index, drive] of drives.slice(first, first + shown.LISTED_DRIVES).entries()) {
    const { files, nextAfter } = listings.list(caller, {
      ...BY_PATH,
      driveId: drive.id,
      limit: shown.PAGE_FILES,
      after: after === "" ? null : { file: { sort: "path", path: after }, folder: null },
    });
    const resources = shown.fitting(files.map(resourceOf));
    const last = files[resources.length - 1];
    if (last !== undefined) {
      const hasMore = nextAfter !== null || resources.length < files.length;
      const next = hasMore ? `${drive.id}/${last.path}` : startOf(drives[first + index + 1]);
      return { resources: [...resources], ...nextCursor(next) };
    }
    after = "";
  }
  return { resources: [], ...nextCursor(startOf(drives[first + shown.LISTED_DRIVES])) };
}

/** A whole file, or what is in a folder. Throws NOT_FOUND, and PAYLOAD_TOO_LARGE for a file that is not read at once. */
async function readResource(services: Services, caller: Caller, uri: string) {
  const ref = shown.parseFileUri(uri);
  if (ref === null) throw notFound("file");
  if (ref.path === "" || isFolderPath(ref.path)) return { contents: [folderOf(services, caller, uri, ref)] };
  const { files } = services;
  const file = files.get(caller, ref);
  if (file.size > shown.WHOLE_BYTES) throw tooLarge(file);
  const bytes = await files.contentWhole(caller, file);
  const text = textOf(bytes, false);
  if (file.size > shown.ANSWER_BYTES && shown.imageTypeOf(bytes) === null) throw tooLarge(file);
  const facts = { uri, mimeType: file.mimeType, _meta: { etag: etagOf(file.digest) } };
  return { contents: [text === null ? { ...facts, blob: bytes.toBase64() } : { ...facts, text }] };
}

/** Folders, then files, each by its path on a line: none has a line end. */
function folderOf({ folders, listings }: Services, caller: Caller, uri: string, { drive, path }: FileAtPath) {
  const limit = shown.PAGE_FILES;
  const inside = folders.list(caller, { driveId: drive, path, sort: "name", page: 1, limit, after: null });
  const wanted = {
    ...BY_PATH,
    driveId: drive,
    prefix: path,
    grouped: true,
    sort: "name",
    limit,
    after: null,
  } as const;
  const { files, nextAfter } = listings.list(caller, wanted);
  const paths = [...inside.folders.map(({ folder }) => folder.path), ...files.map((file) => file.path)];
  const lines = shown.fitting(paths);
  const isWhole =
    lines.length === paths.length && inside.nextAfter === null && (nextAfter?.file ?? null) === null;
  return { uri, mimeType: "text/plain", text: [...lines, ...(isWhole ? [] : [MORE_IN_FOLDER])].join("\n") };
}

const MORE_IN_FOLDER = "(There is more: call list_files.)";

function nextCursor(next: string | null) {
  return next === null ? {} : { nextCursor: pathCursor.write(next) };
}

function startOf(drive: { readonly id: string } | undefined): string | null {
  return drive === undefined ? null : `${drive.id}/`;
}

function resourceOf(file: FileFacts) {
  return {
    uri: shown.fileUri(file),
    name: file.filename,
    title: file.path,
    mimeType: file.mimeType,
    size: file.size,
    annotations: { lastModified: formatInstant(file.updatedAt) },
    _meta: { etag: etagOf(file.digest) },
  };
}

function tooLarge({ size }: FileFacts): CofferError {
  return new CofferError(
    "PAYLOAD_TOO_LARGE",
    `The file has ${size} bytes, too many for one answer: call read_file, which shows text by lines and gives a link to what is not text.`,
  );
}
