import { Type } from "@sinclair/typebox";
import type { ErrorCode } from "../../../domain/errors.ts";
import type { Files } from "../../../services/files/files.ts";
import { CONTAINED_HEADERS, contentAnswer } from "../../content/answer.ts";
import { fileOperation, viewOf } from "../../operation/file-route.ts";
import { ETAG, IF_MATCH } from "../../content/conditions.ts";
import { flag, inSnapshot } from "../../operation/schema.ts";

const bytes = { "*/*": Type.String({ format: "binary" }) };
const validators = {
  ...ETAG,
  "Last-Modified": "When the file last changed.",
  "Cache-Control": "`private, no-cache`: a copy may be cached, but must be revalidated before each use.",
};
const contentHeaders = {
  ...validators,
  "Accept-Ranges": "`bytes`",
  "Repr-Digest": "The SHA-256 of the whole content (RFC 9530).",
  "Content-Disposition": "The filename, encoded as in RFC 8187.",
  ...CONTAINED_HEADERS,
};

/** What all operations that return a file's content have in common. */
export const CONTENT = {
  query: Type.Object({
    inline: flag("Show the file in the browser instead of saving it, if its type cannot run scripts."),
  }),
  headers: {
    Range: "`bytes=0-99`, `bytes=100-` or `bytes=-100`.",
    "If-Range": "Send the range only if the file still has this ETag or date; else the whole content.",
    "If-None-Match": "Return 304 if the file still has this ETag.",
    "If-Modified-Since": "Return 304 if the file has not changed since.",
    ...IF_MATCH,
  },
  answers: [
    { description: "The content.", content: bytes, headers: contentHeaders },
    {
      status: 206,
      description: "The requested range.",
      content: bytes,
      headers: { ...contentHeaders, "Content-Range": "Which bytes of the content these are." },
    },
    { status: 304, description: "The client's copy is current.", headers: validators },
  ],
  errors: ["FORBIDDEN", "NOT_FOUND", "PRECONDITION_FAILED", "RANGE_NOT_SATISFIABLE"] satisfies ErrorCode[],
};

/** What is added for those who have a session, or a link of their own: see `isForAnyPage` of `ContentRequest`. */
export const OWN_PAGES = {
  "Cross-Origin-Resource-Policy":
    "`same-origin`: pages of other origins cannot show the file with a visitor's session. A link works there.",
};

/** The same for callers with a key or a session. */
export const OWN_CONTENT = {
  ...CONTENT,
  answers: CONTENT.answers.map((answer) => ({ ...answer, headers: { ...answer.headers, ...OWN_PAGES } })),
};

/** Contents, for callers with a key or a session. For links see `presigned.ts`. */
export function downloads(service: Files) {
  return fileOperation("GET", "/download", {
    ...OWN_CONTENT,
    query: Type.Object({ ...CONTENT.query.properties, snapshot_id: inSnapshot }),
    operationId: "downloadFile",
    tag: "Files",
    summary: "Download a file",
    description:
      "Returns the bytes as they were uploaded. Ranges and conditional requests work as in RFC 9110; a request for several ranges gets the whole content. A content is checked against its SHA-256 before it is sent; one whose check takes more than two seconds, or a range of it whose check takes a fifth of one, is sent meanwhile. Its last bytes are sent after the check; if it is damaged, the connection is cut before: compare the length. Without a key, that is with a session or a link, scripts and style sheets are sent as `text/plain`.",
    handle: ({ request, context, query, caller }, ref) => {
      const file = service.facts(caller, viewOf(ref, query));
      return contentAnswer(service, {
        request,
        context,
        file,
        inline: query.inline,
        isForAnyPage: false,
        mayGoOn: () => service.mayGoOn(caller, file),
      });
    },
  });
}
