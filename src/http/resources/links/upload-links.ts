import { Type } from "@sinclair/typebox";
import { LINK_SECONDS } from "../../../domain/limits.ts";
import type { CreatedLink } from "../../../domain/links/link.ts";
import { formatInstant } from "../../../domain/time.ts";
import type { UploadLinks } from "../../../services/links/upload-links.ts";
import type { UploadFields } from "../../../services/contents/upload-fields.ts";
import type { Uploaded } from "../../../services/contents/upload.ts";
import type { Uploads } from "../../../services/contents/uploads.ts";
import { preconditionOf } from "../../content/etag.ts";
import { type LinkBase, LINKS_BEGIN } from "../../gate/link-base.ts";
import { refuseLongBody } from "../../json/json-body.ts";
import { driveRef, exampleOf, id, integer, time } from "../../operation/schema.ts";
import { write, writeContent } from "../../operation/write.ts";
import { announcedBy, chunksOf } from "../../upload/body-chunks.ts";
import type { Pace } from "../../upload/pace.ts";
import { readRawUpload } from "../../upload/raw.ts";
import { givenType, rawBodyOf, UPLOAD, uploadAnswer } from "../contents/uploads.ts";
import { driveSchema } from "../../records/record-schemas.ts";
import { linkSchema } from "../../records/link-schemas.ts";

export interface UploadLinkOptions {
  readonly links: UploadLinks;
  readonly uploads: Uploads;
  readonly linkBase: LinkBase;
  /** Bytes. */
  readonly maxFileSize: number;
  readonly pace: Pace;
}

/** Where anybody uploads the file of a link. */
export function uploadUrl(base: string, token: string): string {
  return `${base}/v0/uploads/${token}`;
}

function linkRecord({ id: linkId, token, expiresAt }: CreatedLink, base: string) {
  return { id: linkId, url: uploadUrl(base, token), expires_at: formatInstant(expiresAt) };
}

/** Links that take one upload without a key. */
export function uploadLinks({ links, uploads, linkBase, maxFileSize, pace }: UploadLinkOptions) {
  return [
    write("POST", "/v0/upload-links", {
      operationId: "createUploadLink",
      tag: "Files",
      summary: "Create a link for an upload",
      description:
        "Anyone with the link can upload one file to this path, without a key: `PUT` the raw bytes to `url`, until the link expires. The first upload that is complete uses the link up. It can write what its creator can at that moment: it ends early if the key that created it is revoked. A file at the path is replaced; it keeps its tags, metadata and expiry. " +
        LINKS_BEGIN,
      body: Type.Object({
        drive_id: driveRef(),
        path: Type.String({
          description: "The file's path in the drive.",
          examples: ["notes/hello.txt"],
        }),
        max_size: Type.Optional(
          integer({
            minimum: 1,
            maximum: Number.MAX_SAFE_INTEGER,
            description: "The most bytes of the content. Default: as much as the server takes.",
          }),
        ),
        expires_in: Type.Optional(
          integer({
            minimum: LINK_SECONDS.least,
            maximum: LINK_SECONDS.most,
            description: `Seconds. Default ${LINK_SECONDS.default}.`,
          }),
        ),
      }),
      example: { drive_id: exampleOf(driveSchema).id, path: "notes/hello.txt" },
      answers: [
        {
          status: 201,
          description: "The link. It is shown only in this response.",
          json: Type.Object({
            id: id("The link's identifier: `DELETE /v0/links/{id}` revokes it."),
            url: Type.String({ description: "`{base_url}/v0/uploads/{token}`" }),
            expires_at: time("When the link expires."),
          }),
          example: {
            id: exampleOf(linkSchema).id,
            url: uploadUrl("https://drive.example.com", "upl_1a2b3c4d5e6f..."),
            expires_at: "2030-01-31T12:00:00.000Z",
          },
        },
      ],
      errors: ["NOT_FOUND", "QUOTA_EXCEEDED"],
      perform: ({ body, caller, context }, reply) => {
        const base = linkBase(context);
        const { drive_id: drive, path, max_size: maxSize, expires_in: expiresIn } = body;
        return links.create(
          caller,
          { drive, path, maxSize, expiresIn },
          reply.with((made) => ({ status: 201, json: linkRecord(made, base) })),
        );
      },
    }),
    writeContent("PUT", "/v0/uploads/:token", {
      ...UPLOAD,
      operationId: "uploadByLink",
      public: true,
      summary: "Upload a file with a link",
      description:
        "The body is the content, as for `PUT /v0/files`. The upload that stores the file uses the link up; one that is refused or cut off does not. Returns 410 if the link was used or has expired, and 404 if its drive is deleted, or the key that created it is revoked.",
      params: Type.Object({ token: Type.String({ description: "The token of the link." }) }),
      rawBody: rawBodyOf(maxFileSize),
      errors: [...UPLOAD.errors, "FORBIDDEN", "GONE"],
      perform: async ({ request, context, params }, reply) => {
        const announced = announcedBy(request, context);
        const { upload, driveId, path, limit } = await links.begin(params.token, announced);
        try {
          refuseLongBody(request, limit);
          const chunks = chunksOf(request, context, { limit, pace, look: () => upload.requireAllowed() });
          await readRawUpload(chunks, (piece) => upload.write(piece));
          context.suspendIdleTimeout();
          const fields = { ...NO_FIELDS, driveId, path, contentType: givenType(request) };
          const answer = reply.with((uploaded: Uploaded) => ({
            ...uploadAnswer(fields, uploaded),
            identity: identityOf(request, uploaded.file.digest),
          }));
          await upload.finish(fields, preconditionOf(request), answer);
        } finally {
          await upload.abort();
        }
      },
      identify: async ({ request, context }) => {
        const content = uploads.hashContent();
        await readRawUpload(chunksOf(request, context, { limit: maxFileSize, pace }), (piece) =>
          content.write(piece),
        );
        return identityOf(request, content.digest());
      },
    }),
  ];
}

const NO_FIELDS: Omit<UploadFields, "driveId" | "path" | "contentType"> = {
  filename: undefined,
  metadata: undefined,
  tags: undefined,
  expiresAt: undefined,
  keepsRest: true,
};

/** The same for equal uploads to one link. */
function identityOf(request: Request, digest: string): string {
  return JSON.stringify([givenType(request) ?? null, digest]);
}
