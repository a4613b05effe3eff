import { Type } from "@sinclair/typebox";
import { READ_MANY, READ_TEXT_BYTES } from "../../../domain/limits.ts";
import type { ReadFile, ReadTexts } from "../../../services/contents/many-texts.ts";
import { etagOf } from "../../content/conditions.ts";
import { TEXT_BODY } from "../../json/json-body.ts";
import { operation } from "../../operation/route.ts";
import * as t from "../../operation/schema.ts";
import { driveSchema } from "../../records/record-schemas.ts";
import { namedIn } from "../files/bulk.ts";
import { failureRecord, failureSchema } from "../files/failures.ts";
import type { Parts } from "../parts.ts";

const readFile = Type.Object({
  path: t.text("The file.", "notes/hello.txt"),
  etag: t.text("Of its content."),
  text: t.optionalText(
    "All of it, exactly; with `is_cut`, its lines from the first on, with `\\n` between them.",
    "Hello World!",
  ),
  content: t.optionalText("Instead of `text`, all of it in base64: of a short file that is no text."),
  is_cut: t.optionalFlag("Set if the file has more lines than these."),
  next_line: t.optionalInteger({ minimum: 1, description: "Where to go on with `GET /v0/files/{id}/text`." }),
  next_byte: t.optionalInteger({ minimum: 0, description: "The `start_byte`, if line `next_line` is cut." }),
});

export function manyTexts({ manyTexts: service }: Parts) {
  return operation("POST", "/v0/files/read", {
    operationId: "readFiles",
    tag: "Files",
    summary: "Read many texts",
    description: `Returns the texts of up to ${READ_MANY.files} files, in the order in which they are named, as much as fits into \`max_bytes\`. The last of them may be cut at a line; those after it are in \`left\`: send them again. A file that cannot be read is in \`failed\`. A file of more than ${READ_MANY.fileBytes / 1024 / 1024} MiB is to be read alone.`,
    body: Type.Object({
      file_ids: t.optionalTexts({ maxItems: READ_MANY.files }),
      drive_id: Type.Optional(t.driveRef("The drive of `paths`.")),
      paths: t.optionalTexts({
        maxItems: READ_MANY.files,
        description: "Instead of `file_ids`, with `drive_id`.",
        examples: [["notes/hello.txt"]],
      }),
      max_bytes: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: READ_TEXT_BYTES.most,
          description: `The most bytes of text, as UTF-8. Default ${READ_TEXT_BYTES.default}.`,
        }),
      ),
    }),
    bodyLimits: TEXT_BODY,
    example: { drive_id: t.exampleOf(driveSchema).id, paths: ["notes/2030/plan.md"] },
    answers: {
      description: "What could be read.",
      json: Type.Object({
        files: Type.Array(readFile),
        failed: Type.Array(
          Type.Object({ name: t.text("The path or id, as it was sent."), error: failureSchema }),
        ),
        left: Type.Array(Type.String(), { description: "Paths or ids for which there was no room." }),
      }),
      example: {
        files: [{ path: "notes/hello.txt", etag: '"0f"', text: "Hello World!" }],
        failed: [],
        left: [],
      },
    },
    handle: async ({ body, caller, context }) => {
      context.suspendIdleTimeout();
      const most = body.max_bytes ?? READ_TEXT_BYTES.default;
      return Response.json(answerOf(await service.read(caller, namedIn(body), most)));
    },
  });
}

function answerOf({ files, failed, left }: ReadTexts) {
  return {
    files: files.map(fileOf),
    failed: failed.map(({ name, error }) => ({ name, error: failureRecord(error) })),
    left,
  };
}

function fileOf(read: ReadFile) {
  const facts = { path: read.file.path, etag: etagOf(read.file.digest) };
  if ("bytes" in read) return { ...facts, content: read.bytes.toBase64() };
  const { text, nextLine, nextByte } = read.text;
  if (nextLine === null) return { ...facts, text };
  const byte = nextByte === null ? {} : { next_byte: nextByte };
  return { ...facts, text, is_cut: true, next_line: nextLine, ...byte };
}
