import { Type } from "@sinclair/typebox";
import { ARCHIVE_PATHS } from "../../../domain/limits.ts";
import { contentAnswer } from "../../content/answer.ts";
import { operation, tagged } from "../../operation/route.ts";
import type { Answer } from "../../operation/spec.ts";
import { ARCHIVE, archiveAnswer, CONTENT, OWN_PAGES } from "../contents/downloads.ts";
import { EXTRACT, extractAnswer } from "../contents/texts.ts";
import { HIDDEN, HIDDEN_HEADERS, LOCKED, openShared, SHARED } from "./shared.ts";
import * as t from "../../operation/schema.ts";
import type { Parts } from "../parts.ts";

const sharedPath = t.optionalText(
  "Of the file, relative to the folder that the link shows. Not needed for a link to a file.",
  "photos/a.jpg",
);

/** The contents that links show, and their texts. */
export function sharedContents({ shared: service, files, linkUses, log, stallMs }: Parts) {
  return tagged("Links", [
    operation("GET", "/v0/shared/:token/download", {
      ...CONTENT,
      ...SHARED,
      answers: CONTENT.answers.map((each) => hidden({ ...each, headers: { ...each.headers, ...OWN_PAGES } })),
      operationId: "downloadShared",
      opened: true,
      summary: "Download a file that a link shows",
      description: `${LOCKED}Works like downloading with a key. Nothing that could run scripts is shown in the browser, only saved.`,
      query: Type.Object({ ...CONTENT.query.properties, path: sharedPath }),
      errors: [...CONTENT.errors, ...SHARED.errors],
      handle: async (input) => {
        const { request, params, query } = input;
        const opened = openShared(service, request, params.token);
        const response = await contentAnswer(files, input, service.file(opened, query.path), {
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
