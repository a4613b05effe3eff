import { Type } from "@sinclair/typebox";
import { ARCHIVE_PATHS, ARCHIVE_STALL_MS, ARCHIVE_LIMITS } from "../../../domain/limits.ts";
import type { Log } from "../../../process/log.ts";
import type { Archive, Archives } from "../../../services/contents/archives.ts";
import { CONTAINED, CONTAINED_HEADERS, contentDisposition } from "../../content/answer.ts";
import { operation } from "../../operation/operation.ts";
import type { RequestContext } from "../../gate/request-context.ts";
import { piecewise } from "../../content/piecewise.ts";
import { driveRef, inSnapshot } from "../../operation/schema.ts";

const archiveQuery = Type.Object({
  drive_id: driveRef(),
  snapshot_id: inSnapshot,
  path: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: ARCHIVE_PATHS,
      description:
        "A file or a folder; a folder ends with `/`. Repeat it for several. Default: the whole drive.",
      examples: [["notes/plan.md", "photos/2030/"]],
    }),
  ),
});

export const ARCHIVE = {
  description: "The archive.",
  content: { "application/zip": Type.String({ format: "binary" }) },
  headers: {
    "Content-Disposition": "Named after the folder or the drive (RFC 8187).",
    "Cache-Control": "`no-store`",
    ...CONTAINED_HEADERS,
  },
};

interface ArchiveOptions {
  readonly archives: Archives;
  readonly log: Log;
  /** How long a client may read nothing, in milliseconds; `ARCHIVE_STALL_MS` by default. */
  readonly stallMs?: number | undefined;
}

const MOST = ARCHIVE_LIMITS;

export function archives({ archives: service, log, stallMs }: ArchiveOptions) {
  return operation("GET", "/v0/archive", {
    operationId: "downloadArchive",
    tag: "Files",
    summary: "Download files and folders as one ZIP",
    description:
      "The archive has the files and folders as they were when the response began, in path order, empty folders included. Names are relative to the innermost folder that contains everything requested. Duplicates are packed once. The archive is created while it is sent, so its length is not known in advance, and an error closes the connection before the end. Contents are stored, not compressed; large archives are ZIP64.\n\n" +
      `At most ${MOST.each} archives can be downloaded at once for one account or unclaimed drive, ${MOST.client} by one client address, and ${MOST.all} in total; of these, at most ${MOST.unclaimed.client} by one client address and ${MOST.unclaimed.all} in total for unclaimed drives. Above that, 429 is returned. ` +
      `A client may read slowly, but if it reads nothing for ${ARCHIVE_STALL_MS / 1000} seconds, the connection is closed. Buffers delay what the server sees of this; 32 KiB a second is usually enough.`,
    query: archiveQuery,
    answers: [ARCHIVE],
    errors: ["NOT_FOUND"],
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

interface ArchiveSending extends Pick<ArchiveOptions, "log" | "stallMs"> {
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
