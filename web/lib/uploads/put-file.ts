import { ApiError, call, refusalOf } from "../api/api.ts";
import type { FileRecord } from "../api/types.ts";
import { inBrowser } from "../browser/base-path.ts";
import { t } from "../words/text.ts";

/** The share of the rate limit that uploads leave for other requests. */
const KEPT_SHARE = 0.25;

const FILES = "/v0/files";

/** A file that is to be sent to a place. */
export interface PutOptions {
  readonly driveId: string;
  readonly path: string;
  readonly file: File;
  /** Whether a file that stands there gets this content; otherwise that is 412. */
  readonly replace: boolean;
  readonly signal: AbortSignal;
  /** Called with the bytes sent so far. */
  readonly onProgress: (sent: number) => void;
  /** Called with the seconds to pause before the next upload. */
  readonly onWait: (seconds: number) => void;
}

/** A file as it was stored. */
export interface PutResult {
  readonly file: FileRecord;
  /** Whether another content stood there before. */
  readonly isReplacement: boolean;
}

/**
 * Uploads one file and gives its record. Through XMLHttpRequest, since fetch does not tell how much has been sent.
 *
 * @throws ApiError for a refusal or no answer; AbortError when `signal` aborts
 */
export async function putFile(options: PutOptions): Promise<PutResult> {
  const request = await sent(options);
  const rest = secondsToRest(request);
  if (rest > 0) options.onWait(rest);
  if (request.status < 200 || request.status >= 300) {
    throw await refusalOf(asResponse(request), FILES);
  }
  return { file: JSON.parse(request.responseText), isReplacement: request.status === 200 };
}

/** What `refusalOf` reads of an answer. */
function asResponse(request: XMLHttpRequest): Response {
  const response = new Response(request.responseText, { status: request.status });
  for (const name of ["x-request-id", "retry-after"]) {
    const value = request.getResponseHeader(name);
    if (value !== null) response.headers.set(name, value);
  }
  return response;
}

/** How long to pause, so that requests are left for other actions. */
function secondsToRest(request: XMLHttpRequest): number {
  const limit = Number(request.getResponseHeader("x-ratelimit-limit"));
  const remaining = Number(request.getResponseHeader("x-ratelimit-remaining"));
  return remaining < limit * KEPT_SHARE ? Number(request.getResponseHeader("x-ratelimit-reset")) : 0;
}

/** Resolves once there is an answer, of any status. */
function sent({ driveId, path, file, replace, signal, onProgress }: PutOptions): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const request = new XMLHttpRequest();
    const abort = () => request.abort();
    signal.addEventListener("abort", abort);
    request.upload.addEventListener("progress", ({ loaded }) => onProgress(loaded));
    request.addEventListener("load", () => resolve(request));
    request.addEventListener("abort", () => reject(new DOMException("cancelled", "AbortError")));
    request.addEventListener("error", () => void whyUnsent(file).then(reject));
    request.addEventListener("loadend", () => signal.removeEventListener("abort", abort));
    request.open("PUT", inBrowser(`${FILES}?${new URLSearchParams({ drive_id: driveId, path })}`));
    // The server finds better types than browsers, which take TypeScript for video.
    request.setRequestHeader("content-type", "application/octet-stream");
    if (!replace) request.setRequestHeader("if-none-match", "*");
    request.send(file);
  });
}

/** Browsers do not say whether reading or sending failed; reading one byte tells. */
async function whyUnsent(file: File): Promise<ApiError> {
  try {
    await file.slice(0, 1).arrayBuffer();
  } catch {
    return new ApiError(
      0,
      "UNREADABLE",
      t("This file can't be read anymore: it was moved, changed or deleted."),
    );
  }
  return new ApiError(0, "NO_ANSWER", t("Can't reach the server, or it ended the upload."));
}

/** Whether a file stands at a path, asked without sending one. */
export async function isTaken(driveId: string, path: string, signal: AbortSignal): Promise<boolean> {
  // The path itself comes before everything else that begins with it.
  const query = new URLSearchParams({ drive_id: driveId, prefix: path, limit: "1" });
  const { data } = await call<{ data: FileRecord[] }>("GET", `/v0/files?${query}`, { signal });
  return data[0]?.path === path;
}
