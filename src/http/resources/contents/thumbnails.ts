import { Type } from "@sinclair/typebox";
import {
  THUMBNAIL_LIMITS,
  THUMBNAIL_PIXELS,
  THUMBNAIL_SIZES,
  THUMBNAIL_TURNS,
  THUMBNAIL_TYPE,
  type ThumbnailSize,
} from "../../../domain/contents/thumbnail.ts";
import type { ErrorCode } from "../../../domain/errors.ts";
import type { FileFacts } from "../../../domain/files/file.ts";
import { etagMatches, requirePrecondition } from "../../../domain/files/precondition.ts";
import { MIB } from "../../../domain/limits.ts";
import { CONTAINED, CONTAINED_HEADERS } from "../../content/containment.ts";
import { IF_MATCH, preconditionOf } from "../../content/conditions.ts";
import { fileOperation, viewOf } from "../../operation/file-route.ts";
import * as t from "../../operation/schema.ts";
import type { RequestContext } from "../../gate/request-context.ts";
import type { Thumbnails } from "../../../services/contents/thumbnails.ts";
import type { Parts } from "../parts.ts";
import { OWN_PAGES } from "./downloads.ts";

const { small, medium, large } = THUMBNAIL_PIXELS;

const VALIDATORS = {
  ETag: "Of this thumbnail: changes with the content.",
  "Cache-Control": "`private, no-cache`: a copy may be cached, but must be revalidated before each use.",
  ...OWN_PAGES,
};

/** What all operations that return a thumbnail have in common. */
export const THUMBNAIL = {
  query: Type.Object({
    size: t.oneOf(THUMBNAIL_SIZES, {
      default: "medium",
      description: `At most ${small}, ${medium} or ${large} pixels on each side. A smaller picture is not enlarged.`,
    }),
  }),
  description: `Returns a picture as a small WebP, turned the right way up; of an animation its first frame. Possible for PNG, JPEG, WebP, GIF and BMP of up to ${THUMBNAIL_LIMITS.inputBytes / MIB} MiB and ${THUMBNAIL_LIMITS.pixels / 1_000_000} million pixels; others get 415 or 413. One that is malformed, or takes more than ${THUMBNAIL_LIMITS.ms / 1000} seconds or ${THUMBNAIL_LIMITS.memory / MIB} MiB of memory, gets 422; the latter may pass, so try again after a minute. If the system ended the drawing, 503 is returned. Thumbnails are kept for the next requests; ${THUMBNAIL_TURNS.running} are made at once, and with more than ${THUMBNAIL_TURNS.waitingEach} of one account or unclaimed drive waiting, 429 is returned.`,
  headers: { "If-None-Match": "Return 304 if the thumbnail still has this ETag.", ...IF_MATCH },
  answers: [
    {
      description: "The thumbnail.",
      content: { [THUMBNAIL_TYPE]: Type.String({ format: "binary" }) },
      headers: { ...VALIDATORS, ...CONTAINED_HEADERS },
    },
    { status: 304, description: "The client's copy is current.", headers: VALIDATORS },
  ],
  errors: ["UNSUPPORTED_MEDIA_TYPE", "PAYLOAD_TOO_LARGE", "EXTRACTION_FAILED"] satisfies ErrorCode[],
};

export function thumbnails({ files, thumbnails: service }: Parts) {
  return fileOperation("GET", "/thumbnail", {
    ...THUMBNAIL,
    query: Type.Object({ ...THUMBNAIL.query.properties, snapshot_id: t.inSnapshot }),
    operationId: "getThumbnail",
    tag: "Files",
    summary: "Get a thumbnail of a picture",
    handle: ({ request, context, caller, query }, ref) => {
      const file = files.facts(caller, viewOf(ref, query));
      return thumbnailAnswer(service, { request, context, file, size: query.size }, () =>
        service.thumbnail(caller, file, query.size, request.signal),
      );
    },
  });
}

interface Asked {
  readonly request: Request;
  readonly context: RequestContext;
  readonly file: FileFacts;
  readonly size: ThumbnailSize;
}

/** Answers with a thumbnail once it is made, which may take long; or with 304, without making it. */
export async function thumbnailAnswer(
  service: Thumbnails,
  { request, context, file, size }: Asked,
  make: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<Response> {
  requirePrecondition({ ...preconditionOf(request), ifNoneMatch: null }, file);
  service.requireDrawable(file);
  const tag = `${file.digest}-${THUMBNAIL_PIXELS[size]}`;
  const headers = {
    etag: `"${tag}"`,
    "cache-control": "private, no-cache",
    "cross-origin-resource-policy": "same-origin",
  };
  const known = request.headers.get("if-none-match");
  if (known !== null && etagMatches(known, [tag], true)) return new Response(null, { status: 304, headers });
  context.suspendIdleTimeout();
  const bytes = await make();
  context.keepAlive();
  return new Response(bytes, {
    headers: { ...headers, ...CONTAINED, "content-type": THUMBNAIL_TYPE },
  });
}
