import { Type } from "@sinclair/typebox";
import type { File } from "../../../domain/files/file.ts";
import { formatInstant } from "../../../domain/time.ts";
import { etagOf } from "../../content/conditions.ts";
import { linkUrl } from "../../gate/link-base.ts";
import { lineArguments, linesOf, wantedIn, withLines } from "../lines.ts";
import { invalid } from "../../../domain/errors.ts";
import * as t from "../../operation/schema.ts";
import { failureOf } from "../failures.ts";
import * as shown from "../shown.ts";
import { Answer, type Call, type Content, json, tool } from "../tool.ts";

/** How long the link to content that is not shown lasts. */
const CONTENT_LINK_SECONDS = 15 * 60;

export const readingTools = [
  tool(
    {
      name: "read_file",
      title: "Read a file",
      description:
        "Shows a file with its etag, or the texts of several with one call, as `paths`: text by lines, the text of PDF, Word, Excel, PowerPoint, OpenDocument text and EPUB files, and images as images. Long text is cut at about 32 KB: to go on, pass next_line as start_line. Of other binary files you get a URL. To find the lines you need in large files, use grep first.",
      needs: "reading",
      input: Type.Object({
        drive_id: shown.driveArgument,
        path: t.optionalText("The file's path in the drive.", "notes/plan.md"),
        paths: shown.severalPaths("Texts of several files, as many as fit, instead of path."),
        ...lineArguments,
      }),
    },
    async (call) => {
      const { input, caller, drive, services } = call;
      if (input.paths !== undefined) return readMany(call, input.paths);
      if (input.path === undefined) throw invalid("path", "is required, or paths instead");
      const file = services.files.get(caller, { drive: drive.id, path: input.path });
      const facts = {
        ...shown.fileShown(drive, file, ["etag", "size", "mime_type", "updated_at"]),
        ...(file.tags.length === 0 ? {} : { tags: file.tags }),
      };
      const image = await imageIn(call, file);
      if (image !== null) return new Answer(json(facts), image);
      const lines = await linesOf(call, file, wantedIn(input));
      return lines === null ? withLink(facts, file, await downloadUrl(call, file)) : withLines(facts, lines);
    },
  ),
  tool(
    {
      name: "fetch",
      title: "Fetch a search result",
      description:
        "Shows the text of a file by the id that search gave it. To read more than the beginning of a long text, pass the drive (as drive_id) and path of its metadata to read_file.",
      needs: "reading",
      input: Type.Object({ id: Type.String({ minLength: 1, description: "The id of a search result." }) }),
    },
    async (call) => {
      const { input, caller, context, services, linkBase } = call;
      const file = services.files.get(caller, { id: input.id });
      const drive = services.drives.get(caller, file.driveId);
      const lines = await linesOf(call, file, wantedIn({}));
      const rest = lines === null || lines.nextLine === null ? {} : { next_line: String(lines.nextLine) };
      return {
        id: file.id,
        title: file.filename,
        text: lines?.text ?? `This is no text: it has ${file.size} bytes of ${file.mimeType}.`,
        url: shown.fileAddress(linkBase(context), file),
        metadata: {
          drive: shown.nameOf(drive),
          path: file.path,
          etag: etagOf(file.digest),
          mime_type: file.mimeType,
          updated_at: formatInstant(file.updatedAt),
          ...rest,
        },
      };
    },
  ),
];

/** Texts of several files: the facts of each, then its text. What did not fit is named at the end. */
async function readMany(
  { caller, context, drive, services, log }: Call<unknown>,
  paths: readonly string[],
): Promise<Answer> {
  const { files, failed, left } = await services.manyTexts.read(
    caller,
    { drive: drive.id, paths },
    shown.ANSWER_BYTES,
  );
  const contents = files.flatMap((read): Content[] => {
    const facts = { path: read.file.path, etag: etagOf(read.file.digest) };
    if ("bytes" in read) return [json({ ...facts, note: "This is no text: read it alone." })];
    const { text, nextLine } = read.text;
    const more = nextLine === null ? {} : { next_line: nextLine };
    return [json({ ...facts, ...more }), { type: "text", text }];
  });
  const rest = {
    ...(failed.length === 0
      ? {}
      : {
          failed: failed.map(({ name: path, error }) => ({
            path,
            error: failureOf(error, context, log).text,
          })),
        }),
    ...(left.length === 0 ? {} : { left }),
  };
  return new Answer(...contents, ...(Object.keys(rest).length === 0 ? [] : [json(rest)]));
}

function withLink(facts: object, file: File, download_url: string): Answer {
  const note = "This is not shown. GET download_url to have its bytes.";
  const { filename: name, mimeType, size } = file;
  const link = { type: "resource_link", uri: shown.fileUri(file), name, mimeType, size } as const;
  return new Answer(json({ ...facts, download_url, note }), link);
}

/** A URL of the content. Somebody who may not share gets one that takes the key. */
async function downloadUrl(
  { caller, drive, context, services, linkBase }: Call<unknown>,
  { id }: File,
): Promise<string> {
  const base = linkBase(context);
  if (caller.scope === "read-only" || drive.role === "reader") return `${base}/v0/files/${id}/download`;
  const wanted = { expiresIn: CONTENT_LINK_SECONDS };
  return linkUrl(base, await services.links.createPresigned(caller, { id }, wanted));
}

/** Null for what is not an image, or too large to be shown. */
async function imageIn({ caller, services: { files } }: Call<unknown>, file: File): Promise<Content | null> {
  if (!shown.isImageType(file.mimeType) || file.size > shown.WHOLE_BYTES) return null;
  const bytes = await files.contentWhole(caller, file);
  const mimeType = shown.imageTypeOf(bytes);
  return mimeType === null ? null : { type: "image", data: bytes.toBase64(), mimeType };
}
