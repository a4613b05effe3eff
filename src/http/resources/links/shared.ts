import { Type } from "@sinclair/typebox";
import { CofferError, notFound } from "../../../domain/errors.ts";
import { ARCHIVE_PATHS } from "../../../domain/limits.ts";
import { formatInstant } from "../../../domain/time.ts";
import type { Shared, SharedThings } from "../../../services/links/shared.ts";
import { ALL_GUESSES, GuessThrottle } from "../../limits/guess-throttle.ts";
import { tokenIn } from "../../gate/session-cookie.ts";
import { fileCursor } from "../../operation/cursor.ts";
import type { SharedPage, SharedRecord } from "../../records/link-schemas.ts";
import { linkSchema, sharedPageSchema, sharedSchema } from "../../records/link-schemas.ts";
import { operation, tagged } from "../../operation/route.ts";
import { sharedFileRecord } from "../../records/records.ts";
import * as t from "../../operation/schema.ts";
import type { Parts } from "../parts.ts";
import { contentAnswer } from "../../content/answer.ts";
import type { Answer } from "../../operation/spec.ts";
import { ARCHIVE, archiveAnswer, CONTENT, contentAnswers } from "../contents/downloads.ts";
import { EXTRACT, extractAnswer } from "../contents/texts.ts";
import { THUMBNAIL, thumbnailAnswer } from "../contents/thumbnails.ts";

/** The cookie that says that a link's password was given. */
const COOKIE = "coffer_share";

/** What every route of what a link shows has in common. */
export const SHARED = {
  public: true,
  params: Type.Object({ token: t.text("The token of the link.") }),
  errors: ["UNAUTHORIZED", "GONE"],
} as const;

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
  expires_at: t.exampleOf(linkSchema).expires_at,
};

/** What a link shows to whoever sends this request. Throws as `SharedThings.open`. */
export function openShared(service: SharedThings, request: Request, token: string): Shared {
  return service.open(token, tokenIn(request, COOKIE));
}

export function shared({ shared: service, linkUses, cookies, clock }: Parts) {
  const throttle = new GuessThrottle(clock);
  return tagged("Links", [
    operation("GET", "/v0/shared/:token", {
      ...SHARED,
      operationId: "getShared",
      summary: "Show what a link leads to",
      description: `${LOCKED}Returns 404 if the link is revoked, if what it shows is gone, or if its creator can no longer read it, and 410 once it has expired.`,
      answers: {
        description: "The file or folder.",
        json: sharedSchema,
        headers: HIDDEN_HEADERS,
        example: exampleShared,
      },
      handle: ({ request, context, params: { token } }) => {
        const opened = openShared(service, request, token);
        if (context.method !== "HEAD") linkUses.note(opened.linkId);
        return Response.json(sharedRecord(service, opened), { headers: HIDDEN });
      },
    }),
    operation("POST", "/v0/shared/:token/unlock", {
      ...SHARED,
      operationId: "unlockShared",
      summary: "Give a link's password",
      description: `The response sets a cookie that opens this link for 12 hours. A wrong password gets 401. After a few from one client address, its next one has to wait (429), each time longer; after ${ALL_GUESSES.free} from anywhere, everybody's next one waits ${ALL_GUESSES.mostMs / 60_000} minutes, except where the right one came from before.`,
      body: Type.Object({ password: t.givenPassword() }),
      example: { password: "open sesame" },
      answers: {
        description: "The link is open.",
        json: Type.Object({ unlocked: Type.Literal(true), expires_at: t.time("When the cookie ends.") }),
        headers: {
          ...HIDDEN_HEADERS,
          "Set-Cookie": `\`${COOKIE}\`, with \`HttpOnly\`, \`SameSite=Strict\` and, on https, \`Secure\`.`,
        },
      },
      errors: [...SHARED.errors, "FORBIDDEN"],
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
      ...SHARED,
      operationId: "listSharedFiles",
      summary: "List a folder that a link shows",
      description: `${LOCKED}Returns the files and folders directly in the folder, on pages side by side, each of up to \`limit\`. For a link to a file, only that file.`,
      query: Type.Object({
        prefix: t.optionalText(
          "A folder in the one that the link shows, ending with `/`. Default: that one.",
          "photos/",
        ),
        limit: t.paging.limit,
        cursor: t.optionalText("The `next_cursor` of a page: returns the page after it."),
      }),
      answers: { description: "A page of the folder.", json: sharedPageSchema, headers: HIDDEN_HEADERS },
      handle: ({ request, params: { token }, query }) => {
        const after = fileCursor("name").read(query.cursor);
        const { prefix = "", limit } = query;
        const listing = service.list(openShared(service, request, token), { prefix, limit, after });
        const page: SharedPage = {
          data: listing.files.map(sharedFileRecord),
          folders: listing.level?.folders ?? [],
          total: listing.total,
          folder_total: listing.level?.total ?? 0,
          next_cursor: fileCursor("name").write(listing.nextAfter),
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

const sharedPath = t.optionalText(
  "Of the file, relative to the folder that the link shows. Not needed for a link to a file.",
  "photos/a.jpg",
);

export function sharedContents(parts: Parts) {
  const { shared: service, thumbnails, linkUses, log, stallMs } = parts;
  return tagged("Links", [
    operation("GET", "/v0/shared/:token/download", {
      ...CONTENT,
      ...SHARED,
      answers: contentAnswers(parts, false).map(hidden),
      operationId: "downloadShared",
      opened: true,
      summary: "Download a file that a link shows",
      description: `${LOCKED}Works like downloading with a key. Nothing that could run scripts is shown in the browser, only saved.`,
      query: Type.Object({ ...CONTENT.query.properties, path: sharedPath }),
      errors: [...CONTENT.errors, ...SHARED.errors],
      handle: async (input) => {
        const { request, params, query } = input;
        const opened = openShared(service, request, params.token);
        const response = await contentAnswer(parts, input, service.file(opened, query.path), {
          isForAnyPage: false,
          mayGoOn: () => service.mayGoOn(params.token),
          // A preview belongs to the page, which was counted.
          onStart: () => void (query.inline || linkUses.note(opened.linkId)),
        });
        return withHidden(response);
      },
    }),
    operation("GET", "/v0/shared/:token/extract", {
      ...EXTRACT,
      ...SHARED,
      answers: hidden(EXTRACT.answers),
      operationId: "extractShared",
      summary: "Extract the text of a file that a link shows",
      description: `${LOCKED}Works like \`GET /v0/files/{id}/extract\`. The documents of one link are read one after another.`,
      query: Type.Object({ path: sharedPath }),
      errors: [...EXTRACT.errors, ...SHARED.errors],
      handle: async ({ request, context, params: { token }, query }) => {
        const opened = openShared(service, request, token);
        return withHidden(
          await extractAnswer(context, () => service.extract(opened, query.path, request.signal)),
        );
      },
    }),
    operation("GET", "/v0/shared/:token/thumbnail", {
      ...THUMBNAIL,
      ...SHARED,
      answers: THUMBNAIL.answers.map(hidden),
      operationId: "getSharedThumbnail",
      summary: "Get a thumbnail of a picture that a link shows",
      description: `${LOCKED}Works like \`GET /v0/files/{id}/thumbnail\`, within the limits of unclaimed drives.`,
      query: Type.Object({ ...THUMBNAIL.query.properties, path: sharedPath }),
      errors: [...THUMBNAIL.errors, ...SHARED.errors],
      handle: async ({ request, context, params: { token }, query: { path, size } }) => {
        const opened = openShared(service, request, token);
        const file = service.file(opened, path);
        const make = async () => {
          const bytes = await service.thumbnail(opened, file, size, request.signal);
          if (!service.mayGoOn(token)) throw notFound("link");
          return bytes;
        };
        return withHidden(await thumbnailAnswer(thumbnails, { request, context, file, size }, make));
      },
    }),
    operation("GET", "/v0/shared/:token/archive", {
      ...SHARED,
      operationId: "downloadSharedArchive",
      opened: true,
      summary: "Download what a link shows as one ZIP",
      description: `${LOCKED}Works like \`GET /v0/archive\`, within the limits of unclaimed drives.`,
      query: Type.Object({
        path: t.optionalTexts({
          maxItems: ARCHIVE_PATHS,
          description:
            "A file or a folder, relative to the folder that the link shows; a folder ends with `/`. Repeat it for several. Default: everything.",
          examples: [["photos/", "a.txt"]],
        }),
      }),
      answers: [hidden(ARCHIVE)],
      handle: async ({ request, context, params: { token }, query }) => {
        const opened = openShared(service, request, token);
        const archive = service.archive(opened, context.client, query.path ?? []);
        const response = await archiveAnswer(archive, context, {
          log,
          stallMs,
          mayGoOn: () => service.mayGoOn(token),
        });
        if (context.method !== "HEAD") linkUses.note(opened.linkId);
        return withHidden(response);
      },
    }),
  ]);
}

function withHidden(response: Response): Response {
  for (const [name, value] of Object.entries(HIDDEN)) response.headers.set(name, value);
  return response;
}

/** The description of a response of another route, with the headers that are added here. */
function hidden<A extends Answer>(answer: A): A {
  return { ...answer, headers: { ...answer.headers, ...HIDDEN_HEADERS } };
}
