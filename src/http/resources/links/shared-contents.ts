import { Type } from "@sinclair/typebox";
import { ARCHIVE_PATHS } from "../../../domain/limits.ts";
import { contentAnswer } from "../../content/answer.ts";
import { operation, tagged } from "../../operation/route.ts";
import type { Answer } from "../../operation/spec.ts";
import { ARCHIVE, archiveAnswer, CONTENT, OWN_PAGES } from "../contents/downloads.ts";
import { EXTRACT, extractAnswer } from "../contents/texts.ts";
import { HIDDEN, HIDDEN_HEADERS, LOCKED, openShared, SHARED_PARAMS } from "./shared.ts";
import { optionalText } from "../../operation/schema.ts";
import type { Parts } from "../parts.ts";

const sharedPath = optionalText(
  "Of the file, relative to the folder that the link shows. Not needed for a link to a file.",
  "photos/a.jpg",
);

/** The contents that links show, and their texts. */
export function sharedContents({ shared: service, files, linkUses, log, stallMs }: Parts) {
  return tagged("Links", [
    operation("GET", "/v0/shared/:token/download", {
      ...CONTENT,
      answers: CONTENT.answers.map((each) => hidden({ ...each, headers: { ...each.headers, ...OWN_PAGES } })),
      operationId: "downloadShared",
      public: true,
      opened: true,
      summary: "Download a file that a link shows",
      description: `${LOCKED}Works like downloading with a key. Nothing that could run scripts is shown in the browser, only saved.`,
      params: SHARED_PARAMS,
      query: Type.Object({ ...CONTENT.query.properties, path: sharedPath }),
      errors: [...CONTENT.errors, "UNAUTHORIZED", "GONE"],
      handle: async ({ request, context, params: { token }, query }) => {
        const opened = openShared(service, request, token);
        const response = await contentAnswer(files, {
          request,
          context,
          file: service.file(opened, query.path),
          inline: query.inline,
          isForAnyPage: false,
          mayGoOn: () => service.mayGoOn(token),
          // A preview belongs to the page, which was counted.
          onStart: () => void (query.inline || linkUses.note(opened.linkId)),
        });
        return withHidden(response);
      },
    }),
    operation("GET", "/v0/shared/:token/extract", {
      ...EXTRACT,
      answers: hidden(EXTRACT.answers),
      operationId: "extractShared",
      public: true,
      summary: "Extract the text of a file that a link shows",
      description: `${LOCKED}Works like \`GET /v0/files/{id}/extract\`. The documents of one link are read one after another.`,
      params: SHARED_PARAMS,
      query: Type.Object({ path: sharedPath }),
      errors: [...EXTRACT.errors, "UNAUTHORIZED", "GONE"],
      handle: async ({ request, context, params: { token }, query }) => {
        const opened = openShared(service, request, token);
        return withHidden(
          await extractAnswer(context, () => service.extract(opened, query.path, request.signal)),
        );
      },
    }),
    operation("GET", "/v0/shared/:token/archive", {
      operationId: "downloadSharedArchive",
      public: true,
      opened: true,
      summary: "Download what a link shows as one ZIP",
      description: `${LOCKED}Works like \`GET /v0/archive\`, within the limits of unclaimed drives.`,
      params: SHARED_PARAMS,
      query: Type.Object({
        path: Type.Optional(
          Type.Array(Type.String(), {
            maxItems: ARCHIVE_PATHS,
            description:
              "A file or a folder, relative to the folder that the link shows; a folder ends with `/`. Repeat it for several. Default: everything.",
            examples: [["photos/", "a.txt"]],
          }),
        ),
      }),
      answers: [hidden(ARCHIVE)],
      errors: ["UNAUTHORIZED", "GONE"],
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
