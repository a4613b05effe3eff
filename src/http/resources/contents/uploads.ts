import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { type Input, tagged } from "../../operation/route.ts";
import { invalid } from "../../../domain/errors.ts";
import type { FilePath } from "../../../domain/files/path.ts";
import type { Uploaded } from "../../../services/contents/upload.ts";
import { parseTarget, type UploadFields } from "../../../services/contents/upload-fields.ts";
import { fileAnswerOf } from "../files/files.ts";
import { ETAG, IF_MATCH, IF_NONE_MATCH, preconditionOf } from "../../content/conditions.ts";
import { didYouMean, plusMeant } from "../../operation/query.ts";
import type { RawBody } from "../../operation/spec.ts";
import { driveSchema, fileSchema } from "../../records/record-schemas.ts";
import { CHANGE_MESSAGE } from "../../operation/change-message.ts";
import * as t from "../../operation/schema.ts";
import { jsonUpload, multipartUpload, rawMetadata, rawQuery } from "./upload-schemas.ts";
import type { UploadEnvelope, WriteContent } from "../../upload/upload-body.ts";
import { announcedBy, chunksOf, parseMetadata, readRawUpload } from "../../upload/upload-body.ts";
import { encodingIn, readJsonUpload } from "../../upload/json.ts";
import { readMultipartUpload } from "../../upload/multipart.ts";
import { compileBodyValidator } from "../../operation/validate.ts";
import { type ContentAnswer, type Reply, writeContent } from "../../operation/write.ts";
import type { Parts } from "../parts.ts";

const contentBytes = Type.String({ format: "binary" });
const EXAMPLE_TEXT = "Hello World!";
const exampleUpload: Static<typeof jsonUpload> = {
  drive_id: t.exampleOf(driveSchema).id,
  filename: t.exampleOf(fileSchema).filename,
  content: btoa(EXAMPLE_TEXT),
};
const exampleForm: Static<typeof multipartUpload> = {
  drive_id: t.exampleOf(driveSchema).id,
  file: EXAMPLE_TEXT,
};

/** What the operations of uploads have in common. */
export const UPLOAD = {
  headers: { ...IF_MATCH, ...IF_NONE_MATCH, ...CHANGE_MESSAGE },
  answers: [
    {
      status: 201,
      description: "The new file.",
      json: fileSchema,
      headers: ETAG,
      example: t.exampleOf(fileSchema),
    },
    { description: "The replaced file, with the same id.", json: fileSchema, headers: ETAG },
  ],
  errors: ["REQUEST_TIMEOUT", "CONFLICT", "QUOTA_EXCEEDED"],
} as const;

// Base64 takes a third more; white space and escapes may double that.
const BODY_OVERHEAD = 3;
const FIELDS_BYTES = 1024 * 1024;
// What HTTP clients send by default.
const DEFAULT_TYPES = /^(application\/octet-stream|application\/x-www-form-urlencoded)\b/i;

type Received = Pick<Input<TObject, TObject, TSchema>, "request" | "context" | "caller" | "takeUnknown">;
/** Reads a body, passes its content on, and resolves with its other fields. */
type ReadUpload = (body: AsyncIterable<Uint8Array>, write: WriteContent) => Promise<UploadFields>;

/** Where an upload goes, as far as that is known before its body. */
interface Destination {
  readonly driveId: string | null;
  readonly path: FilePath | null;
}

export function uploads({ uploads: service, maxFileSize, pace }: Parts) {
  const checkFields = compileBodyValidator(jsonUpload);
  const checkMetadata = compileBodyValidator(rawMetadata);
  const bodyLimit = maxFileSize * BODY_OVERHEAD + FIELDS_BYTES;
  const reading = { limit: bodyLimit, pace };

  /** Streams the content into the store and creates its file. An error leaves nothing behind. */
  async function receive(
    { request, context, caller }: Received,
    reply: Reply<ContentAnswer>,
    { driveId, path }: Destination,
    read: ReadUpload,
  ): Promise<void> {
    const body = announcedBy(request, context);
    // What comes with other fields may be much shorter than they are together.
    const announced = body && { ...body, path, bytes: path === null ? null : body.bytes };
    const upload = await service.begin(caller, driveId, announced);
    try {
      const chunks = chunksOf(request, context, { ...reading, check: () => upload.requireAllowed() });
      // Its message may come with the fields, after the content.
      const fields = { ...(await read(chunks, (piece) => upload.write(piece))), message: context.message };
      context.suspendIdleTimeout();
      const meant = plusMeant(context.query, ["path", "filename"], /\+{2,}/g);
      const answer = reply.with((uploaded: Uploaded) => uploadAnswer(fields, uploaded, meant));
      await upload.finish(fields, preconditionOf(request), answer);
    } finally {
      await upload.abort();
    }
  }

  /** Reads an upload whose Idempotency-Key was used before, to compare it. Keeps nothing of it. */
  async function identify({ request, context }: Received, read: ReadUpload): Promise<string> {
    const content = service.hashContent();
    const fields = await read(chunksOf(request, context, reading), (piece) => content.write(piece));
    return identityOf({ ...fields, message: context.message }, content.digest());
  }

  function readPosted({ request, takeUnknown }: Received): ReadUpload {
    const type = request.headers.get("content-type") ?? "";
    const isForm = /^multipart\/form-data\b/i.test(type);
    return async (body, write) => {
      const sent = isForm ? await readMultipartUpload(body, type, write) : await readJsonUpload(body, write);
      const fields = checkFields(withContentNamed(sent), takeUnknown);
      requireContent(sent);
      if (isForm && fields.encoding !== undefined)
        throw invalid("encoding", "is for JSON: in a form the content is sent as it is");
      return fieldsOf(fields, sent.contentKey === "text" || encodingIn(fields) === "text");
    };
  }

  function readPut({
    request,
    query,
    takeUnknown,
  }: Received & { readonly query: Static<typeof rawQuery> }): ReadUpload {
    const { metadata: text } = query;
    const checked = text === undefined ? {} : checkMetadata({ metadata: parseMetadata(text) }, takeUnknown);
    const fields = { ...rawFieldsOf(query, givenType(request)), metadata: checked.metadata };
    return async (body, write) => {
      await readRawUpload(body, write);
      return fields;
    };
  }

  return tagged("Files", [
    writeContent("POST", "/v0/files", {
      ...UPLOAD,
      operationId: "uploadFile",
      summary: "Upload a file",
      description:
        "Send JSON with `text`, or with base64 as `content`; or a form with a file. Missing folders are created. If there is a file at the path, its content, tags, metadata and expiry are replaced, and its id stays. A request with a `Content-Range` is refused: upload the whole content.",
      rawBody: {
        limit: bodyLimit,
        content: { "application/json": jsonUpload, "multipart/form-data": multipartUpload },
        examples: { "application/json": exampleUpload, "multipart/form-data": exampleForm },
      },
      perform: (input, reply) => receive(input, reply, { driveId: null, path: null }, readPosted(input)),
      identify: (input) => identify(input, readPosted(input)),
    }),
    writeContent("PUT", "/v0/files", {
      ...UPLOAD,
      answers: UPLOAD.answers.map((each) => ({
        ...each,
        json: Type.Intersect([fileSchema, Type.Object(didYouMean)]),
      })),
      operationId: "putFile",
      summary: "Upload a file as raw bytes",
      description:
        "The body is the content, byte for byte: `curl -T hello.txt`. The `Content-Type` header becomes the file's type, unless it is `application/octet-stream` or `application/x-www-form-urlencoded`, which HTTP clients send by default. If there is a file at the path, its content is replaced, and its id stays. Its tags, metadata, expiry and a type that was given stay too, unless this request gives them; `POST` declares the whole record. A request with a `Content-Range` is refused: upload the whole content.",
      query: rawQuery,
      rawBody: rawBodyOf(maxFileSize),
      perform: (input, reply) => {
        const { drive_id: driveId } = input.query;
        return receive(input, reply, { driveId, path: parseTarget(input.query).path }, readPut(input));
      },
      identify: (input) => identify(input, readPut(input)),
    }),
  ]);
}

/** A body that is the content itself. @param limit bytes */
export function rawBodyOf(limit: number): RawBody {
  return {
    limit,
    content: { "application/octet-stream": contentBytes, "*/*": contentBytes },
    examples: { "application/octet-stream": EXAMPLE_TEXT, "*/*": EXAMPLE_TEXT },
  };
}

/** The record of an uploaded file. @param more what else the response says */
export function uploadAnswer(
  fields: UploadFields,
  { file, created }: Uploaded,
  more: object = {},
): ContentAnswer {
  const { json, headers } = fileAnswerOf(file);
  return {
    json: { ...json, ...more },
    headers,
    status: created ? 201 : 200,
    identity: identityOf(fields, file.digest),
  };
}

/** Equal for equal uploads, however they are encoded. */
function identityOf(fields: UploadFields, digest: string): string {
  // The method says it already.
  return JSON.stringify([{ ...fields, keepsRest: undefined }, digest]);
}

/** Throws VALIDATION_ERROR for an upload without a content, even an empty one. */
export function requireContent({ contentKey }: UploadEnvelope): void {
  if (contentKey !== null) return;
  throw invalid("content", "is required: send a text as `text`, and anything else in base64 as `content`");
}

/** The fields with the content under the name that the API gives it. */
export function withContentNamed({ fields, contentKey }: UploadEnvelope): unknown {
  if (contentKey !== "base64" || typeof fields !== "object" || fields === null) return fields;
  const { base64: content, ...rest }: { base64?: unknown } = fields;
  return { ...rest, content };
}

function fieldsOf(body: Static<typeof jsonUpload>, isText: boolean): UploadFields {
  return {
    driveId: body.drive_id,
    filename: body.filename,
    path: body.path,
    contentType: body.content_type,
    metadata: body.metadata,
    tags: body.tags,
    expiresAt: body.expires_at,
    ...(isText ? { isText } : {}),
  };
}

/** The type of a body that is the content itself; undefined for those that HTTP clients send by default. */
export function givenType({ headers }: Request): string | undefined {
  const type = headers.get("content-type");
  return type === null || DEFAULT_TYPES.test(type) ? undefined : type;
}

/** All but the metadata. */
function rawFieldsOf(
  query: Static<typeof rawQuery>,
  type: string | undefined,
): Omit<UploadFields, "metadata"> {
  return {
    driveId: query.drive_id,
    filename: query.filename,
    path: query.path,
    contentType: query.content_type ?? type,
    tags: query.tags === undefined ? undefined : t.tagsIn(query.tags),
    expiresAt: query.expires_at,
    keepsRest: true,
  };
}
