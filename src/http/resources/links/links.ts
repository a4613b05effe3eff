import { Type } from "@sinclair/typebox";
import { LINK_PASSWORD_CHARACTERS, SHARE_LINK_DAYS } from "../../../domain/limits.ts";
import { LINKS_BEGIN, linkUrl } from "../../gate/link-base.ts";
import { linkCursor } from "../../operation/cursor.ts";
import { requireSession } from "../../../domain/accounts/caller.ts";
import { linkSchema } from "../../records/link-schemas.ts";
import { operation, tagged } from "../../operation/route.ts";
import { linkRecord } from "../../records/records.ts";
import * as t from "../../operation/schema.ts";
import { asJson, write } from "../../operation/write.ts";
import type { Parts } from "../parts.ts";

/** Of a link that shows something. */
export const sharePassword = Type.Optional(
  t.givenPassword(
    `Who opens the link must give it: ${LINK_PASSWORD_CHARACTERS.least} to ${LINK_PASSWORD_CHARACTERS.most} characters. Default: none.`,
  ),
);
export const shareExpiry = Type.Optional(
  t.timeInput(
    `When the link expires, at most ${SHARE_LINK_DAYS.most} days from now. Default: in ${SHARE_LINK_DAYS.default} days`,
  ),
);

const exampleToken = "shr_1a2b3c4d5e6f...";

export function links({ links: service, linkLists, linkBase }: Parts) {
  return tagged("Links", [
    write("POST", "/v0/links", {
      operationId: "createLink",
      summary: "Create a link to a file or folder",
      description:
        "Anyone with the link sees the file, or the folder with everything in it, on a page at `url`, and can download it; nobody can change anything there. Programs use the token with `GET /v0/shared/{token}`. The link shows what is there now, as far as its creator can read it: it ends early if the key that created it is revoked. A link to a file follows it when it is moved; a link to a folder is bound to its path. " +
        LINKS_BEGIN,
      body: Type.Object({
        drive_id: t.driveRef(),
        path: t.text(
          "Of a file, or of a folder, which ends with `/`. A single `/` is the whole drive.",
          "notes/2030/",
        ),
        password: sharePassword,
        expires_at: shareExpiry,
      }),
      example: { drive_id: t.exampleOf(linkSchema).drive_id, path: "notes/2030/" },
      audited: true,
      answers: {
        status: 201,
        description: "The link, with its `url` and `token`.",
        json: Type.Intersect([
          linkSchema,
          Type.Object({ url: t.text("`{base_url}/s/{token}`"), token: Type.String() }),
        ]),
        example: {
          ...t.exampleOf(linkSchema),
          uses: 0,
          last_used_at: null,
          url: linkUrl("https://drive.example.com", { link: { kind: "folder" }, token: exampleToken }),
          token: exampleToken,
        },
      },
      perform: ({ body, caller, context }, reply) => {
        const base = linkBase(context);
        const { drive_id: drive, path, password, expires_at: expiresAt } = body;
        return service.createShare(
          caller,
          { drive, path, password, expiresAt },
          reply.with((made) => ({
            json: { ...linkRecord(made.link), url: linkUrl(base, made), token: made.token },
          })),
        );
      },
    }),
    operation("GET", "/v0/links", {
      operationId: "listLinks",
      summary: "List links",
      description:
        "Returns the links of all kinds that have not expired, newest first: those that show a file or folder, presigned URLs and upload links. Their addresses are not in it: see `GET /v0/links/{id}/url`. Uses are counted when a page is opened, and when a download begins.",
      query: Type.Object({
        drive_id: Type.Optional(t.driveRef("Default: all drives.")),
        limit: t.paging.limit,
        cursor: t.optionalText(
          "The `next_cursor` of a page: returns the page after it. The other parameters must be the same.",
        ),
      }),
      answers: {
        description: "A page of links. It may have fewer than `limit` although another one follows.",
        json: Type.Object({ data: Type.Array(linkSchema), next_cursor: t.nextCursor }),
        example: { data: [t.exampleOf(linkSchema)], next_cursor: null },
      },
      handle: async ({ query, caller }) => {
        const { links: found, nextAfter } = await linkLists.list(caller, {
          drive: query.drive_id,
          limit: query.limit,
          after: linkCursor.read(query.cursor),
        });
        return Response.json({
          data: found.map(linkRecord),
          next_cursor: linkCursor.write(nextAfter),
        });
      },
    }),
    operation("GET", "/v0/links/:id/url", {
      operationId: "showLinkUrl",
      signedIn: true,
      summary: "Show a link's address again",
      description:
        "For people who are signed in, and may revoke the link. Returns 404 if the address was not kept: see `has_url`. " +
        LINKS_BEGIN,
      params: Type.Object({ id: t.id("The link's identifier.") }),
      answers: {
        description: "The address.",
        json: Type.Object({ url: t.text("Where the link is used: of a page `{base_url}/s/{token}`.") }),
        example: {
          url: linkUrl("https://drive.example.com", { link: { kind: "folder" }, token: exampleToken }),
        },
      },
      handle: ({ params, caller, context }) => {
        const opened = service.opened(requireSession(caller), params.id);
        return Response.json({ url: linkUrl(linkBase(context), opened) });
      },
    }),
    write("DELETE", "/v0/links/:id", {
      operationId: "revokeLink",
      summary: "Revoke a link",
      description:
        "Works at once, for links of all kinds: the next request with the link gets 404. A download that has begun is cut within a second.",
      params: Type.Object({ id: t.id("The link's identifier.") }),
      audited: true,
      answers: {
        description: "The link is revoked.",
        json: Type.Object({ id: t.id("The revoked link."), revoked: Type.Literal(true) }),
      },
      perform: ({ params, caller }, reply) =>
        service.revoke(caller, params.id, reply.with(asJson((linkId) => ({ id: linkId, revoked: true })))),
    }),
  ]);
}
