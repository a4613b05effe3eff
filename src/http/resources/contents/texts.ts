import { Type } from "@sinclair/typebox";
import { READ_TEXT_BYTES } from "../../../domain/limits.ts";
import type { ReadText, Texts } from "../../../services/contents/texts.ts";
import { ETAG, etagOf } from "../../content/conditions.ts";
import { fileOperation, viewOf } from "../../operation/file-route.ts";
import { inSnapshot, integer, nullable, text } from "../../operation/schema.ts";

const answer = Type.Object({
  lines: Type.Array(Type.Object({ number: Type.Integer(), text: text("Without its line end.") })),
  start_line: Type.Integer({ description: "The first of `lines`." }),
  end_line: Type.Integer({ description: "The last of `lines`; `start_line` - 1 if there is none." }),
  total_lines: Type.Integer({ description: "Of the whole file." }),
  next_line: nullable(
    Type.Integer({ description: "The `start_line` of the next part; null at the end of the file." }),
  ),
  next_byte: nullable(
    Type.Integer({
      description: "The `start_byte` of the next part, if line `next_line` is cut; else null.",
    }),
  ),
  encoding: text("`utf-8`, `utf-16le`, `utf-16be` or `latin1` (Windows-1252)."),
});

export function texts(service: Texts) {
  return fileOperation("GET", "/text", {
    operationId: "readText",
    tag: "Files",
    summary: "Read lines of text",
    description:
      "Returns whole lines of a text file of any size, as many as fit into `max_bytes`, at most 10,000. To go on, send `next_line` as `start_line`, and `next_byte`, unless it is null, as `start_byte`: a line longer than `max_bytes` comes in parts. A line ends with `\\n` or `\\r\\n`. Text is read as UTF-8, as UTF-16 if it starts with a byte order mark, or else as Latin-1. A file of unknown type (`application/octet-stream`) is read if it is UTF-8 or UTF-16.",
    query: Type.Object({
      snapshot_id: inSnapshot,
      start_line: integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: 1 }),
      end_line: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: Number.MAX_SAFE_INTEGER,
          description: "Default: the last line.",
        }),
      ),
      max_bytes: integer({
        minimum: 1,
        maximum: READ_TEXT_BYTES.most,
        default: READ_TEXT_BYTES.default,
        description: "The most bytes of text, as UTF-8.",
      }),
      start_byte: integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        default: 0,
        description: "How many bytes of line `start_line` to pass over.",
      }),
    }),
    answers: [
      {
        description: "The lines.",
        json: answer,
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
    ],
    errors: ["NOT_FOUND", "UNSUPPORTED_MEDIA_TYPE", "EXTRACTION_FAILED"],
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
