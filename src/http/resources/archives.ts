import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { ARCHIVE_PATHS, ARCHIVE_STALL_MS, ARCHIVES_UNDER_WAY } from "../../domain/limits.ts";
import type { Log } from "../../log.ts";
import type { Archives } from "../../services/archives.ts";
import { CONTAINED, CONTAINED_HEADERS } from "../content/contained.ts";
import { contentDisposition } from "../content/disposition.ts";
import { operation } from "../operation/operation.ts";
import { piecewise } from "../content/piecewise.ts";
import { driveRef } from "../operation/schema.ts";

const archiveQuery = Type.Object({
  drive_id: driveRef(),
  path: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: ARCHIVE_PATHS,
      description:
        "Once for each file and folder; a folder's ends with `/`. The whole drive where it is missing or empty.",
      examples: [["notes/plan.md", "photos/2030/"]],
    }),
  ),
});

/** What archives are sent with. */
export interface ArchiveOptions {
  readonly archives: Archives;
  readonly log: Log;
  /** How long a reader may take nothing, in milliseconds; `ARCHIVE_STALL_MS` by default. */
  readonly stallMs?: number | undefined;
}

const MOST = ARCHIVES_UNDER_WAY;

/** Many files in one download. */
export function archives({ archives: service, log, stallMs = ARCHIVE_STALL_MS }: ArchiveOptions) {
  return new Elysia({ name: "archives" }).get(
    ...operation(
      "/v0/archive",

      {
        operationId: "downloadArchive",
        tag: "Files",
        summary: "Download files and folders as one ZIP",
        description:
          "What stood there when the answer began, in path order, empty folders included; names begin at the innermost folder that holds all that was asked for. What is asked for twice, or is in a folder asked for, is packed once. It is made while it is sent: its length is not known before, and where it cannot be finished the connection breaks. Contents are stored, not compressed; large archives are ZIP64.\n\n" +
          `At most ${MOST.each} archives may be under way at once for one account or one unclaimed drive, ${MOST.client} to one client address, and ${MOST.all} in all. Of these, unclaimed drives together may have at most ${MOST.unclaimed.client} to one address and ${MOST.unclaimed.all} in all. One more is 429. ` +
          `A reader may be slow, but must go on reading: when it takes nothing for ${ARCHIVE_STALL_MS / 1000} seconds, the connection breaks. Buffers on the way hide what it takes for a while; 32 KiB a second are enough as a rule.`,
        query: archiveQuery,
        answers: [
          {
            status: 200,
            description: "The archive.",
            content: { "application/zip": Type.String({ format: "binary" }) },
            headers: {
              "Content-Disposition": "Named after the folder or the drive (RFC 8187).",
              "Cache-Control": "`no-store`",
              ...CONTAINED_HEADERS,
            },
          },
        ],
        errors: ["NOT_FOUND"],
      },
      async ({ query, caller, context }) => {
        const archive = service.open(caller, context.client, query.drive_id, query.path ?? []);
        const headers = {
          "content-type": "application/zip",
          "content-disposition": contentDisposition("attachment", archive.filename),
          "cache-control": "no-store",
          ...CONTAINED,
        };
        if (context.method === "HEAD") {
          // Else the runtime says that the archive has no bytes.
          return new Response(null, { headers: { ...headers, "transfer-encoding": "chunked" } });
        }
        const about = { request_id: context.id };
        const body = await piecewise(archive.pieces(), {
          onFailure: (error) => log.error("an archive broke off", { ...about, error }),
          onLeave: () => log.info("the reader of an archive has left", about),
          stall: {
            ms: stallMs,
            onStall: () => {
              context.breakOff();
              log.info("an archive was given up: its reader has stopped reading", about);
            },
          },
        });
        context.allowSlowReader();
        return new Response(body, { headers });
      },
    ),
  );
}
