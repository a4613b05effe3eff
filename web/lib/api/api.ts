import { readableMessage } from "./server-message.ts";

/** A refusal or failure of the server, or no answer at all. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0 when there was no answer. */
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;
  /** Finds the request in the server's log. */
  readonly requestId: string | undefined;
  /** Seconds that the server asks to wait before the next try. */
  readonly waitSeconds: number | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    field?: string,
    requestId?: string,
    waitSeconds?: number,
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.requestId = requestId;
    this.waitSeconds = waitSeconds;
  }
}

/** Any error as one that can be shown. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, "UNEXPECTED", error instanceof Error ? error.message : String(error));
}

/** Dispatched on the window when an answer of the API says that nobody is signed in; its detail is the path. */
export const SIGNED_OUT = "coffer:signed-out";

/** Options of `call`; `body` is sent as JSON. */
export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/**
 * Calls the API with the session's cookie and reads the JSON of a success.
 *
 * @throws ApiError for everything else; AbortError when `signal` aborts
 */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const { body, headers = {}, signal } = options;
  const response = await ask(path, {
    method,
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  return JSON.parse(await response.text());
}

/**
 * Like `fetch`, for this server; answers successful responses only.
 *
 * @throws ApiError for a refusal or no answer; AbortError when the signal aborts
 */
export async function ask(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError(0, "NO_ANSWER", "Can't reach the server. Is it running, and are you online?");
  }
  if (!response.ok) throw await refusalOf(response, path);
  return response;
}

/** The error for an unsuccessful response. Where nobody is signed in, it dispatches `SIGNED_OUT` as well. */
export async function refusalOf(response: Response, path: string): Promise<ApiError> {
  if (response.status === 401 && path.startsWith("/v0/")) {
    dispatchEvent(new CustomEvent(SIGNED_OUT, { detail: path }));
  }
  const { status, headers } = response;
  const requestId = headers.get("x-request-id") ?? undefined;
  const retryAfter = Number(headers.get("retry-after") ?? Number.NaN);
  const waitSeconds = Number.isFinite(retryAfter) ? retryAfter : undefined;
  try {
    const { error }: { error: { code: string; message: string; field?: string } } = JSON.parse(
      await response.text(),
    );
    const message = readableMessage(error.message, error.field);
    return new ApiError(status, error.code, message, error.field, requestId, waitSeconds);
  } catch {
    // Not an error of Coffer's: a proxy's, for example.
    const message = `The server answered with status ${status}.`;
    return new ApiError(status, "UNKNOWN", message, undefined, requestId, waitSeconds);
  }
}

/**
 * Answers what a request to change something answers. If the request fails, it calls `onUncertain` first, so that the
 * list is loaded again: the item may be gone, or the change was made and only the answer was lost.
 */
export async function orUncertain<T>(request: Promise<T>, onUncertain: () => void): Promise<T> {
  try {
    return await request;
  } catch (error) {
    onUncertain();
    throw error;
  }
}
