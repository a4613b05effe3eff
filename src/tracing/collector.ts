import { codeOf } from "../domain/errors.ts";
import type { Clock } from "../process/clock.ts";

/** What came of a request to a collector. `why` quotes neither the address nor what was sent. */
export type Posted =
  /** It took all but so many spans. */
  | { readonly kind: "taken"; readonly rejected: number; readonly why: string }
  /** It will answer the same again. */
  | { readonly kind: "refused"; readonly why: string }
  /** It may take them in so many milliseconds; 0 if it does not say. */
  | { readonly kind: "later"; readonly afterMs: number; readonly why: string };

interface CollectorParts {
  readonly url: string;
  readonly headers: { reveal(): Readonly<Record<string, string>> };
  readonly clock: Clock;
}

/** How long an answer may take, in milliseconds. */
const ANSWER_MS = 10_000;
/** How much of an answer is read, in bytes. */
const ANSWER_BYTES = 64 * 1024;
/** After these it may be asked again (OTLP 1.0, "Failures" of OTLP/HTTP). */
const PASSING: readonly number[] = [429, 502, 503, 504];

/** Where spans are posted, by OTLP/HTTP in JSON. */
export class Collector {
  readonly #parts: CollectorParts;

  constructor(parts: CollectorParts) {
    this.#parts = parts;
  }

  /** Posts once. Never rejects. @param signal ends it */
  async post(body: string, signal: AbortSignal): Promise<Posted> {
    const { url, headers } = this.#parts;
    try {
      const response = await fetch(url, {
        method: "POST",
        headers: { ...headers.reveal(), "content-type": "application/json" },
        body,
        // The headers may be secret: nobody else may get them.
        redirect: "manual",
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      return this.#outcomeOf(response, await beginningOf(response));
    } catch (error) {
      return { kind: "later", afterMs: 0, why: `there was no answer: ${nameOf(error)}` };
    }
  }

  #outcomeOf({ status, headers }: Response, text: string): Posted {
    if (status >= 200 && status < 300) return { kind: "taken", ...rejectedIn(text) };
    const why = `it answered ${status}`;
    if (!PASSING.includes(status)) return { kind: "refused", why };
    return { kind: "later", afterMs: this.#waitIn(headers.get("retry-after")), why };
  }

  /** RFC 9110, 10.2.3: seconds, or a date. */
  #waitIn(header: string | null): number {
    if (header === null) return 0;
    if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
    const at = Date.parse(header);
    return Number.isNaN(at) ? 0 : Math.max(0, at - this.#parts.clock.now());
  }
}

/** The message of an error may have the address. */
function nameOf(error: unknown): string {
  const code = codeOf(error);
  if (typeof code === "string") return code;
  return error instanceof Error ? error.name : "unknown";
}

async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return "";
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body) {
    pieces.push(piece);
    if ((length += piece.length) >= ANSWER_BYTES) break;
  }
  return Buffer.concat(pieces).toString("utf8");
}

/** How many spans an answer says that were not taken: `partial_success` of `ExportTraceServiceResponse`. */
function rejectedIn(text: string): { rejected: number; why: string } {
  const rejected = Number(/"rejectedSpans"\s*:\s*"?(\d{1,9})\b/.exec(text)?.[1] ?? 0);
  return { rejected, why: "it did not take all spans" };
}
