import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { LINK_SECONDS } from "../../domain/limits.ts";
import { formatInstant } from "../../domain/time.ts";
import type { Files } from "../../services/files.ts";
import type { CreatedLink, PresignedLinks } from "../../services/presigned-links.ts";
import { contentAnswer } from "../content/answer.ts";
import { CONTENT } from "./downloads.ts";
import { type LinkBase, LINKS_BEGIN } from "../gate/link-base.ts";
import { operation } from "../operation/operation.ts";
import { fileParams, time } from "../operation/schema.ts";
import { write } from "../operation/write.ts";

/** What links are made and followed with. */
export interface PresignedOptions {
  readonly links: PresignedLinks;
  readonly files: Files;
  readonly linkBase: LinkBase;
}

const exampleToken = "lnk_1a2b3c4d5e6f...";

function linkRecord({ token, expiresAt }: CreatedLink, base: string) {
  return { url: `${base}/v0/presigned/${token}`, token, expires_at: formatInstant(expiresAt) };
}

/** Links that open a file without a key. */
export function presigned({ links, files, linkBase }: PresignedOptions) {
  return new Elysia({ name: "presigned" })
    .post(
      ...write(
        "/v0/files/:id/presigned-url",

        {
          operationId: "createPresignedUrl",
          tag: "Files",
          summary: "Create a link to a file",
          description:
            "Whoever has the link can download the file, without a key, until it expires. It shows what the file holds then, wherever it was moved within your reach. It ends early when the key that made it is revoked. " +
            LINKS_BEGIN,
          params: fileParams,
          bodyOptional: true,
          body: Type.Object({
            expires_in: Type.Optional(
              Type.Integer({
                minimum: LINK_SECONDS.least,
                maximum: LINK_SECONDS.most,
                description: `Seconds; ${LINK_SECONDS.default} by default.`,
              }),
            ),
            one_time: Type.Optional(
              Type.Boolean({ description: "Whether it gives the content only once. Default false." }),
            ),
          }),
          example: {},
          answers: [
            {
              status: 200,
              description: "The link. It is shown here and never again.",
              json: Type.Object({
                url: Type.String({ description: "`{base_url}/v0/presigned/{token}`" }),
                token: Type.String(),
                expires_at: time("When it ends."),
              }),
              example: {
                url: `https://drive.example.com/v0/presigned/${exampleToken}`,
                token: exampleToken,
                expires_at: "2030-01-31T12:00:00.000Z",
              },
            },
          ],
          errors: ["NOT_FOUND"],
        },
        ({ params, body, caller, context }, reply) => {
          const wanted = {
            expiresIn: body.expires_in ?? LINK_SECONDS.default,
            oneTime: body.one_time ?? false,
          };
          const base = linkBase(context);
          return links.create(
            caller,
            params.id,
            wanted,
            reply.with((made) => ({ json: linkRecord(made, base) })),
          );
        },
      ),
    )
    .get(
      ...operation(
        "/v0/presigned/:token",

        {
          ...CONTENT,
          operationId: "downloadByLink",
          tag: "Files",
          public: true,
          summary: "Download a file by a link",
          description:
            "As with a key. A one-time link is used up by the first answer with content, be it only a range; not by HEAD, 304, 412 or 416. A link whose file is gone, or whose maker's key was revoked, is not found.",
          params: Type.Object({ token: Type.String({ description: "The token of the link." }) }),
          errors: [...CONTENT.errors, "GONE", "STORAGE_FULL"],
        },
        ({ request, context, params, query }) => {
          const { file, oneTime } = links.open(params.token);
          return contentAnswer(files, {
            request,
            context,
            file,
            inline: query.inline,
            ...(oneTime ? { beforeContent: () => links.useUp(params.token) } : {}),
          });
        },
      ),
    );
}
