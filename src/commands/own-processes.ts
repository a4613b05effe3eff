import { type Command, CommandError } from "./command.ts";
import { encodeExtraction, parseDocumentFormat } from "../domain/contents/extraction.ts";
import { encodeDrawing, parseThumbnailSize } from "../domain/contents/thumbnail.ts";
import { runExtraction } from "../extraction/run.ts";
import { drawThumbnail as draw } from "../thumbnails/draw.ts";

/** The server starts this for each document: its content is on standard input. */
export const extractText: Command = {
  name: "extract-text",
  positionals: ["FORMAT"],
  summary: "Read the text of a document; the server starts this by itself",
  help: "",
  isInternal: true,
  async run({ positionals }, terminal) {
    const format = parseDocumentFormat(positionals[0]);
    if (format === null) throw new CommandError("Give the format of the document.");
    await terminal.outBytes(encodeExtraction(await runExtraction(format, await standardInput())));
  },
};

/** The server starts this for each thumbnail: the picture is on standard input. */
export const drawThumbnail: Command = {
  name: "draw-thumbnail",
  positionals: ["SIZE"],
  summary: "Draw a thumbnail of a picture; the server starts this by itself",
  help: "",
  isInternal: true,
  async run({ positionals }, terminal) {
    const size = parseThumbnailSize(positionals[0]);
    if (size === null) throw new CommandError("Give the size of the thumbnail.");
    await terminal.outBytes(encodeDrawing(await draw(size, await standardInput())));
  },
};

async function standardInput(): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(Bun.concatArrayBuffers(await Array.fromAsync(Bun.stdin.stream())));
}
