import { inBrowser } from "../browser/base-path.ts";
import { connection } from "./connection.ts";
import { endedSession } from "./ended-session.ts";
import { randomKey } from "./random-key.ts";
import { type Refusal, refusalInWords } from "./server-message.ts";
import { t } from "../words/text.ts";

/** What is known of a refusal beside its message. */
interface RefusalFacts {
  /** Finds the request in the server's log. */
  readonly requestId?: string | undefined;
  /** Seconds that the server asks to wait before the next try. */
  readonly waitSeconds?: number | undefined;
  /** Whether any other request would be refused as well: there were too many. */
  readonly isOfAll?: boolean;
}

/** A refusal or failure of the server, or no answer at all. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** 0 when there was no answer. */
  readonly status: number;
  readonly code: string;
  readonly field: string | undefined;
  readonly requestId: string | undefined;
  readonly waitSeconds: number | undefined;
  readonly isOfAll: boolean;

  constructor(status: number, code: string, message: string, field?: string, facts: RefusalFacts = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
    this.requestId = facts.requestId;
    this.waitSeconds = facts.waitSeconds;
    this.isOfAll = facts.isOfAll ?? false;
  }
}

/** Any error as one that can be shown. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(0, "UNEXPECTED", error instanceof Error ? error.message : String(error));
}

/** Dispatched on the window when an answer of the API says that nobody is signed in; its detail is the path. */
export const SIGNED_OUT = "coffer:signed-out";

/** Where it is asked who is signed in. */
export const ACCOUNT = "/v0/account";

/** Answers of a proxy whose server is away, and of a server that cannot serve now. */
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504]);
/** A longer pause is not waited out, but told: a person decides. In seconds. */
const MOST_REST = 90;
/** Where the server does not say how long, in seconds. */
const REST = 5;

/** Whether a write waits for a server that is away; see `CallOptions`. */
export type Patience = Pick<CallOptions, "untilAnswered">;

/** Options of `call`; `body` is sent as JSON. */
export interface CallOptions {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Whether it is sent to its end also when the page is closed. */
  readonly keepalive?: boolean;
  /**
   * For a write that no form holds, such as an undo: while the server is away it waits, as reads do. It is done once,
   * by its Idempotency-Key. Aborting ends the wait, and not what was sent.
   */
  readonly untilAnswered?: AbortSignal | true;
}

/**
 * Calls the API with the session's cookie and reads the JSON of a success. See `ask` for what it waits for.
 *
 * @throws ApiError for everything else; AbortError when `signal` aborts
 */
export async function call<T>(method: string, path: string, options: CallOptions = {}): Promise<T> {
  const { body, headers = {}, signal, keepalive = false, untilAnswered } = options;
  const init = {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(untilAnswered === undefined ? {} : { "idempotency-key": randomKey() }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
    keepalive,
  };
  const response = await ask(path, init, untilAnswered);
  return JSON.parse(await response.text());
}

/**
 * Like `fetch`, for this server; answers successful responses only. A read waits until the server is there and has time
 * for it: meanwhile the page says so. Anything waits while its user signs in again. A write that got no answer is sent
 * again only with `untilAnswered`, since it may have been done, and its person may have left it since: see `Form`.
 *
 * @param untilAnswered as `CallOptions` has it
 * @throws ApiError for a refusal or no answer; AbortError when the signal aborts
 */
export async function ask(
  path: string,
  init: RequestInit,
  untilAnswered?: CallOptions["untilAnswered"],
): Promise<Response> {
  const signal = init.signal ?? undefined;
  const isRead = /^(?:GET|HEAD)$/.test(init.method ?? "GET");
  let isSignedInAgain = false;
  for (let tries = 1; ; tries += 1) {
    try {
      return await askOnce(path, init);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401 && isOfSession(path) && !isSignedInAgain) {
        isSignedInAgain = await endedSession.over(signal);
        if (!isSignedInAgain) throw error;
      } else {
        const isOver = isRead
          ? (isPassing(error) || error.status === 429) && (await waitedOut(error, tries, signal))
          : untilAnswered !== undefined &&
            isAway(error) &&
            (await answeredAgain(error, tries, untilAnswered));
        if (!isOver) throw error;
      }
    }
  }
}

/** As `waitedOut`, and false where the wait was ended. */
function answeredAgain(error: ApiError, tries: number, until: AbortSignal | true): Promise<boolean> {
  return waitedOut(error, tries, until === true ? undefined : until).catch(() => false);
}

async function askOnce(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(inBrowser(path), init);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError(0, "NO_ANSWER", t("Can't reach the server. Is it running, and are you online?"));
  }
  if (!UNAVAILABLE.has(response.status)) connection.answered();
  if (!response.ok) throw await refusalOf(response, path);
  return response;
}

/** Whether an answer of 401 means that the session has ended. Who asks just that learns it from the answer. */
function isOfSession(path: string): boolean {
  return path.startsWith("/v0/") && path !== ACCOUNT && !path.startsWith("/v0/shared/");
}

/** Whether the same request may succeed in a while, and was not refused for what it is. */
export function isPassing(error: ApiError): boolean {
  return isAway(error) || (error.status === 429 && error.isOfAll);
}

function isAway({ status, code }: ApiError): boolean {
  return code === "NO_ANSWER" || UNAVAILABLE.has(status);
}

/**
 * Waits until a request may be sent again. Resolves with false at once where that takes too long.
 *
 * @param tries how often it was sent
 * @throws the reason of `signal`, when it aborts
 */
export async function waitedOut(error: ApiError, tries: number, signal?: AbortSignal): Promise<boolean> {
  const seconds = error.status === 429 ? (error.waitSeconds ?? REST) : error.waitSeconds;
  if (seconds === undefined) await connection.returned(tries, signal);
  else if (seconds > MOST_REST) return false;
  else await connection.rested(seconds, signal);
  return true;
}

/** The error for an unsuccessful response. Where nobody is signed in, it dispatches `SIGNED_OUT` as well. */
export async function refusalOf(response: Response, path: string): Promise<ApiError> {
  if (response.status === 401 && path.startsWith("/v0/")) {
    dispatchEvent(new CustomEvent(SIGNED_OUT, { detail: path }));
  }
  const { status, headers } = response;
  const retryAfter = Number(headers.get("retry-after") ?? Number.NaN);
  const facts = {
    requestId: headers.get("x-request-id") ?? undefined,
    waitSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    isOfAll: status === 429 && headers.get("x-ratelimit-remaining") === "0",
  };
  try {
    const { error }: { error: Refusal } = JSON.parse(await response.text());
    return new ApiError(status, error.code, refusalInWords(error), error.field, facts);
  } catch {
    // Not an error of Coffer's: a proxy's, for example.
    const message = t("The server answered with status {status}.", { status: String(status) });
    return new ApiError(status, "UNKNOWN", message, undefined, facts);
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

/** Answers what a request answers; null where there is no such thing, or none that may be seen. */
export async function orNull<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}
