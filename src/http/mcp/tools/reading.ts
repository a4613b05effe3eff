import { Type } from "@sinclair/typebox";
import type { Drive } from "../../../domain/drives/drive.ts";
import { CofferError } from "../../../domain/errors.ts";
import { documentFormatOf } from "../../../domain/contents/extraction.ts";
import { partOf, someLines, type TextPart } from "../../../domain/contents/texts/some-lines.ts";
import { utf8Length } from "../../../domain/contents/texts/text.ts";
import type { File } from "../../../domain/files/file.ts";
import { READ_TEXT_LINES } from "../../../domain/limits.ts";
import type { TextRange } from "../../../services/contents/texts.ts";
import type { Services } from "../../../services/services.ts";
import { linkUrl } from "../../gate/link-base.ts";
import * as t from "../../operation/schema.ts";
import * as shown from "../shown.ts";
import { Answer, type Call, type Content, tool } from "../tool.ts";

/** How long the link to content that is not shown lasts. */
const CONTENT_LINK_SECONDS = 15 * 60;

export const readingTools = [
  tool(
    {
      name: "read_file",
      title: "Read a file",
      description:
        "Shows a file with its etag: text by lines, the text of PDF, Word, Excel, PowerPoint, OpenDocument text and EPUB files, and images as images. Long text is cut at about 32 KB: to go on, pass next_line as start_line. Of other binary files you get a URL. To find the lines you need in large files, use grep first.",
      needs: "reading",
      input: Type.Object({
        ...shown.fileArguments,
        start_line: t.optionalNumber(1, "The first line to show. Default 1."),
        end_line: t.optionalNumber(1, "The last line to show. Default: the last one that fits."),
        start_byte: t.optionalNumber(0, "Where in the first line to begin: next_byte of the answer before."),
      }),
      output: Type.Object({
        ...shown.shownFile,
        text: t.optionalText("Only of text and documents. Lines end with \\n here."),
        start_line: t.optionalInteger(),
        end_line: t.optionalInteger(),
        total_lines: t.optionalInteger(),
        next_line: t.optionalInteger({ description: "There is more: pass it as start_line." }),
        next_byte: t.optionalInteger({ description: "Line next_line was cut: pass this as start_byte too." }),
        download_url: t.optionalText("Where to GET the content, if it is not shown."),
        note: t.optionalText("How to go on."),
      }),
    },
    async (call): Promise<Answer<Shown>> => {
      const { input, caller, drive, services } = call;
      const file = services.files.get(caller, { drive: drive.id, path: input.path });
      const image = await imageIn(services, file);
      if (image !== null) return withFacts(shown.fileShown(drive, file), image);
      const lines = await linesOf(call, file, {
        startLine: input.start_line ?? 1,
        endLine: input.end_line ?? null,
        startByte: input.start_byte ?? 0,
      });
      if (lines !== null) return withText(drive, file, lines);
      return withLink(drive, file, await downloadUrl(call, file));
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
    async (call) => {
      const { input, caller, context, services, linkBase } = call;
      const file = services.files.get(caller, { id: input.id });
      const drive = services.drives.get(caller, file.driveId);
      const lines = await linesOf(call, file, { startLine: 1, endLine: null, startByte: 0 });
      const { etag, mime_type, updated_at } = shown.fileShown(drive, file);
      const rest = lines === null || lines.nextLine === null ? {} : { next_line: String(lines.nextLine) };
      return {
        id: file.id,
        title: file.filename,
        text: lines?.text ?? `This is no text: it has ${file.size} bytes of ${mime_type}.`,
        url: shown.fileAddress(linkBase(context), file),
        metadata: { drive: shown.nameOf(drive), path: file.path, etag, mime_type, updated_at, ...rest },
      };
    },
  ),
];

const MORE_IN_DOCUMENT =
  "The document has more text than this, which is not read. Get a download link with share_file for the whole.";

type Shown = ReturnType<typeof shown.fileShown> & Record<string, unknown>;

function withFacts(facts: Shown, ...contents: Content[]): Answer<Shown> {
  return new Answer(facts, [{ type: "text", text: JSON.stringify(facts) }, ...contents]);
}

/** The text stands apart from the facts, so that no text can be taken for them, and is not escaped. */
function withText(drive: Drive, file: File, lines: ReadLines): Answer<Shown> {
  const { text, startLine, endLine, totalLines, nextLine, nextByte } = lines;
  const note = noteOf(lines);
  const facts = {
    ...shown.fileShown(drive, file),
    start_line: startLine,
    end_line: endLine,
    total_lines: totalLines,
    ...(nextLine === null ? {} : { next_line: nextLine }),
    ...(nextByte === null ? {} : { next_byte: nextByte }),
    ...(note === null ? {} : { note }),
  };
  return new Answer({ ...facts, text }, withFacts(facts, { type: "text", text }).content);
}

/** How to go on; null at the end of the file. */
function noteOf({ nextLine, nextByte, isCut }: ReadLines): string | null {
  if (nextLine === null) return isCut ? MORE_IN_DOCUMENT : null;
  const byte = nextByte === null ? "" : ` and start_byte: ${nextByte}`;
  return `There is more. To go on, pass start_line: ${nextLine}${byte}.`;
}

function withLink(drive: Drive, file: File, url: string): Answer<Shown> {
  const note = "This is not shown. GET download_url to have its bytes.";
  const facts = { ...shown.fileShown(drive, file), download_url: url, note };
  const { filename: name, mimeType, size } = file;
  return withFacts(facts, { type: "resource_link", uri: shown.fileUri(file), name, mimeType, size });
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
async function imageIn({ files }: Services, file: File): Promise<Content | null> {
  if (!shown.isImageType(file.mimeType) || file.size > shown.WHOLE_BYTES) return null;
  const bytes = await files.contentWhole(file);
  const mimeType = shown.imageTypeOf(bytes);
  return mimeType === null ? null : { type: "image", data: bytes.toBase64(), mimeType };
}

/** Lines of a file, as much as a model should read at once. */
interface ReadLines extends TextPart {
  /** Whether a document has more text, after its last line, than is ever read. */
  readonly isCut: boolean;
}

type WantedLines = Omit<TextRange, "maxBytes">;

/**
 * The text of a text file, or of a document that has text in it; null for a file that is neither. HTML is read as it is
 * written, so that it can be edited. Throws CofferError VALIDATION_ERROR, EXTRACTION_FAILED for a document,
 * RATE_LIMITED, PAYLOAD_TOO_LARGE.
 */
async function linesOf(
  { caller, services: { texts, extracts }, signal }: Call<unknown>,
  { id, mimeType }: File,
  wanted: WantedLines,
): Promise<ReadLines | null> {
  const format = documentFormatOf(mimeType);
  if (format !== null && format !== "html") {
    const { text, isCut } = await extracts.text(caller, { id }, signal);
    return { ...(await readable((maxBytes) => cut(text, wanted, maxBytes))), isCut };
  }
  try {
    const read = await readable((maxBytes) => texts.read(caller, { id }, { ...wanted, maxBytes }));
    return { ...read, isCut: false };
  } catch (error) {
    const isNoText =
      error instanceof CofferError &&
      (error.code === "UNSUPPORTED_MEDIA_TYPE" || error.code === "EXTRACTION_FAILED");
    if (isNoText) return null;
    throw error;
  }
}

/** As much as an answer holds: half as much again and again, while the text takes too much in JSON. */
async function readable(read: (maxBytes: number) => TextPart | Promise<TextPart>): Promise<TextPart> {
  for (let maxBytes = shown.ANSWER_BYTES; ; maxBytes /= 2) {
    const lines = await read(maxBytes);
    if (utf8Length(JSON.stringify(lines.text)) <= shown.ANSWER_TEXT_JSON_BYTES) return lines;
  }
}

/** Some lines of a text that is in memory. */
function cut(text: string, { startLine, endLine, startByte }: WantedLines, maxBytes: number): TextPart {
  const all = text.split("\n");
  if (all.at(-1) === "") all.pop();
  const start = { startLine, startByte, totalLines: all.length, encoding: "utf-8" } as const;
  const rest = all.slice(startLine - 1, endLine ?? all.length);
  const [first] = rest;
  if (first === undefined) return partOf(null, start);
  const begun = Buffer.from(first).subarray(startByte).toString();
  const most = { lines: READ_TEXT_LINES, bytes: maxBytes };
  return partOf(someLines([begun, ...rest.slice(1), ""].join("\n"), true, most), start);
}
