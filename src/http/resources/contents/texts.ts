import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { EXTRACT_JSON_BYTES, EXTRACT_TEXT_BYTES, MIB, READ_TEXT_BYTES } from "../../../domain/limits.ts";
import type { ReadText } from "../../../services/contents/texts.ts";
import { ETAG, etagOf } from "../../content/conditions.ts";
import { fileOperation, viewOf } from "../../operation/file-route.ts";
import { JSON_TYPE } from "../../operation/spec.ts";
import * as t from "../../operation/schema.ts";
import type { Parts } from "../parts.ts";
import { EXTRACTION_LIMITS, EXTRACTIONS } from "../../../domain/contents/extraction.ts";
import type { Extract } from "../../../services/contents/extracts.ts";
import type { FileRef } from "../../../domain/files/file.ts";
import type { RequestContext } from "../../gate/request-context.ts";
import type { Input } from "../../operation/route.ts";
import { piecewise } from "../../content/piecewise.ts";

export function texts({ texts: service }: Parts) {
  return fileOperation("GET", "/text", {
    operationId: "readText",
    tag: "Files",
    summary: "Read lines of text",
    description:
      "Returns whole lines of a text file of any size, as many as fit into `max_bytes`, at most 10,000. To go on, send `next_line` as `start_line`, and `next_byte`, unless it is null, as `start_byte`: a line longer than `max_bytes` comes in parts. A line ends with `\\n` or `\\r\\n`. Text is read as UTF-8, as UTF-16 if it starts with a byte order mark, or else as Latin-1. A file of unknown type (`application/octet-stream`) is read if it is UTF-8 or UTF-16.",
    query: Type.Object({
      snapshot_id: t.inSnapshot,
      start_line: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 }),
      end_line: t.optionalNumber(1, "Default: the last line."),
      max_bytes: Type.Integer({
        minimum: 1,
        maximum: READ_TEXT_BYTES.most,
        default: READ_TEXT_BYTES.default,
        description: "The most bytes of text, as UTF-8.",
      }),
      start_byte: Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: "How many bytes of line `start_line` to pass over.",
      }),
    }),
    answers: {
      description: "The lines.",
      json: Type.Object({
        lines: Type.Array(Type.Object({ number: Type.Integer(), text: t.text("Without its line end.") })),
        start_line: Type.Integer({ description: "The first of `lines`." }),
        end_line: Type.Integer({ description: "The last of `lines`; `start_line` - 1 if there is none." }),
        total_lines: Type.Integer({ description: "Of the whole file." }),
        next_line: t.nullable(
          Type.Integer({ description: "The `start_line` of the next part; null at the end of the file." }),
        ),
        next_byte: t.nullable(
          Type.Integer({
            description: "The `start_byte` of the next part, if line `next_line` is cut; else null.",
          }),
        ),
        encoding: t.text("`utf-8`, `utf-16le`, `utf-16be` or `latin1` (Windows-1252)."),
      }),
      headers: ETAG,
      example: {
        lines: [{ number: 1, text: "# Plan" }],
        start_line: 1,
        end_line: 1,
        total_lines: 40,
        next_line: 2,
        next_byte: null,
        encoding: "utf-8",
      },
    },
    errors: ["UNSUPPORTED_MEDIA_TYPE", "EXTRACTION_FAILED"],
    handle: async ({ query, caller, context }, file) => {
      // A large text is read to its end to count its lines.
      context.suspendIdleTimeout();
      const read = await service.read(caller, viewOf(file, query), {
        startLine: query.start_line,
        startByte: query.start_byte,
        endLine: query.end_line ?? null,
        maxBytes: query.max_bytes,
      });
      return Response.json(answerOf(read), { headers: { etag: etagOf(read.file.digest) } });
    },
  });
}

function answerOf(read: ReadText) {
  const { startLine, endLine, totalLines, nextLine, nextByte, encoding } = read;
  const lines = endLine < startLine ? [] : read.text.split("\n");
  return {
    lines: lines.map((line, index) => ({ number: startLine + index, text: line })),
    start_line: startLine,
    end_line: endLine,
    total_lines: totalLines,
    next_line: nextLine,
    next_byte: nextByte,
    encoding,
  };
}

type Asked = Pick<Input<TObject, TObject, TSchema>, "request" | "caller" | "context">;

/** What all routes that answer with an `extractAnswer` have in common. */
export const EXTRACT = {
  description: `Returns the content of a text file (\`text/*\`, JSON, XML, source code and similar types) of up to ${EXTRACT_TEXT_BYTES / MIB} MiB, or ${EXTRACT_JSON_BYTES / MIB} MiB for JSON; download larger files. Text is read as UTF-8, as UTF-16 if it starts with a byte order mark, or else as Latin-1.\n\nOf PDF, DOCX, XLSX, PPTX, ODT, EPUB and HTML, up to ${EXTRACTION_LIMITS.inputBytes / MIB} MiB, the text is returned: paragraphs and rows of tables as lines, cells with tabs between them, sheets under their names, slides under their numbers, pages of a PDF with a form feed between them. \`truncated\` is set if that is more than ${EXTRACTION_LIMITS.units / MIB} Mi characters, or takes longer than ${EXTRACTION_LIMITS.readMs / 1000} seconds to read. A document that is malformed, has a password, has more than ${EXTRACTION_LIMITS.pages} pages or parts of more than ${EXTRACTION_LIMITS.unpacked / MIB} MiB, or takes too much time or memory gets 422; the latter may pass, so try again after a minute. If the system ended the reading, 503 is returned. The documents of one account or unclaimed drive are read one after another; with more than ${EXTRACTIONS.waitingEach} waiting, 429 is returned.`,
  answers: {
    description: "The content as text or JSON.",
    json: Type.Object({
      content: Type.Unknown({ description: "A string for text; the parsed value for JSON." }),
      mime_type: Type.String({ examples: ["text/markdown"] }),
      truncated: Type.Optional(
        Type.Literal(true, { description: "Set if the document has more text than this." }),
      ),
    }),
    example: { content: "# Plan\n", mime_type: "text/markdown" },
  },
  errors: ["UNSUPPORTED_MEDIA_TYPE", "PAYLOAD_TOO_LARGE", "EXTRACTION_FAILED"],
} as const;

/** Contents as text. Read-only keys may only GET. */
export function extract({ extracts: service }: Parts) {
  const answer = ({ request, caller, context }: Asked, file: FileRef) =>
    extractAnswer(context, () => service.extract(caller, file, request.signal));
  const spec = { ...EXTRACT, tag: "Files" };
  const posted = { ...spec, operationId: "extractFile", summary: "Extract text" };
  const got = { ...spec, operationId: "getExtract", summary: "Extract text, also with a read-only key" };
  return [
    ...fileOperation("POST", "/extract", { ...posted, handle: answer }),
    ...fileOperation("GET", "/extract", { ...got, handle: answer }),
  ];
}

/** Answers with a text once it has been extracted, which may take long. */
export async function extractAnswer(
  context: RequestContext,
  extracting: () => Promise<Extract>,
): Promise<Response> {
  context.suspendIdleTimeout();
  const body = await piecewise(encoded(await extracting()));
  context.allowSlowReader();
  return new Response(body, { headers: JSON_TYPE });
}

/** The response in pieces, so that a large text is never whole in memory. */
async function* encoded({ json, mimeType, isCut }: Extract): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode('{"content":');
  for await (const piece of json) if (piece !== "") yield encoder.encode(piece);
  const truncated = isCut ? ',"truncated":true' : "";
  yield encoder.encode(`,"mime_type":${JSON.stringify(mimeType)}${truncated}}`);
}
