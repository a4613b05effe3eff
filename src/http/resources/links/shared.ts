import { Type } from "@sinclair/typebox";
import { CofferError } from "../../../domain/errors.ts";
import { PAGE_LIMIT, PAGE_LIMIT_DEFAULT } from "../../../domain/limits.ts";
import { formatInstant } from "../../../domain/time.ts";
import type { Shared, SharedThings } from "../../../services/links/shared.ts";
import { ALL_GUESSES, GuessThrottle } from "../../limits/guess-throttle.ts";
import { tokenIn } from "../../gate/session-cookie.ts";
import { decodePosition, encodePosition } from "../../operation/cursor.ts";
import {
  linkSchema,
  type SharedPage,
  sharedPageSchema,
  type SharedRecord,
  sharedSchema,
} from "../../records/link-schemas.ts";
import { operation, tagged } from "../../operation/route.ts";
import { sharedFileRecord } from "../../records/records.ts";
import { exampleOf, givenPassword, integer, optionalText, text, time } from "../../operation/schema.ts";
import type { Parts } from "../parts.ts";

/** The cookie that says that a link's password was given. */
const COOKIE = "coffer_share";

/** The path of every route of what a link shows. */
export const SHARED_PARAMS = Type.Object({ token: text("The token of the link.") });

/** Of every response with something that a link shows: its address must not get around. */
export const HIDDEN = { "referrer-policy": "no-referrer", "x-robots-tag": "noindex" };

/** The same in the description. */
export const HIDDEN_HEADERS = { "Referrer-Policy": "`no-referrer`", "X-Robots-Tag": "`noindex`" };

/** What the description says of each first. */
export const LOCKED =
  "Returns 401 if the link has a password that was not given: see `POST /v0/shared/{token}/unlock`. ";

const exampleShared: SharedRecord = {
  kind: "folder",
  name: "2030",
  file_count: 12,
  total_size: 49152,
  file: null,
  expires_at: exampleOf(linkSchema).expires_at,
};

/** What a link shows to whoever sends this request. Throws as `SharedThings.open`. */
export function openShared(service: SharedThings, request: Request, token: string): Shared {
  return service.open(token, tokenIn(request, COOKIE));
}

/** What links show, to people and programs without a key. */
export function shared({ shared: service, linkUses, cookies, clock }: Parts) {
  const throttle = new GuessThrottle(clock);
  return tagged("Links", [
    operation("GET", "/v0/shared/:token", {
      operationId: "getShared",
      public: true,
      summary: "Show what a link leads to",
      description: `${LOCKED}Returns 404 if the link is revoked, if what it shows is gone, or if its creator can no longer read it, and 410 once it has expired.`,
      params: SHARED_PARAMS,
      answers: {
        description: "The file or folder.",
        json: sharedSchema,
        headers: HIDDEN_HEADERS,
        example: exampleShared,
      },
      errors: ["UNAUTHORIZED", "GONE"],
      handle: ({ request, context, params: { token } }) => {
        const opened = openShared(service, request, token);
        if (context.method !== "HEAD") linkUses.note(opened.linkId);
        return Response.json(sharedRecord(service, opened), { headers: HIDDEN });
      },
    }),
    operation("POST", "/v0/shared/:token/unlock", {
      operationId: "unlockShared",
      public: true,
      summary: "Give a link's password",
      description: `The response sets a cookie that opens this link for 12 hours. A wrong password gets 401. After a few from one client address, its next one has to wait (429), each time longer; after ${ALL_GUESSES.free} from anywhere, everybody's next one waits ${ALL_GUESSES.mostMs / 60_000} minutes, except where the right one came from before.`,
      params: SHARED_PARAMS,
      body: Type.Object({ password: givenPassword() }),
      example: { password: "open sesame" },
      answers: {
        description: "The link is open.",
        json: Type.Object({ unlocked: Type.Literal(true), expires_at: time("When the cookie ends.") }),
        headers: {
          ...HIDDEN_HEADERS,
          "Set-Cookie": `\`${COOKIE}\`, with \`HttpOnly\`, \`SameSite=Strict\` and, on https, \`Secure\`.`,
        },
      },
      errors: ["UNAUTHORIZED", "FORBIDDEN", "GONE"],
      handle: async ({ context, params: { token }, body }) => {
        const { pass, until } = await throttle.attempt(
          { thing: service.idOf(token), client: context.client },
          () => service.unlock(token, body.password),
          (error) => error instanceof CofferError && error.code === "UNAUTHORIZED",
        );
        const seconds = Math.ceil((until - clock.now()) / 1000);
        return Response.json(
          { unlocked: true, expires_at: formatInstant(until) },
          {
            headers: {
              ...HIDDEN,
              "set-cookie": cookies.setAt(`/v0/shared/${token}`, COOKIE, pass, seconds),
            },
          },
        );
      },
    }),
    operation("GET", "/v0/shared/:token/files", {
      operationId: "listSharedFiles",
      public: true,
      summary: "List a folder that a link shows",
      description: `${LOCKED}Returns the files and folders directly in the folder, on pages side by side, each of up to \`limit\`. For a link to a file, only that file.`,
      params: SHARED_PARAMS,
      query: Type.Object({
        prefix: optionalText(
          "A folder in the one that the link shows, ending with `/`. Default: that one.",
          "photos/",
        ),
        limit: integer({ minimum: 1, maximum: PAGE_LIMIT, default: PAGE_LIMIT_DEFAULT }),
        cursor: optionalText("The `next_cursor` of a page: returns the page after it."),
      }),
      answers: { description: "A page of the folder.", json: sharedPageSchema, headers: HIDDEN_HEADERS },
      errors: ["UNAUTHORIZED", "GONE"],
      handle: ({ request, params: { token }, query }) => {
        const after = query.cursor === undefined ? null : decodePosition(query.cursor, "path");
        const { prefix = "", limit } = query;
        const listing = service.list(openShared(service, request, token), { prefix, limit, after });
        const page: SharedPage = {
          data: listing.files.map(sharedFileRecord),
          folders: listing.level?.folders ?? [],
          total: listing.total,
          folder_total: listing.level?.total ?? 0,
          next_cursor: listing.nextAfter === null ? null : encodePosition(listing.nextAfter, "path"),
        };
        return Response.json(page, { headers: HIDDEN });
      },
    }),
  ]);
}

function sharedRecord(service: SharedThings, opened: Shared): SharedRecord {
  const { name, fileCount, totalSize, file } = service.facts(opened);
  return {
    kind: file === null ? "folder" : "file",
    name,
    file_count: fileCount,
    total_size: totalSize,
    file: file && sharedFileRecord(file),
    expires_at: formatInstant(opened.expiresAt),
  };
}
