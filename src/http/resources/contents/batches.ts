import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { essenceOf } from "../../../domain/contents/media-type.ts";
import { quotedTag } from "../../../domain/files/precondition.ts";
import { BATCH, MIB } from "../../../domain/limits.ts";
import type { BatchFields, BatchOutcome, WrittenBatch } from "../../../services/contents/batch-upload.ts";
import { etagOf } from "../../content/conditions.ts";
import type { Input } from "../../operation/route.ts";
import * as t from "../../operation/schema.ts";
import { compileBodyValidator } from "../../operation/validate.ts";
import { type ContentAnswer, type Reply, writeContent } from "../../operation/write.ts";
import { type Fields, fieldsIn, fieldsParameter, namesIn, picked } from "../../records/fields.ts";
import { fileSchema } from "../../records/record-schemas.ts";
import { BATCH_TYPES, batchEntries, batchFormat, HashedBody } from "../../upload/batch/entries.ts";
import { encodingIn } from "../../upload/json.ts";
import { announcedBy, chunksOf, type UploadEnvelope } from "../../upload/upload-body.ts";
import { failureRecord, failureSchema } from "../files/failures.ts";
import type { Parts } from "../parts.ts";
import { batchLine } from "./upload-schemas.ts";
import { requireContent, withContentNamed } from "./uploads.ts";

const batchQuery = Type.Object({
  drive_id: t.driveRef(),
  prefix: t.optionalText("The folder that all paths are in. Default: the drive's root.", "import/"),
  on_conflict: t.oneOf(["replace", "skip", "keep_both", "fail"], {
    default: "replace",
    description:
      "What becomes of a file at whose path there is one already: it replaces that, or is left out, or gets a name beside it such as `plan (2).md`, or fails.",
  }),
  atomic: t.flag("Whether all files are written or none."),
  fields: fieldsParameter,
});

const outcome = Type.Object({
  path: t.text("Where the file is, or was to be.", "notes/hello.txt"),
  status: t.oneOf(["created", "replaced", "skipped", "failed"]),
  id: Type.Optional(t.id("The file.")),
  etag: t.optionalText("Of its content."),
  line: t.optionalInteger({ minimum: 1, description: "Of a line that failed." }),
  error: Type.Optional(failureSchema),
});

const RESULT_FIELDS = namesIn(outcome);

const answer = Type.Object({
  results: Type.Array(outcome, {
    description:
      "One for each file, in the order in which they were sent. Of folders only those that failed.",
  }),
  created: t.count("How many are new."),
  replaced: t.count("How many replaced another content."),
  skipped: t.count("How many were left out."),
  failed: t.count("How many failed."),
  batch_id: t.nullableId("All of it, to undo it with `POST /v0/undo`; null if nothing was written."),
});

const contentBytes = Type.String({ format: "binary" });
const file = t.exampleOf(fileSchema);
const EXAMPLE_LINE = { path: "notes/hello.txt", text: "Hello World!" };
const EXAMPLE_LINES = `${JSON.stringify(EXAMPLE_LINE)}\n`;
const DESCRIPTION = `Writes up to ${BATCH.files} small files with one request, each of at most ${BATCH.fileBytes / MIB} MiB, in a body of at most ${BATCH.bodyBytes / MIB} MiB. Send lines of JSON, one for each file, with \`path\` and \`text\`, or base64 as \`content\`; or an archive: tar, tar.gz or ZIP. A file that is there keeps its id, and its tags, metadata, expiry and a type that was given, unless the line gives them. Of an archive, files and folders are taken; a link or a device fails, and so does an entry that is encrypted.

The response is 200 even if some files failed: each has a result of its own. With \`atomic=true\`, all is checked before anything is written, and the first problem is the error of the request, which names the file; if a later write fails all the same, what was written is taken back. Others may see a part of the files in between.

A retry under the same Idempotency-Key has no second effect. But if the server stops in the middle of a large batch, what was written until then stays, unless it is atomic: send the rest again.`;

type Asked = Input<TObject, typeof batchQuery, TSchema>;

export function batches({ batchUploads: service, pace }: Parts) {
  const checkLine = compileBodyValidator(batchLine);
  const reading = { limit: BATCH.bodyBytes, pace };

  async function receive(input: Asked, reply: Reply<ContentAnswer>): Promise<void> {
    const { request, context, caller, query, takeUnknown } = input;
    const format = batchFormat(typeOf(request));
    const fields = fieldsIn(query.fields, RESULT_FIELDS);
    const options = {
      drive: query.drive_id,
      prefix: query.prefix ?? "",
      onConflict: query.on_conflict,
      isAtomic: query.atomic,
    };
    await using batch = await service.begin(caller, context.client, options, announcedBy(request, context));
    const check = () => batch.requireAllowed();
    const body = new HashedBody(chunksOf(request, context, { ...reading, check }));
    const fieldsOf = (sent: UploadEnvelope) =>
      lineFields(sent, checkLine(withContentNamed(sent), takeUnknown));
    await batch.whole(async () => {
      for await (const entry of batchEntries(format, body, fieldsOf)) await batch.add(entry);
      const identity = await identityOf(request, body);
      context.suspendIdleTimeout();
      await batch.finish(reply.with((written) => ({ json: batchRecord(written, fields), identity })));
    });
  }

  return writeContent("POST", "/v0/files/batch", {
    operationId: "writeFiles",
    tag: "Files",
    summary: "Write many files",
    description: DESCRIPTION,
    query: batchQuery,
    rawBody: {
      limit: BATCH.bodyBytes,
      content: Object.fromEntries(
        Object.values(BATCH_TYPES)
          .flat()
          .map((type) => [type, contentBytes]),
      ),
      examples: Object.fromEntries(BATCH_TYPES.lines.map((type) => [type, EXAMPLE_LINES])),
    },
    answers: {
      description: "What became of each file.",
      json: answer,
      example: {
        results: [
          {
            path: file.path,
            status: "created",
            id: file.id,
            etag: `"${file.content_hash.replace("sha256:", "")}"`,
          },
        ],
        created: 1,
        replaced: 0,
        skipped: 0,
        failed: 0,
        batch_id: "01976f5e-5d7a-7000-8000-9c2d4e6f8a1b",
      },
    },
    errors: [
      "REQUEST_TIMEOUT",
      "CONFLICT",
      "PRECONDITION_FAILED",
      "QUOTA_EXCEEDED",
      "UNSUPPORTED_MEDIA_TYPE",
    ],
    perform: receive,
    identify: ({ request, context }) =>
      identityOf(request, new HashedBody(chunksOf(request, context, reading))),
  });
}

function typeOf({ headers }: Request): string {
  return essenceOf(headers.get("content-type") ?? "");
}

/** Equal for equal bodies: an archive may end before its body does. */
async function identityOf(request: Request, body: HashedBody): Promise<string> {
  return `${typeOf(request)} ${await body.digest()}`;
}

function lineFields(sent: UploadEnvelope, line: Static<typeof batchLine>): BatchFields {
  requireContent(sent);
  const { if_match: ifMatch, only_create: isNew = false } = line;
  const isText = sent.contentKey === "text" || encodingIn(line) === "text";
  return {
    path: line.path,
    contentType: line.content_type,
    metadata: line.metadata,
    tags: line.tags,
    expiresAt: line.expires_at,
    precondition: {
      ifMatch: ifMatch === undefined ? null : quotedTag(ifMatch),
      ifNoneMatch: isNew ? "*" : null,
      ifUnmodifiedSince: null,
    },
    ...(isText ? { isText } : {}),
  };
}

function batchRecord({ outcomes, batch }: WrittenBatch, fields: Fields) {
  const count = (status: BatchOutcome["status"]) => outcomes.filter((each) => each.status === status).length;
  return {
    results: outcomes.map((each) => picked(outcomeRecord(each), fields)),
    created: count("created"),
    replaced: count("replaced"),
    skipped: count("skipped"),
    failed: count("failed"),
    batch_id: batch,
  };
}

function outcomeRecord({ path, status, file: written, error, line }: BatchOutcome) {
  return {
    path,
    status,
    ...(written === null ? {} : { id: written.id, etag: etagOf(written.digest) }),
    ...(error === null ? {} : { ...(line === null ? {} : { line }), error: failureRecord(error) }),
  };
}
