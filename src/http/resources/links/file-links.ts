import { Type } from "@sinclair/typebox";
import { LINK_SECONDS } from "../../../domain/limits.ts";
import { formatInstant } from "../../../domain/time.ts";
import type { Uploaded } from "../../../services/contents/upload.ts";
import type { CreatedLink } from "../../../services/links/links.ts";
import { contentAnswer } from "../../content/answer.ts";
import { preconditionOf } from "../../content/conditions.ts";
import { LINKS_BEGIN, linkUrl } from "../../gate/link-base.ts";
import { refuseLongBody } from "../../json/json-body.ts";
import { fileWrite } from "../../operation/file-route.ts";
import { operation, tagged } from "../../operation/route.ts";
import * as t from "../../operation/schema.ts";
import { write, writeContent } from "../../operation/write.ts";
import { linkSchema } from "../../records/link-schemas.ts";
import { driveSchema } from "../../records/record-schemas.ts";
import { announcedBy, chunksOf, readRawUpload } from "../../upload/upload-body.ts";
import { CONTENT, contentAnswers } from "../contents/downloads.ts";
import { givenType, rawBodyOf, UPLOAD, uploadAnswer } from "../contents/uploads.ts";
import type { Parts } from "../parts.ts";

const TOKEN_PARAMS = Type.Object({ token: t.text("The token of the link.") });

/** How long a link for one file works. */
export const linkSeconds = t.optionalNumber(
  LINK_SECONDS.least,
  `Seconds. Default ${LINK_SECONDS.default}.`,
  LINK_SECONDS.most,
);

const linkId = t.id("The link's identifier: `DELETE /v0/links/{id}` revokes it.");
const linkEnd = t.time("When the link expires.");
const exampleBase = "https://drive.example.com";
const exampleDownload = { link: { kind: "presigned" }, token: "lnk_1a2b3c4d5e6f..." } as const;
const exampleUpload = { link: { kind: "upload" }, token: "upl_1a2b3c4d5e6f..." } as const;
const exampleEnd = "2030-01-31T12:00:00.000Z";

export function fileLinks(parts: Parts) {
  const { links, fileLinks: service, linkUses, uploads, linkBase, maxFileSize, pace } = parts;
  return tagged("Files", [
    fileWrite("POST", "/presigned-url", {
      operationId: "createPresignedUrl",
      summary: "Create a link to a file",
      description:
        "Anyone with the link can download the file without a key until the link expires. The link returns the file's current content, and still works if the file is moved to a place that the link's creator can access. It ends early if the key that created it is revoked. " +
        LINKS_BEGIN,
      bodyOptional: true,
      body: Type.Object({
        expires_in: linkSeconds,
        one_time: t.optionalFlag("Whether the link works only once. Default false."),
      }),
      answers: {
        description: "The link.",
        json: Type.Object({
          id: linkId,
          url: t.text("`{base_url}/v0/presigned/{token}`"),
          token: Type.String(),
          expires_at: linkEnd,
        }),
        example: {
          id: t.exampleOf(linkSchema).id,
          url: linkUrl(exampleBase, exampleDownload),
          token: exampleDownload.token,
          expires_at: exampleEnd,
        },
      },
      perform: ({ body, caller, context }, file, reply) => {
        const base = linkBase(context);
        const wanted = { expiresIn: body.expires_in, oneTime: body.one_time };
        const answer = reply.with((made: CreatedLink) => ({
          json: {
            id: made.link.id,
            url: linkUrl(base, made),
            token: made.token,
            expires_at: formatInstant(made.link.expiresAt),
          },
        }));
        return links.createPresigned(caller, file, wanted, answer);
      },
    }),
    operation("GET", "/v0/presigned/:token", {
      ...CONTENT,
      answers: contentAnswers(parts, true),
      operationId: "downloadByLink",
      public: true,
      opened: true,
      summary: "Download a file with a link",
      description:
        "Works like downloading with a key. A one-time link is used up just before the first byte of a content is sent, even if that is only a range; not by HEAD, 304, 412, 416, or a content that turns out to be damaged before that. Returns 404 if the file is deleted, or the key that created the link is revoked.",
      params: TOKEN_PARAMS,
      errors: [...CONTENT.errors, "GONE", "STORAGE_FULL"],
      handle: (input) => {
        const { token } = input.params;
        const { link, file } = service.open(token);
        return contentAnswer(parts, input, file, {
          isForAnyPage: true,
          mayGoOn: () => service.mayGoOn(token),
          ...(link.oneTime
            ? { beforeContent: () => service.useUp(token) }
            : { onStart: () => linkUses.note(link.id) }),
        });
      },
    }),
    write("POST", "/v0/upload-links", {
      operationId: "createUploadLink",
      summary: "Create a link for an upload",
      description:
        "Anyone with the link can upload one file to this path, without a key: `PUT` the raw bytes to `url`, until the link expires. The first upload that is complete uses the link up. It can write what its creator can at that moment: it ends early if the key that created it is revoked. A file at the path is replaced; it keeps its tags, metadata and expiry. " +
        LINKS_BEGIN,
      body: Type.Object({
        drive_id: t.driveRef(),
        path: t.text("The file's path in the drive.", "notes/hello.txt"),
        max_size: t.optionalNumber(1, "The most bytes of the content. Default: as much as the server takes."),
        expires_in: linkSeconds,
      }),
      example: { drive_id: t.exampleOf(driveSchema).id, path: "notes/hello.txt" },
      answers: {
        status: 201,
        description: "The link.",
        json: Type.Object({
          id: linkId,
          url: t.text("`{base_url}/v0/uploads/{token}`"),
          expires_at: linkEnd,
        }),
        example: {
          id: t.exampleOf(linkSchema).id,
          url: linkUrl(exampleBase, exampleUpload),
          expires_at: exampleEnd,
        },
      },
      perform: ({ body, caller, context }, reply) => {
        const base = linkBase(context);
        const { drive_id: drive, path, max_size: maxSize, expires_in: expiresIn } = body;
        const answer = reply.with((made: CreatedLink) => ({
          json: {
            id: made.link.id,
            url: linkUrl(base, made),
            expires_at: formatInstant(made.link.expiresAt),
          },
        }));
        return links.createUpload(caller, { drive, path, maxSize, expiresIn }, answer);
      },
    }),
    writeContent("PUT", "/v0/uploads/:token", {
      ...UPLOAD,
      operationId: "uploadByLink",
      public: true,
      summary: "Upload a file with a link",
      description:
        "The body is the content, as for `PUT /v0/files`. The upload that stores the file uses the link up; one that is refused or cut off does not. Returns 410 if the link was used or has expired, and 404 if its drive is deleted, or the key that created it is revoked.",
      params: TOKEN_PARAMS,
      rawBody: rawBodyOf(maxFileSize),
      errors: [...UPLOAD.errors, "FORBIDDEN", "GONE"],
      perform: async ({ request, context, params }, reply) => {
        const announced = announcedBy(request, context);
        const { upload, driveId, path, limit } = await service.begin(params.token, announced);
        try {
          refuseLongBody(request, limit);
          const chunks = chunksOf(request, context, { limit, pace, check: () => upload.requireAllowed() });
          await readRawUpload(chunks, (piece) => upload.write(piece));
          context.suspendIdleTimeout();
          const { message } = context;
          const fields = { driveId, path, contentType: givenType(request), keepsRest: true, message };
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
  ]);
}

/** The same for equal uploads to one link. */
function identityOf(request: Request, digest: string): string {
  return JSON.stringify([givenType(request) ?? null, digest]);
}
