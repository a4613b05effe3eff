import { Type } from "@sinclair/typebox";
import { LINK_SECONDS } from "../../../domain/limits.ts";
import type { CreatedLink } from "../../../domain/links/link.ts";
import { formatInstant } from "../../../domain/time.ts";
import type { Files } from "../../../services/files/files.ts";
import type { PresignedLinks } from "../../../services/links/presigned-links.ts";
import { contentAnswer } from "../../content/answer.ts";
import { CONTENT } from "../contents/downloads.ts";
import { type LinkBase, LINKS_BEGIN } from "../../gate/link-base.ts";
import { fileWrite } from "../../operation/file-route.ts";
import { operation } from "../../operation/operation.ts";
import { exampleOf, id, time } from "../../operation/schema.ts";
import { linkSchema } from "../../records/link-schemas.ts";

export interface PresignedOptions {
  readonly links: PresignedLinks;
  readonly files: Files;
  readonly linkBase: LinkBase;
}

const exampleToken = "lnk_1a2b3c4d5e6f...";

/** Where anybody downloads the file of a link. */
export function presignedUrl(base: string, token: string): string {
  return `${base}/v0/presigned/${token}`;
}

function linkRecord({ id: linkId, token, expiresAt }: CreatedLink, base: string) {
  return { id: linkId, url: presignedUrl(base, token), token, expires_at: formatInstant(expiresAt) };
}

/** Links that download a file without a key. */
export function presigned({ links, files, linkBase }: PresignedOptions) {
  return [
    ...fileWrite("POST", "/presigned-url", {
      operationId: "createPresignedUrl",
      tag: "Files",
      summary: "Create a link to a file",
      description:
        "Anyone with the link can download the file without a key until the link expires. The link returns the file's current content, and still works if the file is moved to a place that the link's creator can access. It ends early if the key that created it is revoked. " +
        LINKS_BEGIN,
      bodyOptional: true,
      body: Type.Object({
        expires_in: Type.Optional(
          Type.Integer({
            minimum: LINK_SECONDS.least,
            maximum: LINK_SECONDS.most,
            description: `Seconds. Default ${LINK_SECONDS.default}.`,
          }),
        ),
        one_time: Type.Optional(
          Type.Boolean({ description: "Whether the link works only once. Default false." }),
        ),
      }),
      example: {},
      answers: [
        {
          status: 200,
          description: "The link. It is shown only in this response.",
          json: Type.Object({
            id: id("The link's identifier: `DELETE /v0/links/{id}` revokes it."),
            url: Type.String({ description: "`{base_url}/v0/presigned/{token}`" }),
            token: Type.String(),
            expires_at: time("When the link expires."),
          }),
          example: {
            id: exampleOf(linkSchema).id,
            url: presignedUrl("https://drive.example.com", exampleToken),
            token: exampleToken,
            expires_at: "2030-01-31T12:00:00.000Z",
          },
        },
      ],
      errors: ["NOT_FOUND", "QUOTA_EXCEEDED"],
      perform: ({ body, caller, context }, file, reply) => {
        const wanted = {
          expiresIn: body.expires_in ?? LINK_SECONDS.default,
          oneTime: body.one_time ?? false,
        };
        const base = linkBase(context);
        return links.create(
          caller,
          file,
          wanted,
          reply.with((made) => ({ json: linkRecord(made, base) })),
        );
      },
    }),
    operation("GET", "/v0/presigned/:token", {
      ...CONTENT,
      operationId: "downloadByLink",
      tag: "Files",
      public: true,
      opened: true,
      summary: "Download a file with a link",
      description:
        "Works like downloading with a key. A one-time link is used up just before the first byte of a content is sent, even if that is only a range; not by HEAD, 304, 412, 416, or a content that turns out to be damaged before that. Returns 404 if the file is deleted, or the key that created the link is revoked.",
      params: Type.Object({ token: Type.String({ description: "The token of the link." }) }),
      errors: [...CONTENT.errors, "GONE", "STORAGE_FULL"],
      handle: ({ request, context, params, query }) => {
        const link = links.open(params.token);
        return contentAnswer(files, {
          request,
          context,
          file: link.file,
          inline: query.inline,
          isForAnyPage: true,
          mayGoOn: () => links.mayGoOn(params.token),
          ...(link.oneTime
            ? { beforeContent: () => links.useUp(params.token) }
            : { onStart: () => links.countUse(link) }),
        });
      },
    }),
  ];
}
