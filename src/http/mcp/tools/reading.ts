import { Type } from "@sinclair/typebox";
import type { Caller } from "../../../domain/accounts/caller.ts";
import type { Drive, SeenDrive } from "../../../domain/drives/drive.ts";
import type { File } from "../../../domain/files/file.ts";
import type { RequestContext } from "../../gate/request-context.ts";
import { linkUrl } from "../../gate/link-base.ts";
import { WHOLE_BYTES } from "../bounds.ts";
import { driveNamed } from "../drive-named.ts";
import { fileAddress } from "../file-address.ts";
import { fileUri } from "../file-uri.ts";
import { imageTypeOf, isImageType } from "../images.ts";
import type { McpOptions } from "../options.ts";
import { ALL_LINES, linesOf, type ReadLines } from "../reading.ts";
import { driveArgument, fileShown, nameOf, pathArgument, shownFile } from "../shown.ts";
import { type Answer, type Content, type Tool, tool } from "../tool.ts";

/** How long the link to a content that is not shown lasts. */
const CONTENT_LINK_SECONDS = 15 * 60;

const lineNumber = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description }));

const read = Type.Object({
  ...shownFile,
  text: Type.Optional(Type.String({ description: "Only of text and documents. Lines end with \\n here." })),
  start_line: Type.Optional(Type.Integer()),
  end_line: Type.Optional(Type.Integer()),
  total_lines: Type.Optional(Type.Integer()),
  next_line: Type.Optional(Type.Integer({ description: "There is more: pass it as start_line." })),
  next_byte: Type.Optional(
    Type.Integer({ description: "Line next_line was cut: pass this as start_byte too." }),
  ),
  download_url: Type.Optional(Type.String({ description: "Where to GET the content, if it is not shown." })),
  note: Type.Optional(Type.String({ description: "How to go on." })),
});

export function readingTools({ services, linkBase }: McpOptions): Tool[] {
  const { drives, files, links } = services;

  /** A URL of the content. Somebody who may not share gets one that takes the key. */
  const downloadUrl = async (
    caller: Caller,
    { role }: SeenDrive,
    file: File,
    context: RequestContext,
  ): Promise<string> => {
    const base = linkBase(context);
    if (caller.scope === "read-only" || role === "reader") return `${base}/v0/files/${file.id}/download`;
    const wanted = { expiresIn: CONTENT_LINK_SECONDS };
    return linkUrl(base, await links.createPresigned(caller, { id: file.id }, wanted));
  };

  /** Null for what is not an image, or too large to be shown. */
  const imageIn = async (file: File): Promise<Content | null> => {
    if (!isImageType(file.mimeType) || file.size > WHOLE_BYTES) return null;
    const bytes = await files.contentWhole(file);
    const mimeType = imageTypeOf(bytes);
    return mimeType === null ? null : { type: "image", data: bytes.toBase64(), mimeType };
  };

  return [
    tool(
      {
        name: "read_file",
        title: "Read a file",
        description:
          "Shows a file with its etag: text by lines, the text of PDF, Word, Excel, PowerPoint, OpenDocument text and EPUB files, and images as images. Long text is cut at about 32 KB: to go on, pass next_line as start_line. Of other binary files you get a URL. To find the lines you need in large files, use grep first.",
        needs: "reading",
        input: Type.Object({
          drive_id: driveArgument,
          path: pathArgument,
          start_line: lineNumber("The first line to show. Default 1."),
          end_line: lineNumber("The last line to show. Default: the last one that fits."),
          start_byte: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: Number.MAX_SAFE_INTEGER,
              description: "Where in the first line to begin: next_byte of the answer before.",
            }),
          ),
        }),
        output: read,
      },
      async ({ input, caller, context, signal }): Promise<Answer<Shown>> => {
        const drive = driveNamed(drives, caller, input.drive_id);
        const file = files.get(caller, { drive: drive.id, path: input.path });
        const image = await imageIn(file);
        if (image !== null) return withFacts(fileShown(drive, file), image);
        const wanted = {
          startLine: input.start_line ?? 1,
          endLine: input.end_line ?? null,
          startByte: input.start_byte ?? 0,
        };
        const lines = await linesOf(services, caller, file, wanted, signal);
        if (lines !== null) return withText(drive, file, lines);
        const url = await downloadUrl(caller, drive, file, context);
        return withLink(drive, file, url);
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
        output: Type.Object({
          id: Type.String(),
          title: Type.String(),
          text: Type.String(),
          url: Type.String(),
          metadata: Type.Record(Type.String(), Type.String()),
        }),
      },
      async ({ input, caller, context, signal }) => {
        const file = files.get(caller, { id: input.id });
        const drive = drives.get(caller, file.driveId);
        const lines = await linesOf(services, caller, file, ALL_LINES, signal);
        const { etag, mime_type, updated_at } = fileShown(drive, file);
        const rest = lines === null || lines.nextLine === null ? {} : { next_line: String(lines.nextLine) };
        return {
          structured: {
            id: file.id,
            title: file.filename,
            text: lines?.text ?? `This is no text: it has ${file.size} bytes of ${mime_type}.`,
            url: fileAddress(linkBase(context), file),
            metadata: { drive: nameOf(drive), path: file.path, etag, mime_type, updated_at, ...rest },
          },
        };
      },
    ),
  ];
}

const MORE_IN_DOCUMENT =
  "The document has more text than this, which is not read. Get a download link with share_file for the whole.";

type Shown = ReturnType<typeof fileShown> & Record<string, unknown>;

function withFacts(facts: Shown, ...contents: Content[]): Answer<Shown> {
  return { structured: facts, content: [{ type: "text", text: JSON.stringify(facts) }, ...contents] };
}

/** The text stands apart from the facts, so that no text can be taken for them, and is not escaped. */
function withText(drive: Drive, file: File, lines: ReadLines): Answer<Shown> {
  const { text, startLine, endLine, totalLines, nextLine, nextByte } = lines;
  const note = noteOf(lines);
  const facts = {
    ...fileShown(drive, file),
    start_line: startLine,
    end_line: endLine,
    total_lines: totalLines,
    ...(nextLine === null ? {} : { next_line: nextLine }),
    ...(nextByte === null ? {} : { next_byte: nextByte }),
    ...(note === null ? {} : { note }),
  };
  const { content = [] } = withFacts(facts, { type: "text", text });
  return { structured: { ...facts, text }, content };
}

/** How to go on; null at the end of the file. */
function noteOf({ nextLine, nextByte, isCut }: ReadLines): string | null {
  if (nextLine === null) return isCut ? MORE_IN_DOCUMENT : null;
  const byte = nextByte === null ? "" : ` and start_byte: ${nextByte}`;
  return `There is more. To go on, pass start_line: ${nextLine}${byte}.`;
}

function withLink(drive: Drive, file: File, url: string): Answer<Shown> {
  const note = "This is not shown. GET download_url to have its bytes.";
  const facts = { ...fileShown(drive, file), download_url: url, note };
  const { filename: name, mimeType, size } = file;
  return withFacts(facts, { type: "resource_link", uri: fileUri(file), name, mimeType, size });
}
