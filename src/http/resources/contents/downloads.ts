import { Type } from "@sinclair/typebox";
import type { ErrorCode } from "../../../domain/errors.ts";
import { contentAnswer } from "../../content/answer.ts";
import { CONTAINED, CONTAINED_HEADERS, contentDisposition } from "../../content/containment.ts";
import { fileOperation, viewOf } from "../../operation/file-route.ts";
import { ETAG, IF_MATCH } from "../../content/conditions.ts";
import * as t from "../../operation/schema.ts";
import type { Parts } from "../parts.ts";
import { ARCHIVE_LIMITS, ARCHIVE_PATHS, ARCHIVE_STALL_MS, MIB, REDIRECT } from "../../../domain/limits.ts";
import type { Archive } from "../../../services/contents/archives.ts";
import { operation } from "../../operation/route.ts";
import type { Answer } from "../../operation/spec.ts";
import type { RequestContext } from "../../gate/request-context.ts";
import { piecewise } from "../../content/piecewise.ts";

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

/** What all operations that return a file's content have in common, but for their answers. */
export const CONTENT = {
  query: Type.Object({
    inline: t.flag("Show the file in the browser instead of saving it, if its type cannot run scripts."),
  }),
  headers: {
    Range: "`bytes=0-99`, `bytes=100-` or `bytes=-100`.",
    "If-Range": "Send the range only if the file still has this ETag or date; else the whole content.",
    "If-None-Match": "Return 304 if the file still has this ETag.",
    "If-Modified-Since": "Return 304 if the file has not changed since.",
    ...IF_MATCH,
  },
  errors: ["FORBIDDEN", "RANGE_NOT_SATISFIABLE"] satisfies ErrorCode[],
};

/** How a content is sent from here. */
const SENT: readonly Answer[] = [
  { description: "The content.", content: bytes, headers: contentHeaders },
  {
    status: 206,
    description: "The requested range.",
    content: bytes,
    headers: { ...contentHeaders, "Content-Range": "Which bytes of the content these are." },
  },
  { status: 304, description: "The client's copy is current.", headers: validators },
];

const REDIRECTED: Answer = {
  status: 307,
  description: `The content is sent from elsewhere: follow with the same \`Range\`, and without \`Authorization\`, which curl and \`fetch\` leave out by themselves. For more than ${REDIRECT.bytes / MIB} MiB at once, unless one of the conditions above is sent, or a page asks. The server there knows neither the ETag nor the SHA-256: compare the latter with \`content_hash\` of the record.`,
  headers: {
    Location: `An address that works for ${REDIRECT.seconds / 60} minutes, for anybody: do not keep or show it.`,
    "Cache-Control": "`no-store`",
    "Referrer-Policy": "`no-referrer`",
  },
};

/** What is added for those who have a session, or a link of their own: see `isForAnyPage` of `ContentReader`. */
export const OWN_PAGES = {
  "Cross-Origin-Resource-Policy":
    "`same-origin`: pages of other origins cannot show the file with a visitor's session. A link works there.",
};

/** The answers of operations that return a file's content. @param isForAnyPage as of `ContentReader` */
export function contentAnswers({ redirects }: Pick<Parts, "redirects">, isForAnyPage: boolean): Answer[] {
  const sent = isForAnyPage
    ? SENT
    : SENT.map((answer) => ({ ...answer, headers: { ...answer.headers, ...OWN_PAGES } }));
  return redirects.isOn ? [...sent, REDIRECTED] : [...sent];
}

export function downloads(parts: Parts) {
  const { files: service } = parts;
  return fileOperation("GET", "/download", {
    ...CONTENT,
    answers: contentAnswers(parts, false),
    query: Type.Object({ ...CONTENT.query.properties, snapshot_id: t.inSnapshot }),
    operationId: "downloadFile",
    tag: "Files",
    summary: "Download a file",
    description:
      "Returns the bytes as they were uploaded. Ranges and conditional requests work as in RFC 9110; a request for several ranges gets the whole content. A content is checked against its SHA-256 before it is sent; one whose check takes more than two seconds, or a range of it whose check takes a fifth of one, is sent meanwhile. Its last bytes are sent after the check; if it is damaged, the connection is cut before: compare the length. Without a key, that is with a session or a link, scripts and style sheets are sent as `text/plain`.",
    handle: (input, ref) => {
      const { caller, query } = input;
      const file = service.facts(caller, viewOf(ref, query));
      const mayGoOn = () => service.mayGoOn(caller, file);
      return contentAnswer(parts, input, file, { isForAnyPage: false, mayGoOn });
    },
  });
}

export const ARCHIVE = {
  description: "The archive.",
  content: { "application/zip": Type.String({ format: "binary" }) },
  headers: {
    "Content-Disposition": "Named after the folder or the drive (RFC 8187).",
    "Cache-Control": "`no-store`",
    ...CONTAINED_HEADERS,
  },
};

const MOST = ARCHIVE_LIMITS;

export function archives({ archives: service, log, stallMs }: Parts) {
  return operation("GET", "/v0/archive", {
    operationId: "downloadArchive",
    tag: "Files",
    summary: "Download files and folders as one ZIP",
    description:
      "The archive has the files and folders as they were when the response began, in path order, empty folders included. Names are relative to the innermost folder that contains everything requested. Duplicates are packed once. The archive is created while it is sent, so its length is not known in advance, and an error closes the connection before the end. Contents are stored, not compressed; large archives are ZIP64.\n\n" +
      `At most ${MOST.each} archives can be downloaded at once for one account or unclaimed drive, ${MOST.client} by one client address, and ${MOST.all} in total; of these, at most ${MOST.unclaimed.client} by one client address and ${MOST.unclaimed.all} in total for unclaimed drives. Above that, 429 is returned. ` +
      `A client may read slowly, but if it reads nothing for ${ARCHIVE_STALL_MS / 1000} seconds, the connection is closed. Buffers delay what the server sees of this; 32 KiB a second is usually enough.`,
    query: Type.Object({
      drive_id: t.driveRef(),
      snapshot_id: t.inSnapshot,
      path: t.optionalTexts({
        maxItems: ARCHIVE_PATHS,
        description:
          "A file or a folder; a folder ends with `/`. Repeat it for several. Default: the whole drive.",
        examples: [["notes/plan.md", "photos/2030/"]],
      }),
    }),
    answers: [ARCHIVE],
    handle: ({ query, caller, context }) => {
      const { drive_id: drive, path = [], snapshot_id: snapshot } = query;
      const archive = service.open(caller, context.client, drive, path, snapshot);
      return archiveAnswer(archive, context, {
        log,
        stallMs,
        mayGoOn: () => service.mayGoOn(caller, drive),
      });
    },
  });
}

interface ArchiveSending extends Pick<Parts, "log" | "stallMs"> {
  /** Asked twice a second; once it says no, the connection is closed. */
  readonly mayGoOn: () => boolean;
}

/** The response with an archive, or with its headers alone for HEAD. */
export async function archiveAnswer(
  archive: Archive,
  context: RequestContext,
  { log, stallMs = ARCHIVE_STALL_MS, mayGoOn }: ArchiveSending,
): Promise<Response> {
  const headers = {
    "content-type": "application/zip",
    "content-disposition": contentDisposition("attachment", archive.filename),
    "cache-control": "no-store",
    ...CONTAINED,
  };
  if (context.method === "HEAD") {
    // Otherwise the runtime would send a length of 0.
    return new Response(null, { headers: { ...headers, "transfer-encoding": "chunked" } });
  }
  const about = { request_id: context.id };
  const body = await piecewise(archive.pieces(), {
    onFailure: (error) => log.error("sending an archive failed", { ...about, error }),
    onLeave: () => log.info("the client of an archive disconnected", about),
    stall: {
      ms: stallMs,
      onStall: () => {
        context.breakOff();
        log.info("an archive was aborted: its client stopped reading", about);
      },
    },
  });
  context.allowSlowReader({ mayGoOn });
  return new Response(body, { headers });
}
