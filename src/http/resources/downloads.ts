import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { ErrorCode } from "../../domain/errors.ts";
import type { Files } from "../../services/files.ts";
import { CONTAINED_HEADERS } from "../content/contained.ts";
import { contentAnswer } from "../content/answer.ts";
import { operation } from "../operation/operation.ts";
import { ETAG } from "../content/etag.ts";
import { fileParams, flag } from "../operation/schema.ts";

const bytes = { "*/*": Type.String({ format: "binary" }) };
const validators = {
  ...ETAG,
  "Last-Modified": "When the file last changed.",
  "Cache-Control": "`private, no-cache`: a copy may be kept, and is to be checked before it is used.",
};
const contentHeaders = {
  ...validators,
  "Accept-Ranges": "`bytes`",
  "Repr-Digest": "The SHA-256 of the whole content (RFC 9530).",
  "Content-Disposition": "The filename, in any script (RFC 8187).",
  ...CONTAINED_HEADERS,
};

/** What every operation that sends a content takes and answers. */
export const CONTENT = {
  query: Type.Object({
    inline: flag("Show it in a browser instead of saving it, if it is of a type that cannot run script."),
  }),
  headers: {
    Range: "`bytes=0-99`, `bytes=100-` or `bytes=-100`.",
    "If-Range": "Send the range only if this ETag or date still holds.",
    "If-None-Match": "Answers 304 if the file still has this ETag.",
    "If-Modified-Since": "Answers 304 if the file has not changed since.",
    "If-Match": "Answers 412 unless the file has this ETag.",
  },
  answers: [
    { status: 200, description: "The content.", content: bytes, headers: contentHeaders },
    {
      status: 206,
      description: "The range asked for.",
      content: bytes,
      headers: { ...contentHeaders, "Content-Range": "Which bytes these are." },
    },
    { status: 304, description: "Your copy is still good.", headers: validators },
  ],
  errors: ["FORBIDDEN", "NOT_FOUND", "PRECONDITION_FAILED", "RANGE_NOT_SATISFIABLE"] satisfies ErrorCode[],
};

/** Contents, for whoever has a key or is signed in; for others see `presigned.ts`. */
export function downloads(service: Files) {
  return new Elysia({ name: "downloads" }).get(
    ...operation(
      "/v0/files/:id/download",

      {
        ...CONTENT,
        operationId: "downloadFile",
        tag: "Files",
        summary: "Download a file",
        description:
          "The bytes as they were uploaded. Ranges and conditional requests work as in RFC 9110; of several ranges in one request the whole content is sent. Without a key, that is to somebody signed in or by a link, scripts and style sheets are `text/plain`.",
        params: fileParams,
      },
      ({ request, context, params, query, caller }) =>
        contentAnswer(service, {
          request,
          context,
          file: service.get(caller, params.id),
          inline: query.inline,
        }),
    ),
  );
}
