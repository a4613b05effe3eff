import { encodeExtraction, parseDocumentFormat } from "../domain/contents/extraction.ts";
import { runExtraction } from "../extraction/run.ts";
import { type Command, CommandError } from "./command.ts";

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
    const pieces = await Array.fromAsync(Bun.stdin.stream());
    const extraction = await runExtraction(format, new Uint8Array(Bun.concatArrayBuffers(pieces)));
    await terminal.outBytes(encodeExtraction(extraction));
  },
};
