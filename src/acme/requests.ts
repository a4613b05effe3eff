import { messageOf } from "../domain/errors.ts";
import type { Clock } from "../process/clock.ts";
import { AcmeError, quoted } from "./acme-error.ts";
import { isRecord, retryAtOf } from "./replies.ts";

/** How long one answer may take, in milliseconds. */
const PATIENCE_MS = 30_000;
/** How long an answer may be, in bytes: a chain of certificates is the longest. */
const ANSWER_BYTES = 256 * 1024;
const PROBLEM_PREFIX = "urn:ietf:params:acme:error:";

/** An answer that was no refusal. */
export interface AcmeAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface RequestParts {
  /** The URL of the authority's directory: all others must be of the same origin. */
  readonly directory: string;
  /** The certificates to trust, in PEM; null for those of the system. */
  readonly ca: string | null;
  readonly clock: Clock;
  /** Aborted when the server stops. */
  readonly signal: AbortSignal;
}

/** Sends requests to one authority. What it answers is not trusted: not where it leads to, nor how long it is. */
export class Requests {
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  /** The directory's URL. */
  get directory(): string {
    return this.#parts.directory;
  }

  /** A URL that the authority has named, whole. Throws AcmeError if it is none, or leads elsewhere. */
  own(named: unknown): string {
    const base = this.#parts.directory;
    if (typeof named !== "string" || !URL.canParse(named, base)) {
      throw new AcmeError("the authority's answer has no address where one is needed");
    }
    const url = new URL(named, base);
    if (url.origin !== new URL(base).origin || url.username !== "" || url.password !== "") {
      throw new AcmeError(`the authority names an address of another server: ${quoted(url.origin)}`);
    }
    return url.href;
  }

  /** Asks what is at a URL of the authority. Rejects with AcmeError if it refuses, or cannot be asked. */
  async send(url: string, init: { readonly method?: "HEAD" | "POST"; readonly body?: string } = {}) {
    const answer = await this.#ask(this.own(url), init);
    if (answer.status >= 200 && answer.status < 300) return answer;
    throw refusalOf(answer, this.#parts.clock.now());
  }

  async #ask(
    url: string,
    init: { readonly method?: "HEAD" | "POST"; readonly body?: string },
  ): Promise<AcmeAnswer> {
    const { ca, signal } = this.#parts;
    try {
      const response = await fetch(url, {
        ...init,
        headers: {
          "user-agent": "coffer",
          ...(init.body === undefined ? {} : { "content-type": "application/jose+json" }),
        },
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
        ...(ca === null ? {} : { tls: { ca } }),
      });
      const { status, headers } = response;
      return { status, headers, text: await bounded(response) };
    } catch (cause) {
      if (cause instanceof AcmeError) throw cause;
      throw new AcmeError(
        `the authority at ${new URL(url).host} cannot be asked: ${quoted(messageOf(cause))}`,
        {
          cause,
        },
      );
    }
  }
}

async function bounded(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > ANSWER_BYTES) throw new AcmeError("the authority's answer is too long");
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** What a refusal says (RFC 8555, 6.7). */
function refusalOf({ status, headers, text }: AcmeAnswer, now: number): AcmeError {
  const problem = problemIn(text);
  const [type, detail] = isRecord(problem) ? [problem["type"], problem["detail"]] : [];
  const short =
    typeof type === "string" && type.startsWith(PROBLEM_PREFIX) ? type.slice(PROBLEM_PREFIX.length) : null;
  const words = typeof detail === "string" ? detail : `status ${status}`;
  const shown = short === null ? "" : ` (${quoted(short)})`;
  return new AcmeError(`the authority refuses: ${quoted(words)}${shown}`, {
    type: short,
    retryAt: retryAtOf(headers, now),
  });
}

function problemIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy before the authority may answer with a page: its status says enough.
    return null;
  }
}
