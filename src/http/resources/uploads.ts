import { type Static, type TObject, type TSchema, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Uploaded, UploadFields, Uploads } from "../../services/uploads.ts";
import { exampleDrive, exampleFile } from "../operation/examples.ts";
import { fileAnswerOf } from "./files.ts";
import { ETAG, IF_MATCH, IF_NONE_MATCH, preconditionOf } from "../content/etag.ts";
import type { ContentAnswer, Reply } from "../operation/reply.ts";
import type { Input } from "../operation/route.ts";
import type { RequestContext } from "../gate/request-context.ts";
import { fileSchema } from "../operation/record-schemas.ts";
import { driveRef, metadataInput, nullable, tagsIn, tagsParameter, timeInput } from "../operation/schema.ts";
import { readJsonUpload } from "../upload/json.ts";
import { readMultipartUpload } from "../upload/multipart.ts";
import { releasedChunks } from "../gate/released-chunks.ts";
import { readRawUpload } from "../upload/raw.ts";
import type { WriteContent } from "../upload/write-content.ts";
import { compileValidator } from "../operation/validate.ts";
import { writeContent } from "../operation/write.ts";

const attributes = {
  path: Type.Optional(
    Type.String({
      description:
        "Where it goes; the filename by default. A path that ends in `/` is a folder to put it in.",
      examples: ["notes/hello.txt"],
    }),
  ),
  content_type: Type.Optional(
    Type.String({ description: "By default what the filename's ending stands for." }),
  ),
  expires_at: Type.Optional(nullable(timeInput("When the file vanishes by itself."))),
};
const filename = Type.String({ description: "1 to 255 bytes, no `/`.", examples: ["hello.txt"] });
const metadata = metadataInput("Anything of your own.");
const tags = Type.Array(Type.String(), { description: "At most 64, of 1 to 64 characters." });

const jsonUpload = Type.Object({
  drive_id: driveRef(),
  filename,
  content: Type.String({
    description: "Base64 (standard alphabet). White space is ignored, padding may be missing.",
    examples: ["SGVsbG8gV29ybGQh"],
  }),
  ...attributes,
  metadata: Type.Optional(metadata),
  tags: Type.Optional(tags),
});

const multipartUpload = Type.Object({
  drive_id: driveRef(),
  file: Type.String({ format: "binary", description: "The content; its own filename is the default." }),
  filename: Type.Optional(filename),
  ...attributes,
  metadata: Type.Optional(Type.String({ description: "A JSON object." })),
  tags: Type.Optional(Type.String({ description: "Repeated, separated by commas, or a JSON array." })),
});

const contentBytes = Type.String({ format: "binary" });
const rawQuery = Type.Object({
  drive_id: driveRef(),
  ...attributes,
  path: Type.String({ minLength: 1, description: "Where it goes.", examples: ["notes/hello.txt"] }),
  filename: Type.Optional(Type.String({ description: "By default the path's last segment." })),
  expires_at: Type.Optional(timeInput("When the file vanishes by itself.")),
  tags: tagsParameter("At most 64, of 1 to 64 characters."),
});

const EXAMPLE_TEXT = "Hello World!";
const exampleUpload: Static<typeof jsonUpload> = {
  drive_id: exampleDrive.id,
  filename: exampleFile.filename,
  content: btoa(EXAMPLE_TEXT),
};
const exampleForm: Static<typeof multipartUpload> = { drive_id: exampleDrive.id, file: EXAMPLE_TEXT };

const UPLOAD = {
  tag: "Files",
  headers: { ...IF_MATCH, ...IF_NONE_MATCH },
  answers: [
    { status: 201, description: "The new file.", json: fileSchema, headers: ETAG, example: exampleFile },
    {
      status: 200,
      description: "The file whose content was replaced; its id stays.",
      json: fileSchema,
      headers: ETAG,
    },
  ],
  errors: ["NOT_FOUND", "CONFLICT", "PRECONDITION_FAILED", "QUOTA_EXCEEDED"],
} as const;

// Base64 takes a third more; white space and escapes may double that.
const BODY_OVERHEAD = 3;
const FIELDS_BYTES = 1024 * 1024;
// What HTTP clients send when nobody told them a type.
const UNTOLD_TYPES = /^(application\/octet-stream|application\/x-www-form-urlencoded)\b/i;

type Received = Pick<Input<TObject, TObject, TSchema>, "request" | "context" | "caller">;
/** Reads a body, hands its content on, and resolves with what it says beside. */
type ReadUpload = (body: AsyncIterable<Uint8Array>, write: WriteContent) => Promise<UploadFields>;

/** @param maxFileSize bytes */
export function uploads(service: Uploads, maxFileSize: number) {
  const checkJson = compileValidator(jsonUpload, "body");

  /** Streams a content in and files it; whatever fails on the way leaves nothing behind. */
  async function receive(
    { request, context, caller }: Received,
    reply: Reply<ContentAnswer>,
    driveId: string | null,
    read: ReadUpload,
  ): Promise<void> {
    const upload = await service.begin(caller, driveId);
    try {
      const fields = await read(chunksOf(request, context), (piece) => upload.write(piece));
      context.suspendIdleTimeout();
      const answer = reply.with((uploaded: Uploaded) => uploadAnswer(fields, uploaded));
      await upload.finish(fields, preconditionOf(request), answer);
    } finally {
      await upload.abort();
    }
  }

  /** Reads an upload whose key was used before, to compare it: nothing of it is kept. */
  async function identify({ request, context }: Received, read: ReadUpload): Promise<string> {
    const content = service.hashContent();
    const fields = await read(chunksOf(request, context), (piece) => content.write(piece));
    return identityOf(fields, content.digest());
  }

  function readPosted({ request }: Received): ReadUpload {
    const type = request.headers.get("content-type") ?? "";
    const isForm = /^multipart\/form-data\b/i.test(type);
    return async (body, write) => {
      const { fields } = isForm
        ? await readMultipartUpload(body, type, write)
        : await readJsonUpload(body, write);
      return fieldsOf(checkJson(fields));
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
            "Base64 in JSON, or a form with a file. Folders are made as needed. At a path that is taken, the file there gets the new content, tags, metadata and expiry, and keeps its id. Only whole contents are taken: a request with a `Content-Range` is refused.",
          rawBody: {
            limit: maxFileSize * BODY_OVERHEAD + FIELDS_BYTES,
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
          summary: "Upload a file as it is",
          description:
            "The body is the content, byte for byte: `curl -T hello.txt`. A `Content-Type` other than the defaults of HTTP clients is taken as the file's type. Only whole contents are taken: a request with a `Content-Range` is refused.",
          query: rawQuery,
          rawBody: {
            limit: maxFileSize,
            content: { "application/octet-stream": contentBytes, "*/*": contentBytes },
            examples: { "application/octet-stream": EXAMPLE_TEXT, "*/*": EXAMPLE_TEXT },
          },
        },
        {
          perform: (input, reply) => receive(input, reply, input.query.drive_id, readPut(input)),
          identify: (input) => identify(input, readPut(input)),
        },
      ),
    );
}

function uploadAnswer(fields: UploadFields, { file, created }: Uploaded): ContentAnswer {
  return {
    ...fileAnswerOf(file),
    status: created ? 201 : 200,
    identity: identityOf(fields, file.digest),
  };
}

/** What makes an upload the same upload, however it was encoded on the way. */
function identityOf(fields: UploadFields, digest: string): string {
  return JSON.stringify([fields, digest]);
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

function rawFieldsOf(query: Static<typeof rawQuery>, contentType: string | null): UploadFields {
  const told = contentType === null || UNTOLD_TYPES.test(contentType) ? undefined : contentType;
  return {
    driveId: query.drive_id,
    filename: query.filename,
    path: query.path,
    contentType: query.content_type ?? told,
    metadata: undefined,
    tags: query.tags === undefined ? undefined : tagsIn(query.tags),
    expiresAt: query.expires_at,
  };
}

function readPut({ request, query }: Received & { readonly query: Static<typeof rawQuery> }): ReadUpload {
  const fields = rawFieldsOf(query, request.headers.get("content-type"));
  return async (body, write) => {
    await readRawUpload(body, write);
    return fields;
  };
}

/** A request's body as it arrives. A slow client is no idle one, which the runtime does not see by itself. */
async function* chunksOf({ body }: Request, context: RequestContext): AsyncGenerator<Uint8Array> {
  if (body === null) return;
  for await (const chunk of releasedChunks(body)) {
    context.keepAlive();
    yield chunk;
  }
}
