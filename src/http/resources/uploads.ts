import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { UploadFields } from "../../services/contents/upload-fields.ts";
import type { Uploaded, Uploads } from "../../services/contents/uploads.ts";
import { exampleDrive, exampleFile } from "../operation/examples.ts";
import { fileAnswerOf } from "./files.ts";
import { ETAG, IF_MATCH, IF_NONE_MATCH, preconditionOf } from "../content/etag.ts";
import type { ContentAnswer, Reply } from "../operation/reply.ts";
import type { Input } from "../operation/route.ts";
import type { RawBody } from "../operation/spec.ts";
import { fileSchema } from "../operation/record-schemas.ts";
import { driveRef, metadataInput, nullable, tagsIn, tagsParameter, timeInput } from "../operation/schema.ts";
import { chunksOf } from "../upload/body-chunks.ts";
import { readJsonUpload } from "../upload/json.ts";
import { parseMetadata } from "../upload/metadata.ts";
import { readMultipartUpload } from "../upload/multipart.ts";
import { readRawUpload } from "../upload/raw.ts";
import type { WriteContent } from "../upload/write-content.ts";
import { compileBodyValidator } from "../operation/validate.ts";
import { writeContent } from "../operation/write.ts";

const attributes = {
  path: Type.Optional(
    Type.String({
      description:
        "The path in the drive. Default: the filename. A path that ends with `/` is the folder for the file.",
      examples: ["notes/hello.txt"],
    }),
  ),
  content_type: Type.Optional(Type.String({ description: "Default: the type of the filename's extension." })),
  expires_at: Type.Optional(nullable(timeInput("When the file expires and is deleted."))),
};
const filename = Type.String({ description: "1 to 255 bytes, no `/`.", examples: ["hello.txt"] });
const metadata = metadataInput("Any JSON object.");
const tags = Type.Array(Type.String(), { description: "At most 64 tags of 1 to 64 characters each." });

const jsonUpload = Type.Object({
  drive_id: driveRef(),
  filename,
  content: Type.String({
    description:
      "Base64 (standard alphabet). Padding is optional. It may be wrapped: line breaks are ignored, and blanks at either end of a line. Anything else is refused with its position, so that text that was not encoded is not decoded to other bytes. To send text or bytes as they are, use `PUT /v0/files`.",
    examples: ["SGVsbG8gV29ybGQh"],
  }),
  ...attributes,
  metadata: Type.Optional(metadata),
  tags: Type.Optional(tags),
});

const multipartUpload = Type.Object({
  drive_id: driveRef(),
  file: Type.String({
    format: "binary",
    description: "The content. Its filename is the default for `filename`.",
  }),
  filename: Type.Optional(filename),
  ...attributes,
  metadata: Type.Optional(Type.String({ description: "A JSON object." })),
  tags: Type.Optional(
    Type.String({ description: "Tags separated by commas, or a JSON array. May be repeated." }),
  ),
});

const contentBytes = Type.String({ format: "binary" });
const rawQuery = Type.Object({
  drive_id: driveRef(),
  ...attributes,
  path: Type.String({ minLength: 1, description: "The path in the drive.", examples: ["notes/hello.txt"] }),
  filename: Type.Optional(Type.String({ description: "Default: the last segment of the path." })),
  expires_at: Type.Optional(timeInput("When the file expires and is deleted.")),
  metadata: Type.Optional(
    Type.String({ description: "A JSON object, percent-encoded.", examples: ['{"source":"example"}'] }),
  ),
  tags: tagsParameter("At most 64 tags of 1 to 64 characters each."),
});
const rawMetadata = Type.Object({ metadata: Type.Optional(metadata) });

const EXAMPLE_TEXT = "Hello World!";
const exampleUpload: Static<typeof jsonUpload> = {
  drive_id: exampleDrive.id,
  filename: exampleFile.filename,
  content: btoa(EXAMPLE_TEXT),
};
const exampleForm: Static<typeof multipartUpload> = { drive_id: exampleDrive.id, file: EXAMPLE_TEXT };

/** What the operations of uploads have in common. */
export const UPLOAD = {
  tag: "Files",
  headers: { ...IF_MATCH, ...IF_NONE_MATCH },
  answers: [
    { status: 201, description: "The new file.", json: fileSchema, headers: ETAG, example: exampleFile },
    {
      status: 200,
      description: "The replaced file, with the same id.",
      json: fileSchema,
      headers: ETAG,
    },
  ],
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED", "QUOTA_EXCEEDED"],
} as const;

// Base64 takes a third more; white space and escapes may double that.
const BODY_OVERHEAD = 3;
const FIELDS_BYTES = 1024 * 1024;
// What HTTP clients send by default.
const DEFAULT_TYPES = /^(application\/octet-stream|application\/x-www-form-urlencoded)\b/i;

type Received = Pick<Input<TObject, TObject, TSchema>, "request" | "context" | "caller">;
/** Reads a body, passes its content on, and resolves with its other fields. */
type ReadUpload = (body: AsyncIterable<Uint8Array>, write: WriteContent) => Promise<UploadFields>;

/** @param maxFileSize bytes */
export function uploads(service: Uploads, maxFileSize: number) {
  const checkFields = compileBodyValidator(jsonUpload);
  const checkMetadata = compileBodyValidator(rawMetadata);
  const bodyLimit = maxFileSize * BODY_OVERHEAD + FIELDS_BYTES;

  /** Streams a content into the store and creates its file. An error leaves nothing behind. */
  async function receive(
    { request, context, caller }: Received,
    reply: Reply<ContentAnswer>,
    driveId: string | null,
    read: ReadUpload,
  ): Promise<void> {
    const upload = await service.begin(caller, driveId);
    try {
      const fields = await read(chunksOf(request, context, bodyLimit), (piece) => upload.write(piece));
      context.suspendIdleTimeout();
      const answer = reply.with((uploaded: Uploaded) => uploadAnswer(fields, uploaded));
      await upload.finish(fields, preconditionOf(request), answer);
    } finally {
      await upload.abort();
    }
  }

  /** Reads an upload whose Idempotency-Key was used before, to compare it. Keeps nothing of it. */
  async function identify({ request, context }: Received, read: ReadUpload): Promise<string> {
    const content = service.hashContent();
    const fields = await read(chunksOf(request, context, bodyLimit), (piece) => content.write(piece));
    return identityOf(fields, content.digest());
  }

  function readPosted({ request }: Received): ReadUpload {
    const type = request.headers.get("content-type") ?? "";
    const isForm = /^multipart\/form-data\b/i.test(type);
    return async (body, write) => {
      const { fields } = isForm
        ? await readMultipartUpload(body, type, write)
        : await readJsonUpload(body, write);
      return fieldsOf(checkFields(fields));
    };
  }

  function readPut({ request, query }: Received & { readonly query: Static<typeof rawQuery> }): ReadUpload {
    const { metadata: text } = query;
    const checked = text === undefined ? {} : checkMetadata({ metadata: parseMetadata(text) });
    const fields = { ...rawFieldsOf(query, givenType(request)), metadata: checked.metadata };
    return async (body, write) => {
      await readRawUpload(body, write);
      return fields;
    };
  }

  return new Elysia({ name: "uploads" })
    .post(
      ...writeContent(
        "/v0/files",

        {
          ...UPLOAD,
          operationId: "uploadFile",
          summary: "Upload a file",
          description:
            "Send base64 in JSON, or a form with a file. Missing folders are created. If there is a file at the path, its content, tags, metadata and expiry are replaced, and its id stays. A request with a `Content-Range` is refused: upload the whole content.",
          rawBody: {
            limit: bodyLimit,
            content: { "application/json": jsonUpload, "multipart/form-data": multipartUpload },
            examples: { "application/json": exampleUpload, "multipart/form-data": exampleForm },
          },
        },
        {
          perform: (input, reply) => receive(input, reply, null, readPosted(input)),
          identify: (input) => identify(input, readPosted(input)),
        },
      ),
    )
    .put(
      ...writeContent(
        "/v0/files",

        {
          ...UPLOAD,
          operationId: "putFile",
          summary: "Upload a file as raw bytes",
          description:
            "The body is the content, byte for byte: `curl -T hello.txt`. The `Content-Type` header becomes the file's type, unless it is `application/octet-stream` or `application/x-www-form-urlencoded`, which HTTP clients send by default. If there is a file at the path, its content is replaced, and its id stays. Its tags, metadata, expiry and a type that was given stay too, unless this request gives them; `POST` declares the whole record. A request with a `Content-Range` is refused: upload the whole content.",
          query: rawQuery,
          rawBody: rawBodyOf(maxFileSize),
        },
        {
          perform: (input, reply) => receive(input, reply, input.query.drive_id, readPut(input)),
          identify: (input) => identify(input, readPut(input)),
        },
      ),
    );
}

/** A body that is the content itself. @param limit bytes */
export function rawBodyOf(limit: number): RawBody {
  return {
    limit,
    content: { "application/octet-stream": contentBytes, "*/*": contentBytes },
    examples: { "application/octet-stream": EXAMPLE_TEXT, "*/*": EXAMPLE_TEXT },
  };
}

/** The record of an uploaded file. */
export function uploadAnswer(fields: UploadFields, { file, created }: Uploaded): ContentAnswer {
  return {
    ...fileAnswerOf(file),
    status: created ? 201 : 200,
    identity: identityOf(fields, file.digest),
  };
}

/** Equal for equal uploads, however they are encoded. */
function identityOf(fields: UploadFields, digest: string): string {
  // The method says it already.
  return JSON.stringify([{ ...fields, keepsRest: undefined }, digest]);
}

function fieldsOf(body: Static<typeof jsonUpload>): UploadFields {
  return {
    driveId: body.drive_id,
    filename: body.filename,
    path: body.path,
    contentType: body.content_type,
    metadata: body.metadata,
    tags: body.tags,
    expiresAt: body.expires_at,
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
    tags: query.tags === undefined ? undefined : tagsIn(query.tags),
    expiresAt: query.expires_at,
    keepsRest: true,
  };
}
