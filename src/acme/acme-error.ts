/** How much is kept of what an authority says, in characters. */
const SAID_CHARACTERS = 300;

interface AcmeErrorOptions extends ErrorOptions {
  /** The type of the problem without its common beginning, such as `rateLimited` (RFC 8555, 6.7); null if unknown. */
  readonly type?: string | null;
  /** Before when the authority does not want to be asked again, in milliseconds since the epoch; null if it said nothing. */
  readonly retryAt?: number | null;
}

/** Why no certificate was issued. The message tells the operator; it holds no secret. */
export class AcmeError extends Error {
  override readonly name = "AcmeError";
  readonly type: string | null;
  readonly retryAt: number | null;

  constructor(message: string, { type = null, retryAt = null, ...options }: AcmeErrorOptions = {}) {
    super(message, options);
    this.type = type;
    this.retryAt = retryAt;
  }
}

/** What an authority said, to be shown: on one line, and not too long. */
export function quoted(said: string): string {
  const line = said.replaceAll(/[\s\p{C}]+/gu, " ").trim();
  return line.length > SAID_CHARACTERS ? `${line.slice(0, SAID_CHARACTERS)}...` : line;
}
